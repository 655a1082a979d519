/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weights of the samples of a row of the image in a level's coefficients, for
 * the exact filter: the product of the pyramid operators. */
#include "llf_private.h"

#include <string.h>

#include "base/memory.h"
#include "llf_math.h"

/**
 * Kernel:
 * @start: first sample
 * @count: samples
 * @w: their weights
 *
 * A coarse sample as a weighted sum of the image's samples.
 */
typedef struct
{
  gint32 start, count;
  float *w;
} Kernel;

/* Maximum support of a sample of level @l: radius 2 (2^l - 1). */
static guint
kernel_size (guint l)
{
  return 4 * ((1u << l) - 1) + 1;
}

static void
kernels_free (Kernel * kernels)
{
  if (kernels)
    g_free (kernels[0].w);
  g_free (kernels);
}

/* @n kernels of capacity @size each, or NULL. */
static Kernel *
kernels_new (guint n, guint size)
{
  g_autofree Kernel *kernels = cs_try_new0 (Kernel, n);
  float *w = kernels ? cs_try_malloc0_n (n, size * sizeof (float)) : NULL;

  if (!w)
    return NULL;
  for (guint i = 0; i < n; i++)
    kernels[i].w = w + (gsize) i * size;
  return g_steal_pointer (&kernels);
}

/* @to = sum of @weights times consecutive kernels @from. */
static void
combine (Kernel * to, const Kernel * from, const float *weights, guint n)
{
  gint32 end = 0;

  to->start = G_MAXINT32;
  for (guint i = 0; i < n; i++) {
    if (weights[i] == 0)
      continue;
    to->start = MIN (to->start, from[i].start);
    end = MAX (end, from[i].start + from[i].count);
  }
  to->count = end - to->start;
  for (guint i = 0; i < n; i++) {
    if (weights[i] == 0)
      continue;
    for (gint32 k = 0; k < from[i].count; k++)
      to->w[from[i].start - to->start + k] += weights[i] * from[i].w[k];
  }
}

/* The kernels of the level after @fine, which has @n. */
static Kernel *
next_level (const Kernel * fine, guint n, guint level)
{
  const guint m = n / 2 + n % 2;
  Kernel *coarse = kernels_new (m, kernel_size (level));

  for (guint j = 0; coarse && j < m; j++) {
    float w[5];
    const guint first = j > 0 ? 2 * j - 2 : 0;
    const guint skip = j > 0 ? 0 : 2;

    cs_llf_down_weights (j, n, w);
    combine (&coarse[j], fine + first, w + skip, MIN (5 - skip, n - first));
  }
  return coarse;
}

static Kernel *
image_level (guint n)
{
  Kernel *kernels = kernels_new (n, 1);

  for (guint i = 0; kernels && i < n; i++) {
    kernels[i].start = i;
    kernels[i].count = 1;
    kernels[i].w[0] = 1;
  }
  return kernels;
}

/* up (G_{l + 1}) at @i. */
static void
combine_up (Kernel * to, const Kernel * coarse, guint i, guint m)
{
  const guint at = i / 2, first = at > 0 ? at - 1 : 0, skip = at > 0 ? 0 : 1;
  float w[3];

  cs_llf_up_weights (i, m, w);
  combine (to, coarse + first, w + skip, MIN (3 - skip, m - first));
}

static gboolean
fill (CsLlfWeights * weights, const Kernel * fine, const Kernel * coarse,
    guint m)
{
  g_autofree float *buffer = cs_try_new (float, weights->support);

  if (!buffer)
    return FALSE;
  for (guint i = 0; i < weights->n; i++) {
    Kernel up = {.w = buffer };
    float *a = weights->a + (gsize) i * weights->support;
    float *b = weights->b + (gsize) i * weights->support;

    memset (buffer, 0, weights->support * sizeof (float));
    combine_up (&up, coarse, i, m);
    /* the support of G_l at i is within that of up, except at borders */
    weights->start[i] = MIN (up.start, fine[i].start);
    weights->count[i] = MAX (up.start + up.count,
        fine[i].start + fine[i].count) - weights->start[i];
    for (gint32 k = 0; k < fine[i].count; k++)
      a[fine[i].start - weights->start[i] + k] = fine[i].w[k];
    for (gint32 k = 0; k < up.count; k++)
      b[up.start - weights->start[i] + k] = up.w[k];
  }
  return TRUE;
}

static gboolean
allocate (CsLlfWeights * weights, guint n, guint level, guint image)
{
  weights->n = n;
  /* three coarse kernels at distances of 2^(l + 1); at most the image */
  weights->support = MIN (kernel_size (level + 1) + (4u << level), image);
  weights->start = cs_try_new0 (gint32, n);
  weights->count = cs_try_new0 (gint32, n);
  weights->a = cs_try_malloc0_n (n, weights->support * sizeof (float));
  weights->b = cs_try_malloc0_n (n, weights->support * sizeof (float));
  return weights->start && weights->count && weights->a && weights->b;
}

static void
weights_clear (CsLlfWeights * weights)
{
  g_clear_pointer (&weights->start, g_free);
  g_clear_pointer (&weights->count, g_free);
  g_clear_pointer (&weights->a, g_free);
  g_clear_pointer (&weights->b, g_free);
}

/* Weights of level @level, which is not the last, for @n samples. Fails with
 * CS_ERROR_NO_MEMORY. */
static gboolean
weights_init (CsLlfWeights * weights, guint n, guint level,
    GError ** error)
{
  const guint image = n;
  Kernel *fine = image_level (n), *coarse = NULL;
  gboolean ok = FALSE;

  for (guint l = 0; fine && l <= level; l++) {
    coarse = next_level (fine, n, l + 1);
    if (l == level || !coarse)
      break;
    kernels_free (fine);
    fine = coarse;
    coarse = NULL;
    n = n / 2 + n % 2;
  }
  ok = fine && coarse && allocate (weights, n, level, image) &&
      fill (weights, fine, coarse, n / 2 + n % 2);
  kernels_free (fine);
  kernels_free (coarse);
  if (!ok) {
    weights_clear (weights);
    cs_fail_no_memory (error, "the exact filter's weights");
  }
  return ok;
}

void
cs_llf_windows_clear (CsLlfWindows * windows)
{
  for (guint l = 0; l < windows->n_levels; l++) {
    weights_clear (&windows->columns[l]);
    weights_clear (&windows->rows[l]);
  }
  windows->n_levels = 0;
}

gboolean
cs_llf_windows_ensure (CsLlfWindows * windows, guint width, guint height,
    GError ** error)
{
  const guint n = cs_llf_n_levels (width, height);

  if (windows->n_levels && windows->width == width && windows->height == height)
    return TRUE;
  cs_llf_windows_clear (windows);
  for (guint l = 0; l + 1 < n; l++) {
    if (!weights_init (&windows->columns[l], width, l, error))
      return FALSE;
    windows->n_levels = l + 1;
    if (!weights_init (&windows->rows[l], height, l, error))
      return FALSE;
  }
  windows->width = width;
  windows->height = height;
  return TRUE;
}
