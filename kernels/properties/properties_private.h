/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between a plan and the backends. */

#include "properties.h"
#include "properties_math.h"
#include "properties_ways.h"

G_BEGIN_DECLS

/**
 * CsPropertiesBackend:
 * @warm_up: @picture's data is not looked at
 * @run: @picture is valid. On failure the output's numbers are undefined
 */
typedef struct
{
  void *(*create) (CsExecutor * executor, GError ** error);
  gboolean (*warm_up) (void *state, const CsPropertiesParams * params,
      const CsLabelsPicture * picture, GError ** error);
  gboolean (*run) (void *state, const CsPropertiesParams * params,
      const CsLabelsPicture * picture, CsPropertiesOutput * output,
      GError ** error);
  void (*destroy) (void *state);
} CsPropertiesBackend;

extern const CsPropertiesBackend cs_properties_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsPropertiesBackend cs_properties_cuda_backend;

/* What @wanted needs. */
gboolean cs_properties_need_neighbours (guint32 wanted);
gboolean cs_properties_need_hulls (guint32 wanted);
gboolean cs_properties_need_wide (guint32 wanted);

/* Allocates a result of @n_regions, of @wanted, on the host or the GPU, and fills
 * in its sizes; the memory, or %NULL with @error set. */
void *cs_properties_alloc (CsPropertiesOutput * output, guint32 wanted,
    gsize n_regions, gboolean host, GError ** error);

G_END_DECLS
