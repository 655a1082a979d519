/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tensors with one flaw at each place of vectors and of what is left behind
 * them, and random ones against a judge that looks at one value after the other;
 * logits against the C library's exp() in double precision. Digests of tensors
 * that differ in one bit, or are moved; what is frozen. */

#include "check.h"
#include "checks.h"
#include "frozen.h"
#include "judge.h"
#include "random.h"
#include "recipe.h"

#include <math.h>
#include <string.h>

static const guint class_counts[] = { 1, 2, 3, 5, 12, 13, 64 };
static const guint pixel_counts[] = { 2, 7, 8, 9, 31, 32, 33, 67 };

static gfloat
make_float (guint32 bits)
{
  gfloat value;

  memcpy (&value, &bits, sizeof (value));
  return value;
}

/* Of its own size: what is read beyond is found by sanitizers. */
static gfloat *
copy (const gfloat * tensor, gsize n)
{
  return g_memdup2 (tensor, n * sizeof (gfloat));
}

/* Probabilities that add up to 1, different in each pixel. */
static gfloat *
make_good (gsize pixels, guint classes, guint64 * random)
{
  gfloat *tensor = g_new (gfloat, pixels * classes);

  for (gsize i = 0; i < pixels; i++) {
    gdouble sum = 0, values[LINE_MAX_CLASSES];

    for (guint k = 0; k < classes; k++)
      sum += values[k] = random_unit (random) + 1e-3;
    for (guint k = 0; k < classes; k++)
      tensor[i * classes + k] = classes == 1 ? 0.99 - i * 1e-4 : values[k] / sum;
  }
  return tensor;
}

/* Judges a copy. Returns: LINE_N_LOSSES if it is fit */
static LineLoss
judge (const LineJudge * how, const gfloat * tensor, LineVerdict * verdict)
{
  const gsize n = how->n_pixels * how->n_classes;
  g_autofree gfloat *mine = copy (tensor, n);
  const gboolean is_fit = line_judge_view (how, mine, verdict);

  expect (how->is_logits || memcmp (mine, tensor, n * sizeof (gfloat)) == 0,
      "probabilities are changed");
  return is_fit ? LINE_N_LOSSES : verdict->loss;
}

static const char *
name_of (LineLoss loss)
{
  return loss == LINE_N_LOSSES ? "fit" : line_loss_names[loss];
}

static void
expect_loss (const LineJudge * how, const gfloat * tensor, LineLoss loss,
    const char *what, gsize at)
{
  LineVerdict verdict;
  const LineLoss found = judge (how, tensor, &verdict);

  expect (found == loss, "%s at %u: %s, not %s", what, (guint) at,
      name_of (found), name_of (loss));
}

/* What is no probability, and what is one, at each place. */
static void
check_values (gsize pixels, guint classes, gfloat * tensor)
{
  const struct
  {
    const char *what;
    gfloat value;
    LineLoss loss;
  } values[] = {
    {"NaN", NAN, LINE_LOSS_NOT_FINITE},
    {"-NaN", -NAN, LINE_LOSS_NOT_FINITE},
    {"a NaN with a payload", make_float (0x7fc12345), LINE_LOSS_NOT_FINITE},
    {"a signalling NaN", make_float (0xff800001), LINE_LOSS_NOT_FINITE},
    {"infinity", INFINITY, LINE_LOSS_NOT_FINITE},
    {"-infinity", -INFINITY, LINE_LOSS_NOT_FINITE},
    {"1.0011", 1.0011f, LINE_LOSS_OUT_OF_RANGE},
    {"above 1.001", nextafterf (1.001f, 2), LINE_LOSS_OUT_OF_RANGE},
    {"-0.0011", -0.0011f, LINE_LOSS_OUT_OF_RANGE},
    {"the greatest", G_MAXFLOAT, LINE_LOSS_OUT_OF_RANGE},
    {"the least", -G_MAXFLOAT, LINE_LOSS_OUT_OF_RANGE},
    {"-0", -0.0f, LINE_N_LOSSES},
    {"a denormal", 1e-42f, LINE_N_LOSSES},
    {"a negative denormal", -1e-42f, LINE_N_LOSSES},
    {"1.001", 1.001f, LINE_N_LOSSES},
    {"-0.001", -0.001f, LINE_N_LOSSES},
    {"1", 1, LINE_N_LOSSES},
  };
  const LineJudge how = { pixels, classes, FALSE, FALSE };

  expect_loss (&how, tensor, LINE_N_LOSSES, "nothing", 0);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    for (gsize at = 0; at < pixels * classes; at++) {
      const gfloat before = tensor[at];

      tensor[at] = values[i].value;
      expect_loss (&how, tensor, values[i].loss, values[i].what, at);
      tensor[at] = before;
    }
}

static void
check_sums (gsize pixels, guint classes, gfloat * tensor)
{
  static const gfloat sums[] = { 0, 0.5f, 0.89f, 0.91f, 1, 1.09f, 1.11f, 2 };
  LineJudge how = { pixels, classes, TRUE, FALSE };
  gfloat before[LINE_MAX_CLASSES];
  LineVerdict verdict;

  for (gsize at = 0; at < pixels && classes > 1; at++)
    for (guint i = 0; i < G_N_ELEMENTS (sums); i++) {
      gfloat *pixel = tensor + at * classes;
      const gboolean is_bad = sums[i] < 0.9f || sums[i] > 1.1f;

      memcpy (before, pixel, sizeof (gfloat) * classes);
      for (guint k = 0; k < classes; k++)
        pixel[k] = sums[i] / classes;
      how.is_exclusive = TRUE;
      expect_loss (&how, tensor, is_bad ? LINE_LOSS_SUM : LINE_N_LOSSES,
          "a sum", at);
      judge (&how, tensor, &verdict);
      expect (!is_bad || fabsf (verdict.sum - sums[i]) < 1e-5, "%g for %g",
          verdict.sum, sums[i]);
      how.is_exclusive = FALSE;
      expect_loss (&how, tensor, LINE_N_LOSSES, "a sum of others", at);
      memcpy (pixel, before, sizeof (gfloat) * classes);
    }
}

static void
check_constant (gsize pixels, guint classes, gfloat * tensor)
{
  const LineJudge how = { pixels, classes, FALSE, FALSE };
  g_autofree gfloat *same = copy (tensor, pixels * classes);

  same[0] = 0;
  for (gsize i = classes; i < pixels * classes; i++)
    same[i] = same[i - classes];
  expect_loss (&how, same, LINE_LOSS_CONSTANT, "nothing", 0);
  for (gsize at = 0; at < pixels * classes; at++) {
    const gfloat before = same[at];

    /* another bit; -0 is another one than 0, too */
    same[at] = before > 0 ? nextafterf (before, 0) : -before;
    expect_loss (&how, same, LINE_N_LOSSES, "one bit", at);
    same[at] = before;
  }
}

CHECK (places)
{
  guint64 random = 5;

  for (guint c = 0; c < G_N_ELEMENTS (class_counts); c++)
    for (guint p = 0; p < G_N_ELEMENTS (pixel_counts); p++) {
      g_autofree gfloat *tensor = make_good (pixel_counts[p], class_counts[c],
          &random);

      begin ("%u pixels of %u classes", pixel_counts[p], class_counts[c]);
      check_values (pixel_counts[p], class_counts[c], tensor);
      check_sums (pixel_counts[p], class_counts[c], tensor);
      check_constant (pixel_counts[p], class_counts[c], tensor);
      end ();
    }
}

/* One value after the other, in double precision. */
static LineLoss
judge_slowly (const LineJudge * how, const gfloat * tensor,
    LineVerdict * verdict)
{
  gboolean is_constant = TRUE, is_bad = FALSE;
  gdouble worst = 1;

  *verdict = (LineVerdict) {.least = INFINITY,.greatest = -INFINITY };
  for (gsize i = 0; i < how->n_pixels; i++) {
    gdouble sum = 0;

    for (guint k = 0; k < how->n_classes; k++) {
      const gdouble value = tensor[i * how->n_classes + k];

      sum += value;
      is_constant = is_constant && memcmp (&tensor[k],
          &tensor[i * how->n_classes + k], sizeof (gfloat)) == 0;
      if (isnan (value) || isinf (value)) {
        verdict->n_values++;
        continue;
      }
      is_bad = is_bad || value < -.001005 || value > 1.001005;
      verdict->least = fmin (verdict->least, value);
      verdict->greatest = fmax (verdict->greatest, value);
    }
    if (fabs (sum - 1) > fabs (worst - 1))
      worst = sum;
  }
  verdict->sum = worst;
  return verdict->n_values ? LINE_LOSS_NOT_FINITE : is_bad ?
      LINE_LOSS_OUT_OF_RANGE : how->is_exclusive && fabs (worst - 1) > .1 ?
      LINE_LOSS_SUM : is_constant ? LINE_LOSS_CONSTANT : LINE_N_LOSSES;
}

/* Several flaws at once: the first reason, and its figures. */
static void
check_random (guint64 seed, guint * found)
{
  guint64 random = seed;
  const guint classes = 1 + random_below (&random, 14);
  const gsize pixels = 2 + random_below (&random, 300);
  const LineJudge how = { pixels, classes, random_below (&random, 2), FALSE };
  g_autofree gfloat *tensor = make_good (pixels, classes, &random);
  const guint flaws = random_below (&random, 16);
  LineVerdict verdict, expected;

  begin ("random %u", (guint) seed);
  if (flaws & 8)
    for (gsize i = classes; i < pixels * classes; i++)
      tensor[i] = tensor[i - classes];
  for (guint i = 0; i < 3 && (flaws & 1); i++)
    tensor[random_below (&random, pixels * classes)] = i ? NAN : INFINITY;
  for (guint i = 0; i < 3 && (flaws & 2); i++)
    tensor[random_below (&random, pixels * classes)] =
        random_unit (&random) * 10 - 5;
  for (guint k = 0; k < classes && (flaws & 4); k++)
    tensor[(pixels - 1) * classes + k] *= .5f;
  LineLoss loss = judge_slowly (&how, tensor, &expected);
  LineLoss mine = judge (&how, tensor, &verdict);
  expect (mine == loss, "%s, not %s", name_of (mine), name_of (loss));
  found[loss]++;
  if (loss == LINE_LOSS_NOT_FINITE)
    expect (verdict.n_values == expected.n_values, "%u values of %u",
        (guint) verdict.n_values, (guint) expected.n_values);
  if (loss == LINE_LOSS_OUT_OF_RANGE)
    expect (verdict.least == expected.least
        && verdict.greatest == expected.greatest, "range");
  if (loss == LINE_LOSS_SUM)
    expect (fabsf (verdict.sum - expected.sum) < 1e-5, "%g, not %g",
        verdict.sum, expected.sum);
  end ();
}

/* A view of several parts, with one flaw on either side of where they meet. The
 * whole view is as one part would be. */
static void
check_parts (guint classes, gboolean is_logits)
{
  LineJudge how = { 1 << 16, classes, TRUE, is_logits };
  LineJudging judging;
  LineVerdict verdict;
  guint64 random = classes;
  gsize places[5];

  line_judging_begin (&judging, &how, NULL);
  gsize step = line_judging_get_step (&judging);
  how.n_pixels = 2 * step + 5;
  g_autofree gfloat *tensor = make_good (how.n_pixels, classes, &random);
  begin ("parts of %u pixels of %u classes%s", (guint) step, classes,
      is_logits ? ", logits" : "");
  expect (step < 1 << 15, "one part only");
  expect_loss (&how, tensor, LINE_N_LOSSES, "nothing", 0);
  places[0] = 0;
  places[1] = step * classes - 1;
  places[2] = step * classes;
  places[3] = 2 * step * classes;
  places[4] = how.n_pixels * classes - 1;
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    gfloat before = tensor[places[i]], last = tensor[places[4]];

    tensor[places[i]] = tensor[places[4]] = NAN;
    expect (judge (&how, tensor, &verdict) == LINE_LOSS_NOT_FINITE
        && verdict.n_values == (i == 4 ? 1 : 2), "%u not finite at %u",
        (guint) verdict.n_values, (guint) places[i]);
    tensor[places[4]] = last;
    tensor[places[i]] = INFINITY;
    expect_loss (&how, tensor, LINE_LOSS_NOT_FINITE, "infinity", places[i]);
    tensor[places[i]] = before + 0.25f;
    if (!is_logits && classes > 2)
      expect_loss (&how, tensor, LINE_LOSS_SUM, "a sum", places[i]);
    tensor[places[i]] = before;
  }
  for (gsize i = classes; i < how.n_pixels * classes; i++)
    tensor[i] = tensor[i - classes];
  expect_loss (&how, tensor, LINE_LOSS_CONSTANT, "nothing", 0);
  /* parts that are constant, each another one */
  for (gsize i = step * classes; i < how.n_pixels * classes; i++)
    tensor[i] = tensor[i % classes == 0 ? 1 : i % classes == 1 ? 0 :
        i % classes];
  expect_loss (&how, tensor, LINE_N_LOSSES, "another part", 0);
  end ();
}

/* Sums that are nearer to a limit than those of another order may be, of values
 * whose order counts. */
static void
check_limits (guint classes)
{
  const LineJudge how = { 64, classes, TRUE, FALSE };
  guint64 random = 3;
  g_autofree gfloat *tensor = make_good (how.n_pixels, classes, &random);
  gfloat *pixel = tensor + 37 * classes;
  guint n_bad = 0;

  begin ("limits of %u classes", classes);
  for (guint i = 0; i < 400; i++) {
    const gfloat limit = i % 2 ? 0.9f : 1.1f;
    gfloat sum = 0;

    for (guint k = 0; k + 1 < classes; k++) {
      pixel[k] = (0.4f + 0.4f * random_unit (&random)) / classes;
      sum = k ? sum + pixel[k] : pixel[k];
    }
    pixel[classes - 1] = limit - sum;
    for (guint k = 0; k < i / 2 % 5; k++)
      pixel[classes - 1] = nextafterf (pixel[classes - 1], i % 2 ? 0 : 2);
    sum += pixel[classes - 1];
    gboolean is_bad = sum < 0.9f || sum > 1.1f;
    n_bad += is_bad;
    expect_loss (&how, tensor, is_bad ? LINE_LOSS_SUM : LINE_N_LOSSES,
        "a sum", i);
  }
  expect (n_bad > 20 && n_bad < 380, "%u are bad", n_bad);
  end ();
}

/* Logits of any size, some of them equal. */
static gfloat
make_logit (guint64 * random)
{
  static const gfloat odd[] = { 0, -0.0f, 87, -87, 88.5f, -104, 1000, -1000,
    G_MAXFLOAT, -G_MAXFLOAT, 1e-42f, -1e-42f, 16777216
  };
  const guint which = random_below (random, 60);

  return which < G_N_ELEMENTS (odd) ? odd[which] :
      (random_unit (random) - 0.5) * (which % 2 ? 20 : 200);
}

static void
expect_probabilities (const LineJudge * how, const gfloat * logits,
    const gfloat * found)
{
  for (gsize i = 0; i < how->n_pixels; i++) {
    const gfloat *in = logits + i * how->n_classes;
    gdouble top = -INFINITY, sum = 0;

    for (guint k = 0; k < how->n_classes; k++)
      top = fmax (top, in[k]);
    for (guint k = 0; k < how->n_classes; k++)
      sum += exp (in[k] - top);
    for (guint k = 0; k < how->n_classes; k++) {
      const gdouble right = how->is_exclusive ? exp (in[k] - top) / sum :
          1 / (1 + exp (-(gdouble) in[k]));
      const gdouble value = found[i * how->n_classes + k];
      /* rounded once, it is a power's error; what is less than e^-87 may be
       * that */
      const gdouble power = how->is_exclusive ? in[k] - top : 0;
      const gdouble allowed = 5e-7 + 6e-8 * fmin (fabs (power), 90);

      expect (value >= 0 && value <= 1
          && fabs (value - right) <= allowed * right + 2e-38,
          "pixel %u, class %u: %.9g of %g, not %.9g", (guint) i, k, value,
          in[k], right);
    }
  }
}

static guint32
hash (const gfloat * values, gsize n, guint32 sum)
{
  for (gsize i = 0; i < n; i++) {
    guint32 bits;

    memcpy (&bits, &values[i], sizeof (bits));
    sum = (sum ^ bits) * 16777619;
  }
  return sum;
}

/* Returns: a hash of the bits */
static guint32
check_logits (gboolean is_exclusive)
{
  guint32 sum = 2166136261u;
  guint64 random = 7;

  for (guint c = 0; c < G_N_ELEMENTS (class_counts); c++)
    for (guint p = 0; p < G_N_ELEMENTS (pixel_counts); p++) {
      const LineJudge how = { pixel_counts[p], class_counts[c], is_exclusive,
        TRUE
      };
      const gsize n = how.n_pixels * how.n_classes;
      g_autofree gfloat *logits = g_new (gfloat, n);
      LineVerdict verdict;

      begin ("logits of %u classes, %u pixels", class_counts[c],
          pixel_counts[p]);
      for (gsize i = 0; i < n; i++)
        logits[i] = make_logit (&random);
      g_autofree gfloat *found = copy (logits, n);
      gboolean is_fit = line_judge_view (&how, found, &verdict);
      expect (is_fit == (class_counts[c] > 1 || !is_exclusive), "fit");
      expect_probabilities (&how, logits, found);
      sum = hash (found, n, sum);
      /* one that is not finite, anywhere */
      for (gsize at = 0; at < n; at++) {
        const gfloat before = logits[at];

        logits[at] = at % 2 ? NAN : -INFINITY;
        expect (judge (&how, logits, &verdict) == LINE_LOSS_NOT_FINITE
            && verdict.n_values == 1, "not finite at %u", (guint) at);
        logits[at] = before;
      }
      for (gsize i = how.n_classes; i < n; i++)
        logits[i] = logits[i - how.n_classes];
      expect_loss (&how, logits, LINE_LOSS_CONSTANT, "nothing", 0);
      end ();
    }
  return sum;
}

/* Digests */

static guint64
digest (const LineJudge * how, const gfloat * tensor)
{
  const gsize n = how->n_pixels * how->n_classes;
  g_autofree gfloat *mine = copy (tensor, n);
  LineVerdict verdict;

  expect (line_judge_view (how, mine, &verdict), "is not fit");
  return verdict.digest;
}

/* Returns: whether it was not there yet */
static gboolean
add_digest (GHashTable * digests, guint64 found)
{
  return found != 0
      && g_hash_table_add (digests, g_memdup2 (&found, sizeof (found)));
}

/* Values with one bit changed, and neighbours of a class exchanged, wherever
 * they are; the same ones are the same. */
static void
check_digests (gsize pixels, guint classes, gboolean is_logits)
{
  const LineJudge how = { pixels, classes, FALSE, is_logits };
  const gsize n = pixels * classes;
  guint64 random = n;
  g_autofree gfloat *tensor = make_good (pixels, classes, &random);
  g_autoptr (GHashTable) digests = g_hash_table_new_full (g_int64_hash,
      g_int64_equal, g_free, NULL);

  begin ("digests of %u pixels of %u classes%s", (guint) pixels, classes,
      is_logits ? ", logits" : "");
  expect (add_digest (digests, digest (&how, tensor)), "digest 0");
  expect (!add_digest (digests, digest (&how, tensor)), "of the same");
  for (gsize i = 0; i < n; i++) {
    const gfloat before = tensor[i];

    tensor[i] = nextafterf (before, 1);
    expect (add_digest (digests, digest (&how, tensor)), "a bit at %u",
        (guint) i);
    tensor[i] = before;
    if (i < classes)
      continue;
    tensor[i] = tensor[i - classes];
    tensor[i - classes] = before;
    expect (add_digest (digests, digest (&how, tensor)), "exchanged at %u",
        (guint) i);
    tensor[i - classes] = tensor[i];
    tensor[i] = before;
  }
  expect (!add_digest (digests, digest (&how, tensor)), "of the same again");
  end ();
}

/* Of a belt, 0, and a disc, 1, of a network that knows no other probabilities:
 * at each place of the belt. */
static void
check_moved (guint classes)
{
  enum
  { WIDTH = 512, HEIGHT = 20 };
  const LineJudge how = { WIDTH * HEIGHT, classes, TRUE, FALSE };
  g_autofree gfloat *tensor = g_new (gfloat, how.n_pixels * classes);
  g_autoptr (GHashTable) digests = g_hash_table_new_full (g_int64_hash,
      g_int64_equal, g_free, NULL);

  begin ("moved, %u classes", classes);
  for (gint at = 0; at < WIDTH; at++) {
    memset (tensor, 0, how.n_pixels * classes * sizeof (gfloat));
    for (gint y = 0; y < HEIGHT; y++)
      for (gint x = 0; x < WIDTH; x++) {
        const gint dx = (x + WIDTH - at) % WIDTH - 8, dy = y - 9;

        tensor[(y * WIDTH + x) * classes + (dx * dx + dy * dy < 64)] = 1;
      }
    expect (add_digest (digests, digest (&how, tensor)), "at %d", at);
  }
  end ();
}

/* Two of five classes; pixels just below the level and at it. */
CHECK (fruit)
{
  const LineJudge how = { 50, 5, FALSE, FALSE,.fruit = 1 << 1 | 1 << 4,
    .level = 0.5,.least_fruit = 7
  };
  gfloat tensor[50 * 5] = { 0 };

  begin ("fruit");
  for (guint i = 0; i < 50; i++)
    tensor[i * 5] = tensor[i * 5 + 2] = tensor[i * 5 + 3] = 1;
  expect (!line_judge_has_fruit (&how, tensor), "of other classes");
  for (guint i = 0; i < 7; i++) {
    gfloat *pixel = tensor + (i * 8 + 1) * 5;

    expect (!line_judge_has_fruit (&how, tensor), "%u pixels", i);
    pixel[1] = nextafterf (0.25f, 0);
    pixel[4] = i % 2 ? 0.25f : 0;
    expect (!line_judge_has_fruit (&how, tensor), "%u, and less", i);
    pixel[i % 2 ? 1 : 4] = i % 2 ? 0.25f : 0.5f;
  }
  expect (line_judge_has_fruit (&how, tensor), "7 pixels");
  end ();
}

CHECK (frozen)
{
  LineFrozen frozen = { {0} };

  begin ("frozen");
  for (guint v = 0; v < 3; v++)
    expect (!line_frozen_add (&frozen, v, 5), "the first trigger");
  line_frozen_step (&frozen);
  expect (line_frozen_add (&frozen, 1, 5), "the same");
  expect (!line_frozen_add (&frozen, 0, 6), "another");
  expect (!line_frozen_add (&frozen, 2, 6), "that of another now");
  /* two triggers of which view 1 alone has a tensor */
  line_frozen_step (&frozen);
  expect (line_frozen_add (&frozen, 1, 6), "that of others before");
  line_frozen_step (&frozen);
  expect (!line_frozen_add (&frozen, 1, 5), "two triggers before");
  line_frozen_step (&frozen);
  expect (line_frozen_add (&frozen, 0, 6), "the last that came");
  expect (line_frozen_add (&frozen, 2, 5), "the last that came of another");
  end ();
}

CHECK (words)
{
  static const struct
  {
    LineVerdict verdict;
    const char *words;
  } cases[] = {
    {{LINE_LOSS_NOT_FINITE,.n_values = 1}, "1 value is not finite: the "},
    {{LINE_LOSS_NOT_FINITE,.n_values = 3}, "3 values are not finite: the "},
    {{LINE_LOSS_OUT_OF_RANGE,.least = -7.25f,.greatest = 9.5f},
        "values from -7.25 to 9.5 are no probabilities: if the network gives "
          "logits, say logits=true in [recipe]"},
    {{LINE_LOSS_SUM,.sum = 2.25f}, "add up to 2.25: if the classes do not "
          "exclude each other, say exclusive=false in [recipe]"},
    {{LINE_LOSS_CONSTANT}, "the network does not see the picture"},
    {{LINE_LOSS_FROZEN}, "shows fruit, and is the same, bit for bit, as one of "
          "before: the network gives old answers, or its camera old pictures; "
          "start them again"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *words = line_verdict_describe (&cases[i].verdict);

    check_that (strstr (words, cases[i].words) != NULL, "\"%s\"", words);
  }
}

int
main (void)
{
  guint found[LINE_N_LOSSES + 1] = { 0 };

  run_checks ();
  for (guint c = 0; c < G_N_ELEMENTS (class_counts); c++) {
    if (class_counts[c] > 1) {
      check_parts (class_counts[c], FALSE);
      check_parts (class_counts[c], TRUE);
    }
    if (class_counts[c] > 2)
      check_limits (class_counts[c]);
  }
  for (guint64 seed = 1; seed <= 3000; seed++)
    check_random (seed, found);
  for (guint i = LINE_LOSS_NOT_FINITE; i <= LINE_LOSS_CONSTANT; i++)
    check_that (found[i] > 50, "%u are %s", found[i], name_of (i));
  check_that (found[LINE_N_LOSSES] > 50, "%u are fit", found[LINE_N_LOSSES]);
  /* on any machine */
  guint32 sum = check_logits (TRUE);
  check_that (sum == 0xa5b2fdad, "exclusive: %x", sum);
  sum = check_logits (FALSE);
  check_that (sum == 0x2107c4c7, "others: %x", sum);
  for (guint is_logits = 0; is_logits < 2; is_logits++) {
    /* vectors, with and without values left behind them, and parts */
    check_digests (67, 12, is_logits);
    check_digests (64, 4, is_logits);
    check_digests (33, 1, is_logits);
  }
  for (guint classes = 2; classes <= 16; classes++)
    check_moved (classes);
  return finish ();
}
