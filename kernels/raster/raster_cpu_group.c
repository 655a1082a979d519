/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Painting 8 x 2 pixels at a time on the CPU. */
#include "raster_cpu.h"

#include <string.h>
#if defined (__SSE2__)
#include <emmintrin.h>
#elif defined (__ARM_NEON)
#include <arm_neon.h>
#endif

/* vectors are passed between functions of this file only */
#pragma GCC diagnostic ignored "-Wpsabi"

/* A row of a cell. */
static inline CsPixel *
cell_row (CsCells * cells, guint index, guint row)
{
  return &cells->pixels[index / CS_CELLS_PER_ROW * CS_GROUP_HEIGHT + row]
      [index % CS_CELLS_PER_ROW * CS_GROUP_WIDTH];
}

typedef guint8 CsBytes __attribute__ ((vector_size (8), may_alias));

/* A picture's components, for reading or writing. */
typedef struct
{
  guint8 *data[4];
  const gsize *pixel, *row;
} CsRasterPlanes;

/* Two halves of four lanes for the instructions that every machine has */
typedef float CsHalf __attribute__ ((vector_size (16), may_alias));
typedef gint32 CsHalfInt __attribute__ ((vector_size (16), may_alias));

static inline gboolean
is_inside (const CsRasterFormat * f, const CsGroup * group, guint row, guint i)
{
  return group->x + (gint) i < f->width && group->y + (gint) row < f->height;
}

/* The ink's alpha on each pixel. */
static void
cover_by_ink (const CsGroupContext * context, const CsGroup * group,
    CsLanes cover[2])
{
  const CsRasterInk *ink = context->ink;

  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    for (guint i = 0; i < CS_GROUP_WIDTH; i++)
      cover[row][i] = !is_inside (context->format, group, row, i) ? 0 :
          cs_raster_ink_alpha (ink, ink->pixels[(gsize) (group->y + row) *
              ink->width + group->x + i], context->format->antialias);
  }
}

static void
cs_group_layer (const CsGroupContext * context, const CsGroup * group,
    const CsStaged * staged, CsLanes cover[2])
{
  if (staged->fill)
    cs_lanes ()->cover_by_fill (context, group->x, group->y, staged->fill,
        cover);
  else
    cover_by_ink (context, group, cover);
}

/* --- From bounds to codes ------------------------------------------------- */

/* Components of all pixels, from bounds. */
typedef struct
{
  float low[4][CS_GROUP_PIXELS], high[4][CS_GROUP_PIXELS];
} Components;

static void
finish_pixel (const CsRasterFormat * f, const CsGroup * group,
    const CsGroupBounds * bounds, guint row, guint i, Components * to)
{
  float low[4], high[4];

  if (f->has_frame && !bounds->touched[row][i]) {
    cs_raster_read_components (f, group->x + i, group->y + row, low);
    memcpy (high, low, sizeof (high));
  } else {
    for (guint j = 0; j < 4; j++) {
      low[j] = bounds->low[j][row][i];
      high[j] = bounds->high[j][row][i];
    }
    cs_raster_finish (f, low, high);
  }
  for (guint j = 0; j < 4; j++) {
    to->low[j][row * CS_GROUP_WIDTH + i] = low[j];
    to->high[j][row * CS_GROUP_WIDTH + i] = high[j];
  }
}

/* The mean of a sample's pixels, those that exist: each row, then the rows. */
static float
mean (const CsRasterFormat * f, const CsGroup * group, const float *component,
    guint row, guint i)
{
  const guint columns = f->sub_x && is_inside (f, group, row, i + 1) ? 2 : 1;
  const guint rows = f->sub_y && is_inside (f, group, row + 1, i) ? 2 : 1;
  const float *at = component + row * CS_GROUP_WIDTH + i;
  float sum = at[0];

  if (columns == 2)
    sum += at[1];
  if (rows == 2)
    sum += columns == 2 ? at[CS_GROUP_WIDTH] + at[CS_GROUP_WIDTH + 1] :
        at[CS_GROUP_WIDTH];
  return sum * (1.f / (columns * rows));
}

/* Likewise, where light is mixed. */
static gboolean
settle_light (const CsRasterFormat * f, const CsGroup * group,
    const CsGroupBounds * bounds)
{
  gint codes[4][CS_GROUP_PIXELS];
  Components components;
  gboolean writes = FALSE;

  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    for (guint i = 0; i < CS_GROUP_WIDTH; i++) {
      if (is_inside (f, group, row, i))
        finish_pixel (f, group, bounds, row, i, &components);
    }
  }
  do {
    for (gint j = 0; j < 4; j++) {
      const gboolean is_chroma = f->model == CS_PICTURE_YUV && (j == 1 ||
          j == 2);
      const guint sub_x = cs_raster_sub_x (f, j);
      const guint sub_y = cs_raster_sub_y (f, j);

      if (!cs_raster_has_component (f, j))
        continue;
      for (guint row = 0; row < CS_GROUP_HEIGHT; row += 1 + sub_y) {
        for (guint i = 0; i < CS_GROUP_WIDTH; i += 1 + sub_x) {
          const guint at = row * CS_GROUP_WIDTH + i;
          float low = components.low[j][at], high = components.high[j][at];

          if (!is_inside (f, group, row, i))
            continue;
          if (writes) {
            cs_raster_write (f, j, (group->x + i) >> sub_x,
                (group->y + row) >> sub_y, codes[j][at]);
            continue;
          }
          if (is_chroma) {
            low = mean (f, group, components.low[j], row, i);
            high = mean (f, group, components.high[j], row, i);
          }
          codes[j][at] = cs_raster_round (f->max, low);
          if (codes[j][at] != cs_raster_round (f->max, high))
            return FALSE;
        }
      }
    }
    writes = !writes;
  } while (writes);
  return TRUE;
}

/* Codes of subsampled components, in the place of each sample's first pixel.
 * Returns whether all bounds give the same. */
static gboolean
settle_chroma (const CsRasterFormat * f, const CsGroup * group,
    CsLanes low[4][2], CsLanes high[4][2], CsLanesInt codes[4][2])
{
  for (gint j = 1; j < 3 && cs_raster_is_subsampled (f, j); j++) {
    for (guint row = 0; row < CS_GROUP_HEIGHT; row += 1 + f->sub_y) {
      for (guint i = 0; i < CS_GROUP_WIDTH; i += 1 + f->sub_x) {
        if (!is_inside (f, group, row, i))
          continue;
        const gint code = cs_raster_round (f->max, mean (f, group,
                (const float *) &low[j][0], row, i));
        if (code != cs_raster_round (f->max, mean (f, group,
                    (const float *) &high[j][0], row, i)))
          return FALSE;
        codes[j][row][i] = code;
      }
    }
  }
  return TRUE;
}

/* Writes all samples of the group, if both bounds give the same codes. */
static gboolean
settle (const CsRasterFormat * f, const CsGroup * group, CsGroupBounds * bounds)
{
  if (f->linear)
    return settle_light (f, group, bounds);
  return cs_lanes ()->settle_direct (f, group, bounds);
}

/* Bounds of a pixel; @behind: (nullable): the working colour and alpha of what
 * lies behind all marks. */
static void
bound_pixel (const CsGroup * group, guint row, guint i, const float *behind,
    CsGroupBounds * bounds)
{
  const float t = group->through[row][i];
  const float *color[3] = {
    (const float *) &group->color[0][row], (const float *) &group->color[1][row],
    (const float *) &group->color[2][row]
  };
  float e = cs_raster_bound (group->error[row][i]);

  if (color[0][i] > 1 || color[1][i] > 1 || color[2][i] > 1)
    e *= 2;
  bounds->touched[row][i] = group->error[row][i] > 0 ? -1 : 0;
  for (guint j = 0; j < 4; j++) {
    const float c = j < 3 ? color[j][i] : 1 - t;

    if (behind && !bounds->touched[row][i]) {
      bounds->low[j][row][i] = bounds->high[j][row][i] = behind[j];
      continue;
    }
    bounds->low[j][row][i] =
        cs_raster_max ((behind ? c + t * behind[j] : c) - e, 0);
    bounds->high[j][row][i] = cs_raster_min ((behind ? c + t * behind[j] :
            c + t) + e, 1);
  }
}

static void
bound_group (const CsGroupContext * context, const CsGroup * group,
    gboolean is_last, CsGroupBounds * bounds)
{
  float behind[4] = { 0 };

  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    for (guint i = 0; i < CS_GROUP_WIDTH; i++) {
      if (is_last && is_inside (context->format, group, row, i))
        behind[3] = cs_raster_background (context->format, group->x + i,
            group->y + row, behind);
      bound_pixel (group, row, i, is_last ? behind : NULL, bounds);
    }
  }
}

/* Whether nothing more needs to be painted on the group, because it is proven
 * and written, or because it is time to paint it again. */
static gboolean
cs_group_check (const CsGroupContext * context, CsGroup * group)
{
  const CsRasterFormat *f = context->format;

  if (f->is_plain && !f->sub_x && !f->sub_y) {
    CsLanesInt codes[4][2];

    if (cs_lanes ()->prove_plain (f, group, codes)) {
      cs_lanes ()->write_codes (f, group, codes);
      group->state = CS_GROUP_DONE;
      return TRUE;
    }
  } else {
    CsGroupBounds bounds;

    bounds.has_frame = FALSE;
    bound_group (context, group, FALSE, &bounds);
    if (settle (f, group, &bounds)) {
      group->state = CS_GROUP_DONE;
      return TRUE;
    }
  }
  if (!cs_lanes ()->is_dark (group))
    return FALSE;
  group->state = CS_GROUP_REPLAY;
  return TRUE;
}

static gboolean
find_cell (const CsRasterFormat * f, const CsCells * cells, guint index,
    CsGroup * place)
{
  place->x = cells->x + (gint) (index % CS_CELLS_PER_ROW) * CS_GROUP_WIDTH;
  place->y = cells->y + (gint) (index / CS_CELLS_PER_ROW) * CS_GROUP_HEIGHT;
  return place->x < f->width && place->y < f->height;
}

/* The working colour and alpha of what lies behind all marks; 0 outside. */
static void
find_background (const CsRasterFormat * f, const CsGroup * place,
    CsLanes color[4][2])
{
  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    for (guint i = 0; i < CS_GROUP_WIDTH; i++) {
      float behind[4] = { 0 };

      if (is_inside (f, place, row, i))
        behind[3] = cs_raster_background (f, place->x + (gint) i,
            place->y + (gint) row, behind);
      for (guint j = 0; j < 4; j++)
        color[j][row][i] = behind[j];
    }
  }
}

/* --- Eight lanes --------------------------------------------------------- */

#define NAME(name) name ## _base
#if defined (__clang__) || __GNUC__ >= 12
#define LANES_HALVES
#endif
#if defined (LANES_HALVES) && defined (__SSE2__)
#define HALF(a) ((__m128) (a))
#define LANE_BITS(a) ((guint) _mm_movemask_ps (HALF (LOW (a))) | \
    (guint) _mm_movemask_ps (HALF (HIGH (a))) << 4)
#define LANES_ANY(a) (_mm_movemask_ps (HALF (LOW (a) | HIGH (a))) != 0)
#define LANES_ROOT(a) JOIN ((CsHalf) _mm_sqrt_ps (HALF (LOW (a))), \
    (CsHalf) _mm_sqrt_ps (HALF (HIGH (a))))
#define LANES_MIN(a, b) \
    JOIN ((CsHalf) _mm_min_ps (HALF (LOW (a)), HALF (LOW (b))), \
    (CsHalf) _mm_min_ps (HALF (HIGH (a)), HALF (HIGH (b))))
#define LANES_MAX(a, b) \
    JOIN ((CsHalf) _mm_max_ps (HALF (LOW (a)), HALF (LOW (b))), \
    (CsHalf) _mm_max_ps (HALF (HIGH (a)), HALF (HIGH (b))))
#elif defined (LANES_HALVES) && defined (__ARM_NEON) && defined (__aarch64__)
#define LANES_ANY(a) \
    (vmaxvq_u32 ((uint32x4_t) (LOW (a) | HIGH (a))) != 0)
#define LANES_ROOT(a) \
    JOIN ((CsHalf) vsqrtq_f32 ((float32x4_t) LOW (a)), \
    (CsHalf) vsqrtq_f32 ((float32x4_t) HIGH (a)))
#endif
#include "raster_cpu_lanes.h"
#undef LANES_HALVES
#undef LANES_MAX
#undef LANES_MIN
#undef LANES_ROOT
#undef LANES_ANY
#undef LANE_BITS
#undef NAME

#if !defined (CS_BASELINE) && defined (__x86_64__) && defined (__GNUC__) && \
    !defined (__clang__)
#define HAVE_AVX2
#pragma GCC push_options
/* tuned so that groups are copied by vectors, not by rep movs */
#pragma GCC target ("avx2,tune=haswell")
#define NAME(name) name ## _avx2
#define LANE_BITS(a) ((guint) __builtin_ia32_movmskps256 ((CsLanes) (a)))
#define LANES_MIN(a, b) __builtin_ia32_minps256 ((a), (b))
#define LANES_MAX(a, b) __builtin_ia32_maxps256 ((a), (b))
#include "raster_cpu_lanes.h"
#undef LANES_MAX
#undef LANES_MIN
#undef LANE_BITS
#undef NAME
#pragma GCC pop_options
#endif

#define FUNCTIONS(suffix) { \
  look_ ## suffix, look_tiles_ ## suffix, init_ ## suffix, \
  is_dark_ ## suffix, flush_front_ ## suffix, \
  prove_plain_ ## suffix, write_codes_ ## suffix, settle_direct_ ## suffix, \
  bound_last_ ## suffix, \
  paint_ ## suffix, paint_run_ ## suffix, replay_ ## suffix, \
  flush_over_ ## suffix, write_cells_ ## suffix, paint_mark_ ## suffix, \
  paint_discs_ ## suffix, paint_joined_ ## suffix, \
  cover_by_fill_ ## suffix, paint_fill_ ## suffix \
}

const CsLaneFunctions *
cs_lanes (void)
{
  static const CsLaneFunctions base = FUNCTIONS (base);
#ifdef HAVE_AVX2
  static const CsLaneFunctions avx2 = FUNCTIONS (avx2);

  if (__builtin_cpu_supports ("avx2"))
    return &avx2;
#endif
  return &base;
}

/* --- From the front ------------------------------------------------------- */

void
cs_group_init (CsGroup * group, const CsRasterFormat * format, gint x, gint y)
{
  memset (group, 0, sizeof (*group));
  group->x = x;
  group->y = y;
  cs_lanes ()->init (group, format);
}

void
cs_group_finish (const CsGroupContext * context, CsGroup * group)
{
  CsGroupBounds bounds;

  if (group->state != CS_GROUP_OPEN)
    return;
  /* what has not been touched is in the output already */
  if (!cs_lanes ()->flush_front (group) && context->format->has_frame) {
    group->state = CS_GROUP_DONE;
    return;
  }
  if (context->format->linear)
    bound_group (context, group, TRUE, &bounds);
  else
    cs_lanes ()->bound_last (context->format, group, &bounds);
  group->state = settle (context->format, group, &bounds) ? CS_GROUP_DONE :
      CS_GROUP_REPLAY_ALL;
}

/* --- From the back -------------------------------------------------------- */

void
cs_group_replay_begin (const CsGroupContext * context, CsGroup * group,
    CsGroupBounds * bounds)
{
  memset (bounds, 0, sizeof (*bounds));
  memset (group->cover, 0, sizeof (group->cover));
  group->pending = FALSE;
  if (group->state == CS_GROUP_REPLAY_ALL) {
    find_background (context->format, group, bounds->low);
    memcpy (bounds->high, bounds->low, sizeof (bounds->high));
    group->end = G_MAXUINT32;
    return;
  }
  for (guint j = 0; j < 4; j++)
    for (guint row = 0; row < CS_GROUP_HEIGHT; row++)
      bounds->high[j][row] = (CsLanes) { 0 } + 1.f;
}

void
cs_group_replay_end (const CsGroupContext * context, CsGroup * group,
    CsGroupBounds * bounds)
{
  cs_lanes ()->flush_over (context, group, bounds);
  group->state = settle (context->format, group, bounds) ? CS_GROUP_DONE :
      CS_GROUP_REPLAY_ALL;
}

/* --- Without bounds ------------------------------------------------------- */

void
cs_cells_clear (CsCells * cells)
{
  for (guint row = 0; row < CS_FIELD; row++) {
    for (guint i = 0; i < CS_CELLS_PER_ROW; i++)
      cells->least2[row][i] = (CsLanes) { 0 } + CS_CELLS_FAR;
  }
  memset (cells->reached, 0, sizeof (cells->reached));
}

void
cs_cells_init (CsCells * cells, gint x, gint y, gboolean has_lanes)
{
  cells->has_lanes = has_lanes;
  memset (cells->touched, 0, sizeof (cells->touched));
  memset (cells->begun, 0, sizeof (cells->begun));
  cells->x = x;
  cells->y = y;
}
