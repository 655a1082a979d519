/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Without libaravis */

#include "camera_device.h"

gboolean
line_camera_device_is_built (void)
{
  return FALSE;
}

gboolean
line_camera_device_answers (const char *id)
{
  return FALSE;
}

LineCameraDevice *
line_camera_device_open (const LineCameraTask * task,
    void (*notify) (gpointer user), gpointer user, GError ** error)
{
  line_fail (error, LINE_ERROR_RUN, "this program was built without libaravis");
  return NULL;
}

void
line_camera_device_close (LineCameraDevice * device)
{
}

gboolean
line_camera_device_take (LineCameraDevice * device, LineCameraFrame * frame)
{
  return FALSE;
}

void
line_camera_device_give (LineCameraDevice * device,
    const LineCameraFrame * frame)
{
}

gboolean
line_camera_device_trigger (LineCameraDevice * device, GError ** error)
{
  return line_fail (error, LINE_ERROR_RUN, "this program was built without "
      "libaravis");
}

gboolean
line_camera_device_is_lost (LineCameraDevice * device)
{
  return TRUE;
}

gboolean
line_camera_device_is_there (LineCameraDevice * device)
{
  return FALSE;
}
