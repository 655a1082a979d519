/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fake_cameras ADDRESS...: GigE Vision cameras on loopback, libaravis' own
 * fakes, which send the simulated lane's pictures; camera N is view N. Each
 * picture has a number and, in its last row, the view. Commands on standard
 * input, a line each:
 *   barrier HZ N   a light barrier at all cameras' Line0, N times, meanwhile, so
 *                  often at most; numbers count its pulses
 *   wait           until it has done so
 *   kill V, back V  camera V is unplugged, plugged in
 *   loss SHARE     of packets
 * Software triggers' pictures have the time as their number, in milliseconds,
 * the lower 24 bits. Prints "ready" and an answer to each command. */

#include <arv.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "scene.h"

#define MAX_CAMERAS 8

/* Looks for a trigger, a second */
#define POLLS 500

typedef struct
{
  guint view;
  const char *address;
  ArvGvFakeCamera *device;
  ArvFakeCamera *camera;
  /* whether it was set to Line0; the pulse that its next picture is of */
  gboolean is_armed, has_pulse;
  guint32 pulse;
  guint64 pulse_time;
} Camera;

static Camera cameras[MAX_CAMERAS];
static guint n_cameras;
static LineScene *scene;
static GMutex lock;
static guint32 n_pulses;
static gdouble loss;
static GThread *barrier;
static gdouble barrier_rate;
static guint barrier_pulses;

/* Interfaces of this machine, as the library's fakes see them: each needs an
 * address of its own, and loopback has all of them, but names one only. */

#define SHOWN __attribute__ ((visibility ("default")))
SHOWN int getifaddrs (struct ifaddrs **list);
SHOWN void freeifaddrs (struct ifaddrs *list);

static struct sockaddr *
make_address (const char *text)
{
  struct sockaddr_in *address = g_new0 (struct sockaddr_in, 1);
  g_autoptr (GInetAddress) ip = g_inet_address_new_from_string (text);

  address->sin_family = AF_INET;
  memcpy (&address->sin_addr, g_inet_address_to_bytes (ip), 4);
  return (struct sockaddr *) address;
}

int
getifaddrs (struct ifaddrs **list)
{
  *list = NULL;
  for (guint i = 0; i < n_cameras; i++) {
    struct ifaddrs *one = g_new0 (struct ifaddrs, 1);

    one->ifa_next = *list;
    one->ifa_name = g_strdup ("lo");
    one->ifa_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
    one->ifa_addr = make_address (cameras[i].address);
    one->ifa_netmask = make_address ("255.0.0.0");
    one->ifa_broadaddr = make_address ("127.255.255.255");
    *list = one;
  }
  return 0;
}

void
freeifaddrs (struct ifaddrs *list)
{
  while (list) {
    struct ifaddrs *next = list->ifa_next;

    g_free (list->ifa_name);
    g_free (list->ifa_addr);
    g_free (list->ifa_netmask);
    g_free (list->ifa_broadaddr);
    g_free (list);
    list = next;
  }
}

/* Pictures */

static guint32
number_picture (Camera * camera, ArvBuffer * buffer)
{
  guint32 number = arv_buffer_get_timestamp (buffer) / 1000000 & 0xffffff;

  g_mutex_lock (&lock);
  if (camera->has_pulse) {
    /* cameras tell when they were triggered, whatever this machine does */
    number = camera->pulse;
    arv_buffer_set_timestamp (buffer, camera->pulse_time);
  }
  camera->has_pulse = FALSE;
  g_mutex_unlock (&lock);
  return number;
}

static void
fill (ArvBuffer * buffer, void *data, guint32 exposure, guint32 gain,
    ArvPixelFormat format)
{
  Camera *camera = data;
  gint x, y, width, height;
  size_t size;
  guint8 *out = (guint8 *) arv_buffer_get_data (buffer, &size);

  arv_buffer_get_image_region (buffer, &x, &y, &width, &height);
  g_autofree guint8 *rgb = g_malloc0 ((gsize) width * height * 3);
  if (width == 511 && height == 95)
    line_scene_render (scene, number_picture (camera, buffer), camera->view,
        rgb, NULL, NULL);
  rgb[(gsize) width * (height - 1) * 3] = 20 * (camera->view + 1);
  /* the library sends what its own pattern would have written */
  for (gsize i = 0; i < (gsize) width * height; i++)
    if (format == ARV_PIXEL_FORMAT_RGB_8_PACKED)
      memcpy (out + 3 * i, rgb + 3 * i, 3);
    else
      out[i] = rgb[3 * i];
}

/* Cameras */

static void
plug_in (Camera * camera)
{
  g_autofree char *serial = g_strdup_printf ("GV%02u", camera->view);

  camera->device = arv_gv_fake_camera_new (camera->address, serial);
  if (!arv_gv_fake_camera_is_running (camera->device)) {
    fprintf (stderr, "no camera can be at %s\n", camera->address);
    exit (77);
  }
  g_object_set (camera->device, "gvsp-lost-ratio", loss, NULL);
  ArvFakeCamera *fake = arv_gv_fake_camera_get_fake_camera (camera->device);
  arv_fake_camera_set_fill_pattern (fake, fill, camera);
  arv_fake_camera_set_trigger_frequency (fake, POLLS);
  g_mutex_lock (&lock);
  camera->is_armed = camera->has_pulse = FALSE;
  camera->camera = fake;
  g_mutex_unlock (&lock);
}

static guint32
read_register (const Camera * camera, guint32 address)
{
  guint32 value = 0;

  arv_fake_camera_read_register (camera->camera, address, &value);
  return value;
}

/* With the lock: a pulse at its trigger input. */
static void
pulse (Camera * camera, guint32 number, guint64 time)
{
  if (!camera->camera || read_register (camera,
          ARV_FAKE_CAMERA_REGISTER_TRIGGER_MODE) != 1)
    return;
  /* Line0 is 0; the library's fake has pictures of software triggers only */
  if (read_register (camera, ARV_FAKE_CAMERA_REGISTER_TRIGGER_SOURCE) == 0) {
    camera->is_armed = TRUE;
    arv_fake_camera_write_register (camera->camera,
        ARV_FAKE_CAMERA_REGISTER_TRIGGER_SOURCE, 1);
  }
  if (!camera->is_armed || read_register (camera,
          ARV_FAKE_CAMERA_REGISTER_ACQUISITION) == 0)
    return;
  camera->has_pulse = TRUE;
  camera->pulse = number;
  camera->pulse_time = time;
  arv_fake_camera_write_register (camera->camera,
      ARV_FAKE_CAMERA_REGISTER_TRIGGER_SOFTWARE, 1);
}

/* With the lock. The belt waits for cameras that still take a picture: those of a
 * busy machine would ignore a pulse, as real ones do. */
static void
wait_for_cameras (void)
{
  gboolean is_busy = TRUE;

  while (is_busy) {
    is_busy = FALSE;
    for (guint v = 0; v < n_cameras; v++)
      is_busy = is_busy || (cameras[v].camera && cameras[v].has_pulse
          && read_register (&cameras[v],
              ARV_FAKE_CAMERA_REGISTER_ACQUISITION) != 0
          && read_register (&cameras[v],
              ARV_FAKE_CAMERA_REGISTER_TRIGGER_SOURCE) != 0);
    if (!is_busy)
      break;
    g_mutex_unlock (&lock);
    g_usleep (1000);
    g_mutex_lock (&lock);
  }
}

static gpointer
run_barrier (gpointer data)
{
  for (guint i = 0; i < barrier_pulses; i++) {
    g_mutex_lock (&lock);
    guint64 time = g_get_real_time () * 1000;
    for (guint v = 0; v < n_cameras; v++)
      pulse (&cameras[v], n_pulses, time);
    n_pulses++;
    wait_for_cameras ();
    g_mutex_unlock (&lock);
    g_usleep ((gulong) (1e6 / barrier_rate));
  }
  return NULL;
}

static void
wait_for_barrier (void)
{
  if (barrier)
    g_thread_join (g_steal_pointer (&barrier));
}

static void
obey (const char *line)
{
  gdouble number;
  guint n;

  if (sscanf (line, "barrier %lf %u", &number, &n) == 2) {
    wait_for_barrier ();
    barrier_rate = number;
    barrier_pulses = n;
    barrier = g_thread_new ("barrier", run_barrier, NULL);
  } else if (strcmp (line, "wait\n") == 0) {
    wait_for_barrier ();
  } else if (sscanf (line, "kill %u", &n) == 1 && n < n_cameras) {
    g_mutex_lock (&lock);
    cameras[n].camera = NULL;
    g_mutex_unlock (&lock);
    /* without the lock, which a picture on its way takes */
    g_object_unref (g_steal_pointer (&cameras[n].device));
  } else if (sscanf (line, "back %u", &n) == 1 && n < n_cameras) {
    plug_in (&cameras[n]);
  } else if (sscanf (line, "loss %lf", &number) == 1) {
    loss = number;
    for (guint v = 0; v < n_cameras; v++)
      if (cameras[v].device)
        g_object_set (cameras[v].device, "gvsp-lost-ratio", loss, NULL);
  } else {
    fprintf (stderr, "what is \"%s\"?\n", line);
    exit (2);
  }
}

int
main (int argc, char **argv)
{
  LineSceneParams params;
  char line[256];

  /* real cameras do not wait for this machine; it does no harm if this fails */
  setpriority (PRIO_PROCESS, 0, -10);
  line_scene_params_init (&params);
  scene = line_scene_new (&params, NULL);
  if (argc < 2 || argc - 1 > (int) MIN (MAX_CAMERAS, params.views) || !scene)
    return 2;
  n_cameras = argc - 1;
  for (guint i = 0; i < n_cameras; i++)
    cameras[i] = (Camera) {.view = i,.address = argv[1 + i]};
  for (guint i = 0; i < n_cameras; i++)
    plug_in (&cameras[i]);
  puts ("ready");
  fflush (stdout);
  while (fgets (line, sizeof (line), stdin)) {
    obey (line);
    printf ("%u pulses so far\n", n_pulses);
    fflush (stdout);
  }
  wait_for_barrier ();
  for (guint i = 0; i < n_cameras; i++)
    g_clear_object (&cameras[i].device);
  line_scene_free (scene);
  return 0;
}
