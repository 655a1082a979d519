/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "devices.h"

#include <string.h>

#include "camera_device.h"
#include "camera_pixels.h"
#include "machine.h"

/* Microseconds: from a pulse to its picture, and how much that varies; that the
 * answer to a command takes; of one that does not answer */
#define TRANSFER 5000
#define VARIES 1500
#define ANSWER 400
#define SILENCE (G_USEC_PER_SEC / 5)
#define LATE 200000

#define MOST_VIEWS 8

/* A fault that comes now and then comes once in so many times. */
#define SOMETIMES 3

/* A picture on its way; what is behind it in its memory is @frame's data */
typedef struct
{
  LineCameraFrame frame;
  gint64 arrives;
} Shot;

struct _LineCameraDevice
{
  Process *process;
  guint view;
  GThread *thread;
  GMutex lock;
  GCond changed;
  gboolean is_closing, is_lost;
  /* of #Shot: on their way, in order; and there */
  GQueue on_way, there;
  void (*notify) (gpointer user);
  gpointer user;
};

/* A camera, open or not. @rate: of its clock; @ids: so many it has */
typedef struct
{
  LineCameraDevice *open;
  guint faults;
  guint64 count, ids;
  gint64 clock, last_arrival, sound_since;
  gdouble rate;
} Camera;

static struct
{
  guint views, columns, rows;
  Camera cameras[MOST_VIEWS];
} devices;

/* The one that is open; one of a process that was killed is not. */
static LineCameraDevice *
get_open (Camera * camera)
{
  if (camera->open && !world_process_is_alive (camera->open->process))
    camera->open = NULL;
  return camera->open;
}

/* Pictures */

static guint8 *
make_picture (guint view, gint64 pulse, gboolean is_dark)
{
  const Picture picture = { PICTURE_MARK, view, is_dark, pulse };
  guint8 *data = g_malloc0 ((gsize) devices.columns * devices.rows * 3);

  memcpy (data, &picture, sizeof (picture));
  return data;
}

static void
shot_free (gpointer data)
{
  Shot *shot = data;

  g_free ((gpointer) shot->frame.data);
  g_free (shot);
}

static void
expose (guint view, gint64 pulse)
{
  Camera *camera = &devices.cameras[view];
  LineCameraDevice *device = get_open (camera);

  if (!device || device->is_closing || (camera->faults & DEVICE_OFF))
    return;
  Shot *shot = g_new0 (Shot, 1);
  camera->count++;
  shot->frame = (LineCameraFrame) {
    .buffer = shot,.has_id = TRUE,.is_complete = TRUE,
    .id = camera->ids ? 1 + camera->count % camera->ids : camera->count,
    .time = camera->clock + (gint64) (world_now () * camera->rate * 1000),
    .format = LINE_PIXELS_RGB8
  };
  world_tell ("camera %u: picture %" G_GUINT64_FORMAT " of pulse %"
      G_GINT64_FORMAT, view, shot->frame.id, pulse);
  if ((camera->faults & DEVICE_DROPS) && world_one_in (SOMETIMES)) {
    shot_free (shot);
    return;
  }
  if ((camera->faults & DEVICE_TEARS) && world_one_in (SOMETIMES)) {
    shot->frame.is_complete = FALSE;
    shot->frame.has_id = !world_one_in (SOMETIMES);
  }
  shot->frame.data = make_picture (view, pulse,
      (camera->faults & DEVICE_DARK) != 0);
  shot->arrives = world_now () + TRANSFER + (gint64) world_below (VARIES);
  if (camera->faults & DEVICE_LATE)
    shot->arrives += world_delay (LATE);
  /* in order */
  shot->arrives = MAX (shot->arrives, camera->last_arrival + 1);
  camera->last_arrival = shot->arrives;
  g_mutex_lock (&device->lock);
  g_queue_push_tail (&device->on_way, shot);
  g_cond_broadcast (&device->changed);
  g_mutex_unlock (&device->lock);
}

static void
spike (gpointer data)
{
  expose (GPOINTER_TO_UINT (data), -1);
}

void
devices_pulse (gint64 pulse)
{
  for (guint v = 0; v < devices.views; v++) {
    const guint faults = devices.cameras[v].faults;

    if (!(faults & DEVICE_MISSES) || !world_one_in (SOMETIMES))
      expose (v, pulse);
    if ((faults & DEVICE_SPIKES) && world_one_in (SOMETIMES))
      world_at (world_now () + machine_draw_between (), spike,
          GUINT_TO_POINTER (v));
  }
}

void
devices_set_faults (guint view, guint faults)
{
  Camera *camera = &devices.cameras[view];
  LineCameraDevice *device = get_open (camera);

  world_tell ("camera %u: faults %u", view, faults);
  /* it counts anew when it is on again */
  if ((faults & ~camera->faults & DEVICE_OFF) && device) {
    device->is_lost = TRUE;
    g_cond_broadcast (&device->changed);
  }
  if (faults & ~camera->faults & DEVICE_OFF) {
    camera->count = 0;
    camera->clock = (gint64) world_below (G_GINT64_CONSTANT (1) << 40)
        - world_now () * 1000;
  }
  camera->faults = faults;
  camera->sound_since = faults ? G_MAXINT64 : world_now ();
}

gint64
devices_get_sound_since (guint view)
{
  return devices.cameras[view].sound_since;
}

guint
devices_get_faults (guint view)
{
  return devices.cameras[view].faults;
}

/* The device */

gboolean
line_camera_device_is_built (void)
{
  return TRUE;
}

static Camera *
find_camera (const char *id)
{
  return &devices.cameras[(guint) (id[strlen (id) - 1] - '0') % MOST_VIEWS];
}

/* Returns: whether it has answered */
static gboolean
ask (const Camera * camera)
{
  if (!(camera->faults & DEVICE_OFF)) {
    world_spend (ANSWER);
    return TRUE;
  }
  world_sleep_until (world_now () + SILENCE);
  return FALSE;
}

gboolean
line_camera_device_answers (const char *id)
{
  return ask (find_camera (id));
}

/* Brings pictures when they arrive. */
static gpointer
run (gpointer data)
{
  LineCameraDevice *device = data;

  g_mutex_lock (&device->lock);
  while (!device->is_closing) {
    const Shot *shot = g_queue_peek_head (&device->on_way);
    gboolean has_come = FALSE;

    g_cond_wait_until (&device->changed, &device->lock, shot ? shot->arrives :
        G_MAXINT64);
    while ((shot = g_queue_peek_head (&device->on_way))
        && shot->arrives <= world_now ()) {
      g_queue_push_tail (&device->there, g_queue_pop_head (&device->on_way));
      has_come = TRUE;
    }
    g_mutex_unlock (&device->lock);
    if (has_come || device->is_lost)
      device->notify (device->user);
    g_mutex_lock (&device->lock);
  }
  g_mutex_unlock (&device->lock);
  return NULL;
}

LineCameraDevice *
line_camera_device_open (const LineCameraTask * task,
    void (*notify) (gpointer user), gpointer user, GError ** error)
{
  Camera *camera = find_camera (task->config->ids[task->view]);

  if (!ask (camera) || get_open (camera)) {
    line_fail (error, LINE_ERROR_RUN, "there is no answer");
    return NULL;
  }
  LineCameraDevice *device = g_new0 (LineCameraDevice, 1);
  device->process = world_get_process ();
  device->view = task->view;
  device->notify = notify;
  device->user = user;
  g_mutex_init (&device->lock);
  g_cond_init (&device->changed);
  device->thread = g_thread_try_new ("device", run, device, NULL);
  camera->open = device;
  world_spend (ANSWER);
  return device;
}

void
line_camera_device_close (LineCameraDevice * device)
{
  Camera *camera = &devices.cameras[device->view];

  g_mutex_lock (&device->lock);
  device->is_closing = TRUE;
  g_cond_broadcast (&device->changed);
  g_mutex_unlock (&device->lock);
  g_thread_join (device->thread);
  (void) ask (camera);
  if (camera->open == device)
    camera->open = NULL;
  g_queue_clear_full (&device->on_way, shot_free);
  g_queue_clear_full (&device->there, shot_free);
  g_cond_clear (&device->changed);
  g_mutex_clear (&device->lock);
  g_free (device);
}

gboolean
line_camera_device_take (LineCameraDevice * device, LineCameraFrame * frame)
{
  g_mutex_lock (&device->lock);
  const Shot *shot = g_queue_pop_head (&device->there);
  g_mutex_unlock (&device->lock);
  if (shot)
    *frame = shot->frame;
  return shot != NULL;
}

void
line_camera_device_give (LineCameraDevice * device,
    const LineCameraFrame * frame)
{
  shot_free (frame->buffer);
}

gboolean
line_camera_device_trigger (LineCameraDevice * device, GError ** error)
{
  const Camera *camera = &devices.cameras[device->view];

  if (!ask (camera))
    return line_fail (error, LINE_ERROR_RUN, "there is no answer");
  if (!(camera->faults & DEVICE_MISSES) || !world_one_in (SOMETIMES))
    expose (device->view, machine_find (world_now ()));
  world_spend (ANSWER);
  return TRUE;
}

gboolean
line_camera_device_is_lost (LineCameraDevice * device)
{
  return device->is_lost;
}

gboolean
line_camera_device_is_there (LineCameraDevice * device)
{
  return ask (&devices.cameras[device->view]);
}

/* Life */

void
devices_begin (guint views, guint columns, guint rows)
{
  memset (&devices, 0, sizeof (devices));
  devices.views = views;
  devices.columns = columns;
  devices.rows = rows;
  for (guint v = 0; v < views; v++) {
    Camera *camera = &devices.cameras[v];

    camera->ids = world_one_in (2) ? 65535 : 0;
    camera->count = world_below (65600);
    camera->clock = (gint64) world_below (G_GINT64_CONSTANT (1) << 50);
    /* up to 50 millionths fast or slow */
    camera->rate = 1 + ((gdouble) world_below (101) - 50) / 1e6;
  }
}
