/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "pictures.h"

#include <string.h>
#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "base/memory.h"
#include "mosaic.h"
#include "painter.h"
#include "publish/lock.h"

#define MOST_WAITING 4

/* The thread rests for so many times the time that a picture took: it takes a
 * quarter of a core at most. */
#define REST 3

typedef struct
{
  guint lane;
  guint64 piece;
  LineRecipe *recipe;
  GstShapeSet *shapes;
  char *text, *json;
} Job;

struct _LinePictures
{
  const LineConfig *config;
  LineFolder *folder;
  guint n_slots;
  LineLookAt look_at;
  gpointer user;
  GThread *thread;

  /* of the thread */
  LinePainter *painter;
  LineMosaicSize size;
  guint8 *view;
  guint64 n_painted;
  gboolean has_told;

  /* of all, with the lock */
  GMutex lock;
  GCond changed;
  GQueue jobs;
  gboolean is_ending;
  guint64 written, dropped, failed;
};

static void
free_job (gpointer data)
{
  Job *job = data;

  line_recipe_unref (job->recipe);
  gst_shape_set_unref (job->shapes);
  g_free (job->text);
  g_free (job->json);
  g_free (job);
}

/* Painting */

static gboolean
is_ending (LinePictures * pictures)
{
  LINE_LOCK (&pictures->lock);

  return pictures->is_ending;
}

static const LineGeometry *
get_geometry (const LinePictures * pictures, guint lane)
{
  return line_config_get_lane (pictures->config, lane)->geometry;
}

/* Makes a painter for pictures of this size, if the one that is there is for
 * another one. Returns: FALSE with @error set */
static gboolean
open_painter (LinePictures * pictures, LineMosaicSize size, GError ** error)
{
  if (size.width != pictures->size.width
      || size.height != pictures->size.height)
    g_clear_pointer (&pictures->painter, line_painter_free);
  pictures->size = size;
  if (!pictures->painter)
    pictures->painter = line_painter_new (size.width, size.height, error);
  return pictures->painter != NULL;
}

/* A thread of low priority may take long for a picture: whoever ends it waits
 * for one look at most. */
static guint8 *
make_ground (LinePictures * pictures, const Job * job)
{
  const LineGeometry *geometry = get_geometry (pictures, job->lane);
  const LineMosaicSize size = line_mosaic_get_size (geometry);
  guint8 *rgb = cs_try_malloc_n ((gsize) size.width * size.height, 3);

  if (!rgb)
    return NULL;
  line_mosaic_clear (geometry, rgb);
  for (guint cup = 0; pictures->look_at && cup < geometry->cups; cup++)
    for (guint view = 0; view < geometry->views && !is_ending (pictures);
        view++)
      if (pictures->look_at (job->lane, job->piece + cup, view,
              pictures->view, pictures->user))
        line_mosaic_put (geometry, cup, view, pictures->view, rgb);
  return rgb;
}

/* Returns: NULL with @error set, or without at the end */
static GBytes *
paint (LinePictures * pictures, const Job * job, GError ** error)
{
  const LineMosaicSize size =
      line_mosaic_get_size (get_geometry (pictures, job->lane));
  guint8 *rgb = make_ground (pictures, job);
  GBytes *jpeg = NULL;

  if (!rgb) {
    line_fail (error, LINE_ERROR_RUN, "there is not enough memory for a "
        "picture");
    return NULL;
  }
  if (is_ending (pictures)) {
    g_free (rgb);
    return NULL;
  }
  if (open_painter (pictures, size, error))
    jpeg = line_painter_paint (pictures->painter, job->recipe, job->shapes,
        job->text, g_steal_pointer (&rgb), error);
  if (!jpeg)
    g_clear_pointer (&pictures->painter, line_painter_free);
  g_free (rgb);
  return jpeg;
}

/* Both are written to other names first: a reader sees whole ones only. */
static gboolean
save (LinePictures * pictures, const Job * job, GBytes * jpeg, GError ** error)
{
  const guint slot = (guint) (pictures->n_painted % pictures->n_slots);
  g_autofree char *picture = g_strdup_printf ("%03u.jpg", slot);
  g_autofree char *text = g_strdup_printf ("%03u.json", slot);
  gsize size;
  const char *data = g_bytes_get_data (jpeg, &size);

  return line_folder_save (pictures->folder, picture, data, size, error)
      && line_folder_save (pictures->folder, text, job->json,
      strlen (job->json), error);
}

static void
run_job (LinePictures * pictures, const Job * job)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) jpeg = paint (pictures, job, &error);
  const gboolean good = jpeg && save (pictures, job, jpeg, &error);

  if (error && !pictures->has_told) {
    pictures->has_told = TRUE;
    g_printerr ("pictures: %s\n", error->message);
  }
  pictures->n_painted += good;
  LINE_LOCK (&pictures->lock);
  pictures->written += good;
  pictures->failed += error != NULL;
  pictures->dropped += !good && !error;
}

static Job *
wait_for_job (LinePictures * pictures)
{
  LINE_LOCK (&pictures->lock);

  while (pictures->jobs.length == 0 && !pictures->is_ending)
    g_cond_wait (&pictures->changed, &pictures->lock);
  return pictures->is_ending ? NULL : g_queue_pop_head (&pictures->jobs);
}

static gpointer
run (gpointer data)
{
  LinePictures *pictures = data;
  Job *job;

#ifdef __linux__
  /* of this thread alone; elements' threads inherit it */
  setpriority (PRIO_PROCESS, (id_t) syscall (SYS_gettid), 19);
#endif
  while ((job = wait_for_job (pictures))) {
    const gint64 begin = g_get_monotonic_time ();

    run_job (pictures, job);
    free_job (job);
    const gint64 end = g_get_monotonic_time () + REST * (g_get_monotonic_time ()
        - begin);
    LINE_LOCK (&pictures->lock);
    while (!pictures->is_ending && g_cond_wait_until (&pictures->changed,
            &pictures->lock, end));
  }
  g_clear_pointer (&pictures->painter, line_painter_free);
  return NULL;
}

/* Jobs */

/* "line1 lane1 piece 12: outlet 8, reject; 47.1 mm, rot 31 mm2" */
static char *
describe (const LineDecision * decision)
{
  const LineRecipe *recipe = decision->recipe;
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%s %s piece %" G_GUINT64_FORMAT ": outlet %u, "
      "%s; %.1f mm", decision->line, decision->lane,
      line_decision_get_number (decision),
      decision->outcome->outlet, (const char *)
      g_ptr_array_index (decision->outcome->reasons, 0),
      decision->measures->diameter);
  for (guint k = 0; k < recipe->n_defects; k++)
    if (decision->measures->figures[k].mm2 >= 1)
      g_string_append_printf (text, ", %s %.0f mm2",
          recipe->classes[recipe->defects[k]],
          decision->measures->figures[k].mm2);
  return g_string_free (text, FALSE);
}

void
line_pictures_add (LinePictures * pictures, guint lane,
    const LineDecision * decision)
{
  g_mutex_lock (&pictures->lock);
  gboolean has_room = pictures->jobs.length < MOST_WAITING;
  pictures->dropped += !has_room;
  g_mutex_unlock (&pictures->lock);
  if (!has_room)
    return;
  Job *job = g_new0 (Job, 1);
  job->shapes = line_mosaic_get_shapes (decision);
  if (!job->shapes) {
    g_free (job);
    g_mutex_lock (&pictures->lock);
    pictures->failed++;
    g_mutex_unlock (&pictures->lock);
    return;
  }
  job->lane = lane;
  job->piece = decision->piece->piece;
  job->recipe = line_recipe_ref ((LineRecipe *) decision->recipe);
  job->text = describe (decision);
  job->json = line_decision_to_json (decision);
  g_mutex_lock (&pictures->lock);
  g_queue_push_tail (&pictures->jobs, job);
  g_cond_broadcast (&pictures->changed);
  g_mutex_unlock (&pictures->lock);
}

LinePictures *
line_pictures_new (const LineConfig * config, LineFolder * folder,
    guint n_slots, LineLookAt look_at, gpointer user, GError ** error)
{
  LinePictures *pictures = g_new0 (LinePictures, 1);
  gsize pixels = 0;

  g_mutex_init (&pictures->lock);
  g_cond_init (&pictures->changed);
  g_queue_init (&pictures->jobs);
  pictures->config = config;
  pictures->folder = folder;
  pictures->n_slots = n_slots;
  pictures->look_at = look_at;
  pictures->user = user;
  for (guint i = 0; i < config->lanes->len; i++) {
    const LineGeometry *geometry = get_geometry (pictures, i);

    pixels = MAX (pixels, (gsize) geometry->rows * geometry->columns);
  }
  pictures->view = cs_try_malloc_n (pixels, 3);
  if (!pictures->view)
    line_fail (error, LINE_ERROR_RUN, "there is not enough memory for a "
        "picture");
  else if (open_painter (pictures,
          line_mosaic_get_size (get_geometry (pictures, 0)), error))
    pictures->thread = g_thread_try_new ("line-pictures", run, pictures, error);
  if (!pictures->thread)
    g_clear_pointer (&pictures, line_pictures_free);
  return pictures;
}

void
line_pictures_free (LinePictures * pictures)
{
  g_mutex_lock (&pictures->lock);
  pictures->is_ending = TRUE;
  g_cond_broadcast (&pictures->changed);
  g_mutex_unlock (&pictures->lock);
  if (pictures->thread)
    g_thread_join (pictures->thread);
  g_clear_pointer (&pictures->painter, line_painter_free);
  g_queue_clear_full (&pictures->jobs, free_job);
  g_cond_clear (&pictures->changed);
  g_mutex_clear (&pictures->lock);
  g_free (pictures->view);
  line_folder_unref (pictures->folder);
  g_free (pictures);
}

void
line_pictures_get_counts (LinePictures * pictures, guint64 * written,
    guint64 * dropped, guint64 * failed)
{
  LINE_LOCK (&pictures->lock);

  *written = pictures->written;
  *dropped = pictures->dropped + pictures->jobs.length;
  *failed = pictures->failed;
}
