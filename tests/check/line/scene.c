/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The simulated line: truth against numeric integration over the surface and
 * against areas counted in label maps; numbers read back; determinism. */

#include "check.h"
#include "checks.h"
#include "scene_fruit.h"

#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LineScene, line_scene_free)

#define COLUMNS 511
#define ROWS 95
#define N_PIXELS (COLUMNS * ROWS)
#define N_THREADS 4

static guint8 rgb[3 * N_PIXELS], labels[N_PIXELS];
static gfloat tensor[LINE_SCENE_CLASSES * N_PIXELS];

static LineScene *
make_scene (guint64 seed, guint64 noise_seed)
{
  LineSceneParams params;

  line_scene_params_init (&params);
  params.seed = seed;
  params.noise_seed = noise_seed;
  return line_scene_new (&params, NULL);
}

/* Whether the mark has the point, by angles */
static gboolean
is_inside (const Mark * m, const double n[3])
{
  double c = n[0] * m->centre.x + n[1] * m->centre.y + n[2] * m->centre.z;
  double a = n[0] * m->along.x + n[1] * m->along.y + n[2] * m->along.z;
  double at = CLAMP (atan2 (a, c), -m->half, m->half);

  return acos (CLAMP (c * cos (at) + a * sin (at), -1, 1)) <= m->width;
}

static double
radius_at (const Fruit * fruit, const double n[3])
{
  double h = 0;

  for (guint i = 0; i < FRUIT_BUMPS; i++) {
    const Vec *k = &fruit->axes[i];
    double angle = acos (CLAMP (n[0] * k->x + n[1] * k->y + n[2] * k->z,
            -1, 1));

    h += (1 + 3 * cos (2 * angle)) / 4;
  }
  return fruit->radius * (1 + fruit->bump * h);
}

/* The midpoint rule over a grid of angles around @m's centre (or the whole
 * sphere), each cell r^2 sqrt (1 + |grad r|^2 / r^2) */
static double
integrate (const Fruit * fruit, const Mark * m)
{
  guint rings = m ? 300 : 120, steps = 400;
  double reach = m ? m->half + m->width : G_PI, sum = 0;
  Vec o = m ? m->centre : (Vec) {0, 0, 1}, e = m ? m->along : (Vec) {1, 0, 0};
  Vec f = m ? m->pole : (Vec) {0, 1, 0};

  for (guint i = 0; i < rings; i++)
    for (guint k = 0; k < steps; k++) {
      double r[3], area;

      for (guint d = 0; d < 3; d++) {
        double p = (i + 0.5) * reach / rings + (d == 1) * 1e-4;
        double q = (k + 0.5) * 2 * G_PI / steps + (d == 2) * 1e-4;
        double x = sin (p) * cos (q), y = sin (p) * sin (q), z = cos (p);
        double n[3] = { x * e.x + y * f.x + z * o.x,
          x * e.y + y * f.y + z * o.y, x * e.z + y * f.z + z * o.z
        };

        if (d == 0 && m && !is_inside (m, n))
          goto next;
        r[d] = radius_at (fruit, n);
      }
      area = hypot ((r[1] - r[0]) / 1e-4, (r[2] - r[0]) / 1e-4
          / sin ((i + 0.5) * reach / rings));
      sum += r[0] * hypot (r[0], area) * sin ((i + 0.5) * reach / rings);
    next:;
    }
  return sum * reach / rings * 2 * G_PI / steps;
}

/* @most: error of a mark, and twice that of the surface */
static void
test_truth (guint n_pieces, double irregular, double most)
{
  LineSceneParams params;
  Fruit fruit;

  line_scene_params_init (&params);
  params.irregular = irregular;
  for (guint piece = 0; piece < n_pieces; piece++) {
    LineTruth truth = { 0 };

    begin ("truth of piece %u, irregular %g", piece, irregular);
    line_fruit_make (&fruit, &params, piece);
    expect (irregular == 0 ? fruit.bump <= 0.008 : fruit.bump <= irregular
        && fruit.bump >= irregular / 4, "bump %g", fruit.bump);
    line_fruit_truth (&fruit, &truth);
    double whole = integrate (&fruit, NULL);
    expect (fabs (truth.surface_mm2 / whole - 1) < most / 2,
        "surface %g, integrated %g", truth.surface_mm2, whole);
    for (guint i = 0; i < fruit.n_marks; i++) {
      const Mark *m = &fruit.marks[i];
      double is = integrate (&fruit, m), said = line_mark_area (&fruit, m);

      expect (fabs (said / is - 1) < most, "class %u: %g, integrated %g",
          m->class_id, said, is);
    }
    end ();
  }
}

/* The direction of the middle of what is of class @k in a cup, before a camera
 * above it; FALSE if it is not whole, or turned away */
static gboolean
find_mark (guint cup, guint k, double radius, double n[3])
{
  double sx = 0, sy = 0, mx = 0, my = 0, r = radius / 0.8;
  guint count = 0, fruit = 0;

  for (guint y = 0; y < ROWS; y++)
    for (guint x = cup * 102; x < cup * 102 + 102; x++) {
      guint label = labels[y * COLUMNS + x];

      if (label == LINE_CLASS_BELT || label == LINE_CLASS_ROLLER)
        continue;
      fruit++, mx += x, my += y;
      if (label == k)
        count++, sx += x, sy += y;
    }
  if (count < 20)
    return FALSE;
  n[0] = (sx / count - mx / fruit) / r;
  n[1] = (sy / count - my / fruit) / r;
  n[2] = 1 - n[0] * n[0] - n[1] * n[1];
  n[2] = n[2] > 0 ? sqrt (n[2]) : 0;
  return n[2] > 0.5;
}

/* A mark of class @k that two neighbouring cups show has turned as the truth
 * says; where the piece hops it has not. @counts: of both */
static void
compare_turns (const LineScene * scene, guint piece, guint k, guint counts[2])
{
  double before[3], now[3];
  gboolean is_there = FALSE;
  LineTruth truth;

  line_scene_truth (scene, piece, &truth);
  for (guint c = 0; c < 5; c++) {
    gboolean was_there = is_there;

    line_scene_render (scene, piece + c, 0, NULL, labels, NULL);
    is_there = truth.count[k] == 1
        && find_mark (c, k, truth.diameter_mm / 2, now);
    if (is_there && was_there) {
      gboolean hops = isnan (truth.turn[c - 1]);
      double a = truth.turn[hops ? c % 4 : c - 1] * G_PI / 180;
      double x = before[0] * cos (a) + before[2] * sin (a);
      double off = hypot (x - now[0], before[1] - now[1]);

      counts[hops] += !hops || off > 0.12;
      expect (hops || off < 0.12, "piece %u, cup %u, turn %g: the mark is off "
          "by %g radii", piece, c, truth.turn[c - 1], off);
    }
    memcpy (before, now, sizeof before);
  }
}

CHECK (paths)
{
  LineSceneParams params;
  guint counts[2] = { 0 }, still = 0, hop = 0, rolled = 0;
  double sum = 0, squares = 0;

  begin ("pieces roll, slip, stand still and hop");
  line_scene_params_init (&params);
  params.views = 1;
  params.tilt[0] = 0;
  params.travel = 28.9;
  params.slip = 8;
  params.still = 0.1;
  params.hop = 0.3;
  params.irregular = 0.02;
  params.blemish = LINE_CLASS_ROT;
  g_autoptr (LineScene) scene = line_scene_new (&params, NULL);
  for (guint piece = 0; piece < 1000; piece++) {
    LineTruth truth;

    line_scene_truth (scene, piece, &truth);
    if (piece < 60 || (truth.hop && piece < 400))
      compare_turns (scene, piece, LINE_CLASS_ROT, counts);
    still += truth.still;
    hop += truth.hop > 0;
    expect (!truth.still || truth.turn[0] == 0, "it turns, and stands still");
    for (guint c = 1; c < 5; c++)
      expect (!!isnan (truth.turn[c - 1]) == (truth.hop == c)
          && truth.max_lit_mm2[6] == truth.max_visible_mm2[6],
          "piece %u: turn %g, hop %u", piece, truth.turn[c - 1], truth.hop);
    if (truth.still || truth.hop)
      continue;
    double off = truth.turn[0] - 360 * 28.9 / (G_PI * truth.diameter_mm);
    rolled++, sum += off, squares += off * off;
  }
  expect (counts[0] > 30 && counts[1] > 2, "only %u turns and %u hops",
      counts[0], counts[1]);
  expect (still > 70 && still < 130 && hop > 250 && hop < 350,
      "%u stand still, %u hop, of 1000", still, hop);
  expect (fabs (sum / rolled) < 0.6 && fabs (sqrt (squares / rolled) - 8) < 0.5,
      "slip %g in the mean, %g", sum / rolled, sqrt (squares / rolled));
  end ();
}

CHECK (dark)
{
  LineSceneParams params;
  guint less = 0;

  begin ("a lamp that is off");
  line_scene_params_init (&params);
  params.blemish = LINE_CLASS_SCAR;
  g_autoptr (LineScene) lit = line_scene_new (&params, NULL);
  params.dark = 1 << 1 | 1 << 2;
  params.dark_from = 7;
  g_autoptr (LineScene) scene = line_scene_new (&params, NULL);
  for (guint trigger = 6; trigger < 8; trigger++)
    for (guint view = 0; view < 4; view++) {
      gboolean dark = trigger == 7 && (view == 1 || view == 2);
      guint belt = 0, sum = 0;
      float least = 1;

      line_scene_render (scene, trigger, view, rgb, labels, NULL);
      line_scene_probabilities (scene, trigger, view, tensor, NULL);
      for (guint i = 0; i < N_PIXELS; i++) {
        belt += labels[i] == LINE_CLASS_BELT;
        least = MIN (least, tensor[(gsize) LINE_SCENE_CLASSES * i]);
        sum += i < 4 * COLUMNS ? 0 : rgb[3 * i] + rgb[3 * i + 1];
      }
      expect (dark == (belt == N_PIXELS) && dark == (least > 0.8)
          && dark == (sum < 2 * 12 * N_PIXELS), "trigger %u, view %u: %u pixels "
          "of belt, at least %g, light %g", trigger, view, belt, least,
          sum / 2.0 / N_PIXELS);
      if (dark)
        continue;
      {
        g_autofree guint8 *other = g_malloc (3 * N_PIXELS);

        line_scene_render (lit, trigger, view, other, NULL, NULL);
        expect (!memcmp (rgb, other, 3 * N_PIXELS), "the others change");
      }
    }
  for (guint piece = 0; piece < 200; piece++) {
    LineTruth truth, other;

    line_scene_truth (scene, piece, &truth);
    line_scene_truth (lit, piece, &other);
    for (guint k = LINE_CLASS_BRUISE; k < LINE_SCENE_CLASSES; k++) {
      expect (truth.max_visible_mm2[k] == other.max_visible_mm2[k]
          && truth.max_lit_mm2[k] <= truth.max_visible_mm2[k]
          && (piece > 2 || truth.max_lit_mm2[k] == other.max_lit_mm2[k]),
          "piece %u: %g mm2 lit, %g without", piece, truth.max_lit_mm2[k],
          other.max_lit_mm2[k]);
      less += truth.max_lit_mm2[k] < truth.max_visible_mm2[k];
    }
  }
  expect (less > 5, "only %u marks are seen less", less);
  end ();
}

/* The mark's outline in a look, projected by angles, against its pixels */
CHECK (pixels)
{
  g_autoptr (LineScene) scene = make_scene (1, 1);
  guint compared = 0;

  begin ("pixels of projected marks");
  for (guint trigger = 5; trigger < 25; trigger++) {
    guint counts[LINE_SCENE_CLASSES] = { 0 };
    double expected = 0;

    line_scene_render (scene, trigger, 1, NULL, labels, NULL);
    for (guint y = 0; y < ROWS; y++)
      for (guint x = 0; x < 102; x++)
        counts[labels[y * COLUMNS + x]]++;
    for (guint k = 0; k < LINE_SCENE_CLASSES; k++)
      if (k != LINE_CLASS_BELT && k != LINE_CLASS_ROLLER)
        expected += counts[k] * 0.8 * 0.8;
    {
      LineTruth truth;

      line_scene_truth (scene, trigger, &truth);
      double d = truth.diameter_mm;
      expect (fabs (expected / (G_PI * d * d / 4) - 1) < 0.03,
          "trigger %u: %g mm2, %g by its diameter", trigger, expected,
          G_PI * d * d / 4);
      for (guint k = LINE_CLASS_BRUISE; k < LINE_SCENE_CLASSES; k++) {
        double seen = counts[k] * 0.8 * 0.8;

        compared += seen > 0;
        expect (seen <= truth.max_visible_mm2[k] * 1.05 + 4,
            "trigger %u, class %u: %g mm2 of picture, at most %g of surface",
            trigger, k, seen, truth.max_visible_mm2[k]);
      }
    }
  }
  expect (compared > 5, "only %u blemishes", compared);
  end ();
}

CHECK (tensor)
{
  g_autoptr (LineScene) scene = make_scene (2, 3);
  guint same = 0;

  begin ("tensor");
  line_scene_render (scene, 9, 2, NULL, labels, NULL);
  line_scene_probabilities (scene, 9, 2, tensor, NULL);
  for (guint i = 0; i < N_PIXELS; i++) {
    const gfloat *p = tensor + (gsize) i * LINE_SCENE_CLASSES;
    guint best = 0;
    float sum = 0;

    for (guint k = 0; k < LINE_SCENE_CLASSES; k++) {
      sum += p[k];
      best = p[k] > p[best] ? k : best;
    }
    if (!(fabsf (sum - 1) < 1e-5f))
      expect (FALSE, "pixel %u: sum %g", i, sum);
    same += best == labels[i];
  }
  expect (same > N_PIXELS * 0.99 && same < N_PIXELS, "%u of %u pixels agree",
      same, N_PIXELS);
  end ();
}

CHECK (numbers)
{
  static const guint32 triggers[] = { 0, 1, 2, 1000, 0x55555555, G_MAXUINT32 };
  g_autoptr (LineScene) scene = make_scene (1, 5);
  guint32 read = 7;

  begin ("trigger numbers");
  for (guint i = 0; i < G_N_ELEMENTS (triggers); i++)
    for (guint view = 0; view < 4; view++) {
      line_scene_render (scene, triggers[i], view, rgb, NULL, NULL);
      expect (line_scene_read_trigger (rgb, COLUMNS, ROWS, &read)
          && read == triggers[i], "%u is read as %u", triggers[i], read);
    }
  for (guint y = 0; y < 4; y++)
    memset (rgb + 3 * y * COLUMNS, 0, 36);
  read = 7;
  expect (!line_scene_read_trigger (rgb, COLUMNS, ROWS, &read) && read == 7,
      "a damaged number is read as %u", read);
  end ();
}

static guint64
hash (const void *data, gsize size)
{
  guint64 h = G_GUINT64_CONSTANT (0xcbf29ce484222325);

  for (gsize i = 0; i < size; i++)
    h = (h ^ ((const guint8 *) data)[i]) * G_GUINT64_CONSTANT (0x100000001b3);
  return h;
}

static guint64
hash_views (const LineScene * scene, gboolean backwards)
{
  g_autofree guint8 *picture = g_malloc (3 * N_PIXELS);
  g_autofree gfloat *maps = g_new (gfloat, LINE_SCENE_CLASSES * N_PIXELS);
  guint64 sum = 0;

  for (guint i = 0; i < 12; i++) {
    guint at = backwards ? 11 - i : i;

    line_scene_render (scene, 3 + at / 4, at % 4, picture, NULL, NULL);
    line_scene_probabilities (scene, 3 + at / 4, at % 4, maps, NULL);
    sum += (hash (picture, 3 * N_PIXELS)
        ^ hash (maps, sizeof (gfloat) * LINE_SCENE_CLASSES * N_PIXELS))
        * (at + 1);
  }
  return sum;
}

static gpointer
hash_thread (gpointer scene)
{
  guint64 *sum = g_new (guint64, 1);

  *sum = hash_views (scene, TRUE);
  return sum;
}

CHECK (determinism)
{
  g_autoptr (LineScene) scene = make_scene (1, 1), other = make_scene (1, 2);
  GThread *threads[N_THREADS];
  guint64 sum = hash_views (scene, FALSE);
  LineTruth a, b;

  begin ("determinism");
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("view", hash_thread, scene);
  for (guint i = 0; i < N_THREADS; i++) {
    g_autofree guint64 *got = g_thread_join (threads[i]);

    expect (*got == sum, "thread %u differs", i);
  }
  expect (hash_views (other, FALSE) != sum, "other noise, same pictures");
  line_scene_truth (scene, 6, &a);
  line_scene_truth (other, 6, &b);
  expect (!memcmp (a.area_mm2, b.area_mm2, sizeof a.area_mm2),
      "other noise, other fruits");
  end ();
}

/* One camera that sees one cup, so that most marks would be turned away from
 * it. */
CHECK (blemish)
{
  LineSceneParams params;
  guint others = 0;

  line_scene_params_init (&params);
  params.views = params.cups = 1;
  params.empty = 0.2;
  for (guint k = LINE_CLASS_BRUISE; k <= LINE_CLASS_INSECT; k++) {
    guint n_empty = 0;

    begin ("a blemish of class %u on every piece", k);
    params.blemish = k;
    g_autoptr (LineScene) scene = line_scene_new (&params, NULL);
    for (guint piece = 0; piece < 200; piece++) {
      guint pixels = 0;
      LineTruth truth;

      line_scene_truth (scene, piece, &truth);
      n_empty += !truth.present;
      if (!truth.present)
        continue;
      line_scene_render (scene, piece, 0, NULL, labels, NULL);
      for (guint i = 0; i < N_PIXELS; i++)
        pixels += labels[i] == k;
      expect (truth.count[k] >= 1 && truth.max_visible_mm2[k] > 0
          && pixels > 0, "piece %u: %u marks, %g mm2, %u pixels", piece,
          truth.count[k], truth.max_visible_mm2[k], pixels);
      for (guint j = LINE_CLASS_BRUISE; j < LINE_SCENE_CLASSES; j++)
        others += j != k && truth.count[j] > 0;
    }
    expect (n_empty > 20 && n_empty < 60, "%u of 200 cups are empty", n_empty);
    end ();
  }
  check_that (others > 200, "other marks are there, too");
}

CHECK (bad)
{
  LineSceneParams params;
  g_autoptr (GError) error = NULL;

  begin ("bad parameters");
  line_scene_params_init (&params);
  params.empty = 1.5;
  expect (!line_scene_new (&params, &error) && error
      && strstr (error->message, "empty"), "empty = 1.5 is taken");
  g_clear_error (&error);
  params.empty = 0;
  params.dark = 1 << 4;
  expect (!line_scene_new (&params, &error) && error
      && strstr (error->message, "dark"), "view 4 of 4 is dark");
  g_clear_error (&error);
  params.dark = 0;
  params.still = params.hop = 0.6;
  expect (!line_scene_new (&params, &error) && error
      && strstr (error->message, "hop"), "more than all stand still or hop");
  g_clear_error (&error);
  params.still = params.hop = 0;
  params.blemish = LINE_CLASS_SKIN;
  expect (!line_scene_new (&params, &error) && error
      && strstr (error->message, "blemish"), "a blemish of skin is taken");
  g_clear_error (&error);
  {
    g_autoptr (LineScene) scene = make_scene (1, 1);

    expect (!line_scene_render (scene, 0, 4, rgb, NULL, &error)
        && g_error_matches (error, LINE_SCENE_ERROR,
            LINE_SCENE_ERROR_PARAMS), "view 4 of 4 is rendered");
  }
  end ();
}

int
main (void)
{
  test_truth (8, 0, 0.004);
  test_truth (4, 0.03, 0.02);
  run_checks ();
  return finish ();
}
