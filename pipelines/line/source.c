/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "source.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "frozen.h"
#include "judge.h"
#include "network.h"

struct _LineTensors
{
  const LineLaneConfig *lane;
  guint views;
  LineJudge judge;
  LineFrozen frozen;
  /* digests of tensors that were looked through, and show no fruit */
  guint64 empty[LINE_MAX_VIEWS];
  /* number of the next trigger, and how it went, if it is prepared */
  guint64 trigger;
  gboolean is_prepared;
  LineTensorsResult result;
  GError *error;
  /* views of it that are unfit, and why the first one is */
  LineLostViews unfit;
  char *complaint;
  /* one of these */
  FILE *in;
  LineScene *scene;
  LineCameras *cameras;
  /* makes tensors of the scene's or cameras' pictures, if it is there; else a
   * scene may have pictures beside its tensors */
  LineNetwork *network;
  LineBlocks *blocks;
  gsize picture_size;
  /* a block of them, those of the trigger that is made or was last */
  guint8 *pictures;
};

static LineScene *
open_scene (const LineLaneConfig * lane, const LineRecipe * recipe,
    GError ** error)
{
  const LineGeometry *geometry = lane->geometry;
  const gsize size = MIN (geometry->views, LINE_SCENE_MAX_VIEWS)
      * sizeof (gdouble);
  LineSceneParams params;

  if (recipe->n_classes != LINE_SCENE_CLASSES
      || geometry->views > LINE_SCENE_MAX_VIEWS) {
    line_fail (error, LINE_ERROR_RUN, "lane %s: a simulated lane has %d "
        "classes and at most %d views, not %u and %u", lane->name,
        LINE_SCENE_CLASSES, LINE_SCENE_MAX_VIEWS, recipe->n_classes,
        geometry->views);
    return NULL;
  }
  line_scene_params_init (&params);
  params.seed = lane->seed;
  params.noise_seed = lane->noise_seed;
  params.empty = lane->empty;
  params.blemish = lane->blemish;
  params.slip = lane->slip;
  params.still = lane->still;
  params.hop = lane->hop;
  params.irregular = lane->irregular;
  params.dark = lane->dark;
  params.dark_from = lane->dark_from;
  params.views = geometry->views;
  params.columns = geometry->columns;
  params.rows = geometry->rows;
  params.cups = geometry->cups;
  memcpy (params.mm_per_pixel, geometry->mm_per_pixel, size);
  memcpy (params.cup_first, geometry->cup_first, size);
  memcpy (params.cup_pitch, geometry->cup_pitch, size);
  memcpy (params.tilt, geometry->tilt, size);
  params.turn = geometry->turn;
  params.travel = geometry->travel;
  return line_scene_new (&params, error);
}

/* Writes to all blocks, so that their pages are there. Returns: whether there
 * is memory for them */
static gboolean
make_blocks (LineTensors * tensors)
{
  gpointer blocks[LINE_TENSORS_PICTURES];
  guint n = 0;

  tensors->blocks = line_blocks_new (tensors->picture_size * tensors->views,
      LINE_TENSORS_PICTURES, NULL);
  while (n < LINE_TENSORS_PICTURES
      && (blocks[n] = line_blocks_take (tensors->blocks)))
    memset (blocks[n++], 0, line_blocks_get_size (tensors->blocks));
  for (guint i = 0; i < n; i++)
    line_block_give (blocks[i]);
  tensors->pictures = line_blocks_take (tensors->blocks);
  return n == LINE_TENSORS_PICTURES;
}

/* Returns: FALSE with @error set */
static gboolean
open_pictures (LineTensors * tensors, GError ** error)
{
  const LineGeometry *geometry = tensors->lane->geometry;

  tensors->picture_size = (gsize) geometry->rows * geometry->columns * 3;
  return make_blocks (tensors) || line_fail (error, LINE_ERROR_RUN, "lane %s: "
      "there is not enough memory for the pictures of %d triggers",
      tensors->lane->name, LINE_TENSORS_PICTURES);
}

/* Returns: FALSE with @error set */
static gboolean
open_network (LineTensors * tensors, const LineConfig * config,
    const LineRecipe * recipe, GError ** error)
{
  const LineGeometry *geometry = tensors->lane->geometry;

  if (!open_pictures (tensors, error))
    return FALSE;
  tensors->network = line_network_new ((const char *const *)
      tensors->lane->network, config->folder, geometry->rows,
      geometry->columns, recipe->n_classes, error);
  return tensors->network != NULL;
}

/* The source is a file. */
static gboolean
open_file (LineTensors * tensors, GError ** error)
{
  tensors->in = fopen (tensors->lane->location, "rb");
  if (!tensors->in)
    return line_fail (error, LINE_ERROR_FILE, "%s: %s", tensors->lane->location,
        g_strerror (errno));
  /* it is read in large parts, straight to where they are wanted */
  setvbuf (tensors->in, NULL, _IONBF, 0);
  return TRUE;
}

static gboolean
open_source (LineTensors * tensors, const LineConfig * config,
    const LineRecipe * recipe, GError ** error)
{
  const LineLaneConfig *lane = tensors->lane;

  if (lane->source == LINE_SOURCE_SIMULATE)
    tensors->scene = open_scene (lane, recipe, error);
  else if (lane->source == LINE_SOURCE_CAMERA)
    tensors->cameras = line_cameras_new (config, lane, error);
  else
    return open_file (tensors, error);
  return tensors->scene || tensors->cameras;
}

static LineJudge
make_judge (const LineGeometry * geometry, const LineRecipe * recipe)
{
  const gdouble least = recipe->min_diameter
      / line_geometry_get_coarsest (geometry);
  LineJudge judge = {
    (gsize) geometry->rows * geometry->columns, recipe->n_classes,
    recipe->is_exclusive, recipe->is_logits,.level = recipe->level,
    /* half of the smallest piece's: some may be seen in part */
    .least_fruit = MAX (ceil (G_PI / 8 * least * least), 1)
  };

  for (guint i = 0; i < recipe->n_fruit; i++)
    judge.fruit |= G_GUINT64_CONSTANT (1) << recipe->fruit[i];
  return judge;
}

LineTensors *
line_tensors_new (const LineConfig * config, const LineLaneConfig * lane,
    const LineRecipe * recipe, GError ** error)
{
  LineTensors *tensors = g_new0 (LineTensors, 1);

  tensors->lane = lane;
  tensors->views = lane->geometry->views;
  tensors->judge = make_judge (lane->geometry, recipe);
  gboolean good = open_source (tensors, config, recipe, error);
  if (good && lane->network)
    good = open_network (tensors, config, recipe, error);
  else if (good && recipe->has_colour)
    good = tensors->scene ? open_pictures (tensors, error) :
        line_fail (error, LINE_ERROR_RUN, "lane %s: the recipe asks for "
        "colours, and there are no pictures with tensors of a file: take colours "
        "out of the recipe, or pictures from cameras", lane->name);
  if (!good)
    g_clear_pointer (&tensors, line_tensors_free);
  return tensors;
}

void
line_tensors_free (LineTensors * tensors)
{
  if (tensors->in)
    fclose (tensors->in);
  g_clear_pointer (&tensors->scene, line_scene_free);
  g_clear_pointer (&tensors->cameras, line_cameras_free);
  g_clear_pointer (&tensors->network, line_network_free);
  g_clear_pointer (&tensors->pictures, line_block_give);
  g_clear_pointer (&tensors->blocks, line_blocks_free);
  g_clear_error (&tensors->error);
  g_free (tensors->complaint);
  g_free (tensors);
}

/* The tensor of an unfit view is set to 0. */
static void
refuse_view (LineTensors * tensors, guint view, gfloat * tensor, gsize size,
    const LineVerdict * verdict)
{
  g_autofree char *what = NULL;

  tensors->unfit.by[verdict->loss] |= 1u << view;
  memset (tensor, 0, size);
  if (tensors->complaint)
    return;
  what = line_verdict_describe (verdict);
  tensors->complaint = g_strdup_printf ("trigger %" G_GUINT64_FORMAT
      ", view %u: %s", tensors->trigger, view, what);
}

/* Whether the network has given its answer to another view's picture. */
static gboolean
is_answered_twice (const LineTensors * tensors, guint view, guint64 digest)
{
  const gsize size = tensors->picture_size;

  if (!tensors->network)
    return FALSE;
  for (guint v = 0; v < tensors->views; v++)
    if (v != view && tensors->frozen.now[v] == digest
        && memcmp (tensors->pictures + v * size,
            tensors->pictures + view * size, size) != 0)
      return TRUE;
  return FALSE;
}

/* Of a view that is good by itself: whether it stands still though it shows
 * fruit. Of an empty belt a network may well say the same twice. */
static gboolean
is_frozen (LineTensors * tensors, guint view, const gfloat * tensor,
    LineVerdict * verdict)
{
  const guint64 digest = verdict->digest;

  if (!(line_frozen_add (&tensors->frozen, view, digest)
          || is_answered_twice (tensors, view, digest))
      || tensors->empty[view] == digest)
    return FALSE;
  verdict->loss = LINE_LOSS_FROZEN;
  if (line_judge_has_fruit (&tensors->judge, tensor))
    return TRUE;
  tensors->empty[view] = digest;
  return FALSE;
}

static void
judge_view (LineTensors * tensors, guint view, gfloat * tensor, gsize size)
{
  LineVerdict verdict;

  if (!line_judge_view (&tensors->judge, tensor, &verdict)
      || is_frozen (tensors, view, tensor, &verdict))
    refuse_view (tensors, view, tensor, size, &verdict);
}

/* Reads a view, and judges its parts as they come. Returns: bytes that there
 * are */
static gsize
read_view (LineTensors * tensors, guint view, guint8 * data, gsize size)
{
  const gsize pixel = tensors->judge.n_classes * sizeof (gfloat);
  gfloat *tensor = (gfloat *) (gpointer) data;
  LineJudging judging;
  LineVerdict verdict;
  gsize done = 0, n;

  line_judging_begin (&judging, &tensors->judge, tensor);
  while ((n = line_judging_get_step (&judging)) > 0) {
    const gsize there = fread (data + done, 1, n * pixel, tensors->in);

    done += there;
    if (there < n * pixel)
      return done;
    line_judging_add (&judging, n);
  }
  if (!line_judging_end (&judging, &verdict)
      || is_frozen (tensors, view, tensor, &verdict))
    refuse_view (tensors, view, tensor, size, &verdict);
  return done;
}

/* At the end of a file that is repeated. */
static void
begin_again (LineTensors * tensors)
{
  struct stat status;

  if (tensors->lane->is_repeated
      && fstat (fileno (tensors->in), &status) == 0
      && ftello (tensors->in) >= status.st_size)
    rewind (tensors->in);
}

static LineTensorsResult
read_trigger (LineTensors * tensors, guint8 * data, gsize size, GError ** error)
{
  const gsize step = size / tensors->views;
  gsize n = 0;

  begin_again (tensors);
  for (guint v = 0; v < tensors->views && n == v * step; v++)
    n += read_view (tensors, v, data + n, step);
  if (n == size)
    return LINE_TENSORS_GOOD;
  tensors->unfit = (LineLostViews) { 0 };
  g_clear_pointer (&tensors->complaint, g_free);
  if (n > 0 || ferror (tensors->in))
    line_fail (error, LINE_ERROR_FILE, "%s: trigger %" G_GUINT64_FORMAT " has %"
        G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes: a trigger is views x "
        "rows x columns x classes floats", tensors->lane->location,
        tensors->trigger, n, size);
  return LINE_TENSORS_END;
}

static LineTensorsResult
render_trigger (LineTensors * tensors, GError ** error)
{
  for (guint v = 0; v < tensors->views; v++)
    if (!line_scene_render (tensors->scene, tensors->trigger, v,
            tensors->pictures + v * tensors->picture_size, NULL, error))
      return LINE_TENSORS_END;
  return LINE_TENSORS_GOOD;
}

static LineTensorsResult
simulate_trigger (LineTensors * tensors, gfloat * data, gsize size,
    GError ** error)
{
  gsize step = size / tensors->views / sizeof (gfloat);

  for (guint v = 0; v < tensors->views; v++) {
    if (!line_scene_probabilities (tensors->scene, tensors->trigger, v,
            data + v * step, error))
      return LINE_TENSORS_END;
    judge_view (tensors, v, data + v * step, step * sizeof (gfloat));
  }
  return tensors->pictures ? render_trigger (tensors, error) :
      LINE_TENSORS_GOOD;
}

/* A child that has been started loads its model first. Were it ended after a
 * picture's time, it would never be ready. */
static gint64
get_timeout (const LineTensors * tensors)
{
  const LineLaneConfig *lane = tensors->lane;
  const guint ms = line_network_is_loaded (tensors->network) ?
      lane->network_timeout_ms :
      MAX (lane->network_timeout_ms, lane->network_start_ms);

  return ms * G_GINT64_CONSTANT (1000);
}

static LineTensorsResult
infer_view (LineTensors * tensors, guint view, const guint8 * picture,
    gfloat * data, gsize size, GError ** error)
{
  const gsize step = size / tensors->views;
  gfloat *tensor = data + view * (step / sizeof (gfloat));

  if (line_network_run (tensors->network, picture, tensor,
          get_timeout (tensors), error)) {
    judge_view (tensors, view, tensor, step);
    return LINE_TENSORS_GOOD;
  }
  if (g_error_matches (*error, LINE_ERROR, LINE_ERROR_STOPPED)) {
    g_clear_error (error);
    return LINE_TENSORS_STOPPED;
  }
  g_prefix_error (error, "trigger %" G_GUINT64_FORMAT ", view %u: ",
      tensors->trigger, view);
  return LINE_TENSORS_FAILED;
}

static LineTensorsResult
infer (LineTensors * tensors, gfloat * data, gsize size, GError ** error)
{
  LineTensorsResult result = LINE_TENSORS_GOOD;

  for (guint v = 0; v < tensors->views && result == LINE_TENSORS_GOOD; v++)
    result = infer_view (tensors, v,
        tensors->pictures + v * tensors->picture_size, data, size, error);
  return result;
}

/* In the order in which pictures come. */
static LineTensorsResult
infer_cameras (LineTensors * tensors, gfloat * data, gsize size,
    LineLostViews * lost, GError ** error)
{
  LineTensorsResult result = LINE_TENSORS_GOOD;
  const gsize step = size / tensors->views / sizeof (gfloat);
  const guint8 *picture;
  guint32 taken = 0;
  guint view;

  while (result == LINE_TENSORS_GOOD && (picture =
          line_cameras_take (tensors->cameras, tensors->trigger, &taken,
              &view))) {
    memcpy (tensors->pictures + view * tensors->picture_size, picture,
        tensors->picture_size);
    result = infer_view (tensors, view, picture, data, size, error);
  }
  /* of one that fails the rest is as unfit as that */
  line_cameras_settle (tensors->cameras, tensors->trigger,
      result == LINE_TENSORS_GOOD ? taken : G_MAXUINT32, lost);
  for (guint v = 0; v < tensors->views; v++)
    if (line_lost_views_get_all (lost) & (1u << v))
      memset (data + v * step, 0, step * sizeof (gfloat));
  return result;
}

gboolean
line_tensors_warm_up (LineTensors * tensors, gpointer data, GError ** error)
{
  if (!tensors->network)
    return TRUE;
  memset (tensors->pictures, 0, tensors->picture_size);
  if (line_network_run (tensors->network, tensors->pictures, data,
          get_timeout (tensors), error))
    return TRUE;
  g_prefix_error (error, "lane %s: the first picture: ", tensors->lane->name);
  return FALSE;
}

void
line_tensors_prepare (LineTensors * tensors, gpointer data, gsize size)
{
  if (tensors->is_prepared)
    return;
  tensors->unfit = (LineLostViews) { 0 };
  line_frozen_step (&tensors->frozen);
  g_clear_pointer (&tensors->complaint, g_free);
  if (tensors->in)
    tensors->result = read_trigger (tensors, data, size, &tensors->error);
  else if (tensors->cameras)
    tensors->result = LINE_TENSORS_GOOD;
  else if (tensors->network)
    tensors->result = render_trigger (tensors, &tensors->error);
  else
    tensors->result = simulate_trigger (tensors, data, size, &tensors->error);
  tensors->is_prepared = TRUE;
}

LineTensorsResult
line_tensors_next (LineTensors * tensors, gpointer data, gsize size,
    LineLostViews * lost, GError ** error)
{
  *lost = (LineLostViews) { 0 };
  line_tensors_prepare (tensors, data, size);
  if (tensors->cameras)
    tensors->result =
        infer_cameras (tensors, data, size, lost, &tensors->error);
  else if (tensors->network && tensors->result == LINE_TENSORS_GOOD)
    tensors->result = infer (tensors, data, size, &tensors->error);
  if (tensors->error)
    g_propagate_error (error, g_steal_pointer (&tensors->error));
  for (guint i = 0; i < LINE_N_LOSSES; i++)
    lost->by[i] |= tensors->unfit.by[i];
  tensors->is_prepared = FALSE;
  tensors->trigger++;
  return tensors->result;
}

const char *
line_tensors_get_complaint (const LineTensors * tensors)
{
  return tensors->complaint;
}

gpointer
line_tensors_take_pictures (LineTensors * tensors)
{
  gpointer pictures = tensors->pictures;
  gpointer next = tensors->blocks ? line_blocks_take (tensors->blocks) : NULL;

  /* without another one it is needed for the next trigger */
  if (!next)
    return NULL;
  tensors->pictures = next;
  return pictures;
}

/* Of a file the trigger's bytes are passed over. */
void
line_tensors_skip (LineTensors * tensors, gsize size)
{
  LineLostViews lost;

  if (tensors->cameras)
    line_cameras_settle (tensors->cameras, tensors->trigger, G_MAXUINT32,
        &lost);
  if (tensors->in && !tensors->is_prepared) {
    begin_again (tensors);
    if (fseeko (tensors->in, size, SEEK_CUR) != 0)
      tensors->result = LINE_TENSORS_END;
  }
  g_clear_error (&tensors->error);
  tensors->is_prepared = FALSE;
  tensors->trigger++;
}

guint64
line_tensors_count (LineTensors * tensors, gsize size)
{
  struct stat status;

  if (tensors->scene)
    return tensors->lane->triggers;
  if (tensors->cameras || tensors->lane->is_repeated)
    return 0;
  /* half a trigger at the end is one that fails */
  return fstat (fileno (tensors->in), &status) == 0
      && S_ISREG (status.st_mode) ? (status.st_size + size - 1) / size : 0;
}

void
line_tensors_trigger (LineTensors * tensors, gint64 time)
{
  if (tensors->cameras && !line_cameras_trigger_themselves (tensors->cameras))
    line_cameras_trigger (tensors->cameras, time);
}

void
line_tensors_cancel (LineTensors * tensors)
{
  if (tensors->cameras)
    line_cameras_cancel (tensors->cameras);
  if (tensors->network)
    line_network_cancel (tensors->network);
}

LineScene *
line_tensors_get_scene (LineTensors * tensors)
{
  return tensors->scene;
}

LineCameras *
line_tensors_get_cameras (LineTensors * tensors)
{
  return tensors->cameras;
}
