/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scene_look.h"

#include <string.h>

#include "base/memory.h"

/* The trigger's number: 32 bits and a check of 8 as squares, black or white */
#define CODE_BITS 40
#define CODE_SIDE 4
#define SOFT_MM .8

typedef struct
{
  gdouble r, g, b;
} Colour;

static const Colour colours[LINE_N_CLASSES] = {
  [LINE_BELT] = {38, 52, 60},
  [LINE_STEM] = {74, 62, 34},
  [LINE_CALYX] = {96, 92, 58},
  [LINE_ROLLER] = {122, 124, 126},
  [LINE_BRUISE] = {146, 92, 42},
  [LINE_ROT] = {72, 44, 28},
  [LINE_SCAB] = {62, 66, 40},
  [LINE_RUSSET] = {168, 132, 78},
  [LINE_HAIL] = {190, 178, 140},
  [LINE_SCAR] = {140, 112, 96},
  [LINE_INSECT] = {30, 22, 34},
};

static Colour
mix (Colour a, Colour b, gdouble t)
{
  return (Colour) {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t,
    a.b + (b.b - a.b) * t};
}

/* -1 to 1 at a point of a lattice */
static gdouble
lattice (guint64 seed, gint x, gint y, gint z)
{
  guint32 h = (guint32) seed ^ (guint32) x * 0x8da6b343u ^
      (guint32) y * 0xd8163841u ^ (guint32) z * 0xcb1ab31fu;

  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return (gint32) (h ^ (h >> 15)) * 0x1p-31;
}

/* Smooth noise of about 1/8 of the radius */
static gdouble
texture (guint64 seed, LineVec n)
{
  gdouble p[3] = { n.x * 8 + 16, n.y * 8 + 16, n.z * 8 + 16 }, sum = 0;
  gint at[3];

  for (guint i = 0; i < 3; i++) {
    at[i] = (gint) p[i];
    p[i] -= at[i];
    p[i] = p[i] * p[i] * (3 - 2 * p[i]);
  }
  for (gint i = 0; i < 8; i++) {
    gint x = i & 1, y = i >> 1 & 1, z = i >> 2;

    sum += lattice (seed, at[0] + x, at[1] + y, at[2] + z) *
        (x ? p[0] : 1 - p[0]) * (y ? p[1] : 1 - p[1]) * (z ? p[2] : 1 - p[2]);
  }
  return sum;
}

/* Two lamps over the line, one to each side: what the surface sends back and
 * the spot that mirrors one of them */
static Colour
shade (Colour c, LineVec n, gdouble gloss)
{
  gdouble light = .30 + .72 * MAX (n.z, 0), spot = .35 * n.x - .35 * n.y +
      .869 * n.z;

  spot = MAX (spot, 0);
  spot *= spot;
  spot *= spot;
  spot *= spot;
  spot *= spot * spot;
  spot = gloss * spot;
  return (Colour) {c.r * light + spot, c.g * light + spot,
    c.b * light + spot};
}

static Colour
fruit_colour (const LineLook * look, const LineHit * hit, guint8 * label)
{
  const LineFruit *fruit = &look->fruit;
  gdouble grain = texture (fruit->texture, hit->on_fruit);
  gdouble blush = fruit->hue * .6 + .4 * hit->on_fruit.y * fruit->hue;
  Colour c = mix ((Colour) {222, 176, 58}, (Colour) {206, 70, 40},
      CLAMP (blush + .15 * grain, 0, 1));
  gdouble gloss = 90;

  *label = LINE_SKIN;
  for (guint i = 0; i < fruit->n_marks; i++) {
    const LineMark *mark = &fruit->marks[i];
    gdouble depth = line_mark_depth (mark, hit->on_fruit, fruit->radius);
    gdouble share = CLAMP (.5 + depth / SOFT_MM, 0, 1);

    if (share == 0)
      continue;
    c = mix (c, colours[mark->of], share);
    gloss *= 1 - share * .8;
    if (depth >= 0)
      *label = mark->of;
  }
  grain = 1 + .07 * grain;
  c = (Colour) {c.r * grain, c.g * grain, c.b * grain};
  return shade (c, hit->normal, gloss);
}

static void
draw_background (const LineScene * scene, gfloat * picture, guint8 * labels)
{
  guint columns = scene->params.columns;

  for (guint x = 0; x < columns; x++) {
    LineClass of = line_scene_background (scene, x);
    gdouble at = (gdouble) (x % scene->pitch) / scene->pitch, side;
    Colour c = colours[of];

    /* a roller is round: darker away from its middle */
    side = at < .5 ? at : 1 - at;
    if (of == LINE_ROLLER)
      c = mix (c, (Colour) {40, 42, 44}, side * 8 * side * 8 * .7);
    for (gsize y = 0; y < scene->params.rows; y++) {
      gfloat *to = picture + (y * columns + x) * 3;

      to[0] = c.r;
      to[1] = c.g;
      to[2] = c.b;
      labels[y * columns + x] = of;
    }
  }
}

static void
draw_fruit (const LineScene * scene, const LineLook * look, gfloat * picture,
    guint8 * labels)
{
  gdouble mm = scene->params.mm_per_pixel;

  for (guint y = look->first_row; y < look->end_row; y++)
    for (guint x = look->first_column; x < look->end_column; x++) {
      gsize at = (gsize) y * scene->params.columns + x;
      gfloat *to = picture + at * 3;
      LineHit hit;
      guint8 label;
      gdouble cover;
      Colour c;

      if (!line_look_hit (look, mm, x, y, &hit))
        continue;
      c = fruit_colour (look, &hit, &label);
      cover = CLAMP (.5 + hit.edge_mm / mm, 0, 1);
      c = mix ((Colour) {to[0], to[1], to[2]}, c, cover);
      to[0] = c.r;
      to[1] = c.g;
      to[2] = c.b;
      if (hit.edge_mm >= 0)
        labels[at] = label;
    }
}

/* What the sensor makes of light: the belt moves 1.5 columns while it looks;
 * noise of photons and of reading. */
static void
expose (const LineScene * scene, const gfloat * picture, guint64 random,
    guint8 * rgb)
{
  guint columns = scene->params.columns, n = columns * 3;
  gint sigma[256];
  guint64 r = 0;

  /* 148: the deviation of a sum of four bytes; 65536: fixed point */
  for (guint i = 0; i < 256; i++)
    sigma[i] = (gint) (sqrt (2.2 + .035 * i) / 148 * 65536);
  for (guint y = 0; y < scene->params.rows; y++) {
    const gfloat *row = picture + (gsize) y * n;

    for (guint i = 0; i < n; i++) {
      gfloat before = row[i < 3 ? i : i - 3], after = row[i + 3 < n ?
          i + 3 : i];
      gfloat light = .2f * before + .6f * row[i] + .2f * after;
      gint value = (gint) CLAMP (light + .5f, 0, 255), sum;

      /* one number is enough for two samples */
      r = i & 1 ? r >> 32 : line_random (&random);
      sum = (gint) (r & 255) + (gint) (r >> 8 & 255) +
          (gint) (r >> 16 & 255) + (gint) (r >> 24 & 255) - 510;
      /* an addend that keeps the quotient's rounding one way */
      value += (sum * sigma[value] + (1 << 23)) / 65536 - (1 << 7);
      rgb[(gsize) y * n + i] = CLAMP (value, 0, 255);
    }
  }
}

static guint
check_byte (guint32 number)
{
  return ((number ^ number >> 8 ^ number >> 16 ^ number >> 24) & 255) ^ 0xa5;
}

static void
draw_code (guint columns, guint32 number, guint8 * rgb)
{
  guint64 code = (guint64) number << 8 | check_byte (number);

  for (guint i = 0; i < CODE_BITS; i++)
    for (guint y = 0; y < CODE_SIDE; y++)
      memset (rgb + ((gsize) y * columns + i * CODE_SIDE) * 3,
          code >> (CODE_BITS - 1 - i) & 1 ? 255 : 0, CODE_SIDE * 3);
}

gboolean
line_scene_read_trigger (const guint8 * rgb, guint columns, guint32 * trigger)
{
  guint64 code = 0;

  if (columns < CODE_BITS * CODE_SIDE)
    return FALSE;
  for (guint i = 0; i < CODE_BITS; i++) {
    guint sum = 0;

    for (guint y = 0; y < CODE_SIDE; y++)
      for (guint x = 0; x < CODE_SIDE * 3; x++)
        sum += rgb[((gsize) y * columns + i * CODE_SIDE) * 3 + x];
    code = code << 1 | (sum >= 128 * 3 * CODE_SIDE * CODE_SIDE);
  }
  *trigger = (guint32) (code >> 8);
  return (code & 255) == check_byte (*trigger);
}

gboolean
line_scene_render (const LineScene * scene, gint64 trigger, guint view,
    guint8 * rgb, guint8 * labels, GError ** error)
{
  const LineSceneParams *params = &scene->params;
  gsize pixels = (gsize) params->columns * params->rows;
  gfloat *picture;
  guint8 *own = NULL;

  if (!line_scene_check_view (scene, trigger, view, error))
    return FALSE;
  picture = cs_try_new (gfloat, pixels * 3);
  if (picture && !labels)
    labels = own = cs_try_new (guint8, pixels);
  if (!picture || !labels) {
    g_free (picture);
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
        "no memory for a simulated picture");
    return FALSE;
  }
  draw_background (scene, picture, labels);
  for (guint cup = 0; cup < params->cups; cup++) {
    LineLook look;

    line_look_init (&look, scene, trigger, view, cup);
    if (look.fruit.present)
      draw_fruit (scene, &look, picture, labels);
  }
  expose (scene, picture, line_mix (line_mix (params->noise_seed) ^
          line_mix ((guint64) trigger) ^ line_mix (view ^
              (guint64) params->lane << 32)), rgb);
  draw_code (params->columns, (guint32) trigger, rgb);
  g_free (picture);
  g_free (own);
  return TRUE;
}
