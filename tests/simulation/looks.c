/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "looks.h"

#include <math.h>
#include <string.h>

#include "devices.h"
#include "base/array.h"
#include "finder.h"
#include "machine.h"
#include "network.h"

/* Microseconds: that a picture takes, and how much that varies; that shapes take, at
 * most, and if that is slow; * that a process takes to load its model; from one start to the next */
#define INFERENCE 1500
#define VARIES 1000
#define SHAPES 700
#define SLOW_SHAPES 500000
#define LOADING (2 * G_USEC_PER_SEC)
#define RESTART G_USEC_PER_SEC

/* A fault that comes now and then comes once in so many times. */
#define OFTEN 3
#define SELDOM 5
#define RARELY 50

/* Pixels that say which picture it is, of a bit each: one that is always set, of
 * the view, one of a dark picture, and of the pulse */
#define VIEW_AT 1
#define DARK_AT 9
#define PULSE_AT 10
#define BITS 74

/* Corners of an outline */
#define CORNERS 24

/* Of rot, in mm; its shape has 78 mm2 */
#define ROT 10

#define MOST_VIEWS 8

static struct
{
  guint views, cups, faults;
  /* bits of views, by pulse */
  GArray *given;
} looks;

void
looks_set_faults (guint faults)
{
  world_tell ("network: faults %u", faults);
  looks.faults = faults;
}

guint
looks_get_faults (void)
{
  return looks.faults;
}

static void
note_given (gint64 pulse, guint view)
{
  if (pulse < 0)
    return;
  if (pulse >= looks.given->len)
    g_array_set_size (looks.given, (guint) pulse + 1000);
  g_array_index (looks.given, guint8, pulse) |= 1u << view;
}

gboolean
looks_were_given (gint64 pulse, guint view)
{
  return pulse >= 0 && pulse < looks.given->len
      && g_array_index (looks.given, guint8, pulse) >> view & 1;
}

/* Tensors */

static gboolean
shows_fruit (gint64 pulse)
{
  for (guint c = 0; c < looks.cups; c++)
    if (pulse < 0 || machine_get_piece (pulse - c).diameter > 0)
      return TRUE;
  return FALSE;
}

static void
put_pixel (gfloat * pixel, gfloat skin)
{
  pixel[0] = 1 - skin;
  pixel[1] = skin;
  pixel[2] = 0;
}

static void
put_bit (gfloat * tensor, guint at, guint64 value)
{
  put_pixel (tensor + at * MACHINE_CLASSES, value & 1 ? 0.25f : 0.125f);
}

static void
make_tensor (const Picture * picture, gfloat * tensor, guint n_pixels)
{
  const gfloat rest = !picture->is_dark && shows_fruit (picture->pulse) ?
      0.875f : 0.0625f;

  for (guint i = 0; i < 64; i++) {
    put_bit (tensor, PULSE_AT + i, (guint64) picture->pulse >> i);
    if (i < DARK_AT - VIEW_AT)
      put_bit (tensor, VIEW_AT + i, picture->view >> i);
  }
  put_bit (tensor, 0, 1);
  put_bit (tensor, DARK_AT, picture->is_dark);
  for (guint i = BITS; i < n_pixels; i++)
    put_pixel (tensor + i * MACHINE_CLASSES, rest);
}

static guint64
get_bits (const gfloat * tensor, guint at, guint n)
{
  guint64 value = 0;

  for (guint i = 0; i < n; i++)
    if (tensor[(at + i) * MACHINE_CLASSES + 1] > 0.2f)
      value |= G_GUINT64_CONSTANT (1) << i;
  return value;
}

static Picture
read_tensor (const gfloat * tensor)
{
  return (Picture) {
    PICTURE_MARK, (guint32) get_bits (tensor, VIEW_AT, DARK_AT - VIEW_AT),
    get_bits (tensor, DARK_AT, 1) != 0,
    (gint64) get_bits (tensor, PULSE_AT, 64)
  };
}

/* The network's process. @before: its last tensors, by view */
struct _LineNetwork
{
  guint n_pixels;
  gboolean is_running, is_loaded, is_cancelled;
  gint64 started_at;
  gfloat *before[MOST_VIEWS];
};

static gsize
get_size (const LineNetwork * network)
{
  return (gsize) network->n_pixels * MACHINE_CLASSES * sizeof (gfloat);
}

LineNetwork *
line_network_new (const char *const *argv, const char *folder, guint rows,
    guint columns, guint classes, GError ** error)
{
  LineNetwork *network = g_new0 (LineNetwork, 1);

  network->n_pixels = rows * columns;
  network->is_running = TRUE;
  network->started_at = world_now ();
  return network;
}

void
line_network_free (LineNetwork * network)
{
  for (guint v = 0; v < MOST_VIEWS; v++)
    g_free (network->before[v]);
  g_free (network);
}

gboolean
line_network_is_loaded (const LineNetwork * network)
{
  return network->is_running && network->is_loaded;
}

void
line_network_cancel (LineNetwork * network)
{
  network->is_cancelled = TRUE;
  world_wake (network, TRUE);
}

/* Its process is gone. Returns: FALSE */
static gboolean
fail (LineNetwork * network, GError ** error, const char *what)
{
  network->is_running = network->is_loaded = FALSE;
  return line_fail (error, LINE_ERROR_RUN, "the network %s", what);
}

/* Returns: FALSE if it is told to stop before */
static gboolean
wait_until (LineNetwork * network, gint64 time)
{
  while (world_now () < time && !network->is_cancelled)
    world_wait_signal (network, time);
  return !network->is_cancelled;
}

/* What is wrong with the tensor that it answers */
static void
spoil (LineNetwork * network, const Picture * picture, gfloat * tensor)
{
  gfloat **before = &network->before[picture->view];
  const gsize size = get_size (network);

  if ((looks.faults & LOOKS_NAN) && world_one_in (OFTEN)) {
    tensor[world_below (size / sizeof (gfloat))] = NAN;
    return;
  }
  if ((looks.faults & LOOKS_CONSTANT) && world_one_in (OFTEN)) {
    for (guint i = 0; i < network->n_pixels; i++)
      put_pixel (tensor + i * MACHINE_CLASSES, 0.5f);
    return;
  }
  /* of an empty belt it may well say the same twice */
  if ((looks.faults & LOOKS_REPEATS) && *before && world_one_in (OFTEN)
      && (*before)[BITS * MACHINE_CLASSES + 1] > 0.5f) {
    memcpy (tensor, *before, size);
    return;
  }
  if (!*before)
    *before = g_malloc (size);
  memcpy (*before, tensor, size);
}

gboolean
line_network_run (LineNetwork * network, const guint8 * rgb, gfloat * tensor,
    gint64 timeout, GError ** error)
{
  const gint64 begin = world_now ();
  gint64 end = begin + INFERENCE + (gint64) world_below (VARIES);
  Picture picture;

  memcpy (&picture, rgb, sizeof (picture));
  picture.is_dark = picture.is_dark || picture.mark != PICTURE_MARK;
  if (!network->is_running) {
    if (world_now () - network->started_at < RESTART)
      return line_fail (error, LINE_ERROR_RUN, "the network is started again");
    network->is_running = TRUE;
    network->started_at = world_now ();
  }
  if (!network->is_loaded)
    end = MAX (end, network->started_at + LOADING);
  if ((looks.faults & LOOKS_LATE) && world_one_in (SELDOM))
    end += 2 * timeout;
  if (!wait_until (network, MIN (end, begin + timeout)))
    return line_fail (error, LINE_ERROR_STOPPED, "stopped");
  if (end > begin + timeout)
    return fail (network, error, "has not answered in time");
  if ((looks.faults & LOOKS_ENDS) && world_one_in (RARELY))
    return fail (network, error, "has ended");
  network->is_loaded = TRUE;
  make_tensor (&picture, tensor, network->n_pixels);
  spoil (network, &picture, tensor);
  return TRUE;
}

/* Shapes */

static LineContour
add_circle (CsArray * points, guint class_id, gdouble x, gdouble y,
    gdouble diameter)
{
  /* as large as a circle of that diameter */
  const gdouble radius = diameter / 2 * sqrt (2 * G_PI / CORNERS
      / sin (2 * G_PI / CORNERS));
  LineContour contour = {.class_id = (gint32) class_id,.parent = -1,
    .area = G_PI * diameter * diameter / 4,.x0 = x - radius,.y0 = y - radius,
    .x1 = x + radius,.y1 = y + radius,.first = points->len,
    .n_points = CORNERS + 1,.feret_min = 2 * radius,.feret_max = 2 * radius,
    .circle_x = x,.circle_y = y
  };

  for (guint i = 0; i <= CORNERS; i++) {
    const gdouble angle = 2 * G_PI * (i % CORNERS) / CORNERS;
    const LinePoint point = { (gfloat) (x + radius * cos (angle)),
      (gfloat) (y + radius * sin (angle))
    };

    cs_array_append_val (points, point);
  }
  return contour;
}

/* Of a machine's piece in a cup; at a spike, between two, pieces of 25 mm */
static void
add_piece (const LineGeometry * geometry, const Picture * picture, guint v,
    guint cup, CsArray * contours, CsArray * points)
{
  const MachinePiece piece = picture->pulse < 0 ? (MachinePiece) { 25 } :
      machine_get_piece (picture->pulse - cup);
  const gdouble x = geometry->cup_first[v] + cup * geometry->cup_pitch[v];
  const gdouble y = (geometry->rows - 1) / 2.;
  LineContour contour;

  if (piece.diameter == 0)
    return;
  contour = add_circle (points, MACHINE_CLASSES, x, y,
      piece.diameter / geometry->mm_per_pixel[v]);
  contour.id = G_MAXINT32 - (gint32) contours->len;
  cs_array_append_val (contours, contour);
  if (!piece.is_rotten || piece.cup != cup || piece.view != picture->view)
    return;
  for (guint i = 0; i < 2; i++) {
    contour = add_circle (points, i ? MACHINE_CLASSES + 1 : MACHINE_ROT, x, y,
        ROT / geometry->mm_per_pixel[v]);
    contour.id = G_MAXINT32 - (gint32) contours->len;
    cs_array_append_val (contours, contour);
  }
}

/* A speck of the belt has the picture's pulse for its id. */
static void
add_pulse (const Picture * picture, CsArray * contours, CsArray * points)
{
  LineContour contour = add_circle (points, 0, 0, 0, 0.1);

  contour.id = (gint32) picture->pulse;
  cs_array_append_val (contours, contour);
}

gint64
looks_find_pulse (const LineView * view)
{
  return view->n_contours > 0 && view->contours[0].class_id == 0 ?
      view->contours[0].id : -1;
}

static LineView
make_view (const LineGeometry * geometry, const Picture * picture, guint v)
{
  CsArray contours, points;

  cs_array_init (&contours, sizeof (LineContour));
  cs_array_init (&points, sizeof (LinePoint));
  add_pulse (picture, &contours, &points);
  for (guint c = 0; c < geometry->cups && !picture->is_dark; c++)
    add_piece (geometry, picture, v, c, &contours, &points);
  return (LineView) {
    .contours = (gpointer) contours.data,.n_contours = contours.len,
    .points = (gpointer) points.data
  };
}

struct _LineFinder
{
  const LineGeometry *geometry;
};

LineFinder *
line_finder_new (const LineConfig * config, const LineGeometry * geometry,
    const LineRecipe * recipe, GError ** error)
{
  LineFinder *finder = g_new0 (LineFinder, 1);

  finder->geometry = geometry;
  return finder;
}

void
line_finder_free (LineFinder * finder)
{
  g_free (finder);
}

gsize
line_finder_get_size (const LineFinder * finder)
{
  const LineGeometry *geometry = finder->geometry;

  return (gsize) geometry->views * geometry->rows * geometry->columns
      * MACHINE_CLASSES * sizeof (gfloat);
}

LineBlocks *
line_finder_make_blocks (LineFinder * finder, guint most)
{
  return line_blocks_new (line_finder_get_size (finder), most, NULL);
}

static void
check_finite (const gfloat * tensor, gsize n)
{
  gfloat sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += 0 * tensor[i];
  if (sum != 0)
    world_fail ("shapes are found in a tensor with values that are none");
}

/* A view that was lost has zeros. */
gboolean
line_finder_run (LineFinder * finder, gpointer tensors, LineView * views,
    GError ** error)
{
  const LineGeometry *geometry = finder->geometry;
  const gsize step = (gsize) geometry->rows * geometry->columns
      * MACHINE_CLASSES;
  const gboolean fails = (looks.faults & LOOKS_FAILS) && world_one_in (RARELY);

  if (looks.faults & LOOKS_SLOW)
    world_sleep_until (world_now () + world_delay (SLOW_SHAPES));
  world_spend (SHAPES);
  for (guint v = 0; v < geometry->views && !fails; v++) {
    const gfloat *tensor = (const gfloat *) tensors + v * step;
    Picture picture = read_tensor (tensor);

    check_finite (tensor, step);
    /* what a station rehearses with is no picture's */
    if (get_bits (tensor, 0, 1) == 0 || picture.view >= looks.views
        || picture.pulse >= machine_count ())
      picture.is_dark = TRUE;
    else
      note_given (picture.pulse, picture.view);
    views[v] = make_view (geometry, &picture, v);
  }
  line_block_give (tensors);
  return !fails || line_fail (error, LINE_ERROR_RUN, "no shapes");
}

void
looks_begin (guint views, guint cups)
{
  memset (&looks, 0, sizeof (looks));
  looks.views = views;
  looks.cups = cups;
  looks.given = g_array_new (FALSE, TRUE, sizeof (guint8));
}

void
looks_end (void)
{
  g_clear_pointer (&looks.given, g_array_unref);
}
