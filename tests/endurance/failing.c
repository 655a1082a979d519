/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For LD_PRELOAD: a lane's tensors lose their second half on the way to the
 * element that finds shapes, which can then compute nothing, while the first
 * byte of the file FAILING_CONTROL is N > 0: of each N'th trigger. Whoever
 * changes that byte of the file starts and ends it. */

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gst/app/gstappsrc.h>

static const volatile guint8 *control;
static gint n_calls;
static GstFlowReturn (*push) (GstAppSrc * source, GstBuffer * buffer);

static void __attribute__((constructor))
open_control (void)
{
  const char *path = g_getenv ("FAILING_CONTROL");
  const int fd = path ? open (path, O_RDONLY | O_CLOEXEC) : -1;
  void *page = MAP_FAILED;

  *(void **) &push = dlsym (RTLD_NEXT, "gst_app_src_push_buffer");
  if (fd < 0)
    return;
  page = mmap (NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
  close (fd);
  if (page != MAP_FAILED)
    control = page;
}

__attribute__((visibility ("default")))
GstFlowReturn
gst_app_src_push_buffer (GstAppSrc * source, GstBuffer * buffer)
{
  const guint8 every = control ? *control : 0;

  if (every && g_atomic_int_add (&n_calls, 1) % every == 0)
    gst_buffer_resize (buffer, 0, gst_buffer_get_size (buffer) / 2);
  return push (source, buffer);
}
