/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Label pictures for tests and benchmarks. */

#include "labels/labels.h"

G_BEGIN_DECLS

/**
 * Case:
 * @samples: the picture's memory, of @samples_size bytes
 * @wanted: the input's, or %NULL
 *
 * Owns what @input points to.
 */
typedef struct
{
  CsLabelsParams params;
  CsLabelsInput input;
  gpointer samples;
  gsize samples_size;
  guint32 *wanted;
} Case;

/* Any input. */
void case_init (Case * test, guint64 * state);

/* A picture of @width x @height labels @values, row after row, each of @size
 * bytes. */
void case_init_given (Case * test, const gint64 * values, guint width,
    guint height, guint size, gboolean is_signed);

/* The cells of @n points that lie anywhere: labels 1 to @n. */
void case_init_voronoi (Case * test, guint width, guint height, guint n,
    guint size);

/* Labels 0 to @n - 1 anywhere; those above 0 in a share @density of all
 * pixels. */
void case_init_noise (Case * test, guint width, guint height, guint n,
    double density, guint size);

/* One label: a comb with @n teeth of all rows but one, or a spiral. */
void case_init_comb (Case * test, guint width, guint height, guint n);
void case_init_spiral (Case * test, guint width, guint height);

/* The label of pixel (@x, @y), or -1 if it has no rings. */
gint64 case_label_at (const Case * test, gint64 x, gint64 y);

/* Writes a label. */
void case_set_label (const Case * test, guint x, guint y, gint64 label);

void case_clear (Case * test);

G_END_DECLS
