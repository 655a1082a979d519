/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies to a GPU and back by several threads, byte for byte, where a thread
 * stands for the GPU and calls can fail. */
#include "check_copy.h"
#include "fake_cuda.h"
#include "../lib/check.h"
#include "../lib/check_device.h"

#define SIZE 50000

static const CsCudaCopyPolicy policy = { 3, 1024, 0 };

/* The driver's copy, and no error. */
static void
check_no_pinned (void *stream)
{
  const Shape shape = { SIZE, 1, SIZE, SIZE, 0, 0, FALSE };
  CsCudaCopier copier = { NULL, FALSE };
  guint before = fake_cuda_count_pageable ();

  cs_cuda_copy_set_policy (&policy);
  check_copy (&copier, &shape, stream);
  check_that (fake_cuda_count_pageable () == before,
      "pageable memory is not given to the driver");
  cs_cuda_copier_clear (&copier);

  fake_cuda_set_pinned (FALSE);
  check_copy (&copier, &shape, stream);
  check_that (copier.failed && fake_cuda_count_pageable () == before + 2,
      "without page-locked memory the driver copies");
  fake_cuda_set_pinned (TRUE);
  cs_cuda_copier_clear (&copier);
  check_that (fake_cuda_count_events () == 0 && fake_cuda_count_pinned () == 0,
      "nothing is left");
  cs_cuda_copy_set_policy (NULL);
}

/* After an error nothing may be queued from or to this memory, and the next
 * copy is as always. Returns: whether a call has failed */
static gboolean
check_failure (gint n, gboolean up, guint8 * device, void *stream,
    guint * n_errors)
{
  static guint8 host[SIZE];
  const Shape shape = { 3000, 5, 3001, 3000, 0, 0, FALSE };
  CsCudaCopier copier = { NULL, FALSE };
  GError *error = NULL;

  begin ("call %d fails %s the GPU", n, up ? "to" : "from");
  fake_cuda_fail_after (n);
  gboolean ok = cs_cuda_copy_bytes (&copier, up ? device : host,
      up ? host : device, SIZE, stream, &error);
  gboolean has_failed = fake_cuda_has_failed ();
  fake_cuda_fail_after (-1);
  expect (ok == (error == NULL), "an error is told");
  expect (ok || has_failed, "an error without a failure");
  expect (ok || fake_cuda_count_queued () == 0, "copies are queued");
  *n_errors += !ok;
  g_clear_error (&error);
  end ();
  check_copy (&copier, &shape, stream);
  cs_cuda_copier_clear (&copier);
  check_that (fake_cuda_count_events () == 0 && fake_cuda_count_pinned () == 0,
      "nothing is left");
  return has_failed;
}

static void
check_failures (gboolean up, void *stream)
{
  guint8 *device = check_device_alloc (SIZE);
  guint n_errors = 0;
  gint n = 0;

  cs_cuda_copy_set_policy (&policy);
  while (check_failure (n, up, device, stream, &n_errors))
    n++;
  /* the ring's failures are none of the copy: its memory, 16 events, two
   * questions where memory is */
  check_that (n > 100 && (gint) n_errors + 19 >= n,
      "%u errors of %d failures", n_errors, n);
  cs_cuda_copy_set_policy (NULL);
  check_device_free (device);
}

/* Whether memory is read where it is: @pinned and other memory on the host. */
static void
check_reach (const char *wish, gboolean pinned, gboolean other)
{
  guint8 *data = check_device_alloc_pinned (SIZE);
  static guint8 pageable[SIZE];

  if (wish)
    g_setenv ("CUDASHAPES_MAP_FRAMES", wish, TRUE);
  else
    g_unsetenv ("CUDASHAPES_MAP_FRAMES");
  check_that (cs_cuda_reach (data + 1) == (pinned ? data + 1 : NULL),
      "page-locked memory is %s, wish %s", pinned ? "reached" : "copied",
      wish ? wish : "none");
  check_that (cs_cuda_reach (pageable) == (other ? pageable : NULL),
      "pageable memory is %s, wish %s", other ? "reached" : "copied",
      wish ? wish : "none");
  check_device_free_pinned (data);
}

static void
check_shared (void)
{
  check_reach (NULL, FALSE, FALSE);
  check_reach ("1", TRUE, FALSE);
  fake_cuda_set_integrated (FALSE, TRUE);
  check_reach (NULL, FALSE, FALSE);
  check_reach ("1", TRUE, TRUE);
  fake_cuda_set_integrated (TRUE, FALSE);
  check_reach (NULL, TRUE, FALSE);
  check_reach ("", TRUE, FALSE);
  check_reach ("0", FALSE, FALSE);
  fake_cuda_set_integrated (TRUE, TRUE);
  check_reach (NULL, TRUE, TRUE);
  check_reach ("0", FALSE, FALSE);
  /* what cannot be known is copied */
  g_unsetenv ("CUDASHAPES_MAP_FRAMES");
  for (gint n = 0; n < 5; n++) {
    fake_cuda_fail_after (n);
    check_that (cs_cuda_reach (&n) == NULL, "question %d is not answered", n);
  }
  fake_cuda_fail_after (-1);
  fake_cuda_set_integrated (FALSE, FALSE);
}

int
main (void)
{
  void *stream = check_device_stream_new ();

  check_copies (stream, 10, 60000);
  check_parts (stream);
  check_frames (stream);
  check_busy (stream);
  check_reached ();
  check_no_pinned (stream);
  check_failures (TRUE, stream);
  check_failures (FALSE, stream);
  check_shared ();
  return finish ();
}
