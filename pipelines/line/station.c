/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "station.h"

#include "blocks.h"
#include "finder.h"
#include "pattern.h"
#include "publish/clock.h"
#include "publish/lock.h"
#include "skin.h"
#include "source.h"
#include "turns.h"

/* Frames that wait for their shapes; with one being made ready, one in the
 * pipeline and one that an element may still hold */
#define MOST_FRAMES 2
#define BLOCKS (MOST_FRAMES + 3)

/* Trigger times that are remembered: more than those of the pieces that are
 * not decided yet */
#define TIMES 1024

/* Microseconds from one message, or one try to open, to the next */
#define PAUSE G_USEC_PER_SEC

/* Microseconds from one line on how many lanes are ready to the next */
#define PROGRESS (2 * G_USEC_PER_SEC)

typedef struct
{
  guint64 trigger;
  gint64 trigger_time, tensor_time;
  gpointer tensors;
  /* (nullable): a block */
  gpointer pictures;
  /* bits of views that were lost, and posted */
  guint32 lost;
  /* its shapes are thrown away */
  gboolean is_rehearsed;
} Frame;

struct _LineStation
{
  const LineConfig *config;
  const LineLaneConfig *lane;
  guint index;
  const LineRecipe *recipe;
  LineEventQueue *queue;
  GThread *source, *shapes;

  /* of the source's thread */
  LineTensors *tensors;
  LineBlocks *blocks;

  /* of the shapes' thread */
  LineFinder *finder;
  gint64 opened_at;
  /* (nullable): without a network; if the recipe does not ask for colours */
  LineTurns *turns;
  LineSkin *skin;

  /* of all, with the lock */
  GMutex lock;
  GCond changed;
  guint64 n_triggers;
  gint64 times[TIMES];
  Frame frames[MOST_FRAMES];
  guint first, n_frames, peak;
  gboolean is_ready, is_ended, is_urgent, source_is_done, is_finding;
  gint64 told_at;
  /* why it will never be ready */
  GError *error;
};

/* Prints what went wrong, at most once a second. */
static void
print_message (LineStation * station, const char *message)
{
  const gint64 now = g_get_monotonic_time ();

  g_mutex_lock (&station->lock);
  gboolean is_time = station->told_at == 0 || now - station->told_at >= PAUSE;
  if (is_time)
    station->told_at = now;
  g_mutex_unlock (&station->lock);
  if (is_time)
    g_printerr ("%s: %s\n", station->lane->name, message);
}

static guint32
all_views (const LineStation * station)
{
  return (1u << station->lane->geometry->views) - 1;
}

/* Posts that these views of a trigger will not come. */
static void
lose (LineStation * station, guint64 trigger, guint32 views, LineLoss loss)
{
  for (guint v = 0; v < station->lane->geometry->views; v++) {
    LineEvent event = {.type = LINE_EVENT_LOST,.lane = station->index,
      .trigger = trigger,.view = v,.loss = loss
    };

    if (views & (1u << v))
      line_event_queue_post (station->queue, &event);
  }
}

/* Source */

/* Whether the line was stopped without waiting for what has come */
static gboolean
is_stopped (LineStation * station)
{
  LINE_LOCK (&station->lock);

  return station->is_urgent;
}

/* With the lock: when the trigger came; for one older than all that are
 * remembered, when the oldest of those came. */
static gint64
get_time (const LineStation * station, guint64 trigger)
{
  return station->times[(station->n_triggers > trigger + TIMES ?
          station->n_triggers : trigger) % TIMES];
}

/* Returns: FALSE if the trigger does not come any more */
static gboolean
wait_for_trigger (LineStation * station, guint64 trigger, gint64 * time)
{
  LINE_LOCK (&station->lock);

  while (station->n_triggers <= trigger && !station->is_ended)
    g_cond_wait (&station->changed, &station->lock);
  gboolean is_there = station->n_triggers > trigger;
  *time = get_time (station, trigger);
  return is_there;
}

/* Waits for a block until the trigger comes. */
static gpointer
take_block (LineStation * station, guint64 trigger)
{
  gpointer block = line_blocks_take (station->blocks);
  gboolean is_waiting = block == NULL;

  while (is_waiting) {
    g_mutex_lock (&station->lock);
    is_waiting = station->n_triggers <= trigger && !station->is_ended;
    if (is_waiting)
      g_cond_wait_until (&station->changed, &station->lock,
          g_get_monotonic_time () + 1000);
    g_mutex_unlock (&station->lock);
    block = line_blocks_take (station->blocks);
    is_waiting = is_waiting && !block;
  }
  return block;
}

/* Until when the making of the trigger's tensors is put off: a quarter of the
 * way to it at most, so that they do not come too late themselves. In monotonic
 * time. */
static gint64
find_start (LineStation * station, guint64 trigger)
{
  if (trigger == 0)
    return 0;
  LINE_LOCK (&station->lock);
  return line_clock_to_monotonic (get_time (station, trigger - 1)
      + (gint64) (1e9 / station->config->triggers_per_second / 4));
}

/* Waits until all frames have their shapes: work ahead of its trigger must not
 * take time from what a piece waits for. */
static void
wait_for_rest (LineStation * station, guint64 trigger, gint64 until)
{
  LINE_LOCK (&station->lock);

  while ((station->n_frames > 0 || station->is_finding)
      && station->n_triggers <= trigger && !station->is_ended
      && g_cond_wait_until (&station->changed, &station->lock, until));
}

/* Whether all pieces that the trigger shows have been decided without it. */
static gboolean
is_hopeless (const LineStation * station, gint64 trigger_time)
{
  const LineConfig *config = station->config;
  const gdouble last = (station->lane->geometry->cups - 1) * 1e9
      / config->triggers_per_second;

  return line_clock_now () > trigger_time + last + config->deadline_ms * 1e6;
}

/* Whether the trigger has come, and is hopeless already. After a standstill of
 * the process there are many such triggers; nothing is made ready for them. */
static gboolean
is_past (LineStation * station, guint64 trigger)
{
  LINE_LOCK (&station->lock);

  return station->n_triggers > trigger && !station->is_urgent
      && is_hopeless (station, get_time (station, trigger));
}

static void
push_frame (LineStation * station, Frame * frame)
{
  g_mutex_lock (&station->lock);
  gboolean has_room = station->n_frames < MOST_FRAMES;
  if (has_room)
    station->frames[(station->first + station->n_frames++) % MOST_FRAMES] =
        *frame;
  station->peak = MAX (station->peak, station->n_frames);
  g_cond_broadcast (&station->changed);
  g_mutex_unlock (&station->lock);
  if (has_room)
    return;
  lose (station, frame->trigger, all_views (station) & ~frame->lost,
      LINE_LOSS_CROWDED);
  line_block_give (frame->tensors);
  g_clear_pointer (&frame->pictures, line_block_give);
}

/* Makes the tensors in @frame's block, which is taken. Returns: FALSE if the
 * source has ended before the frame, which is not lost yet */
static gboolean
make_frame (LineStation * station, Frame * frame)
{
  const guint32 all = all_views (station);
  LineLostViews lost;
  g_autoptr (GError) error = NULL;

  LineTensorsResult result = line_tensors_next (station->tensors,
      frame->tensors, line_blocks_get_size (station->blocks), &lost, &error);
  frame->tensor_time = line_clock_now ();
  const char *complaint = line_tensors_get_complaint (station->tensors);
  frame->lost = line_lost_views_get_all (&lost);
  for (guint i = 0; i < LINE_N_LOSSES; i++)
    lose (station, frame->trigger, lost.by[i], i);
  if (complaint && !error)
    print_message (station, complaint);
  if (result == LINE_TENSORS_GOOD && frame->lost != all) {
    frame->pictures = line_tensors_take_pictures (station->tensors);
    push_frame (station, frame);
    return TRUE;
  }
  line_block_give (frame->tensors);
  if (result == LINE_TENSORS_FAILED || result == LINE_TENSORS_STOPPED)
    lose (station, frame->trigger, all & ~frame->lost,
        result == LINE_TENSORS_FAILED ? LINE_LOSS_UNFIT : LINE_LOSS_STOPPED);
  if (result == LINE_TENSORS_END && !error)
    line_fail (&error, LINE_ERROR_FILE, "%s: there is no trigger %"
        G_GUINT64_FORMAT ": the file is shorter than it was",
        station->lane->location, frame->trigger);
  if (error)
    print_message (station, error->message);
  return result != LINE_TENSORS_END;
}

/* Returns: FALSE if this trigger's frames and later ones are not made, or there
 * is no such trigger */
static gboolean
supply (LineStation * station, guint64 trigger)
{
  const gsize size = line_blocks_get_size (station->blocks);
  gpointer block = NULL;
  Frame frame = { trigger };

  if (is_past (station, trigger)) {
    line_tensors_skip (station->tensors, size);
    lose (station, trigger, all_views (station), LINE_LOSS_SLOW);
    return TRUE;
  }
  frame.tensors = block = take_block (station, trigger);
  wait_for_rest (station, trigger, find_start (station, trigger));
  if (block)
    line_tensors_prepare (station->tensors, block,
        line_blocks_get_size (station->blocks));
  if (trigger == 0) {
    /* The first trigger's tensors are there, as far as they can be. */
    LINE_LOCK (&station->lock);

    station->is_ready = TRUE;
    g_cond_broadcast (&station->changed);
  }
  if (!wait_for_trigger (station, trigger, &frame.trigger_time)
      || is_stopped (station)) {
    g_clear_pointer (&block, line_block_give);
    return FALSE;
  }
  if (block && !is_hopeless (station, frame.trigger_time))
    return make_frame (station, &frame);
  line_tensors_skip (station->tensors, size);
  lose (station, trigger, all_views (station), block ?
      LINE_LOSS_SLOW : LINE_LOSS_CROWDED);
  g_clear_pointer (&block, line_block_give);
  return TRUE;
}

/* Before the first trigger */

/* Returns: FALSE */
static gboolean
no_memory (const LineStation * station, GError ** error)
{
  return line_fail (error, LINE_ERROR_RUN, "lane %s: there is not enough "
      "memory for the tensors of %d triggers", station->lane->name, BLOCKS);
}

/* A trigger's way through the lane, up to what is posted; waits for its end.
 * Takes @block. */
static gboolean
rehearse_trigger (LineStation * station, gpointer block, GError ** error)
{
  Frame frame = {.tensors = block,.is_rehearsed = TRUE };

  line_pattern_paint (station->lane->geometry, station->recipe, block);
  push_frame (station, &frame);
  LINE_LOCK (&station->lock);
  while (station->n_frames > 0 || station->is_finding)
    g_cond_wait (&station->changed, &station->lock);
  station->peak = 0;
  gboolean good = station->error == NULL;
  if (!good)
    g_propagate_error (error, g_steal_pointer (&station->error));
  return good;
}

/* A rehearsal in each block, so that all memory is there afterwards, and locked
 * where it is to be. */
static gboolean
rehearse_in_blocks (LineStation * station, GError ** error)
{
  gpointer blocks[BLOCKS];
  guint n = 0;

  while (n < BLOCKS && (blocks[n] = line_blocks_take (station->blocks)))
    n++;
  gboolean good = n == BLOCKS || no_memory (station, error);
  for (guint i = 0; i < n; i++) {
    if (good)
      good = rehearse_trigger (station, blocks[i], error);
    else
      line_block_give (blocks[i]);
  }
  return good;
}

/* What the first triggers would otherwise be the first to do: has the network
 * answer, finds shapes in ordinary memory, and then in all of the memory that
 * their finder prefers. */
static gboolean
rehearse (LineStation * station, GError ** error)
{
  gpointer block = line_blocks_take (station->blocks);

  if (!block)
    return no_memory (station, error);
  if (!line_tensors_warm_up (station->tensors, block, error)) {
    line_block_give (block);
    return FALSE;
  }
  if (!rehearse_trigger (station, block, error))
    return FALSE;
  line_blocks_free (station->blocks);
  station->blocks = line_finder_make_blocks (station->finder, BLOCKS);
  return rehearse_in_blocks (station, error);
}

static gpointer
run_source (gpointer data)
{
  LineStation *station = data;
  GError *error = NULL;
  guint64 trigger = 0;

  if (rehearse (station, &error)) {
    while (supply (station, trigger))
      trigger++;
    /* Of triggers from @trigger on nothing is made: the source has ended, or
     * the line is stopped. */
    const gsize size = line_blocks_get_size (station->blocks);
    gint64 time;
    for (; wait_for_trigger (station, trigger, &time); trigger++) {
      /* cameras count their pictures all the same */
      line_tensors_skip (station->tensors, size);
      lose (station, trigger, all_views (station),
          is_stopped (station) ? LINE_LOSS_STOPPED : LINE_LOSS_UNFIT);
    }
  }
  LINE_LOCK (&station->lock);
  station->error = error;
  station->source_is_done = TRUE;
  g_cond_broadcast (&station->changed);
  return NULL;
}

/* Shapes */

static gboolean
pop_frame (LineStation * station, Frame * frame)
{
  LINE_LOCK (&station->lock);

  station->is_finding = FALSE;
  g_cond_broadcast (&station->changed);
  while (station->n_frames == 0 && !station->source_is_done)
    g_cond_wait (&station->changed, &station->lock);
  gboolean is_there = station->n_frames > 0;
  if (is_there) {
    *frame = station->frames[station->first];
    station->first = (station->first + 1) % MOST_FRAMES;
    station->n_frames--;
    station->is_finding = TRUE;
    g_cond_broadcast (&station->changed);
  }
  return is_there;
}

static gboolean
open_finder (LineStation * station, GError ** error)
{
  const gint64 now = g_get_monotonic_time ();

  if (station->opened_at && now - station->opened_at < PAUSE)
    return FALSE;
  station->opened_at = now;
  station->finder = line_finder_new (station->config, station->lane->geometry,
      station->recipe, error);
  return station->finder != NULL;
}

static void
post_looks (LineStation * station, const Frame * frame, LineView * views)
{
  for (guint v = 0; v < station->lane->geometry->views; v++) {
    LineEvent event = {.type = LINE_EVENT_LOOK,.lane = station->index,
      .trigger = frame->trigger,.view = v
    };

    if (frame->lost & (1u << v)) {
      line_view_clear (&views[v]);
      continue;
    }
    event.seen = g_new (LineSeen, 1);
    *event.seen = (LineSeen) {
      views[v], frame->trigger_time, frame->tensor_time
    };
    line_event_queue_post (station->queue, &event);
  }
}

static void
find_shapes (LineStation * station, Frame * frame)
{
  LineView views[LINE_MAX_VIEWS];
  GError *error = NULL;

  if (!station->finder && !open_finder (station, &error)) {
    line_block_give (frame->tensors);
  } else if (line_finder_run (station->finder, frame->tensors, views, &error)) {
    if (frame->pictures && station->turns)
      line_turns_find (station->turns, frame->trigger, frame->pictures,
          frame->lost, views);
    if (frame->pictures && station->skin)
      line_skin_measure (station->skin, frame->pictures, frame->lost, views);
    post_looks (station, frame, views);
    return;
  } else {
    g_clear_pointer (&station->finder, line_finder_free);
  }
  if (error)
    print_message (station, error->message);
  g_clear_error (&error);
  lose (station, frame->trigger, all_views (station) & ~frame->lost,
      LINE_LOSS_UNFIT);
}

/* The finder is there: the station has been made with it. */
static void
rehearse_shapes (LineStation * station, Frame * frame)
{
  LineView views[LINE_MAX_VIEWS];
  GError *error = NULL;

  if (line_finder_run (station->finder, frame->tensors, views, &error)) {
    for (guint v = 0; v < station->lane->geometry->views; v++)
      line_view_clear (&views[v]);
    return;
  }
  LINE_LOCK (&station->lock);
  station->error = error;
}

static gpointer
run_shapes (gpointer data)
{
  LineStation *station = data;
  Frame frame;

  while (pop_frame (station, &frame)) {
    if (frame.is_rehearsed)
      rehearse_shapes (station, &frame);
    else
      find_shapes (station, &frame);
    g_clear_pointer (&frame.pictures, line_block_give);
  }
  return NULL;
}

/* Station */

/* In real time, nobody can wait for a pipe. */
static gboolean
check_source (const LineLaneConfig * lane, GError ** error)
{
  if (lane->source != LINE_SOURCE_REPLAY
      || g_file_test (lane->location, G_FILE_TEST_IS_REGULAR))
    return TRUE;
  return line_fail (error, LINE_ERROR_FILE, "%s: there is no regular file of "
      "that name; \"run --fast\" reads pipes, too", lane->location);
}

LineStation *
line_station_new (const LineConfig * config, guint lane,
    const LineRecipe * recipe, LineEventQueue * queue, GError ** error)
{
  LineStation *station = g_new0 (LineStation, 1);

  station->config = config;
  station->lane = &g_array_index (config->lanes, LineLaneConfig, lane);
  station->index = lane;
  station->recipe = recipe;
  station->queue = queue;
  if (station->lane->network)
    station->turns = line_turns_new (station->lane->geometry, recipe);
  if (recipe->has_colour)
    station->skin = line_skin_new (station->lane->geometry, recipe);
  g_mutex_init (&station->lock);
  g_cond_init (&station->changed);
  if (check_source (station->lane, error))
    station->tensors = line_tensors_new (config, station->lane, recipe, error);
  if (!station->tensors || !open_finder (station, error)) {
    line_station_free (station);
    return NULL;
  }
  /* of ordinary memory, for the first run */
  station->blocks =
      line_blocks_new (line_finder_get_size (station->finder), BLOCKS, NULL);
  return station;
}

void
line_station_free (LineStation * station)
{
  g_clear_pointer (&station->tensors, line_tensors_free);
  g_clear_pointer (&station->finder, line_finder_free);
  g_clear_pointer (&station->blocks, line_blocks_free);
  g_clear_pointer (&station->turns, line_turns_free);
  g_clear_pointer (&station->skin, line_skin_free);
  g_clear_error (&station->error);
  g_cond_clear (&station->changed);
  g_mutex_clear (&station->lock);
  g_free (station);
}

/* In a camera's thread. */
static void
fired (gint64 time, gpointer user)
{
  line_station_trigger (user, time);
}

static gboolean
start_threads (LineStation * station, GError ** error)
{
  station->shapes =
      g_thread_try_new ("line-shapes", run_shapes, station, error);
  if (!station->shapes)
    return FALSE;
  station->source =
      g_thread_try_new ("line-source", run_source, station, error);
  if (station->source)
    return TRUE;
  LINE_LOCK (&station->lock);
  station->source_is_done = TRUE;
  g_cond_broadcast (&station->changed);
  return FALSE;
}

/* Waits until the lane is ready or cannot be, or until @until. Returns: FALSE
 * with @error set if it cannot be */
static gboolean
wait_for_lane (LineStation * station, gint64 until, gboolean * is_ready,
    GError ** error)
{
  LINE_LOCK (&station->lock);

  while (!station->is_ready && !station->source_is_done
      && g_cond_wait_until (&station->changed, &station->lock, until));
  *is_ready = station->is_ready;
  gboolean good = station->is_ready || !station->error;
  if (!good)
    g_propagate_error (error, g_steal_pointer (&station->error));
  return good;
}

static gboolean
wait_for_all (LineStation * const *stations, guint n, GError ** error)
{
  gint64 until = g_get_monotonic_time () + PROGRESS;
  gboolean is_ready;
  guint i = 0;

  while (i < n) {
    if (!wait_for_lane (stations[i], until, &is_ready, error))
      return FALSE;
    i += is_ready;
    if (is_ready)
      continue;
    guint n_ready = 0;
    for (guint k = 0; k < n; k++) {
      g_mutex_lock (&stations[k]->lock);
      n_ready += stations[k]->is_ready;
      g_mutex_unlock (&stations[k]->lock);
    }
    g_printerr ("%u of %u lanes are ready\n", n_ready, n);
    until += PROGRESS;
  }
  return TRUE;
}

gboolean
line_stations_start (LineStation * const *stations, guint n, GError ** error)
{
  gboolean good = TRUE;

  for (guint i = 0; i < n && good; i++)
    good = start_threads (stations[i], error);
  good = good && wait_for_all (stations, n, error);
  for (guint i = 0; i < n; i++) {
    LineCameras *cameras = line_station_get_cameras (stations[i]);

    if (!good)
      line_station_end (stations[i], TRUE);
    else if (line_station_triggers_itself (stations[i]))
      line_cameras_start (cameras, fired, stations[i]);
  }
  return good;
}

guint64
line_station_get_triggers (LineStation * station)
{
  return line_tensors_count (station->tensors,
      line_blocks_get_size (station->blocks));
}

void
line_station_trigger (LineStation * station, gint64 time)
{
  LineEvent event = {.type = LINE_EVENT_TRIGGER,.lane = station->index,
    .came = time
  };

  line_tensors_trigger (station->tensors, time);
  /* before its frame, which the source has waiting */
  line_event_queue_post (station->queue, &event);
  LINE_LOCK (&station->lock);
  station->times[station->n_triggers++ % TIMES] = time;
  g_cond_broadcast (&station->changed);
}

guint64
line_station_count_triggers (LineStation * station)
{
  LINE_LOCK (&station->lock);

  return station->n_triggers;
}

gboolean
line_station_triggers_itself (LineStation * station)
{
  LineCameras *cameras = line_station_get_cameras (station);

  return cameras && line_cameras_trigger_themselves (cameras);
}

void
line_station_end (LineStation * station, gboolean is_urgent)
{
  if (line_station_triggers_itself (station))
    line_cameras_end (line_station_get_cameras (station));
  g_mutex_lock (&station->lock);
  station->is_ended = TRUE;
  station->is_urgent = station->is_urgent || is_urgent;
  g_cond_broadcast (&station->changed);
  g_mutex_unlock (&station->lock);
  if (is_urgent)
    line_tensors_cancel (station->tensors);
}

void
line_station_join (LineStation * station)
{
  if (station->source)
    g_thread_join (station->source);
  if (station->shapes)
    g_thread_join (station->shapes);
  station->source = station->shapes = NULL;
}

guint
line_station_take_peak (LineStation * station)
{
  LINE_LOCK (&station->lock);
  guint peak = station->peak;

  station->peak = station->n_frames;
  return peak;
}

LineScene *
line_station_get_scene (LineStation * station)
{
  return line_tensors_get_scene (station->tensors);
}

LineCameras *
line_station_get_cameras (LineStation * station)
{
  return line_tensors_get_cameras (station->tensors);
}
