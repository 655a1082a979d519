/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "camera_device.h"

#include <arv.h>
#include <math.h>
#include <string.h>

#include "camera_pixels.h"

/* Buffers that a stream has: pictures of as many triggers may be on their way */
#define BUFFERS 8

/* Of GigE Vision's control protocol */
#define CONTROL_PORT 3956

/* Microseconds that a camera has to answer, and how often it is asked: question
 * and answer may be lost */
#define PACKET_TIMEOUT (G_USEC_PER_SEC / 5)
#define MOST_ASKED 3

/* Microseconds after which a packet that is missing is asked for again */
#define RESEND_US 5000

/* No camera counts as far as this: it means that the head of the picture was
 * lost. */
#define NO_ID G_MAXUINT64

struct _LineCameraDevice
{
  LineCameraTask task;
  ArvCamera *camera;
  ArvStream *stream;
  guint32 format;
  gsize size;
  char *address;
  void (*notify) (gpointer user);
  gpointer user;
  gint is_lost;
};

gboolean
line_camera_device_is_built (void)
{
  return TRUE;
}

/* Is it there? */

/* Asks for a register that each camera has, in GigE Vision's own words. Returns:
 * whether anything came back in time */
static gboolean
ask (GSocket * socket, GSocketAddress * address)
{
  /* key, acknowledge, READREG, length, request id, the version's address */
  static const char question[] = { 0x42, 0x01, 0x00, (char) 0x80, 0x00, 0x04,
    0x00, 0x01, 0x00, 0x00, 0x00, 0x00
  };
  char answer[64];

  g_socket_set_timeout (socket, 0);
  return g_socket_send_to (socket, address, question, sizeof (question), NULL,
      NULL) == sizeof (question)
      && g_socket_condition_timed_wait (socket, G_IO_IN, PACKET_TIMEOUT, NULL, NULL)
      && g_socket_receive (socket, answer, sizeof (answer), NULL, NULL) > 0;
}

gboolean
line_camera_device_answers (const char *id)
{
  g_autoptr (GInetAddress) ip = g_inet_address_new_from_string (id);
  g_autoptr (GSocketAddress) address = NULL;
  gboolean answers = FALSE;

  if (!ip)
    return TRUE;
  address = g_inet_socket_address_new (ip, CONTROL_PORT);
  g_autoptr (GSocket) socket = g_socket_new (g_inet_address_get_family (ip),
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  for (guint i = 0; socket && i < MOST_ASKED && !answers; i++)
    answers = ask (socket, address);
  return answers;
}

gboolean
line_camera_device_is_there (LineCameraDevice * device)
{
  return !device->address || line_camera_device_answers (device->address);
}

/* Setting up */

static gboolean
set_region (LineCameraDevice * device, GError ** error)
{
  const LineCameraTask *task = &device->task;
  const gdouble left = task->config->offset_x[task->view];
  const gdouble top = task->config->offset_y[task->view];
  gint x, y, width = 0, height = 0, all_columns = 0, all_rows = 0;
  g_autoptr (GError) reason = NULL;

  arv_camera_set_region (device->camera, isnan (left) ? -1 : (gint) left,
      isnan (top) ? -1 : (gint) top, task->columns, task->rows, &reason);
  arv_camera_get_region (device->camera, &x, &y, &width, &height, NULL);
  arv_camera_get_sensor_size (device->camera, &all_columns, &all_rows, NULL);
  if (!reason && width == (gint) task->columns && height == (gint) task->rows)
    return TRUE;
  return line_fail (error, LINE_ERROR_RUN, "its pictures have %d x %d pixels "
      "of the sensor's %d x %d, and cannot be set to columns=%u, rows=%u of "
      "[geometry]%s%s: give what it can have, or other offset-x and offset-y",
      width, height, all_columns, all_rows, task->columns, task->rows, reason ?
      ": " : "", reason ? reason->message : "");
}

static guint32
choose_format (ArvCamera * camera)
{
  guint n = 0;
  g_autofree gint64 *formats =
      arv_camera_dup_available_pixel_formats (camera, &n, NULL);
  guint32 best = 0;

  for (guint i = 0; line_pixel_formats[i] && !best; i++)
    for (guint k = 0; k < n; k++)
      if (formats[k] == line_pixel_formats[i])
        best = line_pixel_formats[i];
  return best;
}

static gboolean
set_format (LineCameraDevice * device, GError ** error)
{
  const char *name = device->task.config->pixel_format;
  const guint32 best = name ? 0 : choose_format (device->camera);
  g_autoptr (GError) reason = NULL;
  g_autofree char *formats = NULL;

  if (name)
    arv_camera_set_pixel_format_from_string (device->camera, name, &reason);
  else if (best)
    arv_camera_set_pixel_format (device->camera, best, &reason);
  device->format = arv_camera_get_pixel_format (device->camera, NULL);
  if (!reason && line_pixels_are_known (device->format))
    return TRUE;
  guint n = 0;
  const char **names =
      arv_camera_dup_available_pixel_formats_as_strings (device->camera, &n,
      NULL);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i ? ", " : "", names[i]);
  g_free (names);
  formats = g_string_free (text, FALSE);
  return line_fail (error, LINE_ERROR_RUN, "pixel-format=%s is of no use%s%s: "
      "RGB8, BGR8, Mono8 and Bayer patterns of 8 bits are taken; the camera "
      "has %s", name ? name : "", reason ? ": " : "", reason ? reason->message :
      "", formats);
}

/* Returns: FALSE with @error set to "@what: ..." */
static gboolean
is_set (GError * reason, const char *what, GError ** error)
{
  if (!reason)
    return TRUE;
  g_propagate_prefixed_error (error, reason, "%s: ", what);
  return FALSE;
}

static gboolean
set_exposure (LineCameraDevice * device, GError ** error)
{
  const gdouble time = device->task.config->exposure_us[device->task.view];
  GError *reason = NULL;

  if (isnan (time))
    return TRUE;
  if (arv_camera_is_exposure_auto_available (device->camera, NULL))
    arv_camera_set_exposure_time_auto (device->camera, ARV_AUTO_OFF, NULL);
  arv_camera_set_exposure_time (device->camera, time, &reason);
  return is_set (reason, "exposure-us", error);
}

static gboolean
set_gain (LineCameraDevice * device, GError ** error)
{
  const gdouble gain = device->task.config->gain[device->task.view];
  GError *reason = NULL;

  if (isnan (gain))
    return TRUE;
  if (arv_camera_is_gain_auto_available (device->camera, NULL))
    arv_camera_set_gain_auto (device->camera, ARV_AUTO_OFF, NULL);
  arv_camera_set_gain (device->camera, gain, &reason);
  return is_set (reason, "gain", error);
}

static gboolean
set_trigger (LineCameraDevice * device, GError ** error)
{
  const LineCameraConfig *config = device->task.config;
  GError *reason = NULL;

  arv_camera_set_acquisition_mode (device->camera,
      ARV_ACQUISITION_MODE_CONTINUOUS, &reason);
  if (!reason)
    arv_camera_set_trigger (device->camera, config->is_hardware ?
        config->trigger_source : "Software", &reason);
  if (!is_set (reason, config->is_hardware ? "trigger-source" :
          "trigger=software", error))
    return FALSE;
  /* libaravis has set RisingEdge, where there is a choice */
  reason = NULL;
  if (config->is_hardware && strcmp (config->trigger_activation,
          "RisingEdge") != 0)
    arv_camera_set_string (device->camera, "TriggerActivation",
        config->trigger_activation, &reason);
  return is_set (reason, "trigger-activation", error);
}

static gboolean
set_features (LineCameraDevice * device, GError ** error)
{
  GError *reason = NULL;

  if (device->task.config->features)
    arv_device_set_features_from_string (arv_camera_get_device
        (device->camera), device->task.config->features, &reason);
  return is_set (reason, "features", error);
}

/* A packet socket, which is what root gets, does not receive what this machine
 * sends itself. */
static gboolean
set_network (LineCameraDevice * device, GError ** error)
{
  ArvCamera *camera = device->camera;
  GError *reason = NULL;

  if (!arv_camera_is_gv_device (camera))
    return TRUE;
  GInetAddress *ip = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS
      (arv_gv_device_get_device_address (ARV_GV_DEVICE
              (arv_camera_get_device (camera)))));
  device->address = g_inet_address_to_string (ip);
  if (g_inet_address_get_is_loopback (ip))
    arv_camera_gv_set_stream_options (camera,
        ARV_GV_STREAM_OPTION_PACKET_SOCKET_DISABLED);
  if (device->task.config->packet_size) {
    arv_camera_gv_set_packet_size_adjustment (camera,
        ARV_GV_PACKET_SIZE_ADJUSTMENT_NEVER);
    arv_camera_gv_set_packet_size (camera, device->task.config->packet_size,
        &reason);
  }
  return is_set (reason, "packet-size", error);
}

static gboolean
set_up (LineCameraDevice * device, GError ** error)
{
  arv_camera_set_range_check_policy (device->camera,
      ARV_RANGE_CHECK_POLICY_ENABLE);
  /* one that was left running takes no settings */
  arv_camera_stop_acquisition (device->camera, NULL);
  return set_network (device, error) && set_format (device, error)
      && set_region (device, error) && set_trigger (device, error)
      && set_exposure (device, error) && set_gain (device, error)
      && set_features (device, error);
}

/* Stream */

static void
control_lost (ArvDevice * gone, LineCameraDevice * device)
{
  g_atomic_int_set (&device->is_lost, TRUE);
  device->notify (device->user);
}

static void
streamed (void *user, ArvStreamCallbackType type, ArvBuffer * buffer)
{
  LineCameraDevice *device = user;

  if (type == ARV_STREAM_CALLBACK_TYPE_BUFFER_DONE)
    device->notify (device->user);
}

/* What is left of the last picture's head must not be taken for the next's. */
static void
give_buffer (LineCameraDevice * device, ArvBuffer * buffer)
{
  arv_buffer_set_frame_id (buffer, NO_ID);
  arv_stream_push_buffer (device->stream, buffer);
}

static gboolean
start_stream (LineCameraDevice * device, GError ** error)
{
  const LineCameraTask *task = &device->task;
  const gsize least = line_pixels_get_size (device->format, task->columns,
      task->rows);
  GError *reason = NULL;

  device->size = arv_camera_get_payload (device->camera, &reason);
  if (!reason && device->size < least)
    line_fail (&reason, LINE_ERROR_RUN, "a picture has %" G_GSIZE_FORMAT " "
        "bytes, not %" G_GSIZE_FORMAT, device->size, least);
  if (!reason)
    device->stream = arv_camera_create_stream (device->camera, streamed,
        device, &reason);
  if (device->stream && ARV_IS_GV_STREAM (device->stream))
    /* the system gives as much of that as it may */
    g_object_set (device->stream,
        "socket-buffer", ARV_GV_STREAM_SOCKET_BUFFER_FIXED,
        "socket-buffer-size", (gint) MIN (BUFFERS * device->size, G_MAXINT / 4),
        "packet-timeout", RESEND_US,
        "frame-retention", task->config->retention_ms * 1000, NULL);
  for (guint i = 0; i < BUFFERS && device->stream; i++)
    give_buffer (device, arv_buffer_new_allocate (device->size));
  if (device->stream)
    arv_camera_start_acquisition (device->camera, &reason);
  return is_set (reason, "the stream of pictures cannot be started", error);
}

LineCameraDevice *
line_camera_device_open (const LineCameraTask * task,
    void (*notify) (gpointer user), gpointer user, GError ** error)
{
  LineCameraDevice *device = g_new0 (LineCameraDevice, 1);

  device->task = *task;
  device->notify = notify;
  device->user = user;
  device->camera = arv_camera_new (task->config->ids[task->view], error);
  if (!device->camera) {
    g_free (device);
    return NULL;
  }
  g_signal_connect (arv_camera_get_device (device->camera), "control-lost",
      G_CALLBACK (control_lost), device);
  if (set_up (device, error) && start_stream (device, error))
    return device;
  line_camera_device_close (device);
  return NULL;
}

void
line_camera_device_close (LineCameraDevice * device)
{
  ArvDevice *control = g_object_ref (arv_camera_get_device (device->camera));

  if (!line_camera_device_is_lost (device))
    arv_camera_stop_acquisition (device->camera, NULL);
  g_clear_object (&device->stream);
  g_signal_handlers_disconnect_by_data (control, device);
  g_object_unref (device->camera);
  /* The device's own thread holds it while it tells that it is lost. Were that
   * the last reference, the device would end there, and wait for that thread.
   * Takes @control. */
  const gint64 end = g_get_monotonic_time () + G_USEC_PER_SEC;
  while (g_atomic_int_get (&G_OBJECT (control)->ref_count) > 1
      && g_get_monotonic_time () < end)
    g_usleep (1000);
  g_object_unref (control);
  g_free (device->address);
  g_free (device);
}

/* Pictures */

/* A picture of another size or format is of no use, whoever has changed the
 * camera's settings. */
static gboolean
is_as_asked_for (const LineCameraDevice * device, ArvBuffer * buffer)
{
  const LineCameraTask *task = &device->task;
  const ArvBufferPayloadType payload = arv_buffer_get_payload_type (buffer);
  gint x, y, width, height, pad_x, pad_y;

  if (payload != ARV_BUFFER_PAYLOAD_TYPE_IMAGE
      && payload != ARV_BUFFER_PAYLOAD_TYPE_EXTENDED_CHUNK_DATA)
    return FALSE;
  arv_buffer_get_image_region (buffer, &x, &y, &width, &height);
  arv_buffer_get_image_padding (buffer, &pad_x, &pad_y);
  return width == (gint) task->columns && height == (gint) task->rows
      && pad_x == 0
      && arv_buffer_get_image_pixel_format (buffer) == device->format;
}

gboolean
line_camera_device_take (LineCameraDevice * device, LineCameraFrame * frame)
{
  ArvBuffer *buffer = arv_stream_try_pop_buffer (device->stream);
  gsize size = 0;

  if (!buffer)
    return FALSE;
  *frame = (LineCameraFrame) {.buffer = buffer };
  frame->id = arv_buffer_get_frame_id (buffer);
  frame->has_id = frame->id != NO_ID;
  frame->time = arv_buffer_get_timestamp (buffer);
  frame->is_complete = frame->has_id
      && arv_buffer_get_status (buffer) == ARV_BUFFER_STATUS_SUCCESS
      && is_as_asked_for (device, buffer);
  if (frame->is_complete) {
    frame->data = arv_buffer_get_image_data (buffer, &size);
    frame->format = device->format;
  }
  if (size < line_pixels_get_size (device->format, device->task.columns,
          device->task.rows))
    frame->is_complete = FALSE;
  return TRUE;
}

void
line_camera_device_give (LineCameraDevice * device,
    const LineCameraFrame * frame)
{
  give_buffer (device, frame->buffer);
}

gboolean
line_camera_device_trigger (LineCameraDevice * device, GError ** error)
{
  GError *reason = NULL;

  arv_camera_software_trigger (device->camera, &reason);
  return is_set (reason, "TriggerSoftware", error);
}

gboolean
line_camera_device_is_lost (LineCameraDevice * device)
{
  return g_atomic_int_get (&device->is_lost);
}
