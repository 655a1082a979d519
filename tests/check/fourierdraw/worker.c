/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The worker of fourierdraw, which prepares drawings while frames go on. Its
 * pictures lie in memory that lets the test hold it up. */

#include "fourierdraw_test.h"

/* Always the whole drawing. */
#define LIVE "mode=live detect=iso levels=0.5 duration=1000 hold=1000 " \
  "ghost-opacity=1 ghost-color=0xffffffff trail=none draw-circles=false " \
  "draw-arm=false draw-tip=false min-points=1"
#define LIVE_IN GRAY (64, 48, "10/1")
#define FRAME (GST_SECOND / 10)
#define TIMEOUT (10 * G_TIME_SPAN_SECOND)
/* Frames after which a finished job would have been taken, several times. */
#define SOME_FRAMES 20

/* What the test and the threads that read a picture know of it. */
typedef struct
{
  GMutex lock;
  GCond cond;
  gboolean held, fails;
  guint n_mapped, n_freed;
} Gate;

/* Memory behind a gate. */
typedef struct
{
  GstMemory parent;
  Gate *gate;
  guint8 *data;
} GatedMemory;

typedef struct
{
  GstAllocator parent;
} GatedAllocator;

typedef struct
{
  GstAllocatorClass parent_class;
} GatedAllocatorClass;

static GType gated_allocator_get_type (void);
G_DEFINE_TYPE (GatedAllocator, gated_allocator, GST_TYPE_ALLOCATOR);

/* Waits while the gate is held. */
static gpointer
gated_map (GstMemory * memory, gsize max_size, GstMapFlags flags)
{
  GatedMemory *gated = (GatedMemory *) memory;
  Gate *gate = gated->gate;

  g_mutex_lock (&gate->lock);
  gate->n_mapped++;
  g_cond_broadcast (&gate->cond);
  while (gate->held)
    g_cond_wait (&gate->cond, &gate->lock);
  gboolean fails = gate->fails;
  g_mutex_unlock (&gate->lock);
  return fails ? NULL : gated->data;
}

static void
gated_unmap (GstMemory * memory)
{
}

static void
gated_free (GstAllocator * allocator, GstMemory * memory)
{
  g_autofree GatedMemory *gated = (GatedMemory *) memory;
  Gate *gate = gated->gate;

  g_free (gated->data);
  g_mutex_lock (&gate->lock);
  gate->n_freed++;
  g_cond_broadcast (&gate->cond);
  g_mutex_unlock (&gate->lock);
}

static void
gated_allocator_class_init (GatedAllocatorClass * klass)
{
  klass->parent_class.free = gated_free;
}

static void
gated_allocator_init (GatedAllocator * self)
{
  GstAllocator *allocator = GST_ALLOCATOR_CAST (self);

  allocator->mem_type = "gated";
  allocator->mem_map = gated_map;
  allocator->mem_unmap = gated_unmap;
  GST_OBJECT_FLAG_SET (allocator, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

static void
gate_init (Gate * gate, gboolean held)
{
  memset (gate, 0, sizeof (*gate));
  g_mutex_init (&gate->lock);
  g_cond_init (&gate->cond);
  gate->held = held;
}

static void
gate_clear (Gate * gate)
{
  g_mutex_clear (&gate->lock);
  g_cond_clear (&gate->cond);
}

/* Waits until *@number, of the gate's, is 1. */
static void
gate_wait (Gate * gate, const guint * number, const gchar * what)
{
  const gint64 end = g_get_monotonic_time () + TIMEOUT;

  g_mutex_lock (&gate->lock);
  while (*number == 0)
    fail_unless (g_cond_wait_until (&gate->cond, &gate->lock, end), "%s",
        what);
  g_mutex_unlock (&gate->lock);
}

static void
gate_open (Gate * gate)
{
  g_mutex_lock (&gate->lock);
  gate->held = FALSE;
  g_cond_broadcast (&gate->cond);
  g_mutex_unlock (&gate->lock);
}

/* A black picture with a white square of 8 pixels around column @x. */
static void
draw_square (guint8 * data, guint x)
{
  memset (data, 0, WIDTH * HEIGHT);
  for (guint y = 20; y < 28; y++)
    memset (data + y * WIDTH + x - 4, 255, 8);
}

static GstBuffer *
picture_at (guint x)
{
  GstBuffer *buffer = gray_picture (WIDTH, HEIGHT, 0);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  draw_square (map.data, x);
  return buffer;
}

/* The same behind @gate. */
static GstBuffer *
gated_picture (Gate * gate, guint x)
{
  GstAllocator *allocator = g_object_new (gated_allocator_get_type (), NULL);
  GatedMemory *memory = g_new0 (GatedMemory, 1);
  GstBuffer *buffer = gst_buffer_new ();

  gst_object_ref_sink (allocator);
  gst_memory_init (GST_MEMORY_CAST (memory), 0, allocator, NULL,
      WIDTH * HEIGHT, 0, 0, WIDTH * HEIGHT);
  memory->gate = gate;
  memory->data = g_malloc (WIDTH * HEIGHT);
  draw_square (memory->data, x);
  gst_buffer_append_memory (buffer, GST_MEMORY_CAST (memory));
  gst_object_unref (allocator);
  return buffer;
}

/* Pushes @picture as frame @i. Returns: what the frame shows: a bit for each of
 * the squares around columns 12, 32 and 52 */
static guint
show (Film * film, GstBuffer * picture, guint i)
{
  guint shown = 0;

  GST_BUFFER_PTS (picture) = i * FRAME;
  film_push (film, picture);
  g_autoptr (GstBuffer) frame = gst_harness_pull (film->h);
  for (guint k = 0; k < 3; k++)
    shown |= (pixel (frame, 12 + 20 * k, 19) > 0) << k;
  return shown;
}

/* Has the worker prepare @picture, which it begins with. */
static void
send (Film * film, GstBuffer * picture, guint i)
{
  g_signal_emit_by_name (film->element, "capture");
  fail_unless_equals_int (show (film, picture, i), 1);
}

static void
flush_film (Film * film)
{
  GstSegment segment;

  fail_unless (gst_harness_push_event (film->h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (film->h, gst_event_new_flush_stop
          (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (film->h, gst_event_new_segment
          (&segment)));
}

/* What comes after the flush is drawn, and nothing else. */
static void
assert_drawn_anew (Film * film)
{
  for (guint i = 0; i < SOME_FRAMES; i++) {
    fail_unless_equals_int (show (film, picture_at (32), i), 2);
    g_usleep (2000);
  }
}

TEST (a_finished_drawing_replaces_the_old_one)
{
  Film film = film_new (LIVE, LIVE_IN, GRAY_OUT ("10/1"));
  Gate gate;

  gate_init (&gate, FALSE);
  fail_unless_equals_int (show (&film, picture_at (12), 0), 1);
  send (&film, gated_picture (&gate, 52), 1);
  gate_wait (&gate, &gate.n_freed, "the picture was not prepared");
  while (show (&film, picture_at (12), 2) != 4)
    g_usleep (100);
  film_free (&film);
  gate_clear (&gate);
}

TEST (a_drawing_that_was_finished_before_a_flush_is_forgotten)
{
  Film film = film_new (LIVE, LIVE_IN, GRAY_OUT ("10/1"));
  Gate gate;

  gate_init (&gate, FALSE);
  fail_unless_equals_int (show (&film, picture_at (12), 0), 1);
  send (&film, gated_picture (&gate, 52), 1);
  gate_wait (&gate, &gate.n_freed, "the picture was not prepared");
  /* the worker lays it down */
  g_usleep (20000);
  flush_film (&film);
  assert_drawn_anew (&film);
  film_free (&film);
  gate_clear (&gate);
}

TEST (a_drawing_that_was_begun_before_a_flush_is_forgotten)
{
  Film film = film_new (LIVE, LIVE_IN, GRAY_OUT ("10/1"));
  Gate gate;

  gate_init (&gate, TRUE);
  fail_unless_equals_int (show (&film, picture_at (12), 0), 1);
  send (&film, gated_picture (&gate, 52), 1);
  gate_wait (&gate, &gate.n_mapped, "the worker did not begin");
  flush_film (&film);
  gate_open (&gate);
  gate_wait (&gate, &gate.n_freed, "the picture was not prepared");
  assert_drawn_anew (&film);
  film_free (&film);
  gate_clear (&gate);
}

TEST (a_drawing_that_waited_before_a_flush_is_forgotten)
{
  Film film = film_new (LIVE, LIVE_IN, GRAY_OUT ("10/1"));
  Gate first, second;

  gate_init (&first, TRUE);
  gate_init (&second, FALSE);
  fail_unless_equals_int (show (&film, picture_at (12), 0), 1);
  send (&film, gated_picture (&first, 12), 1);
  gate_wait (&first, &first.n_mapped, "the worker did not begin");
  send (&film, gated_picture (&second, 52), 2);
  flush_film (&film);
  fail_unless_equals_int (second.n_freed, 1);
  gate_open (&first);
  assert_drawn_anew (&film);
  fail_unless_equals_int (second.n_mapped, 0);
  film_free (&film);
  gate_clear (&first);
  gate_clear (&second);
}

/* The one that makes frames and the worker have one preparer. */
static gpointer
open_later (gpointer user_data)
{
  g_usleep (50000);
  gate_open (user_data);
  return NULL;
}

TEST (after_a_flush_the_worker_is_waited_for)
{
  Film film = film_new (LIVE, LIVE_IN, GRAY_OUT ("10/1"));
  Gate gate;

  gate_init (&gate, TRUE);
  fail_unless_equals_int (show (&film, picture_at (12), 0), 1);
  send (&film, gated_picture (&gate, 52), 1);
  gate_wait (&gate, &gate.n_mapped, "the worker did not begin");
  flush_film (&film);
  GThread *thread = g_thread_new ("gate", open_later, &gate);
  fail_unless_equals_int (show (&film, picture_at (32), 0), 2);
  fail_if (gate.held);
  g_thread_join (thread);
  assert_drawn_anew (&film);
  film_free (&film);
  gate_clear (&gate);
}

/* Of two that are finished between two frames the newer one is drawn. The older
 * one fails, and keeps its picture until it is taken or given up. */
TEST (an_old_finished_drawing_is_given_up)
{
  Film film = film_new (LIVE, LIVE_IN, GRAY_OUT ("10/1"));
  Gate first, second;

  gate_init (&first, TRUE);
  gate_init (&second, FALSE);
  first.fails = TRUE;
  fail_unless_equals_int (show (&film, picture_at (12), 0), 1);
  send (&film, gated_picture (&first, 12), 1);
  gate_wait (&first, &first.n_mapped, "the worker did not begin");
  send (&film, gated_picture (&second, 52), 2);
  gate_open (&first);
  gate_wait (&second, &second.n_freed, "the second was not prepared");
  gate_wait (&first, &first.n_freed, "the first one stays");
  while (show (&film, picture_at (12), 3) != 4)
    g_usleep (100);
  fail_unless (gst_bus_pop_filtered (film.bus, GST_MESSAGE_WARNING |
          GST_MESSAGE_ERROR) == NULL);
  film_free (&film);
  gate_clear (&first);
  gate_clear (&second);
}

TEST (a_picture_that_the_worker_cannot_read_is_counted)
{
  Film film = film_new (LIVE, LIVE_IN, GRAY_OUT ("10/1"));
  guint64 dropped = 0;
  Gate gate;

  gate_init (&gate, FALSE);
  gate.fails = TRUE;
  fail_unless_equals_int (show (&film, picture_at (12), 0), 1);
  send (&film, gated_picture (&gate, 52), 1);
  while (dropped == 0) {
    fail_unless_equals_int (show (&film, picture_at (12), 2), 1);
    g_object_get (film.element, "dropped", &dropped, NULL);
    g_usleep (100);
  }
  fail_unless_equals_uint64 (dropped, 1);
  gate_wait (&gate, &gate.n_freed, "the picture stays");
  assert_message (film.bus, GST_MESSAGE_WARNING, "cannot be mapped");
  film_free (&film);
  gate_clear (&gate);
}

SUITE (fourierdraw_worker) {}
