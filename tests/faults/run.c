/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run.h"

#include "../kernels/lib/lock.h"
#include "base/fault.h"
#include "device.h"

/* Longer than any run takes, under a sanitizer on a busy machine. */
#define TIMEOUT (60 * GST_SECOND)

/* The hook */

static GMutex fault_lock;
static FaultMode fault_mode;
static guint fault_at, n_asked, n_failed;
static _Thread_local gboolean is_paused;
static GHashTable *places;
static gchar first_place[128];

gboolean
cs_fault_hook (CsFault fault, const char *file, int line)
{
  gboolean fails;

  LOCK_HERE (&fault_lock);
  n_asked += !is_paused;
  fails = !is_paused && fault_at > 0 && (fault_mode == FAULT_ONCE ? n_asked == fault_at :
      n_asked >= fault_at);
  if (fails) {
    gchar *place = g_strdup_printf ("%s:%d", file, line);

    if (n_failed++ == 0)
      g_strlcpy (first_place, place, sizeof (first_place));
    g_hash_table_add (places, place);
  }
  return fails;
}

void
fault_set (FaultMode mode, guint n)
{
  LOCK_HERE (&fault_lock);
  if (!places)
    places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  fault_mode = mode;
  fault_at = n;
  n_asked = n_failed = 0;
  first_place[0] = '\0';
}

void
fault_pause (gboolean paused)
{
  is_paused = paused;
}

static guint
get_count (const guint * count)
{
  LOCK_HERE (&fault_lock);
  return *count;
}

guint
fault_count (void)
{
  return get_count (&n_asked);
}

guint
fault_count_failed (void)
{
  return get_count (&n_failed);
}

const gchar *
fault_place (void)
{
  return first_place;
}

guint
fault_count_places (void)
{
  return g_hash_table_size (places);
}

/* Runs */

static GstPadProbeReturn
note_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GPtrArray *out = user_data;
  GstMapInfo map;
  gchar *sum = NULL;

  /* not the pipeline's: copies frames from a GPU */
  fault_pause (TRUE);
  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    sum = g_compute_checksum_for_data (G_CHECKSUM_MD5, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
  }
  fault_pause (FALSE);
  g_ptr_array_add (out, sum);
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement * pipeline, GPtrArray * out)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline),
      "out");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_buffer, out, NULL);
}

static guint64
get_dropped (GstElement * pipeline, const gchar * name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  guint64 dropped = 0;

  if (!element)
    return 0;
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "dropped"))
    g_object_get (element, "dropped", &dropped, NULL);
  gst_object_unref (element);
  return dropped;
}

void
outcome_clear (Outcome * outcome)
{
  g_free (outcome->error);
  g_ptr_array_unref (outcome->out);
}

static void
wait_for_end (GstElement * pipeline, Outcome * outcome)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, TIMEOUT,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  GError *error;

  outcome->ended = message != NULL;
  if (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    outcome->error = g_strdup (error->message);
    g_error_free (error);
  }
  gst_clear_message (&message);
}

Outcome
run_case (const Case * c, gboolean share)
{
  Outcome outcome = {.out = g_ptr_array_new_with_free_func (g_free) };
  GError *error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (c->line, &error);

  if (error)
    g_error ("%s: %s", c->name, error->message);
  add_probe (pipeline, outcome.out);
  if (share)
    device_share (pipeline);
  if (c->prepare)
    c->prepare (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_end (pipeline, &outcome);
  outcome.dropped = get_dropped (pipeline, "json");
  if (c->element)
    outcome.dropped += get_dropped (pipeline, c->element);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return outcome;
}
