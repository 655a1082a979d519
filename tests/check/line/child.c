/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* LineNetwork against children that answer as they should, and all others. The
 * children are this program itself: child MODE. */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "network.h"

/* pictures and tensors are greater than what a pipe holds */
#define ROWS 60
#define COLUMNS 500
#define CLASSES 5
#define PIXELS (ROWS * COLUMNS)
#define FLOATS (PIXELS * CLASSES)
#define TIMEOUT (20 * G_USEC_PER_SEC)

static char *program;

/* The first float of an answer, a NaN of its own: bits are not changed. */
static const guint32 nan_bits = 0x7fc12345;

/* Child */

static gboolean
read_all (void *data, gsize size)
{
  return fread (data, 1, size, stdin) == size;
}

/* What the right child makes of a sample, written apart from its caller. */
static gfloat
answer_to (guint8 sample, guint k)
{
  return (gfloat) sample * (k + 1) + 0.125f;
}

static void
put_head (guint32 * head, const char *mode)
{
  memcpy (head, strcmp (mode, "magic") == 0 ? "DEBU" : "FLNT", 4);
  head[1] += strcmp (mode, "tag") == 0;
  head[2] += strcmp (mode, "shape") == 0;
  head[3] -= strcmp (mode, "columns") == 0;
  head[4] = GUINT32_TO_LE (CLASSES + 2 * (strcmp (mode, "classes") == 0));
}

/* Answers before it has the picture. */
static int
run_eager_child (void)
{
  static guint8 rgb[3 * PIXELS];
  static gfloat tensor[FLOATS];
  guint32 head[5] = { 0, 0, GUINT32_TO_LE (ROWS), GUINT32_TO_LE (COLUMNS) };

  for (guint32 tag = 1;; tag++) {
    head[1] = GUINT32_TO_LE (tag);
    put_head (head, "eager");
    fwrite (head, 1, sizeof (head), stdout);
    fwrite (tensor, 1, sizeof (tensor), stdout);
    fflush (stdout);
    if (!read_all (head, sizeof (head)))
      return 0;
    if (memcmp (head, "FLNP", 4) != 0 || head[1] != GUINT32_TO_LE (tag)
        || !read_all (rgb, sizeof (rgb)))
      return 3;
  }
}

/* Of all processes that run in this folder. */
static gboolean
is_first_time (void)
{
  const int file = open ("was-here", O_CREAT | O_EXCL | O_WRONLY, 0600);

  return file >= 0 && close (file) == 0;
}

static int
run_child (const char *mode)
{
  static guint8 rgb[3 * PIXELS];
  static gfloat tensor[FLOATS];
  guint32 head[5];

  if (strcmp (mode, "deaf") == 0)
    pause ();
  if (strcmp (mode, "eager") == 0)
    return run_eager_child ();
  if (strcmp (mode, "ends") == 0)
    return 1;
  if (strcmp (mode, "heedless") == 0)
    signal (SIGTERM, SIG_IGN);
  while (read_all (head, sizeof (head)) && read_all (rgb, sizeof (rgb))) {
    if (memcmp (head, "FLNP", 4) != 0 || GUINT32_FROM_LE (head[2]) != ROWS
        || GUINT32_FROM_LE (head[3]) != COLUMNS
        || GUINT32_FROM_LE (head[4]) != 3)
      return 3;
    if (strcmp (mode, "late") == 0 || strcmp (mode, "heedless") == 0
        || (strcmp (mode, "once-late") == 0 && is_first_time ()))
      sleep (30);
    put_head (head, mode);
    for (guint i = 0; i < FLOATS; i++)
      tensor[i] = answer_to (rgb[i / CLASSES * 3], i % CLASSES);
    memcpy (tensor, &nan_bits, sizeof (nan_bits));
    fwrite (head, 1, sizeof (head), stdout);
    fwrite (tensor, 1, strcmp (mode, "short") == 0 ? 1000 : sizeof (tensor),
        stdout);
    fflush (stdout);
    if (strcmp (mode, "short") == 0)
      return 1;
    if (strcmp (mode, "flood") == 0)
      for (;;)
        fwrite (tensor, 1, sizeof (tensor), stdout);
  }
  if (strcmp (mode, "stubborn") == 0) {
    signal (SIGTERM, SIG_IGN);
    for (;;)
      pause ();
  }
  return 0;
}

/* Parent */

static LineNetwork *
start_in (const char *folder, const char *mode)
{
  const char *argv[] = { program, "child", mode, NULL };
  GError *error = NULL;
  LineNetwork *network =
      line_network_new (argv, folder, ROWS, COLUMNS, CLASSES, &error);

  g_assert_no_error (error);
  return network;
}

static LineNetwork *
start (const char *mode)
{
  return start_in (NULL, mode);
}

static void
assert_right (LineNetwork * network, guint seed)
{
  static guint8 rgb[3 * PIXELS];
  static gfloat tensor[FLOATS];
  GError *error = NULL;

  for (guint i = 0; i < 3 * PIXELS; i++)
    rgb[i] = (guint8) (i * 7 + seed * 31);
  line_network_run (network, rgb, tensor, TIMEOUT, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (tensor, sizeof (nan_bits), &nan_bits, sizeof (nan_bits));
  for (guint i = 1; i < FLOATS; i++)
    g_assert_cmpfloat (tensor[i], ==, answer_to (rgb[i / CLASSES * 3],
            i % CLASSES));
}

static void
assert_wrong (LineNetwork * network, gint64 timeout, const char *message)
{
  static guint8 rgb[3 * PIXELS];
  static gfloat tensor[FLOATS];
  g_autoptr (GError) error = NULL;

  g_assert_false (line_network_run (network, rgb, tensor, timeout, &error));
  g_assert_nonnull (error);
  if (!strstr (error->message, message))
    g_error ("\"%s\" lacks \"%s\"", error->message, message);
}

static guint
count_descriptors (void)
{
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (folder))
    n++;
  return n;
}

static void
check_no_children (void)
{
  g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
}

CHECK (right)
{
  const guint before = count_descriptors ();
  LineNetwork *network = start ("right");

  g_assert_false (line_network_is_loaded (network));
  for (guint i = 0; i < 200; i++)
    assert_right (network, i);
  g_assert_true (line_network_is_loaded (network));
  line_network_free (network);
  g_assert_cmpuint (count_descriptors (), ==, before);
  check_no_children ();
}

CHECK (wrong)
{
  const guint before = count_descriptors ();
  static const struct
  {
    const char *mode, *message;
  } cases[] = {
    {"magic", "begin no tensor"},
    {"tag", "the network answers picture 2, and was given 1"},
    {"shape", "has 61 rows, 500 columns and 5 classes; 60, 500 and 5"},
    {"columns", "has 60 rows, 499 columns and 5 classes; 60, 500 and 5"},
    {"classes", "has 60 rows, 500 columns and 7 classes; 60, 500 and 5"},
    {"short", "has ended after 1020 of"},
    {"ends", "has ended after"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LineNetwork *network = start (cases[i].mode);

    assert_wrong (network, TIMEOUT, cases[i].message);
    line_network_free (network);
    check_no_children ();
    g_assert_cmpuint (count_descriptors (), ==, before);
  }
}

CHECK (late)
{
  static const char *const modes[] = { "late", "deaf" };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    LineNetwork *network = start (modes[i]);

    assert_wrong (network, 1200000, "has not answered in time: 0 of");
    /* another one is there, and as late */
    gint64 started = g_get_monotonic_time ();
    assert_wrong (network, 50000, "has not answered in time: 0 of");
    /* unless this machine stood still meanwhile */
    if (g_get_monotonic_time () - started < 800000)
      assert_wrong (network, 50000, "less than a second ago");
    line_network_free (network);
  }
  check_no_children ();
}

/* Runs until the child that is late has been replaced by one that is not. */
CHECK (once_late)
{
  g_autofree char *folder = g_dir_make_tmp ("line-child-XXXXXX", NULL);
  LineNetwork *network = start_in (folder, "once-late");

  assert_wrong (network, 1200000, "has not answered in time: 0 of");
  while (!line_network_is_loaded (network)) {
    static guint8 rgb[3 * PIXELS];
    static gfloat tensor[FLOATS];

    line_network_run (network, rgb, tensor, 3000000, NULL);
    g_usleep (10000);
  }
  assert_right (network, 5);
  line_network_free (network);
  check_no_children ();
  g_autofree char *file = g_build_filename (folder, "was-here", NULL);
  g_assert_cmpint (unlink (file), ==, 0);
  g_assert_cmpint (rmdir (folder), ==, 0);
}

/* What comes after an answer is the beginning of the next one. */
CHECK (flood)
{
  LineNetwork *network = start ("flood");

  assert_right (network, 1);
  g_assert_true (line_network_is_loaded (network));
  assert_wrong (network, TIMEOUT, "begin no tensor");
  /* the next child has to load its model, too */
  g_assert_false (line_network_is_loaded (network));
  line_network_free (network);
  check_no_children ();
}

/* The picture goes there all the same, or the next one would be cut off. */
CHECK (eager)
{
  static guint8 rgb[3 * PIXELS];
  static gfloat tensor[FLOATS];
  LineNetwork *network = start ("eager");
  GError *error = NULL;

  for (guint i = 0; i < 20; i++) {
    line_network_run (network, rgb, tensor, TIMEOUT, &error);
    g_assert_no_error (error);
  }
  line_network_free (network);
  check_no_children ();
}

CHECK (stubborn)
{
  LineNetwork *network = start ("stubborn");

  assert_right (network, 1);
  line_network_free (network);
  check_no_children ();
}

static gpointer
cancel (gpointer network)
{
  g_usleep (100000);
  line_network_cancel (network);
  return NULL;
}

CHECK (cancel)
{
  static const char *const modes[] = { "late", "deaf", "heedless" };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    LineNetwork *network = start (modes[i]);
    GThread *thread = g_thread_new ("cancel", cancel, network);

    assert_wrong (network, TIMEOUT, "the line ends");
    g_thread_join (thread);
    assert_wrong (network, TIMEOUT, "the line ends");
    line_network_free (network);
    check_no_children ();
  }
}

CHECK (missing)
{
  const char *argv[] = { "/no/such/program", NULL };
  g_autoptr (GError) error = NULL;

  g_assert_null (line_network_new (argv, NULL, ROWS, COLUMNS, CLASSES,
          &error));
  g_assert_nonnull (strstr (error->message, "/no/such/program"));
}

int
main (int argc, char **argv)
{
  if (argc == 3 && strcmp (argv[1], "child") == 0)
    return run_child (argv[2]);
  program = g_canonicalize_filename (argv[0], NULL);
  signal (SIGPIPE, SIG_IGN);
  g_test_init (&argc, &argv, NULL);
  add_checks ("/network");
  int status = g_test_run ();
  g_free (program);
  return status;
}
