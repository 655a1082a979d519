/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CPU's inner loops for one rank and one instruction set; a template
 * included by llf_cpu_rows.c, which defines RANK, LANES (of a vector; divides
 * RANK) and NAME(). A pixel's terms are contiguous, so there are no gathers:
 * one load is one pixel of a pyramid, or one row of a table.
 */

#define NV (RANK / LANES)
#define VECTOR NAME (Vector)

/* An unaligned vector that may alias floats. */
typedef float VECTOR
__attribute__ ((vector_size (LANES * sizeof (float)), aligned (4), may_alias));

#define INLINE static inline __attribute__ ((always_inline))

/* Weighted sum of a column of five rows, already offset. */
INLINE void
NAME (sum_5) (VECTOR * to, const float *const p[5], const float w[5])
{
  for (int j = 0; j < NV; j++)
    to[j] = w[0] * ((const VECTOR *) p[0])[j] +
        w[1] * ((const VECTOR *) p[1])[j] + w[2] * ((const VECTOR *) p[2])[j] +
        w[3] * ((const VECTOR *) p[3])[j] + w[4] * ((const VECTOR *) p[4])[j];
}

INLINE void
NAME (column_codes) (VECTOR * to, const float *table,
    const guint16 * const rows[5], const float w[5], int x)
{
  const float *const p[5] = {
    table + rows[0][x] * RANK, table + rows[1][x] * RANK,
    table + rows[2][x] * RANK, table + rows[3][x] * RANK,
    table + rows[4][x] * RANK,
  };

  NAME (sum_5) (to, p, w);
}

INLINE void
NAME (column_floats) (VECTOR * to, const float *const rows[5],
    const float w[5], int x)
{
  const float *const p[5] = {
    rows[0] + (gsize) x * RANK, rows[1] + (gsize) x * RANK,
    rows[2] + (gsize) x * RANK, rows[3] + (gsize) x * RANK,
    rows[4] + (gsize) x * RANK,
  };

  NAME (sum_5) (to, p, w);
}

/* A row of the next level with a sliding window of five columns; samples
 * outside are 0, compensated by the scale. */
#define DEFINE_DOWN(function, COLUMN, ...) \
static void \
NAME (function) (__VA_ARGS__, const float w[5], int n, float *out, int m) \
{ \
  VECTOR c[5][NV]; \
  int i, j, k; \
\
  memset (c, 0, sizeof (c)); \
  COLUMN (c[2], 0); \
  if (n > 1) { \
    COLUMN (c[3], 1); \
  } \
  for (j = 0; j < m; j++) { \
    float scale = 1 / 16.f; \
\
    if (2 * j + 2 < n) { \
      COLUMN (c[4], 2 * j + 2); \
    } else { \
      memset (c[4], 0, sizeof (c[4])); \
    } \
    if (j == 0 || 2 * j + 2 >= n) { \
      float at[5]; \
\
      cs_llf_down_weights (j, n, at); \
      scale = at[2] / 6; \
    } \
    for (k = 0; k < NV; k++) \
      ((VECTOR *) (out + (gsize) j * RANK))[k] = scale * ((c[0][k] + \
              c[4][k]) + 4.f * (c[1][k] + c[3][k]) + 6.f * c[2][k]); \
    for (i = 0; i < 3; i++) \
      for (k = 0; k < NV; k++) \
        c[i][k] = c[i + 2][k]; \
    if (2 * j + 3 < n) { \
      COLUMN (c[3], 2 * j + 3); \
    } else { \
      memset (c[3], 0, sizeof (c[3])); \
    } \
  } \
}

#define FROM_CODES(to, x) NAME (column_codes) (to, table, rows, w, x)
#define FROM_FLOATS(to, x) NAME (column_floats) (to, rows, w, x)
DEFINE_DOWN (down_codes, FROM_CODES, const float *table,
    const guint16 * const rows[5]);
DEFINE_DOWN (down_floats, FROM_FLOATS, const float *const rows[5]);
#undef FROM_CODES
#undef FROM_FLOATS
#undef DEFINE_DOWN

/* Horizontal sums of four vectors. */
INLINE void
NAME (reduce_4) (const VECTOR * v, float *to)
{
#if LANES == 8 && defined (HAVE_SHUFFLE)
  const VECTOR ab = __builtin_shufflevector (v[0], v[1], 0, 8, 2, 10, 4, 12,
      6, 14) + __builtin_shufflevector (v[0], v[1], 1, 9, 3, 11, 5, 13, 7, 15);
  const VECTOR cd = __builtin_shufflevector (v[2], v[3], 0, 8, 2, 10, 4, 12,
      6, 14) + __builtin_shufflevector (v[2], v[3], 1, 9, 3, 11, 5, 13, 7, 15);
  const VECTOR s = __builtin_shufflevector (ab, cd, 0, 1, 8, 9, 4, 5, 12,
      13) + __builtin_shufflevector (ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
  int i;

  for (i = 0; i < 4; i++)
    to[i] = s[i] + s[i + 4];
#elif LANES == 4 && defined (HAVE_SHUFFLE)
  const VECTOR ab = __builtin_shufflevector (v[0], v[1], 0, 4, 2, 6) +
      __builtin_shufflevector (v[0], v[1], 1, 5, 3, 7);
  const VECTOR cd = __builtin_shufflevector (v[2], v[3], 0, 4, 2, 6) +
      __builtin_shufflevector (v[2], v[3], 1, 5, 3, 7);

  *(VECTOR *) to = __builtin_shufflevector (ab, cd, 0, 1, 4, 5) +
      __builtin_shufflevector (ab, cd, 2, 3, 6, 7);
#else
  int i, k;

  for (i = 0; i < 4; i++) {
    to[i] = 0;
    for (k = 0; k < LANES; k += 4)
      to[i] += (v[i][k] + v[i][k + 1]) + (v[i][k + 2] + v[i][k + 3]);
  }
#endif
}

/* Column @j of three coarse rows. */
INLINE void
NAME (column_up) (VECTOR * to, const float *const rows[3], const float w[3],
    int j)
{
  for (int k = 0; k < NV; k++)
    to[k] = w[0] * ((const VECTOR *) (rows[0] + (gsize) j * RANK))[k] +
        w[1] * ((const VECTOR *) (rows[1] + (gsize) j * RANK))[k] +
        w[2] * ((const VECTOR *) (rows[2] + (gsize) j * RANK))[k];
}

/* A pixel's coefficient before the horizontal sum: v . up at level 0 ... */
INLINE void
NAME (term_code) (VECTOR * to, const float *table, const guint16 * codes,
    int x, const VECTOR * up)
{
  const VECTOR *v = (const VECTOR *) (table + codes[x] * RANK);

  *to = v[0] * up[0];
  for (int k = 1; k < NV; k++)
    *to += v[k] * up[k];
}

/* ... and v . (P - up) at others. */
INLINE void
NAME (term_node) (VECTOR * to, const float *table, const float *g,
    const float *p, int x, const VECTOR * up)
{
  const float at = g[x] * CS_LLF_NODES;
  const int node = (int) at;
  const float f = at - node;
  const VECTOR *v = (const VECTOR *) (table + node * RANK);
  const VECTOR *own = (const VECTOR *) (p + (gsize) x * RANK);

  *to = (v[0] + f * (v[NV] - v[0])) * (own[0] - up[0]);
  for (int k = 1; k < NV; k++)
    *to += (v[k] + f * (v[k + NV] - v[k])) * (own[k] - up[k]);
}

/* sum_k v_k (g) (own_k - up_k) of R, G and B, for g the first three of own. The
 * order of the sum is that of eight lanes with vectors of four, too, and that
 * of the GPU. */
INLINE void
NAME (colour) (float *to, const float *table, const float *own,
    const VECTOR * up)
{
  const VECTOR *p = (const VECTOR *) own, *at[4];
  VECTOR sums[8 / LANES][4];
  float w[4];
  int nodes[4], c, i, k;

  cs_llf_rgb_find_nodes (own, nodes, w);
  for (i = 0; i < 4; i++)
    at[i] = (const VECTOR *) (table + (gsize) nodes[i] * 3 * RANK);
  memset (sums, 0, sizeof (sums));
  for (k = 0; k < NV; k++) {
    const VECTOR change = p[k] - up[k];

    for (c = 0; c < 3; c++)
      sums[k % (8 / LANES)][c] += change * ((w[0] * at[0][c * NV + k] +
              w[1] * at[1][c * NV + k]) + (w[2] * at[2][c * NV + k] +
              w[3] * at[3][c * NV + k]));
  }
  NAME (reduce_4) (sums[0], to);
#if LANES == 4
  {
    float more[4];

    NAME (reduce_4) (sums[1], more);
    for (i = 0; i < 4; i++)
      to[i] += more[i];
  }
#endif
}

/* Terms of pixels @x0 (even) to @x1 of a row of @n, from three rows of @m
 * coarse samples, with a sliding window of three columns. */
#define DEFINE_UP(function, TERM, ...) \
static void \
NAME (function) (__VA_ARGS__, const float *const rows[3], const float w[3], \
    int m, int x0, int x1, float *out) \
{ \
  VECTOR terms[CHUNK + 4]; \
  VECTOR c[3][NV], up[NV]; \
  int i, j, k; \
\
  memset (terms + (x1 - x0), 0, 4 * sizeof (VECTOR)); \
  NAME (column_up) (c[0], rows, w, x0 > 0 ? x0 / 2 - 1 : 0); \
  NAME (column_up) (c[1], rows, w, x0 / 2); \
  for (j = x0 / 2; 2 * j < x1; j++) { \
    float left = .125f, middle = .75f, right = .125f; \
\
    NAME (column_up) (c[2], rows, w, j + 1 < m ? j + 1 : j); \
    if (j == 0 || j + 1 == m) { \
      float at[3]; \
\
      cs_llf_up_weights (2 * j, m, at); \
      left = at[0]; \
      middle = at[1]; \
      right = at[2]; \
    } \
    for (k = 0; k < NV; k++) \
      up[k] = (left * c[0][k] + right * c[2][k]) + middle * c[1][k]; \
    TERM (terms + (2 * j - x0), 2 * j); \
    if (2 * j + 1 < x1) { \
      for (k = 0; k < NV; k++) \
        up[k] = .5f * (c[1][k] + c[2][k]); \
      TERM (terms + (2 * j + 1 - x0), 2 * j + 1); \
    } \
    for (i = 0; i < 2; i++) \
      for (k = 0; k < NV; k++) \
        c[i][k] = c[i + 1][k]; \
  } \
  for (i = 0; i < x1 - x0; i += 4) \
    NAME (reduce_4) (terms + i, out + i); \
}

#define OF_CODE(to, x) NAME (term_code) (to, table, codes, x, up)
#define OF_NODE(to, x) NAME (term_node) (to, table, g, p, x, up)
DEFINE_UP (up_codes, OF_CODE, const float *table, const guint16 * codes);
DEFINE_UP (up_nodes, OF_NODE, const float *table, const float *g,
    const float *p);
#undef OF_CODE
#undef OF_NODE
#undef DEFINE_UP

static void
NAME (up_colours) (const float *table, const float *own,
    const float *const rows[3], const float w[3], int m, int x0, int x1,
    float *out)
{
  VECTOR c[3][NV], up[NV];

  NAME (column_up) (c[0], rows, w, x0 > 0 ? x0 / 2 - 1 : 0);
  NAME (column_up) (c[1], rows, w, x0 / 2);
  for (int j = x0 / 2; 2 * j < x1; j++) {
    NAME (column_up) (c[2], rows, w, j + 1 < m ? j + 1 : j);
    for (int i = 2 * j; i < MIN (2 * j + 2, x1); i++) {
      float at[3] = { .125f, .75f, .125f };

      if (i % 2)
        at[0] = 0.f, at[1] = at[2] = .5f;
      if (j == 0 || j + 1 == m)
        cs_llf_up_weights (i, m, at);
      for (int k = 0; k < NV; k++)
        up[k] = (at[0] * c[0][k] + at[2] * c[2][k]) + at[1] * c[1][k];
      NAME (colour) (out + (i - x0) * 4, table,
          own + (gsize) (i - x0) * RANK, up);
    }
    for (int i = 0; i < 2; i++)
      for (int k = 0; k < NV; k++)
        c[i][k] = c[i + 1][k];
  }
}

static const CsLlfRows NAME (rows) = {
  NAME (down_codes), NAME (down_floats), NAME (up_codes), NAME (up_nodes),
  NAME (up_colours),
};

#undef NV
#undef VECTOR
#undef INLINE
