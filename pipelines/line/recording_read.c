/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "recording_layout.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "publish/names.h"

/**
 * LineRecording:
 * @offset: bytes that have been read
 * @start: where the current event is
 * @time: of the event before
 * @version: 1 or 2
 */
struct _LineRecording
{
  FILE *file;
  char *name;
  guint64 offset, start;
  gint64 time;
  guint32 version;
};

static guint16
get_u16 (const guint8 ** at)
{
  guint16 value;

  memcpy (&value, *at, sizeof (value));
  *at += sizeof (value);
  return GUINT16_FROM_LE (value);
}

static guint32
get_u32 (const guint8 ** at)
{
  guint32 value;

  memcpy (&value, *at, sizeof (value));
  *at += sizeof (value);
  return GUINT32_FROM_LE (value);
}

static guint64
get_u64 (const guint8 ** at)
{
  guint64 value;

  memcpy (&value, *at, sizeof (value));
  *at += sizeof (value);
  return GUINT64_FROM_LE (value);
}

static gfloat
get_float (const guint8 ** at)
{
  const guint32 bits = get_u32 (at);
  gfloat value;

  memcpy (&value, &bits, sizeof (value));
  return value;
}

static gdouble
get_double (const guint8 ** at)
{
  const guint64 bits = get_u64 (at);
  gdouble value;

  memcpy (&value, &bits, sizeof (value));
  return value;
}

/* "NAME: byte START: TEXT". Is FALSE */
#define FAIL(recording, error, format, ...) line_fail (error, \
    LINE_ERROR_INVALID, "%s: byte %" G_GUINT64_FORMAT ": " format, \
    (recording)->name, (recording)->start, ##__VA_ARGS__)

static gboolean
read_bytes (LineRecording * recording, guint8 * to, gsize size, GError ** error)
{
  const gsize n = fread (to, 1, size, recording->file);

  recording->offset += n;
  if (n == size)
    return TRUE;
  if (ferror (recording->file))
    return line_fail (error, LINE_ERROR_FILE, "%s: %s", recording->name,
        g_strerror (errno));
  return FAIL (recording, error, "the file ends at byte %" G_GUINT64_FORMAT
      ", before the end of what begins here: it was cut off",
      recording->offset);
}

typedef void (*Decode) (const guint8 * at, gpointer element);

static void
decode_contour (const guint8 * at, gpointer element)
{
  LineContour *contour = element;
  gdouble *const box[] = { &contour->area, &contour->x0, &contour->y0,
    &contour->x1, &contour->y1
  };
  gdouble *const hull[] = { &contour->feret_min, &contour->feret_max,
    &contour->circle_x, &contour->circle_y
  };

  contour->class_id = (gint32) get_u32 (&at);
  contour->id = (gint32) get_u32 (&at);
  contour->parent = (gint32) get_u32 (&at);
  contour->is_hole = (gboolean) get_u32 (&at);
  for (guint i = 0; i < G_N_ELEMENTS (box); i++)
    *box[i] = get_double (&at);
  contour->first = get_u32 (&at);
  contour->n_points = get_u32 (&at);
  for (guint i = 0; i < G_N_ELEMENTS (hull); i++)
    *hull[i] = get_double (&at);
}

static void
decode_point (const guint8 * at, gpointer element)
{
  LinePoint *point = element;

  point->x = get_float (&at);
  point->y = get_float (&at);
}

static void
decode_float (const guint8 * at, gpointer element)
{
  *(gfloat *) element = get_float (&at);
}

/* Bytes of elements that are read at a time */
#define CHUNK 6144

/* @n elements of @size bytes each. @array: an empty one. Its memory is never
 * NULL, so that a pointer to the first of no elements may be computed. */
static gboolean
read_elements (LineRecording * recording, CsArray * array, gsize n, gsize size,
    Decode decode, GError ** error)
{
  guint8 chunk[CHUNK];

  cs_array_reserve (array, 1);
  while (array->len < n && !array->failed) {
    const gsize first = array->len, more = MIN (n - first, CHUNK / size);

    if (!read_bytes (recording, chunk, more * size, error))
      return FALSE;
    if (cs_array_set_size (array, first + more))
      for (gsize i = 0; i < more; i++)
        decode (chunk + i * size, array->data + (first + i) * array->size);
  }
  return !array->failed || line_fail (error, LINE_ERROR_RUN, "%s: there is not "
      "enough memory for a view", recording->name);
}

static gboolean
check_contours (const LineRecording * recording, const LineView * view,
    gsize n_points, GError ** error)
{
  for (gsize i = 0; i < view->n_contours; i++) {
    const LineContour *contour = &view->contours[i];

    if (contour->first > n_points
        || contour->n_points > n_points - contour->first)
      return FAIL (recording, error, "contour %" G_GSIZE_FORMAT " has the "
          "points from %" G_GSIZE_FORMAT " on, %" G_GSIZE_FORMAT " of them; "
          "the view has %" G_GSIZE_FORMAT, i, contour->first,
          contour->n_points, n_points);
    if (contour->is_hole != FALSE && contour->is_hole != TRUE)
      return FAIL (recording, error, "contour %" G_GSIZE_FORMAT " must be a "
          "hole (1) or not (0), not %d", i, contour->is_hole);
  }
  return TRUE;
}

static gboolean
read_view (LineRecording * recording, LineView * view, gsize n_contours,
    gsize n_points, gsize n_turns, gsize n_tones, GError ** error)
{
  CsArray contours, points, turns, tones;

  cs_array_init (&contours, sizeof (LineContour));
  cs_array_init (&points, sizeof (LinePoint));
  cs_array_init (&turns, sizeof (gfloat));
  cs_array_init (&tones, sizeof (gfloat));
  gboolean good = read_elements (recording, &contours, n_contours, CONTOUR_SIZE,
      decode_contour, error)
      && read_elements (recording, &points, n_points, POINT_SIZE, decode_point,
      error)
      && read_elements (recording, &turns, n_turns, TURN_SIZE, decode_float,
      error)
      && read_elements (recording, &tones, n_tones, TONE_SIZE, decode_float,
      error);
  view->contours = (LineContour *) (gpointer) contours.data;
  view->n_contours = contours.len;
  view->points = (LinePoint *) (gpointer) points.data;
  view->turns = (gfloat *) (gpointer) turns.data;
  view->n_turns = turns.len;
  view->tones = (gfloat *) (gpointer) tones.data;
  view->n_tones = tones.len;
  return good && check_contours (recording, view, n_points, error);
}

static gboolean
read_seen (LineRecording * recording, LineSeen * seen, gsize n_tones,
    GError ** error)
{
  guint8 bytes[SEEN_SIZE];
  const guint8 *at = bytes;
  gsize n_contours, n_points, n_turns;

  if (!read_bytes (recording, bytes, recording->version == 1 ? SEEN_SIZE_1 :
          SEEN_SIZE, error))
    return FALSE;
  seen->trigger_time = (gint64) get_u64 (&at);
  seen->tensor_time = (gint64) get_u64 (&at);
  n_contours = get_u32 (&at);
  n_points = get_u32 (&at);
  n_turns = recording->version == 1 ? 0 : get_u32 (&at);
  if (!is_recorded_time (seen->trigger_time)
      || !is_recorded_time (seen->tensor_time))
    return FAIL (recording, error, "a time is less than 0 or too great");
  if (n_contours > LINE_RECORDING_MAX_CONTOURS
      || n_points > LINE_RECORDING_MAX_POINTS)
    return FAIL (recording, error, "%" G_GSIZE_FORMAT " contours of %"
        G_GSIZE_FORMAT " points; there may be %d of %d", n_contours, n_points,
        LINE_RECORDING_MAX_CONTOURS, LINE_RECORDING_MAX_POINTS);
  if (n_turns > LINE_MAX_CUPS)
    return FAIL (recording, error, "%" G_GSIZE_FORMAT " turns; there may be %d",
        n_turns, LINE_MAX_CUPS);
  return read_view (recording, &seen->view, n_contours, n_points, n_turns,
      n_tones, error);
}

static gboolean
read_hash (LineRecording * recording, char *hash, GError ** error)
{
  if (!read_bytes (recording, (guint8 *) hash, HASH_SIZE, error))
    return FALSE;
  hash[HASH_SIZE] = '\0';
  for (guint i = 0; i < HASH_SIZE; i++)
    if (!g_ascii_isxdigit (hash[i]) || g_ascii_isupper (hash[i]))
      return FAIL (recording, error, "a recipe is named by 64 digits 0-9 and "
          "a-f, not these");
  return TRUE;
}

static gboolean
read_numbering (LineRecording * recording, LineEvent * event, GError ** error)
{
  LineNumbering *numbering = &event->numbering;
  guint8 bytes[NUMBERING_SIZE];
  const guint8 *at = bytes;

  if (!read_bytes (recording, bytes, NUMBERING_SIZE, error))
    return FALSE;
  numbering->since = get_u64 (&at);
  numbering->shift = (gint64) get_u64 (&at);
  numbering->encoder = get_u32 (&at);
  if (numbering->is_agreed
      && !is_recorded_numbering (numbering, event->trigger))
    return FAIL (recording, error, "trigger %" G_GUINT64_FORMAT " cannot be %"
        G_GINT64_FORMAT " later for the PLC, since %" G_GUINT64_FORMAT,
        event->trigger, numbering->shift, numbering->since);
  return TRUE;
}

static gboolean
read_lot (LineRecording * recording, LineEvent * event, GError ** error)
{
  char name[LOT_SIZE + 1] = { 0 };

  if (!read_bytes (recording, (guint8 *) name, LOT_SIZE, error))
    return FALSE;
  for (gsize i = strlen (name); i < LOT_SIZE; i++)
    if (name[i])
      return FAIL (recording, error, "there is something behind a lot's name");
  if (*name && !line_name_is_file (name))
    return FAIL (recording, error, "of a lot: " LINE_FILE_NAME_RULE);
  event->lot = *name ? g_ref_string_new (name) : NULL;
  return TRUE;
}

/* The greatest that an event's reason may be. */
static guint
find_most (const LineRecording * recording, LineEventType type)
{
  switch (type) {
    case LINE_EVENT_LOOK:
      return recording->version == 1 ? 0 : LINE_MAX_TONES;
    case LINE_EVENT_LOST:
      return LINE_N_LOSSES - 1;
    case LINE_EVENT_RUN:
      return G_MAXUINT16;
    case LINE_EVENT_NUMBER:
      return 1;
    default:
      return 0;
  }
}

/* Checks the members whose meaning depends on the event's type, and puts them
 * where they belong. */
static gboolean
read_places (LineRecording * recording, LineEvent * event, guint reason,
    gsize * n_tones, GError ** error)
{
  const gboolean has_came = event->type == LINE_EVENT_TRIGGER
      && recording->version != 1;

  if (event->view >= LINE_MAX_VIEWS)
    return FAIL (recording, error, "view %u; there are at most %d",
        event->view, LINE_MAX_VIEWS);
  if (!has_look (event->type) && event->view != 0)
    return FAIL (recording, error, "events of type %u have no view",
        event->type);
  if (!has_trigger (event->type) && event->trigger != 0 && !has_came)
    return FAIL (recording, error, "events of type %u have no trigger",
        event->type);
  if (reason > find_most (recording, event->type))
    return FAIL (recording, error, "events of type %u have no reason %u",
        event->type, reason);
  if (event->type == LINE_EVENT_RUN)
    event->run = reason;
  else if (event->type == LINE_EVENT_NUMBER)
    event->numbering.is_agreed = reason;
  else if (event->type == LINE_EVENT_LOOK)
    *n_tones = reason;
  else
    event->loss = (LineLoss) reason;
  if (event->type == LINE_EVENT_RUN && event->trigger > RECORDED_MOST)
    return FAIL (recording, error, "the first piece is %" G_GUINT64_FORMAT,
        event->trigger);
  if (!has_came)
    return TRUE;
  if (event->trigger > (guint64) event->time)
    return FAIL (recording, error, "the trigger came at %" G_GUINT64_FORMAT
        ", which is after it was handled, at %" G_GINT64_FORMAT,
        event->trigger, event->time);
  event->came = (gint64) event->trigger;
  event->trigger = 0;
  return TRUE;
}

/* @n_tones: set of a look */
static gboolean
read_event (LineRecording * recording, LineEvent * event, gsize * n_tones,
    GError ** error)
{
  guint8 bytes[EVENT_SIZE];
  const guint8 *at = bytes;
  guint32 type, reason = 0;

  if (!read_bytes (recording, bytes, EVENT_SIZE, error))
    return FALSE;
  type = get_u32 (&at);
  if (recording->version == 1) {
    event->view = get_u32 (&at);
  } else {
    event->view = get_u16 (&at);
    reason = get_u16 (&at);
  }
  event->time = (gint64) get_u64 (&at);
  event->trigger = get_u64 (&at);
  if (type > (recording->version == 1 ? LINE_EVENT_FINISH : LINE_EVENT_LOT))
    return FAIL (recording, error, "there is no type %u of events", type);
  event->type = (LineEventType) type;
  if (!is_recorded_time (event->time) || event->time < recording->time)
    return FAIL (recording, error, "the time %" G_GINT64_FORMAT " is less "
        "than the one before, %" G_GINT64_FORMAT ", or too great",
        event->time, recording->time);
  recording->time = event->time;
  return read_places (recording, event, reason, n_tones, error);
}

LineRecording *
line_recording_open (FILE * file, const char *name, GError ** error)
{
  LineRecording *recording = g_new0 (LineRecording, 1);
  guint8 head[HEAD_SIZE];
  const guint8 *at = head + 4;

  recording->file = file;
  recording->name = g_strdup (name);
  gboolean good = read_bytes (recording, head, HEAD_SIZE, error);
  if (good && memcmp (head, RECORDING_MAGIC, 4) != 0)
    good = FAIL (recording, error, "this is no recording: those begin with "
        RECORDING_MAGIC);
  recording->version = good ? get_u32 (&at) : 0;
  if (good && recording->version != LINE_RULES_1
      && recording->version != LINE_RULES_2)
    good = FAIL (recording, error, "a recording of version %u; this program "
        "reads versions 1 and 2", recording->version);
  if (!good)
    g_clear_pointer (&recording, line_recording_close);
  return recording;
}

void
line_recording_close (LineRecording * recording)
{
  fclose (recording->file);
  g_free (recording->name);
  g_free (recording);
}

LineRules
line_recording_get_rules (const LineRecording * recording)
{
  return (LineRules) recording->version;
}

guint64
line_recording_get_start (const LineRecording * recording)
{
  return recording->start;
}

static gboolean
is_at_end (LineRecording * recording)
{
  const int c = getc (recording->file);

  if (c != EOF)
    ungetc (c, recording->file);
  return c == EOF && !ferror (recording->file);
}

gboolean
line_recording_next (LineRecording * recording, LineEvent * event, char *hash,
    GError ** error)
{
  gsize n_tones = 0;

  memset (event, 0, sizeof (*event));
  *hash = '\0';
  recording->start = recording->offset;
  if (is_at_end (recording))
    return FALSE;
  gboolean good = read_event (recording, event, &n_tones, error);
  if (good && event->type == LINE_EVENT_LOOK) {
    event->seen = g_new0 (LineSeen, 1);
    good = read_seen (recording, event->seen, n_tones, error);
  } else if (good && event->type == LINE_EVENT_RECIPE) {
    good = read_hash (recording, hash, error);
  } else if (good && event->type == LINE_EVENT_NUMBER) {
    good = read_numbering (recording, event, error);
  } else if (good && event->type == LINE_EVENT_LOT) {
    good = read_lot (recording, event, error);
  }
  if (!good)
    line_event_clear (event);
  return good;
}
