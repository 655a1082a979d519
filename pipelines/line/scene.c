/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the cameras see of the simulated lane. */

#include "scene_fruit.h"
#include "base/memory.h"

#include <string.h>

#define SUB 2                   /* samples of a pixel across, for soft edges */
#define DARK 0.06               /* of the light, where a lamp is off */
#define CODE_BITS 40
#define CODE_WIDTH 12
#define CODE_ROWS 4

struct _LineScene
{
  LineSceneParams params;
  double tilt_sin[LINE_SCENE_MAX_VIEWS], tilt_cos[LINE_SCENE_MAX_VIEWS];
};

/* A piece in a cup, before one camera; x and y in pixels */
typedef struct
{
  Fruit fruit;
  FruitPath path;
  double x, y, reach;
  double st, ct, sc, cc;
} Look;

typedef struct
{
  const LineScene *scene;
  Look looks[LINE_SCENE_MAX_CUPS];
  guint view;
  gboolean dark;
  guint64 noise;
} Shot;

G_DEFINE_QUARK (line-scene, line_scene_error)

const char *const line_scene_classes[] = {
  "belt", "skin", "stem", "calyx", "roller", "bruise", "rot", "scab", "russet",
  "hail", "scar", "insect", NULL
};

G_STATIC_ASSERT (G_N_ELEMENTS (line_scene_classes) == LINE_SCENE_CLASSES + 1);

void
line_scene_params_init (LineSceneParams * params)
{
  *params = (LineSceneParams) {.seed = 1,.noise_seed = 1,.views = 4,
    .columns = 511,.rows = 95,.cups = 5,.turn = 72,.tilt = {-45, -15, 15, 45}
  };
  for (guint v = 0; v < LINE_SCENE_MAX_VIEWS; v++) {
    params->mm_per_pixel[v] = 0.8;
    params->cup_first[v] = 51;
    params->cup_pitch[v] = 102;
  }
}

/* Of a view. */
static const char *
find_view_fault (const LineSceneParams * p, guint v)
{
  if (!(p->mm_per_pixel[v] > 0.01 && p->mm_per_pixel[v] < 100))
    return "mm_per_pixel must be between 0.01 and 100";
  if (!(p->cup_pitch[v] >= 1 && p->cup_pitch[v] <= 16384)
      || !(fabs (p->cup_first[v]) <= 16384))
    return "cup_pitch must be 1 to 16384, cup_first at most 16384";
  if (!(fabs (p->tilt[v]) <= 90))
    return "each tilt must be -90 to 90 degrees";
  return NULL;
}

static const char *
find_fault (const LineSceneParams * p)
{
  if (p->views < 1 || p->views > LINE_SCENE_MAX_VIEWS)
    return "views must be 1 to 8";
  if (p->cups < 1 || p->cups > LINE_SCENE_MAX_CUPS)
    return "cups must be 1 to 8";
  if (p->columns < CODE_BITS * CODE_WIDTH || p->columns > 16384)
    return "columns must be 480 to 16384";
  if (p->rows < 16 || p->rows > 16384)
    return "rows must be 16 to 16384";
  if (!(p->empty >= 0 && p->empty <= 1))
    return "empty must be 0 to 1";
  if (p->blemish && (p->blemish < LINE_CLASS_BRUISE
          || p->blemish > LINE_CLASS_INSECT))
    return "blemish must be a class from bruise to insect, or none";
  if (!(fabs (p->turn) <= 36000))
    return "turn must be at most 36000 degrees";
  if (!(fabs (p->travel) <= 1000))
    return "travel must be at most 1000 mm";
  if (!(p->slip >= 0 && p->slip <= 60))
    return "slip must be 0 to 60 degrees";
  if (!(p->still >= 0 && p->hop >= 0 && p->still + p->hop <= 1))
    return "still and hop must be 0 to 1, together as well";
  if (!(p->irregular >= 0 && p->irregular <= 0.03))
    return "irregular must be 0 to 0.03";
  if (p->dark >> p->views)
    return "dark must have views that there are";
  const char *fault = NULL;
  for (guint v = 0; v < p->views && !fault; v++)
    fault = find_view_fault (p, v);
  return fault;
}

LineScene *
line_scene_new (const LineSceneParams * params, GError ** error)
{
  const char *fault = find_fault (params);

  if (fault) {
    g_set_error (error, LINE_SCENE_ERROR, LINE_SCENE_ERROR_PARAMS,
        "the simulated line: %s", fault);
    return NULL;
  }
  LineScene *scene = cs_try_new0 (LineScene, 1);
  if (!scene) {
    g_set_error (error, LINE_SCENE_ERROR, LINE_SCENE_ERROR_PARAMS,
        "no memory for the simulated line");
    return NULL;
  }
  scene->params = *params;
  for (guint v = 0; v < params->views; v++)
    sin_cos_degrees (params->tilt[v], &scene->tilt_sin[v], &scene->tilt_cos[v]);
  return scene;
}

void
line_scene_free (LineScene * scene)
{
  g_free (scene);
}

/* The point of the piece, as it lay in cup 0, that is u to the right of its
 * centre and v below it (mm); FALSE beside the fruit. @depth is the cosine to
 * the camera. */
static gboolean
look_through (const Look * look, double u, double v, Vec * n, double *depth)
{
  double r = look->fruit.radius, w2 = 0;

  /* The radius depends on the direction, which depends on it, but little */
  for (int i = 0; i < 3; i++) {
    double w, ly, lz;

    w2 = r * r - u * u - v * v;
    w = w2 > 0 ? sqrt (w2) : 0;
    ly = v * look->ct + w * look->st;
    lz = w * look->ct - v * look->st;
    *n = vec_unit ((Vec) {u * look->cc - lz * look->sc, ly,
          u * look->sc + lz * look->cc});
    r = fruit_radius (&look->fruit, *n);
    *depth = w / r;
  }
  return w2 > 0;
}

static void
look_set (Look * look, const LineScene * scene, guint32 piece, guint cup,
    guint view)
{
  const LineSceneParams *p = &scene->params;

  line_fruit_make (&look->fruit, p, piece);
  if (!look->fruit.present)
    return;
  line_fruit_lay (&look->fruit, p, piece, cup, &look->path);
  look->x = p->cup_first[view] + cup * p->cup_pitch[view] + look->path.x;
  look->y = (p->rows - 1) / 2.0 + look->path.y;
  look->reach = look->fruit.radius * (1 + 3 * look->fruit.bump)
      / p->mm_per_pixel[view] + 1;
  sin_cos_degrees (cup * look->path.turn, &look->sc, &look->cc);
  look->st = scene->tilt_sin[view];
  look->ct = scene->tilt_cos[view];
}

static gboolean
is_dark (const LineSceneParams * params, guint32 trigger, guint view)
{
  return params->dark >> view & 1 && trigger >= params->dark_from;
}

static gboolean
shot_set (Shot * shot, const LineScene * scene, guint32 trigger, guint view,
    GError ** error)
{
  const LineSceneParams *p = &scene->params;

  if (view >= p->views) {
    g_set_error (error, LINE_SCENE_ERROR, LINE_SCENE_ERROR_PARAMS,
        "view %u of a simulated line with %u views", view, p->views);
    return FALSE;
  }
  shot->scene = scene;
  shot->view = view;
  shot->dark = is_dark (p, trigger, view);
  shot->noise = mix_bits (mix_bits (mix_bits (p->noise_seed) + p->lane)
      + trigger * 8ull + view);
  for (guint c = 0; c < p->cups; c++) {
    if (c <= trigger && !shot->dark)
      look_set (&shot->looks[c], scene, trigger - c, c, view);
    else
      shot->looks[c].fruit.present = FALSE;
  }
  return TRUE;
}

static const Look *
look_at (const Shot * shot, double x, double y)
{
  for (guint c = 0; c < shot->scene->params.cups; c++) {
    const Look *look = &shot->looks[c];

    double dx = x - look->x, dy = y - look->y;

    if (look->fruit.present && dx * dx + dy * dy <= look->reach * look->reach)
      return look;
  }
  return NULL;
}

static guint
ground_at (const Shot * shot, double x)
{
  const LineSceneParams *p = &shot->scene->params;
  double cups = (x - p->cup_first[shot->view]) / p->cup_pitch[shot->view]
      + 1000;

  if (shot->dark)
    return LINE_CLASS_BELT;
  cups -= (gint64) cups;
  /* a roller on each side of a piece */
  return cups > 0.4 && cups < 0.6 ? LINE_CLASS_ROLLER : LINE_CLASS_BELT;
}

static guint
class_at (const Shot * shot, const Look * look, double x, double y, Vec * n,
    double *depth)
{
  double scale = shot->scene->params.mm_per_pixel[shot->view];

  if (look && look_through (look, (x - look->x) * scale,
          (y - look->y) * scale, n, depth))
    return fruit_class (&look->fruit, *n);
  *depth = 0;
  return ground_at (shot, x);
}

/* Smooth noise of a direction, 0 .. 1: corners of a lattice, interpolated */
static double
texture_at (guint64 seed, Vec n)
{
  double p[3] = {n.x * 6 + 64, n.y * 6 + 64, n.z * 6 + 64}, sum = 0;
  guint cell[3];

  for (guint i = 0; i < 3; i++) {
    cell[i] = (guint) p[i];
    p[i] -= cell[i];
  }
  for (guint k = 0; k < 8; k++) {
    guint64 at = (cell[0] + (k & 1)) | (guint64) (cell[1] + (k >> 1 & 1)) << 16
        | (guint64) (cell[2] + (k >> 2)) << 32;
    double share = (k & 1 ? p[0] : 1 - p[0]) * (k & 2 ? p[1] : 1 - p[1])
        * (k & 4 ? p[2] : 1 - p[2]);

    sum += share * (mix_bits (seed ^ at) >> 40) * 0x1p-24;
  }
  return sum;
}

static void
colour_at (const Shot * shot, const Look * look, guint class_id, Vec n,
    double depth, double x, double colour[3])
{
  static const double colours[LINE_SCENE_CLASSES][3] = {
    {32, 52, 92}, {236, 160, 62}, {74, 92, 36}, {84, 62, 44}, {112, 114, 118},
    {166, 92, 60}, {92, 54, 32}, {112, 112, 78}, {180, 138, 88},
    {226, 208, 164}, {194, 174, 164}, {46, 24, 28},
  };
  double light, shine, grain;

  memcpy (colour, colours[class_id], 3 * sizeof (double));
  for (guint i = 0; i < 3 && shot->dark; i++)
    colour[i] *= DARK;
  if (depth == 0)
    return;
  grain = texture_at (look->fruit.texture, n);
  if (class_id == LINE_CLASS_SKIN) {
    colour[1] += 24 * (look->fruit.hue - 0.5) + 30 * (grain - 0.5);
    colour[2] += 20 * (grain - 0.5);
  }
  light = (0.4 + 0.6 * depth) * (0.92 + 0.16 * grain);
  /* the lamp is beside the camera: a spot where the surface faces both */
  shine = depth > 0.97 ? (depth - 0.97) / 0.03 : 0;
  for (guint i = 0; i < 3; i++)
    colour[i] = colour[i] * light + 55 * shine * shine;
}

/* Rows of blocks: the number's bits, then those of a check sum */
static guint64
code_of (guint32 trigger)
{
  return (guint64) (mix_bits (trigger) & 0xff) << 32 | trigger;
}

gboolean
line_scene_render (const LineScene * scene, guint32 trigger, guint view,
    guint8 * rgb, guint8 * labels, GError ** error)
{
  const LineSceneParams *p = &scene->params;
  guint64 code = code_of (trigger);
  Shot shot;

  if (!shot_set (&shot, scene, trigger, view, error))
    return FALSE;
  for (guint y = 0; y < p->rows; y++) {
    double before[3];

    colour_at (&shot, NULL, LINE_CLASS_BELT, (Vec) {0}, 0, 0, before);
    for (guint x = 0; x < p->columns; x++) {
      gsize at = (gsize) y * p->columns + x;
      const Look *look = look_at (&shot, x, y);
      double colour[3], depth;
      Vec n = { 0, 0, 1 };
      guint class_id = class_at (&shot, look, x, y, &n, &depth);

      if (labels)
        labels[at] = class_id;
      if (!rgb)
        continue;
      colour_at (&shot, look, class_id, n, depth, x, colour);
      if (y < CODE_ROWS && x < CODE_BITS * CODE_WIDTH)
        colour[0] = colour[1] = colour[2] =
            code >> (x / CODE_WIDTH) & 1 ? 225 : 20;
      guint64 bits = mix_bits (shot.noise ^ (y * 16384ull + x));
      for (guint i = 0; i < 3; i++, bits >>= 21) {
        /* the belt moves 0.3 pixels during the exposure */
        double value = 0.85 * colour[i] + 0.15 * before[i];
        /* two uniform numbers make a triangle with a variance of 1/6 */
        double noise = ((bits & 1023) + (bits >> 10 & 1023)) / 1023.0 - 1;

        value += noise * sqrt (6 * (2.0 + 0.04 * value)) + 0.5;
        rgb[3 * at + i] = value < 0 ? 0 : value > 255 ? 255 : (guint8) value;
      }
      memcpy (before, colour, sizeof before);
    }
  }
  return TRUE;
}

/* Whether all of a pixel is skin: it faces the camera, so that half a pixel is
 * less than @margin of an angle, and no mark is that near. */
static gboolean
is_plain (const Shot * shot, const Look * look, double x, double y)
{
  double margin = shot->scene->params.mm_per_pixel[shot->view]
      / look->fruit.radius, depth;
  Vec n;

  if (margin > 0.1 || class_at (shot, look, x, y, &n, &depth)
      != LINE_CLASS_SKIN || depth < 0.5)
    return FALSE;
  for (guint i = 0; i < look->fruit.n_marks; i++) {
    const Mark *mark = &look->fruit.marks[i];

    if (vec_dot (n, mark->centre) > mark->cos_reach - margin)
      return FALSE;
  }
  return TRUE;
}

/* The shares of the classes in a pixel */
static void
share_at (const Shot * shot, guint x, guint y, float shares[])
{
  const Look *look = look_at (shot, x, y);
  double depth;
  Vec n;

  if (!look) {
    shares[ground_at (shot, x)] = 1;
    return;
  }
  if (is_plain (shot, look, x, y)) {
    shares[LINE_CLASS_SKIN] = 1;
    return;
  }
  for (guint i = 0; i < SUB * SUB; i++) {
    double dx = (i % SUB + 0.5) / SUB - 0.5, dy = (i / SUB + 0.5) / SUB - 0.5;

    shares[class_at (shot, look, x + dx, y + dy, &n, &depth)] +=
        1.0f / (SUB * SUB);
  }
}

gboolean
line_scene_probabilities (const LineScene * scene, guint32 trigger,
    guint view, gfloat * probabilities, GError ** error)
{
  const LineSceneParams *p = &scene->params;
  gfloat *out = probabilities;
  Shot shot;

  if (!shot_set (&shot, scene, trigger, view, error))
    return FALSE;
  for (guint y = 0; y < p->rows; y++)
    for (guint x = 0; x < p->columns; x++, out += LINE_SCENE_CLASSES) {
      guint64 bits = mix_bits (~shot.noise ^ (y * 16384ull + x));
      float sum = 0;

      memset (out, 0, LINE_SCENE_CLASSES * sizeof (float));
      share_at (&shot, x, y, out);
      /* 5 bits of noise for each class, at most 0.02 */
      for (guint k = 0; k < LINE_SCENE_CLASSES; k++, bits >>= 5)
        sum += out[k] += (bits & 31) * (0.02f / 31);
      sum = 1 / sum;
      for (guint k = 0; k < LINE_SCENE_CLASSES; k++)
        out[k] *= sum;
    }
  return TRUE;
}

gboolean
line_scene_read_trigger (const guint8 * rgb, guint columns, guint rows,
    guint32 * trigger)
{
  guint64 code = 0;

  if (columns < CODE_BITS * CODE_WIDTH || rows < CODE_ROWS)
    return FALSE;
  for (guint bit = 0; bit < CODE_BITS; bit++) {
    guint sum = 0;

    /* not the block's borders, which motion blurs */
    for (guint y = 0; y < CODE_ROWS; y++)
      for (guint x = 2; x < CODE_WIDTH - 2; x++)
        sum += rgb[3 * ((gsize) y * columns + bit * CODE_WIDTH + x) + 1];
    if (sum > CODE_ROWS * (CODE_WIDTH - 4) * 122)
      code |= G_GUINT64_CONSTANT (1) << bit;
  }
  if (code != code_of ((guint32) code))
    return FALSE;
  *trigger = (guint32) code;
  return TRUE;
}

static void
count_visible (const LineScene * scene, guint32 piece, LineTruth * truth)
{
  for (guint c = 0; c < scene->params.cups; c++)
    for (guint v = 0; v < scene->params.views; v++) {
      const gboolean lit = !is_dark (&scene->params, piece + c, v);
      double area[LINE_SCENE_CLASSES] = { 0 };
      Look look;

      look_set (&look, scene, piece, c, v);
      const Vec eye = {-look.ct * look.sc, look.st, look.ct * look.cc};
      for (guint i = 0; i < look.fruit.n_marks; i++) {
        const Mark *mark = &look.fruit.marks[i];
        guint seen = 0;

        for (guint k = 0; k < 256; k++)
          seen += vec_dot (line_mark_point (mark, k), eye) > 0;
        area[mark->class_id] += line_mark_area (&look.fruit, mark) * seen / 256;
      }
      for (guint k = 0; k < LINE_SCENE_CLASSES; k++) {
        truth->max_visible_mm2[k] = MAX (truth->max_visible_mm2[k], area[k]);
        if (lit)
          truth->max_lit_mm2[k] = MAX (truth->max_lit_mm2[k], area[k]);
      }
    }
}

void
line_scene_truth (const LineScene * scene, guint32 piece, LineTruth * truth)
{
  Fruit fruit;

  *truth = (LineTruth) {0};
  line_fruit_make (&fruit, &scene->params, piece);
  line_fruit_truth (&fruit, truth);
  if (!truth->present)
    return;
  count_visible (scene, piece, truth);
  Look look;
  look_set (&look, scene, piece, 0, 0);
  truth->still = look.path.still;
  truth->hop = look.path.hop;
  for (guint c = 1; c < scene->params.cups; c++)
    truth->turn[c - 1] = c == truth->hop ? NAN : look.path.turn;
}
