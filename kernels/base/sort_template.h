/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stable sorting by key: insertion, merging, radix, by the number of items. For
 * sort.c, which includes this once for each type of items (Item), whose
 * functions it calls NAME (...). */

static void
NAME (sort_run) (Item * items, gsize n)
{
  gsize i, j;

  for (i = 1; i < n; i++) {
    const Item item = items[i];

    for (j = i; j > 0 && items[j - 1].key > item.key; j--)
      items[j] = items[j - 1];
    items[j] = item;
  }
}

static void
NAME (merge) (const Item * a, const Item * a_end, const Item * b,
    const Item * b_end, Item * to)
{
  while (a < a_end && b < b_end) {
    /* branchless: keys are random */
    const gboolean take_b = b->key < a->key;

    *to++ = take_b ? *b : *a;
    b += take_b;
    a += !take_b;
  }
  memcpy (to, a, (a_end - a) * sizeof (*a));
  memcpy (to + (a_end - a), b, (b_end - b) * sizeof (*b));
}

static Item *
NAME (merge_sort) (Item * items, Item * other, gsize n)
{
  Item *from = items, *to = other, *swap;

  for (gsize i = 0; i < n; i += RUN)
    NAME (sort_run) (items + i, MIN (RUN, n - i));
  for (gsize width = RUN; width < n; width *= 2) {
    for (gsize i = 0; i < n; i += 2 * width) {
      const gsize middle = MIN (i + width, n), end = MIN (i + 2 * width, n);

      NAME (merge) (from + i, from + middle, from + middle, from + end, to + i);
    }
    swap = from;
    from = to;
    to = swap;
  }
  return from;
}

/* Sorts only by the bits in which keys differ. */
static Item *
NAME (radix_sort) (Item * items, Item * other, gsize n)
{
  guint32 counts[MAX_DIGITS][1 << MAX_DIGIT_BITS];
  Item *from = items, *to = other, *swap;
  guint64 all_or = 0, all_and = ~(guint64) 0, varying;

  for (gsize i = 0; i < n; i++) {
    all_or |= items[i].key;
    all_and &= items[i].key;
  }
  varying = all_or ^ all_and;
  if (varying == 0)
    return items;
  const guint low = __builtin_ctzll (varying);
  const guint bits = 64 - __builtin_clzll (varying) - low;
  const guint n_digits = (bits + MAX_DIGIT_BITS - 1) / MAX_DIGIT_BITS;
  const guint digit_bits = (bits + n_digits - 1) / n_digits;
  const guint mask = (1u << digit_bits) - 1;

  for (guint digit = 0; digit < n_digits; digit++)
    memset (counts[digit], 0, sizeof (guint32) << digit_bits);
  for (gsize i = 0; i < n; i++) {
    guint64 key = items[i].key >> low;

    for (guint digit = 0; digit < n_digits; digit++, key >>= digit_bits)
      counts[digit][key & mask]++;
  }
  for (guint digit = 0; digit < n_digits; digit++) {
    const guint shift = low + digit * digit_bits;
    guint32 *count = counts[digit], sum = 0;

    for (guint k = 0; k <= mask; k++) {
      const guint32 here = count[k];

      count[k] = sum;
      sum += here;
    }
    for (gsize i = 0; i < n; i++)
      to[count[from[i].key >> shift & mask]++] = from[i];
    swap = from;
    from = to;
    to = swap;
  }
  return from;
}

Item *
NAME (cs_sort) (Item * items, Item * other, gsize n)
{
  if (n <= RUN) {
    NAME (sort_run) (items, n);
    return items;
  }
  return n < MIN_RADIX ? NAME (merge_sort) (items, other, n) :
      NAME (radix_sort) (items, other, n);
}

#undef Item
#undef NAME
#undef MAX_DIGITS
