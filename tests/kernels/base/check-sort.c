/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks sorting by key: order, stability, and that nothing is lost. */
#include "../lib/check.h"
#include "base/sort.h"

/* Insertion, merging and radix, and what is just beside their borders. */
static const gsize sizes[] = { 0, 1, 2, 15, 16, 17, 31, 33, 255, 1000, 1023,
  1024, 1025, 5000, 70000
};

/* Keys with 1 to 64 bits that vary, anywhere. */
static guint64
make_key (GRand * rand, guint bits, guint shift)
{
  const guint64 word = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);

  return (word >> (64 - bits)) << shift | (guint64) 0x5 << 60;
}

/* Values are the places before: ascending among equal keys. */
static void
check_sort64 (gsize n, guint bits, guint shift)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (n + 100 * bits);
  g_autofree CsSortItem *items = g_new (CsSortItem, 2 * n + 1);
  g_autofree guint64 *keys = g_new (guint64, n + 1);
  g_autofree guint8 *seen = g_new0 (guint8, n + 1);
  gboolean ok = TRUE;

  for (gsize i = 0; i < n; i++) {
    keys[i] = make_key (rand, bits, shift);
    items[i] = (CsSortItem) { keys[i], i };
  }
  CsSortItem *sorted = cs_sort (items, items + n, n);
  for (gsize i = 0; i < n && ok; i++) {
    ok = sorted[i].value < n && !seen[sorted[i].value]
        && sorted[i].key == keys[sorted[i].value]
        && (i == 0 || sorted[i - 1].key < sorted[i].key
        || (sorted[i - 1].key == sorted[i].key
            && sorted[i - 1].value < sorted[i].value));
    if (ok)
      seen[sorted[i].value] = 1;
  }
  check_that (ok && (sorted == items || sorted == items + n),
      "%" G_GSIZE_FORMAT " items, %u bits from bit %u", n, bits, shift);
}

static void
check_sort32 (gsize n, guint bits, guint shift)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (n + bits);
  g_autofree CsSortItem32 *items = g_new (CsSortItem32, 2 * n + 1);
  g_autofree CsSortItem *wide = g_new (CsSortItem, 2 * n + 1);
  gboolean ok = TRUE;

  for (gsize i = 0; i < n; i++) {
    const guint32 key = make_key (rand, bits, shift);

    items[i] = (CsSortItem32) { key, i };
    wide[i] = (CsSortItem) { key, i };
  }
  CsSortItem32 *sorted = cs_sort32 (items, items + n, n);
  CsSortItem *wide_sorted = cs_sort (wide, wide + n, n);
  for (gsize i = 0; i < n; i++)
    ok &= sorted[i].key == wide_sorted[i].key
        && sorted[i].value == wide_sorted[i].value;
  check_that (ok, "%" G_GSIZE_FORMAT " items of 32 bits, %u from bit %u", n,
      bits, shift);
}

int
main (void)
{
  static const guint bits[][2] = { {1, 0}, {3, 17}, {11, 5}, {12, 0}, {23, 9},
  {32, 0}, {45, 3}, {64, 0}
  };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint b = 0; b < G_N_ELEMENTS (bits); b++) {
      check_sort64 (sizes[s], bits[b][0], bits[b][1]);
      if (bits[b][0] + bits[b][1] <= 32)
        check_sort32 (sizes[s], bits[b][0], bits[b][1]);
    }
  return finish ();
}
