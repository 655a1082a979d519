/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Label pictures, and what a literal reading of the definitions makes of them. */

#include "properties/properties.h"

G_BEGIN_DECLS

/**
 * Case:
 * @labels: of @picture, row by row
 * @memory, @size: the picture's
 */
typedef struct
{
  CsPropertiesParams params;
  guint width, height;
  gint64 *labels;
  CsLabelsPicture picture;
  guint8 *memory;
  gsize size;
} Case;

#define CASE_ALL (CS_PROPERTY_BIT (CS_N_PROPERTIES) - 1)

/* A picture of zeros, in numbers of @size bytes, all properties. */
void case_init (Case * test, guint width, guint height, guint size,
    gboolean is_signed);

/* Puts the labels into the picture's memory. */
void case_pack (Case * test);

/* A random one; packed. */
void case_init_random (Case * test, guint64 * state);
void case_clear (Case * test);

/**
 * Expected:
 * @values: of each region all columns, integers too
 *
 * What is right, with all properties wanted.
 */
typedef struct
{
  gsize n_regions, n_columns;
  double *values;
} Expected;

void expected_init (Expected * expected, const Case * test);
void expected_clear (Expected * expected);

G_END_DECLS
