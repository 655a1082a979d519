/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A chain of elements between two pads: one thread pushes frames and events and
 * changes states, while another one sets properties, sends queries and upstream
 * events. At EOS all input frames since the last flush or start must have been
 * output, or counted as dropped, unless an element has posted an error. */

#include "session.h"

#include <string.h>

#include <gst/check/gstharness.h>

#include "random.h"
#include "watchdog.h"

#define MAX_ACTIONS 40
#define FRAME (GST_SECOND / 25)
/* Actions of the second thread while the first one does none. */
#define MAX_MEDDLING 1000
/* Microseconds. The watchdog gives up earlier, also because polling takes little
 * of the processor. */
#define PAUSE 2000
#define TIMEOUT (300 * G_USEC_PER_SEC)

/**
 * Session:
 * @in: input frames since the last flush or start
 * @out: output frames since then
 * @skipped: frames skipped since then according to QoS messages: late ones, and
 *     those dropped by an element
 * @reported: of these, those dropped by an element
 * @dropped: the elements' "dropped" before that
 * @has_branch: whether another source joins in: a flush of one of both, after
 *     EOS, is none of the aggregator's, so that there are no flushes
 * @failed: whether an element has posted an error, or rejected caps
 * @wrong: (nullable): the first failure
 */
typedef struct
{
  GRand *random;
  GstHarness *h;
  GstBus *bus;
  GPtrArray *elements;
  gboolean is_counted, has_tensors, has_branch;
  GstCaps *caps;
  GstClockTime time;

  gint in, out, eos;
  guint skipped, reported;
  guint64 dropped;
  gboolean failed;
  gchar *wrong;
  Totals *totals;

  GThread *meddler;
  guint32 meddler_seed;
  gint ends;
} Session;

static GstPadProbeReturn
look_at_output (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Session *session = user_data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    g_atomic_int_inc (&session->out);
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    g_atomic_int_set (&session->eos, TRUE);
  return GST_PAD_PROBE_OK;
}

static GstElement *
random_element (Session * session, GRand * random)
{
  return g_ptr_array_index (session->elements,
      random_below (random, session->elements->len));
}

/* Of all elements that have it. */
static guint64
count_dropped (Session * session)
{
  guint64 sum = 0, dropped;

  for (guint i = 0; i < session->elements->len; i++) {
    GObject *element = g_ptr_array_index (session->elements, i);

    if (!g_object_class_find_property (G_OBJECT_GET_CLASS (element),
            "dropped"))
      continue;
    g_object_get (element, "dropped", &dropped, NULL);
    sum += dropped;
  }
  return sum;
}

/* A frame was skipped: by GstBaseTransform because it was late, which has the
 * number of processed ones, or dropped by one of our elements. */
static void
take_qos (Session * session, GstMessage * message)
{
  guint64 processed;

  gst_message_parse_qos_stats (message, NULL, &processed, NULL);
  session->skipped++;
  session->reported += processed == G_MAXUINT64;
}

static void
take_messages (Session * session)
{
  GstMessage *message;

  while ((message = gst_bus_pop (session->bus))) {
    session->failed |= GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_QOS)
      take_qos (session, message);
    gst_message_unref (message);
  }
}

/* What the thread that pushes does */

static void
count_anew (Session * session)
{
  take_messages (session);
  session->skipped = session->reported = 0;
  g_atomic_int_set (&session->in, 0);
  g_atomic_int_set (&session->out, 0);
  g_atomic_int_set (&session->eos, FALSE);
  session->dropped = count_dropped (session);
}

static void
push_caps (Session * session)
{
  gst_clear_caps (&session->caps);
  session->caps = random_caps (session->random, session->has_tensors);
  if (!gst_pad_push_event (session->h->srcpad,
          gst_event_new_caps (session->caps)))
    session->failed = TRUE;
}

static void
push_segment (Session * session)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = session->time = random_below (session->random, 3) *
      GST_SECOND;
  gst_pad_push_event (session->h->srcpad, gst_event_new_segment (&segment));
}

static void
begin_stream (Session * session)
{
  gst_pad_push_event (session->h->srcpad,
      gst_event_new_stream_start ("stress"));
  push_caps (session);
  push_segment (session);
}

static void
push_frame (Session * session)
{
  GstBuffer *buffer = random_frame (session->random, session->caps);

  GST_BUFFER_PTS (buffer) = session->time;
  GST_BUFFER_DURATION (buffer) = FRAME;
  session->time += FRAME;
  session->totals->frames++;
  if (random_one_in (session->random, 10))
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  if (random_one_in (session->random, 10))
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  GstFlowReturn flow = gst_pad_push (session->h->srcpad, buffer);
  if (flow == GST_FLOW_OK)
    g_atomic_int_inc (&session->in);
  else
    session->failed |= flow == GST_FLOW_NOT_NEGOTIATED;
}

static void
flush (Session * session)
{
  GstPad *pad = session->h->srcpad;

  gst_pad_push_event (pad, gst_event_new_flush_start ());
  if (random_one_in (session->random, 4))
    push_frame (session);
  gst_pad_push_event (pad, gst_event_new_flush_stop (TRUE));
  count_anew (session);
  push_segment (session);
}

/* What went in must be accounted for. */
static void
account (Session * session)
{
  take_messages (session);
  if (session->failed || !session->is_counted)
    return;
  guint64 dropped = count_dropped (session) - session->dropped;
  session->totals->counted++;
  if (session->in == session->out + (gint) session->skipped
      && dropped == session->reported)
    return;
  g_free (session->wrong);
  session->wrong = g_strdup_printf ("%d frames went in, %d came out, %u were "
      "reported as left out, %u of these as dropped, \"dropped\" says %"
      G_GUINT64_FORMAT, session->in, session->out, session->skipped,
      session->reported, dropped);
}

static void
end_stream (Session * session)
{
  const gint64 end = g_get_monotonic_time () + TIMEOUT;

  gst_pad_push_event (session->h->srcpad, gst_event_new_eos ());
  while (!g_atomic_int_get (&session->eos) && !session->failed
      && g_get_monotonic_time () < end) {
    take_messages (session);
    g_usleep (PAUSE);
  }
  account (session);
}

/* To @state and back. */
static void
change_state (Session * session, GstState state)
{
  GstElement *element = session->h->element;

  gst_element_set_state (element, state);
  if (random_one_in (session->random, 4))
    push_frame (session);
  if (gst_element_set_state (element, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE) {
    session->failed = TRUE;
    return;
  }
  if (state == GST_STATE_PAUSED)
    return;
  begin_stream (session);
  count_anew (session);
}

/* The other thread does not: GstBaseTransform reads its segment without a
 * lock then, while a flush may reset it. */
static void
ask_position (Session * session)
{
  g_autoptr (GstQuery) query = gst_query_new_position (GST_FORMAT_TIME);

  gst_pad_peer_query (session->h->sinkpad, query);
}

static void
act (Session * session)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY,
    GST_STATE_PAUSED
  };
  GRand *random = session->random;

  switch (random_below (random, 24)) {
    case 0:
      if (!session->has_branch)
        flush (session);
      break;
    case 1:
      push_caps (session);
      break;
    case 2:
      gst_pad_push_event (session->h->srcpad, gst_event_new_gap (session->time,
              FRAME));
      session->time += FRAME;
      break;
    case 3:
      push_segment (session);
      break;
    case 4:
      change_state (session, states[random_below (random, 3)]);
      break;
    case 5:
      end_stream (session);
      if (session->has_branch)
        change_state (session, GST_STATE_READY);
      else
        flush (session);
      break;
    case 6:
    case 7:
      random_property (random, random_element (session, random));
      break;
    case 8:
      gst_pad_push_event (session->h->srcpad, gst_event_new_tag
          (gst_tag_list_new (GST_TAG_TITLE, "stress", NULL)));
      break;
    case 9:
      ask_position (session);
      break;
    default:
      push_frame (session);
      break;
  }
}

/* What the other thread does */

static void
send_upstream (Session * session, GRand * random)
{
  GstEvent *event;

  switch (random_below (random, 4)) {
    case 0:
      event = gst_event_new_reconfigure ();
      break;
    case 1:
      event = gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, GST_MSECOND,
          random_below (random, 100) * FRAME);
      break;
    case 2:
      event = gst_event_new_navigation (gst_structure_new
          ("application/x-gst-navigation", "event", G_TYPE_STRING,
              random_one_in (random, 2) ? "mouse-move" : "mouse-button-press",
              "button", G_TYPE_INT, 1, "pointer_x", G_TYPE_DOUBLE,
              (gdouble) random_below (random, 80), "pointer_y", G_TYPE_DOUBLE,
              (gdouble) random_below (random, 80), NULL));
      break;
    default:
      /* not a flushing seek: the outer pads do not flush */
      event = gst_event_new_seek (1., GST_FORMAT_TIME, GST_SEEK_FLAG_NONE,
          GST_SEEK_TYPE_SET, random_below (random, 1000) * GST_MSECOND,
          GST_SEEK_TYPE_NONE, 0);
      break;
  }
  gst_pad_push_event (session->h->sinkpad, event);
}

static void
ask (Session * session, GRand * random)
{
  GstQuery *query;

  switch (random_below (random, 3)) {
    case 0:
      query = gst_query_new_duration (GST_FORMAT_TIME);
      break;
    case 1:
      query = gst_query_new_caps (NULL);
      break;
    default:
      query = gst_query_new_latency ();
      break;
  }
  gst_pad_peer_query (session->h->sinkpad, query);
  gst_query_unref (query);
}

static void
read_properties (GstElement * element)
{
  guint n;
  GParamSpec **pspecs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;

    if (!(pspecs[i]->flags & G_PARAM_READABLE))
      continue;
    g_value_init (&value, pspecs[i]->value_type);
    g_object_get_property (G_OBJECT (element), pspecs[i]->name, &value);
    g_value_unset (&value);
  }
  g_free (pspecs);
}

/* Pauses when the first thread has done nothing for long. */
static void
keep_pace (guint * beat, guint * n)
{
  const guint now = watchdog_get_beat ();

  *n = now == *beat ? *n + 1 : 0;
  *beat = now;
  if (*n > MAX_MEDDLING)
    g_usleep (50 * PAUSE);
}

static gpointer
meddle (gpointer data)
{
  Session *session = data;
  g_autoptr (GRand) random = g_rand_new_with_seed (session->meddler_seed);
  guint beat = 0, n = 0;

  while (!g_atomic_int_get (&session->ends)) {
    GstElement *element = random_element (session, random);

    keep_pace (&beat, &n);
    switch (random_below (random, 5)) {
      case 0:
        random_property (random, element);
        break;
      case 1:
        read_properties (element);
        break;
      case 2:
        send_upstream (session, random);
        break;
      case 3:
        ask (session, random);
        break;
      default:
        g_usleep (random_below (random, 2000));
        break;
    }
  }
  return NULL;
}

/* Life */

static void
session_begin (Session * session, const gchar * chain)
{
  session->h = gst_harness_new_parse (chain);
  gst_harness_set_drop_buffers (session->h, TRUE);
  session->bus = gst_bus_new ();
  gst_element_set_bus (session->h->element, session->bus);
  gst_pad_add_probe (session->h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look_at_output, session, NULL);
  session->elements = find_elements (GST_BIN (session->h->element));
  for (guint i = random_below (session->random, 12); i > 0; i--)
    random_property (session->random, random_element (session,
            session->random));
  session->meddler_seed = g_rand_int (session->random);
  if (random_one_in (session->random, 2))
    session->meddler = g_thread_new ("meddler", meddle, session);
}

static void
session_end (Session * session)
{
  g_atomic_int_set (&session->ends, TRUE);
  if (session->meddler)
    g_thread_join (session->meddler);
  gst_element_set_state (session->h->element, GST_STATE_NULL);
  gst_element_set_bus (session->h->element, NULL);
  gst_object_unref (session->bus);
  g_ptr_array_unref (session->elements);
  gst_harness_teardown (session->h);
  gst_clear_caps (&session->caps);
  g_rand_free (session->random);
}

gchar *
session_run (guint32 seed, Totals * totals)
{
  Session session = {.random = g_rand_new_with_seed (seed),.totals = totals };
  g_autofree gchar *chain = random_chain (session.random, &session.is_counted,
      &session.has_tensors);

  watchdog_begin (seed, chain);
  session.has_branch = strstr (chain, "shapecombiner") != NULL;
  session_begin (&session, chain);
  begin_stream (&session);
  count_anew (&session);
  for (guint n = random_below (session.random, MAX_ACTIONS); n > 0
      && !session.failed; n--) {
    act (&session);
    take_messages (&session);
    watchdog_beat ();
  }
  if (!session.failed)
    end_stream (&session);
  totals->errors += session.failed;
  totals->sessions++;
  session_end (&session);
  return session.wrong;
}
