/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: planes of what targets are contours of; see contours_planes.h. */
#include "contours_cpu.h"

#include <math.h>
#include <string.h>

#include "base/choose.h"
#include "base/clones.h"

/* Rows in a job */
#define ROWS_PER_JOB 32
/* Samples of a row that are worked on together */
#define CHUNK 256

typedef struct
{
  const CsContoursCpu *cpu;
  const CsImage *image;         /* the user's samples */
  const CsImage *mask;          /* or %NULL */
  CsContoursView *view;
} Derive;

/* Samples of @n pixels, @stride bytes apart. */
typedef struct
{
  CsSampleType type;
  const guint8 *at;
  gsize stride;
  guint n;
} Span;

/* @statement for each sample i of @span, as double @sample. */
#define EACH_AS(type, expression, statement) \
  for (i = 0; i < n; i++) { \
    const type raw = *(const type *) (at + i * stride); \
    const double sample = (double) (expression); \
\
    statement; \
  } \
  break

#define EACH(span, statement) \
  G_STMT_START { \
    const guint8 *at = (span)->at; \
    const gsize stride = (span)->stride; \
    const guint n = (span)->n; \
    guint i; \
\
    switch ((span)->type) { \
      case CS_SAMPLE_U8: \
        EACH_AS (guint8, raw, statement); \
      case CS_SAMPLE_U16: \
        EACH_AS (guint16, raw, statement); \
      case CS_SAMPLE_F16: \
        EACH_AS (guint16, cs_half_to_double (raw), statement); \
      case CS_SAMPLE_F32: \
        EACH_AS (gfloat, raw, statement); \
      default: \
        EACH_AS (gdouble, raw, statement); \
    } \
  } G_STMT_END

/* Members of a group at the samples of a span, which is of the first one. */
typedef struct
{
  Span span;
  const guint32 *members;
  guint n_members;
  gsize channel_stride;
} GroupSpan;

/* Pixels at a time, whose sums are independent of each other. */
#define LANES 4

#define COMBINE_LANES(type, VALUE, max, lanes) \
  G_STMT_START { \
    const guint8 *first = span->at + i * span->stride - \
        group->members[0] * group->channel_stride; \
    double value[LANES] = { 0., }; \
    guint k, l; \
\
    for (l = 0; l < (lanes); l++) \
      value[l] = VALUE (*(const type *) (first + l * span->stride + \
              group->members[0] * group->channel_stride)); \
    for (k = 1; k < group->n_members; k++) { \
      const guint8 *at = first + group->members[k] * group->channel_stride; \
\
      for (l = 0; l < (lanes); l++) \
        value[l] = cs_plane_add ((max), value[l], \
            VALUE (*(const type *) (at + l * span->stride))); \
    } \
    for (l = 0; l < (lanes); l++) \
      out[i + l] = value[l]; \
  } G_STMT_END

#define COMBINE(type, VALUE, max) \
  for (i = 0; i + LANES <= span->n; i += LANES) \
    COMBINE_LANES (type, VALUE, max, LANES); \
  for (; i < span->n; i++) \
    COMBINE_LANES (type, VALUE, max, 1); \
  break

#define DEFINE_COMBINE(name, max) \
  static void \
  name (const GroupSpan * group, double *out) \
  { \
    const Span *span = &group->span; \
    guint i; \
\
    switch (span->type) { \
      case CS_SAMPLE_U8: \
        COMBINE (guint8, (double), max); \
      case CS_SAMPLE_U16: \
        COMBINE (guint16, (double), max); \
      case CS_SAMPLE_F16: \
        COMBINE (guint16, cs_half_to_double, max); \
      case CS_SAMPLE_F32: \
        COMBINE (gfloat, (double), max); \
      default: \
        COMBINE (gdouble, (double), max); \
    } \
  }

DEFINE_COMBINE (add_spans, FALSE)
DEFINE_COMBINE (max_spans, TRUE)

/* Interleaved single precision, as networks have it: four channels that follow
 * one another of four pixels at a time, each pixel's in order. */
typedef gfloat Floats __attribute__ ((vector_size (16)));
typedef gdouble Doubles __attribute__ ((vector_size (32)));
typedef gint32 Lanes __attribute__ ((vector_size (16)));

static inline gboolean
is_run (const guint32 *members)
{
  return members[1] == members[0] + 1 && members[2] == members[0] + 2 &&
      members[3] == members[0] + 3;
}

#ifdef __clang__
#define SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector (a, b, i, j, k, l)
#else
#define SHUFFLE(a, b, i, j, k, l) __builtin_shuffle (a, b, (Lanes) {i, j, k, l})
#endif

#define WIDEN(floats) __builtin_convertvector (floats, Doubles)

CS_CLONES static void
add_floats (const GroupSpan * group, double *out)
{
  const Span *span = &group->span;
  const guint32 *members = group->members;
  const gsize stride = span->stride;
  guint i, k, l;

  for (i = 0; i + LANES <= span->n; i += LANES) {
    /* channel 0, which may lie before what is there */
    const guint8 *first = span->at + i * stride - members[0] * sizeof (gfloat);
    Doubles sum = { 0., };

    for (k = 0; k < group->n_members;) {
      const gsize offset = members[k] * sizeof (gfloat);
      Floats row[LANES], a, b, c, d;

      if (k > 0 && k + 4 <= group->n_members && is_run (members + k)) {
        for (l = 0; l < LANES; l++)
          memcpy (&row[l], first + l * stride + offset, sizeof (Floats));
        a = SHUFFLE (row[0], row[1], 0, 4, 1, 5);
        b = SHUFFLE (row[2], row[3], 0, 4, 1, 5);
        c = SHUFFLE (row[0], row[1], 2, 6, 3, 7);
        d = SHUFFLE (row[2], row[3], 2, 6, 3, 7);
        sum += WIDEN (SHUFFLE (a, b, 0, 1, 4, 5));
        sum += WIDEN (SHUFFLE (a, b, 2, 3, 6, 7));
        sum += WIDEN (SHUFFLE (c, d, 0, 1, 4, 5));
        sum += WIDEN (SHUFFLE (c, d, 2, 3, 6, 7));
        k += 4;
        continue;
      }
      for (l = 0; l < LANES; l++)
        a[l] = *(const gfloat *) (first + l * stride + offset);
      /* a sum begins with its first term: -0 stays */
      sum = k == 0 ? WIDEN (a) : sum + WIDEN (a);
      k++;
    }
    memcpy (out + i, &sum, sizeof (sum));
  }
  for (; i < span->n; i++)
    COMBINE_LANES (gfloat, (double), FALSE, 1);
}

CS_CLONES static void
load_span (const Span * span, double *out)
{
  EACH (span, out[i] = sample);
}

/* The greatest sample of each pixel so far, the channel that had it first, -1
 * for none, and the second greatest. */
typedef struct
{
  double best[CHUNK], second[CHUNK], first[CHUNK];
} Best;

/* The greater of the two goes on as the best, the other one may be the second;
 * a NaN stays the second. Without branches. */
static inline void
add_to_best (Best * best, guint i, double channel, double sample)
{
  const double b = best->best[i], s = best->second[i];
  const gboolean greater = (sample > b) | (best->first[i] < 0.);
  const double other = greater ? b : sample;

  best->best[i] = greater ? sample : b;
  best->first[i] = greater ? channel : best->first[i];
  best->second[i] = ((s == s) & !(other <= s)) ? other : s;
}

CS_CLONES static void
best_of_span (const Span * span, double channel, Best * best)
{
  EACH (span, add_to_best (best, i, channel, sample));
}

static void
store_chunk (CsSampleType type, const double *values, guint n, void *to)
{
  if (type == CS_SAMPLE_F64) {
    memcpy (to, values, n * sizeof (double));
    return;
  }
  for (guint i = 0; i < n; i++)
    ((gfloat *) to)[i] = (gfloat) values[i];
}

/* Pixels of a row. */
static Span
get_span (const Derive * derive, guint channel, guint row, guint x, guint n)
{
  const CsImage *image = derive->image;

  return (Span) {
    image->type, (const guint8 *) image->data +
        channel * image->channel_stride + row * image->row_stride +
        x * image->pixel_stride, image->pixel_stride, n
  };
}

static void
own_chunk (const Derive * derive, const CsPlaneSource * source, guint row,
    guint x, guint n, double *own)
{
  const CsContours *plan = derive->cpu->plan;
  const guint32 *members = plan->planes.members + source->first;
  const GroupSpan group = {
    get_span (derive, members[0], row, x, n), members, source->n,
    derive->image->channel_stride
  };

  if (source->n == 1) {
    load_span (&group.span, own);
    cs_contours_take (CS_CONTOURS_PLANE_COPY);
  } else if (plan->params.group_mode == CS_GROUP_SUM &&
      group.span.type == CS_SAMPLE_F32 &&
      group.channel_stride == sizeof (gfloat)) {
    add_floats (&group, own);
    cs_contours_take (CS_CONTOURS_PLANE_FLOATS);
  } else if (plan->params.group_mode == CS_GROUP_MAX) {
    max_spans (&group, own);
    cs_contours_take (CS_CONTOURS_PLANE_MAX);
  } else {
    add_spans (&group, own);
    cs_contours_take (CS_CONTOURS_PLANE_SUM);
  }
}

static gboolean
is_member (const CsContours * plan, const CsPlaneSource * source,
    guint32 channel)
{
  for (guint k = 0; k < source->n; k++) {
    if (plan->planes.members[source->first + k] == channel)
      return TRUE;
  }
  return FALSE;
}

/* Of all channels but those of @except. */
static void
best_chunk (const Derive * derive, const CsPlaneSource * except, guint row,
    guint x, guint n, Best * best)
{
  for (guint i = 0; i < n; i++) {
    best->best[i] = best->second[i] = -INFINITY;
    best->first[i] = -1.;
  }
  for (guint channel = 0; channel < derive->image->channels; channel++) {
    const Span span = get_span (derive, channel, row, x, n);

    if (!except || !is_member (derive->cpu->plan, except, channel))
      best_of_span (&span, channel, best);
  }
}

typedef gint64 Masks __attribute__ ((vector_size (32)));

/* @own, of the channel @lowest and perhaps higher ones, less the best of other
 * channels: @best is of these, or of all, with the plane's only one. As
 * cs_plane_exclusive(), some pixels at once; what is behind the last one does
 * not matter. */
CS_CLONES static void
exclude_chunk (double lowest, const Best * best, gboolean all_in_best,
    guint n, double *own)
{
  const Doubles none = { 0., }, won = none + CS_PLANE_WON;
  /* or no channel's number */
  const double only = all_in_best ? lowest : -2.;

  for (guint i = 0; i < n; i += LANES) {
    Doubles first, second, other, sample;

    memcpy (&first, best->first + i, sizeof (first));
    memcpy (&second, best->second + i, sizeof (second));
    memcpy (&other, best->best + i, sizeof (other));
    memcpy (&sample, own + i, sizeof (sample));
    const Masks is_own = first == only;
    const Masks wins = is_own | (first < 0.) | (first > lowest);

    other = CS_CHOOSE (Doubles, is_own, second, other);
    const Doubles tie = CS_CHOOSE (Doubles, wins, won, none);
    const Doubles value = CS_CHOOSE (Doubles, sample == other, tie, sample - other);

    sample = CS_CHOOSE (Doubles, second != second, none + (double) NAN, value);
    memcpy (own + i, &sample, sizeof (sample));
  }
}

static guint8 *
plane_at (const CsContoursView * view, guint plane, guint row, guint x)
{
  const CsImage *planes = &view->planes;

  return (guint8 *) planes->data + plane * planes->channel_stride +
      (row + view->border) * planes->row_stride +
      (x + view->border) * planes->pixel_stride;
}

/* Pixels of all planes. */
static void
derive_chunk (const Derive * derive, guint row, guint x, guint n)
{
  const CsContours *plan = derive->cpu->plan;
  const CsContoursView *view = derive->view;
  const gboolean exclusive = plan->params.exclusive;
  double own[CHUNK];
  Best best, others;

  if (exclusive)
    best_chunk (derive, NULL, row, x, n, &best);
  for (guint p = 0; p < plan->planes.n_planes; p++) {
    const CsPlaneSource *source = &plan->planes.sources[p];

    own_chunk (derive, source, row, x, n, own);
    if (exclusive && source->n == 1) {
      exclude_chunk (source->lowest, &best, TRUE, n, own);
      cs_contours_take (CS_CONTOURS_PLANE_EXCLUSIVE);
    } else if (exclusive) {
      best_chunk (derive, source, row, x, n, &others);
      exclude_chunk (source->lowest, &others, FALSE, n, own);
      cs_contours_take (CS_CONTOURS_PLANE_EXCLUSIVE_GROUP);
    }
    store_chunk (view->planes.type, own, n, plane_at (view, p, row, x));
  }
}

static void
fill_infinite (CsSampleType type, void *to, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    if (type == CS_SAMPLE_F64)
      ((gdouble *) to)[i] = -INFINITY;
    else
      ((gfloat *) to)[i] = -INFINITY;
  }
}

/* The border's part of row @row, which may be all of it. */
static void
fill_border (const CsContoursView * view, guint row)
{
  const CsImage *planes = &view->planes;
  const guint border = view->border;
  const gboolean outside = row < border || row >= planes->height - border;

  for (guint p = 0; p < planes->channels; p++) {
    guint8 *to = (guint8 *) planes->data + p * planes->channel_stride +
        row * planes->row_stride;

    fill_infinite (planes->type, to, outside ? planes->width : border);
    fill_infinite (planes->type, to + (planes->width - border) *
        planes->pixel_stride, border);
  }
}

static void
copy_mask_row (const Derive * derive, guint row)
{
  const CsImage *mask = &derive->view->mask, *from = derive->mask;
  const guint border = derive->view->border;
  guint8 *to = (guint8 *) mask->data + row * mask->row_stride;

  memset (to, 1, mask->width);
  if (row >= border && row < mask->height - border)
    cs_row_gather (CS_SAMPLE_U8, (const guint8 *) from->data +
        (row - border) * from->row_stride, from->pixel_stride, from->width,
        to + border);
}

static void
derive_rows (void *user_data, guint job)
{
  const Derive *derive = user_data;
  const CsContoursView *view = derive->view;
  const guint end = MIN (view->planes.height, (job + 1) * ROWS_PER_JOB);
  const guint border = view->border, width = derive->image->width;

  for (guint row = job * ROWS_PER_JOB; row < end; row++) {
    if (border)
      fill_border (view, row);
    if (border && derive->mask)
      copy_mask_row (derive, row);
    if (row < border || row >= view->planes.height - border)
      continue;
    for (guint x = 0; x < width; x += MIN (CHUNK, width - x))
      derive_chunk (derive, row - border, x, MIN (CHUNK, width - x));
  }
}

/* Adaptive */

/* A plane to take the local mean from. */
typedef struct
{
  const Derive *derive;
  guint plane;
  guint width, height, window;
  guint n_bands;
  double *sums;                 /* of the windows in rows, height x width */
  double *spare;
} Adaptive;

/* Padded samples of a row, and the sums to the right end of their blocks. */
#define ROW_SPARE(width, window) (2 * ((gsize) (width) + (window)))

static void
sum_row (const Adaptive * adaptive, guint row, double *padded)
{
  const CsContoursView *view = adaptive->derive->view;
  const guint window = adaptive->window, n = adaptive->width + window - 1;
  const guint8 *from = plane_at (view, adaptive->plane, row, 0);
  double *tails = padded + n, *out = adaptive->sums +
      (gsize) row * adaptive->width, head = 0.;

  for (guint i = 0; i < n; i++) {
    const gsize at = (gsize) cs_plane_reflect ((gint64) i - window / 2,
        adaptive->width);

    padded[i] = view->planes.type == CS_SAMPLE_F64 ?
        ((const gdouble *) from)[at] : (double) ((const gfloat *) from)[at];
  }
  for (guint i = n; i-- > 0;)
    tails[i] = i == n - 1 || i % window == window - 1 ? padded[i] :
        padded[i] + tails[i + 1];
  for (guint i = 0; i < n; i++) {
    head = i % window == 0 ? padded[i] : head + padded[i];
    if (i + 1 < window)
      continue;
    out[i + 1 - window] = (i + 1) % window == 0 ? head :
        tails[i + 1 - window] + head;
  }
}

static void
sum_rows (void *user_data, guint band)
{
  const Adaptive *adaptive = user_data;
  const guint64 height = adaptive->height;
  const guint end = (guint) (height * (band + 1) / adaptive->n_bands);
  guint row;

  for (row = (guint) (height * band / adaptive->n_bands); row < end; row++)
    sum_row (adaptive, row, adaptive->spare +
        band * ROW_SPARE (adaptive->width, adaptive->window));
}

static const double *
padded_row (const Adaptive * adaptive, guint i)
{
  return adaptive->sums + (gsize) cs_plane_reflect ((gint64) i -
      adaptive->window / 2, adaptive->height) * adaptive->width;
}

CS_CLONES static void
add_rows (const double *a, const double *b, guint n, double *sum)
{
  for (guint i = 0; i < n; i++)
    sum[i] = a[i] + b[i];
}

static void
finish_row (const Adaptive * adaptive, guint row, const double *sums)
{
  const CsContoursView *view = adaptive->derive->view;
  const double count = (double) adaptive->window * adaptive->window;
  const double offset = adaptive->derive->cpu->plan->params.adaptive_offset;
  guint8 *plane = plane_at (view, adaptive->plane, row, 0);

  for (guint x = 0; x < adaptive->width; x++) {
    if (view->planes.type == CS_SAMPLE_F64)
      ((gdouble *) plane)[x] = cs_plane_adaptive (((gdouble *) plane)[x],
          sums[x], count, offset);
    else
      ((gfloat *) plane)[x] = (gfloat) cs_plane_adaptive ((double) ((gfloat *)
              plane)[x], sums[x], count, offset);
  }
}

/* The windows that begin in block @block, by columns. */
static void
sum_block (void *user_data, guint block)
{
  const Adaptive *adaptive = user_data;
  const guint window = adaptive->window, width = adaptive->width;
  const guint first = block * window;
  const guint n = MIN (window, adaptive->height - first);
  double *tails = adaptive->spare + (gsize) block * (window + 2) * width;
  double *head = tails + (gsize) window * width, *sum = head + width;

  /* the block is whole: the first window is it */
  memcpy (head, padded_row (adaptive, first), width * sizeof (double));
  for (guint i = 1; i < window; i++)
    add_rows (head, padded_row (adaptive, first + i), width, head);
  finish_row (adaptive, first, head);
  memcpy (tails + (gsize) (window - 1) * width,
      padded_row (adaptive, first + window - 1), width * sizeof (double));
  for (guint i = window - 1; i-- > 1;)
    add_rows (padded_row (adaptive, first + i),
        tails + (gsize) (i + 1) * width, width, tails + (gsize) i * width);
  for (guint i = 1; i < n; i++) {
    const double *next = padded_row (adaptive, first + window + i - 1);

    if (i == 1)
      memcpy (head, next, width * sizeof (double));
    else
      add_rows (head, next, width, head);
    add_rows (tails + (gsize) i * width, head, width, sum);
    finish_row (adaptive, first + i, sum);
  }
}

static gboolean
subtract_means (const Derive * derive, CsScratch * scratch, GError ** error)
{
  const CsContours *plan = derive->cpu->plan;
  const CsImage *image = derive->image;
  const guint window = plan->params.adaptive_window;
  const guint n_blocks = (image->height + window - 1) / window;
  const guint n_bands = MIN (image->height,
      4 * cs_executor_get_n_threads (plan->executor));
  const gsize n = (gsize) image->width * image->height;
  const gsize spare = MAX (n_bands * ROW_SPARE (image->width, window),
      (gsize) n_blocks * (window + 2) * image->width);
  Adaptive adaptive = {
    derive, 0, image->width, image->height, window, n_bands,
    cs_scratch_ensure (scratch, (n + spare) * sizeof (double), error)
  };

  if (!adaptive.sums)
    return FALSE;
  adaptive.spare = adaptive.sums + n;
  cs_contours_take (CS_CONTOURS_PLANE_ADAPTIVE);
  for (; adaptive.plane < plan->planes.n_planes; adaptive.plane++) {
    cs_executor_parallel_for (plan->executor, n_bands, sum_rows, &adaptive);
    cs_executor_parallel_for (plan->executor, n_blocks, sum_block, &adaptive);
  }
  return TRUE;
}

gboolean
cs_cpu_derive (CsContoursCpu * cpu, CsContoursView * view, GError ** error)
{
  const CsImage image = view->input.image;
  CsImage *planes = &view->planes;
  const CsImage *user_mask = view->input.mask;
  const gsize size = planes->channels * planes->channel_stride;
  const gsize mask_size = user_mask && view->border ?
      (gsize) planes->width * planes->height : 0;
  const Derive derive = { cpu, &image, user_mask, view };
  guint8 *memory =
      cs_scratch_ensure (&cpu->plane_memory, size + mask_size, error);

  if (!memory)
    return FALSE;
  planes->data = memory;
  planes->memory = CS_MEMORY_HOST;
  if (view->border)
    cs_contours_take (CS_CONTOURS_PLANE_BORDER);
  if (mask_size) {
    cs_contours_take (CS_CONTOURS_PLANE_MASK);
    view->mask = cs_image_gray (memory + size, CS_SAMPLE_U8, planes->width,
        planes->height, planes->width);
    view->input.mask = &view->mask;
  }
  cs_executor_parallel_for (cpu->plan->executor, (planes->height +
          ROWS_PER_JOB - 1) / ROWS_PER_JOB, derive_rows, (void *) &derive);
  return cpu->plan->params.adaptive_window == 0 ||
      subtract_means (&derive, &cpu->mean_memory, error);
}
