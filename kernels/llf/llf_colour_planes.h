/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Components in memory: checks, and transfer to the backend's memory. */

#include "base/picture.h"
#include "llf_colour_private.h"

G_BEGIN_DECLS

#define CS_LLF_MAX_PLANES CS_PICTURE_MAX_COMPONENTS

/**
 * CsLlfPlane:
 * @input: first byte
 * @output: likewise
 * @row_size: bytes of a row's pixels
 * @rows: number of rows
 * @is_used: whether it is read or changed; copied otherwise, unless in place
 * @own: (nullable): its place in the backend's memory
 *
 * Components that are interleaved.
 */
typedef struct
{
  const guint8 *input;
  guint8 *output;
  gsize input_stride, output_stride, row_size;
  guint rows;
  gboolean is_used;
  guint8 *own;
} CsLlfPlane;

/**
 * CsLlfWork:
 * @backend: works
 * @state: the backend's
 * @is_cuda: whether it works on the device
 * @input: as the caller gives it
 * @output: likewise
 * @from: the input in the backend's memory; only planes that are used
 * @to: likewise, the output
 * @plane_of: the plane of each component
 *
 * State of a run. The caller fills in what is before @from.
 */
typedef struct
{
  const CsLlfColourBackend *backend;
  void *state;
  gboolean is_cuda;
  const CsPicture *input, *output;
  gboolean scale_chroma;
  CsPicture from, to;
  guint n_planes;
  CsLlfPlane planes[CS_LLF_MAX_PLANES];
  guint plane_of[CS_PICTURE_MAX_COMPONENTS];
} CsLlfWork;

/* Whether pictures like @picture can be filtered, else CS_ERROR_INVALID. */
gboolean cs_llf_colour_check_format (const CsPicture * picture,
    GError ** error);

/* Checks input and output, and makes @from and @to of them: planes that are
 * used are transferred, the others copied. */
gboolean cs_llf_work_begin (CsLlfWork * work, GError ** error);

/* The first byte of plane @p of @from or @to, and the bytes from row to row. */
const guint8 *cs_llf_work_get_input (const CsLlfWork * work, guint p);
guint8 *cs_llf_work_get_output (const CsLlfWork * work, guint p);
gsize cs_llf_work_get_stride (const CsLlfWork * work, guint p, gboolean input);

/* Transfers the result, and waits for it unless both pictures are on the
 * device. */
gboolean cs_llf_work_finish (const CsLlfWork * work, GError ** error);

G_END_DECLS
