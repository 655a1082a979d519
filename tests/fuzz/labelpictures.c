/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The labels kernel on the CPU, any parameters on any picture: one thread, three
 * threads and strips of any height agree bit for bit; contours are those of
 * the contours kernel of each label's mask; outlines of pixels have the same
 * parents, and the area of the label's pixels. Memory is as large as the picture
 * says and no larger. */

#include "fuzz.h"

#include <math.h>
#include <stdlib.h>

#include "fuzz_images.h"
#include "labels/labels.h"

#define MAX_SIDE 48
#define MAX_WANTED 4

/**
 * Case:
 * @memory: of the picture
 */
typedef struct
{
  CsLabelsParams params;
  CsLabelsInput input;
  guint32 wanted[MAX_WANTED];
  guint8 *memory;
} Case;

static void
feed_params (Feed * feed, CsLabelsParams * params)
{
  const guint flags = feed_u8 (feed);

  cs_labels_params_init (params);
  params->outline = flags & 1;
  params->hierarchy = (flags & 2) != 0;
  params->measures = (flags >> 2 & 3) % 3;
  params->min_area = flags & 16 ? feed_u8 (feed) / 4. : 0.;
  if (flags & 32)
    params->background = (gint64) feed_u8 (feed) - 2;
  if (flags & 64)
    params->background = (gint32) feed_u32 (feed);
}

static void
feed_wanted (Feed * feed, Case * test)
{
  test->input.wanted = test->wanted;
  test->input.n_wanted = feed_below (feed, MAX_WANTED + 1);
  for (gsize i = 0; i < test->input.n_wanted; i++)
    test->wanted[i] = feed_u8 (feed) % 64 ? feed_below (feed, 6) : feed_u32 (feed);
}

/* A label: one of few, or any number. */
static void
feed_label (Feed * feed, guint few, guint8 * to, guint size)
{
  const guint8 byte = feed_u8 (feed);
  const guint64 value = byte == 255 ? feed_u64 (feed) : byte % few;

  if (size == 1)
    *to = (guint8) value;
  else if (size == 2)
    *(guint16 *) (gpointer) to = (guint16) value;
  else if (size == 4)
    *(guint32 *) (gpointer) to = (guint32) value;
  else
    *(guint64 *) (gpointer) to = value;
}

static void
feed_picture (Feed * feed, Case * test)
{
  CsLabelsPicture *picture = &test->input.picture;
  const guint how = feed_u8 (feed), few = 1 + feed_below (feed, 8);
  const guint size = picture->size = 1u << (how & 3);

  picture->is_signed = how >> 2 & 1;
  picture->width = feed_below (feed, MAX_SIDE + 1);
  picture->height = feed_below (feed, MAX_SIDE + 1);
  picture->pixel_stride = size * (1 + (how >> 3 & 1));
  picture->row_stride = picture->pixel_stride * picture->width +
      size * (how >> 4 & 3);
  const gsize n = picture->width && picture->height ?
      (picture->height - 1) * picture->row_stride +
      (picture->width - 1) * picture->pixel_stride + size : 0;

  test->memory = malloc (MAX (n, 1));
  memset (test->memory, 0xaa, MAX (n, 1));
  picture->data = test->memory;
  for (guint y = 0; y < picture->height; y++)
    for (guint x = 0; x < picture->width; x++)
      feed_label (feed, few, test->memory + y * picture->row_stride +
          x * picture->pixel_stride, size);
}

static void
feed_case (Feed * feed, Case * test)
{
  const guint flags = feed_u8 (feed);

  memset (test, 0, sizeof (*test));
  feed_params (feed, &test->params);
  test->input.origin_x = flags & 1 ? feed_u16 (feed) : 0;
  test->input.origin_y = flags & 2 ? feed_u32 (feed) : 0;
  test->input.first_id = flags & 4 ? feed_i32 (feed) : 0;
  test->input.image_index = flags & 8 ? feed_i32 (feed) : 0;
  if (flags & 16)
    feed_wanted (feed, test);
  feed_picture (feed, test);
}

/* --- Results -------------------------------------------------------------- */

static void
check_bytes (const char *what, const void *got, const void *expected,
    gsize size)
{
  FUZZ_CHECK (size == 0 || memcmp (got, expected, size) == 0, "%s differ",
      what);
}

static void
check_same (const CsContoursOutput * got, const CsContoursOutput * expected)
{
  const gsize n = expected->n_contours;

  FUZZ_CHECK (got->n_contours == n && got->n_points == expected->n_points &&
      got->n_segments == expected->n_segments &&
      got->n_dropped == expected->n_dropped, "numbers differ");
  check_bytes ("points", got->points, expected->points,
      expected->n_points * 2 * sizeof (float));
  check_bytes ("offsets", got->offsets, expected->offsets,
      (n + 1) * sizeof (guint32));
  check_bytes ("records", got->contours, expected->contours,
      n * sizeof (CsContour));
  FUZZ_CHECK (!got->moments == !expected->moments, "moments");
  if (got->moments)
    check_bytes ("moments", got->moments, expected->moments,
        n * sizeof (CsContourMoments));
}

/* --- Each label by itself ------------------------------------------------- */

static gboolean
is_wanted (const Case * test, gint64 label)
{
  if (label < 0 || label == test->params.background)
    return FALSE;
  for (gsize i = 0; i < test->input.n_wanted; i++)
    if (test->wanted[i] == label)
      return TRUE;
  return !test->input.wanted;
}

static gint64
label_at (const Case * test, guint x, guint y)
{
  const CsLabelsPicture *picture = &test->input.picture;
  const void *at = (const guint8 *) picture->data + y * picture->row_stride +
      x * picture->pixel_stride;

  switch (picture->size) {
    case 1:
      return picture->is_signed ? *(const gint8 *) at : *(const guint8 *) at;
    case 2:
      return picture->is_signed ? *(const gint16 *) at : *(const guint16 *) at;
    case 4:
      return picture->is_signed ? *(const gint32 *) at :
          (gint64) * (const guint32 *) at;
    default:
      return *(const gint64 *) at;
  }
}

/* Of the smallest label above @last: its mask and number of pixels. Returns: the
 * label, or -1 */
static gint64
find_label (const Case * test, gint64 last, guint8 * mask, gsize * n)
{
  const guint width = test->input.picture.width;
  const guint height = test->input.picture.height;
  gint64 label = G_MAXINT64;

  for (guint i = 0; i < width * height; i++) {
    const gint64 at = label_at (test, i % width, i / width);

    if (at > last && at < label && is_wanted (test, at))
      label = at;
  }
  *n = 0;
  for (guint i = 0; i < width * height; i++) {
    mask[i] = label_at (test, i % width, i / width) == label;
    *n += mask[i];
  }
  return label == G_MAXINT64 ? -1 : label;
}

static void
find_contours (const Case * test, const guint8 * mask, gint64 label, gsize first,
    CsContoursOutput * output)
{
  const CsLabelsInput *labels = &test->input;
  CsContoursInput input = {
    .image = cs_image_gray (mask, CS_SAMPLE_U8, labels->picture.width,
        labels->picture.height, labels->picture.width),
    .origin_x = labels->origin_x,.origin_y = labels->origin_y,
    .first_id = labels->first_id + (gint32) first,
    .image_index = labels->image_index,
  };
  CsContoursTarget target = { 0, .5 };
  CsContoursParams params;
  g_autoptr (GError) error = NULL;

  cs_contours_params_init (&params);
  params.targets = &target;
  params.close_at_border = params.hierarchy = TRUE;
  params.points = CS_POINTS_F32;
  params.measures = test->params.measures;
  params.min_area = test->params.outline ? 0. : test->params.min_area;
  CsContours *plan = cs_contours_new (&params, fuzz_executor (FALSE), &error);

  FUZZ_CHECK (plan && cs_contours_run (plan, &input, output, &error), "%s",
      error->message);
  cs_contours_free (plan);
  for (gsize i = 0; i < output->n_contours; i++) {
    CsContour *contour = &output->contours[i];

    contour->class_id = (gint32) label;
    if (!test->params.hierarchy && !(contour->flags & CS_CONTOUR_HOLE))
      contour->parent = -1;
  }
}

static void
check_contours (const CsContoursOutput * got, gsize first,
    const CsContoursOutput * expected)
{
  FUZZ_CHECK (first + expected->n_contours <= got->n_contours, "rings");
  check_bytes ("records", got->contours + first, expected->contours,
      expected->n_contours * sizeof (CsContour));
  check_bytes ("points", (const float *) got->points + 2 * got->offsets[first],
      expected->points, expected->n_points * 2 * sizeof (float));
  for (gsize i = 0; i <= expected->n_contours; i++)
    FUZZ_CHECK (got->offsets[first + i] - got->offsets[first] ==
        expected->offsets[i], "offset %zu", i);
  if (got->moments)
    check_bytes ("moments", got->moments + first, expected->moments,
        expected->n_contours * sizeof (CsContourMoments));
}

static void
check_pixels (const CsContoursOutput * got, gsize first,
    const CsContoursOutput * expected, gsize n_pixels)
{
  double area = 0.;

  FUZZ_CHECK (first + expected->n_contours <= got->n_contours, "rings");
  for (gsize i = 0; i < expected->n_contours; i++) {
    const CsContour *a = &got->contours[first + i], *b = &expected->contours[i];

    FUZZ_CHECK (a->parent == b->parent && a->flags == b->flags &&
        a->class_id == b->class_id, "ring %zu", i);
    area += a->area;
  }
  FUZZ_CHECK (area == (double) n_pixels, "%g pixels: %g", (double) n_pixels,
      area);
}

static void
check_labels (const Case * test, const CsContoursOutput * got)
{
  const gboolean pixels = test->params.outline == CS_LABELS_PIXELS;
  guint8 *mask = malloc (MAX_SIDE * MAX_SIDE + 1);
  gsize first = 0, n_pixels;
  gint64 label = -1;

  while ((label = find_label (test, label, mask, &n_pixels)) >= 0) {
    FuzzPool pool = { NULL, FALSE };
    CsContoursOutput expected = {.alloc = fuzz_pool_alloc,.user_data = &pool };

    find_contours (test, mask, label, first, &expected);
    if (!pixels)
      check_contours (got, first, &expected);
    else if (test->params.min_area == 0.)
      check_pixels (got, first, &expected, n_pixels);
    first += expected.n_contours;
    free (pool.data);
  }
  FUZZ_CHECK ((pixels && test->params.min_area > 0.) ||
      first == got->n_contours, "%zu rings: %zu", first, got->n_contours);
  free (mask);
}

/* --- Runs ----------------------------------------------------------------- */

static gboolean
run_strips (CsLabels * plan, const Case * test, Feed feed,
    CsContoursOutput * output, GError ** error)
{
  CsLabelsInput strip = test->input;
  const guint height = strip.picture.height;

  cs_labels_begin (plan);
  for (guint y = 0; y < height; y += strip.picture.height) {
    const guint n = feed.size > 0 ? feed_below (&feed, 5) : 1;

    strip.picture.height = MIN (n, height - y);
    strip.picture.data = test->memory + y * strip.picture.row_stride;
    if (!cs_labels_add_strip (plan, &strip, error))
      return FALSE;
  }
  return cs_labels_finish (plan, output, error);
}

static void
run (const Case * test, const Feed * feed, CsLabels * const plans[2])
{
  FuzzPool pools[3] = { {NULL, FALSE}, };
  CsContoursOutput outputs[3];
  gboolean ok[3];

  for (guint i = 0; i < 3; i++) {
    g_autoptr (GError) error = NULL;

    outputs[i] = (CsContoursOutput) {
      .alloc = fuzz_pool_alloc,.user_data = &pools[i] };
    ok[i] = i < 2 ? cs_labels_run (plans[i], &test->input, &outputs[i], &error) :
        run_strips (plans[1], test, *feed, &outputs[i], &error);
    FUZZ_CHECK_ERROR (ok[i], error);
    FUZZ_CHECK (ok[i] || outputs[i].n_contours == 0, "rings");
    /* without rows there is no strip whose ids and places could be wrong */
    FUZZ_CHECK (ok[i] == ok[0] || test->input.picture.height == 0, "run %u: %s",
        i, error ? error->message : "no error");
    if (ok[i] && ok[0])
      check_same (&outputs[i], &outputs[0]);
  }
  if (ok[0])
    check_labels (test, &outputs[0]);
  for (guint i = 0; i < 3; i++)
    free (pools[i].data);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };
  CsLabels *plans[2];
  Case test;

  feed_case (&feed, &test);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    plans[i] = cs_labels_new (&test.params, fuzz_executor (i), &error);
    FUZZ_CHECK_ERROR (plans[i] != NULL, error);
  }
  if (plans[0])
    run (&test, &feed, plans);
  cs_labels_free (plans[0]);
  cs_labels_free (plans[1]);
  free (test.memory);
  return 0;
}
