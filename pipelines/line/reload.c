/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reload.h"

#include "recipe_check.h"

/* Referenced by its owner and by the thread that reads. What is not constant
 * belongs to the context.
 * @wanted: what is to be read against when the thread is done; NULL: nothing */
struct _LineReloader
{
  gint ref_count;
  char *path;
  GPtrArray *geometries;
  LineFolder *folder;
  GMainContext *context;
  LineReloaded done;
  gpointer user;
  gboolean is_closed, is_reading;
  LineRecipe *wanted;
};

/* One reading of the file; the thread's, then the context's. */
typedef struct
{
  LineReloader *reloader;
  GMainContext *context;
  LineRecipe *in_use, *recipe;
  GError *error;
} Job;

static void start (LineReloader * reloader, LineRecipe * in_use);

static void
unref (LineReloader * reloader)
{
  if (!g_atomic_int_dec_and_test (&reloader->ref_count))
    return;
  g_free (reloader->path);
  g_ptr_array_unref (reloader->geometries);
  g_clear_pointer (&reloader->folder, line_folder_unref);
  g_free (reloader);
}

static void
free_job (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->recipe, line_recipe_unref);
  g_clear_error (&job->error);
  line_recipe_unref (job->in_use);
  unref (job->reloader);
  g_free (job);
}

/* In the context. */
static gboolean
finish (gpointer data)
{
  Job *job = data;
  LineReloader *reloader = job->reloader;
  LineRecipe *wanted = g_steal_pointer (&reloader->wanted);

  reloader->is_reading = FALSE;
  if (!reloader->is_closed)
    reloader->done (job->recipe, job->error, reloader->user);
  if (wanted) {
    start (reloader, job->recipe ? job->recipe : wanted);
    line_recipe_unref (wanted);
  }
  return G_SOURCE_REMOVE;
}

static void
deliver (Job * job)
{
  /* the line may have ended meanwhile, and nobody else have the context */
  g_autoptr (GMainContext) context = g_steal_pointer (&job->context);
  g_autoptr (GSource) source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, finish, job, free_job);
  g_source_attach (source, context);
}

static gpointer
run (gpointer data)
{
  Job *job = data;
  const LineReloader *reloader = job->reloader;

  job->recipe = line_recipe_load_checked (reloader->path,
      reloader->geometries, &job->error);
  if (job->recipe
      && (!line_recipe_is_compatible (job->in_use, job->recipe, &job->error)
          || (reloader->folder && !line_recipe_copy (job->recipe,
                  reloader->folder, &job->error))))
    g_clear_pointer (&job->recipe, line_recipe_unref);
  deliver (job);
  return NULL;
}

static void
start (LineReloader * reloader, LineRecipe * in_use)
{
  Job *job = g_new0 (Job, 1);

  g_atomic_int_inc (&reloader->ref_count);
  job->reloader = reloader;
  job->in_use = line_recipe_ref (in_use);
  job->context = g_main_context_ref (reloader->context);
  reloader->is_reading = TRUE;
  GThread *thread = g_thread_try_new ("line-recipe", run, job, &job->error);
  /* never joined: its disk may hang */
  if (thread)
    g_thread_unref (thread);
  else
    deliver (job);
}

LineReloader *
line_reloader_new (const char *path, GPtrArray * geometries,
    LineFolder * folder, GMainContext * context, LineReloaded done,
    gpointer user)
{
  LineReloader *reloader = g_new0 (LineReloader, 1);

  reloader->ref_count = 1;
  reloader->path = g_strdup (path);
  reloader->geometries = g_ptr_array_ref (geometries);
  reloader->folder = folder ? line_folder_ref (folder) : NULL;
  reloader->context = context;
  reloader->done = done;
  reloader->user = user;
  return reloader;
}

void
line_reloader_free (LineReloader * reloader)
{
  reloader->is_closed = TRUE;
  g_clear_pointer (&reloader->wanted, line_recipe_unref);
  unref (reloader);
}

void
line_reloader_ask (LineReloader * reloader, LineRecipe * in_use)
{
  if (!reloader->is_reading) {
    start (reloader, in_use);
  } else {
    g_clear_pointer (&reloader->wanted, line_recipe_unref);
    reloader->wanted = line_recipe_ref (in_use);
  }
}
