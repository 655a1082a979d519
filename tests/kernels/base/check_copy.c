/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check_copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/executor.h"
#include "../lib/check.h"
#include "../lib/check_device.h"
#include "../lib/random.h"

/* Bytes before and behind what is copied. */
#define MARGIN 512
#define UNTOUCHED 0xa5

typedef struct
{
  guint8 *host, *device, *shadow;
  gsize host_size, device_size;
} Memory;

static guint64 random_state = 7;

static void
fill (guint8 * data, gsize size)
{
  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) random_bits (&random_state);
}

static void
memory_init (Memory * memory, const Shape * shape)
{
  memory->host_size = 2 * MARGIN + shape->host_stride * shape->rows;
  memory->device_size = 2 * MARGIN + shape->device_stride * shape->rows;
  memory->host = shape->pinned ? check_device_alloc_pinned (memory->host_size) :
      malloc (memory->host_size);
  memory->shadow = malloc (memory->device_size);
  memory->device = check_device_alloc (memory->device_size);
}

static void
memory_clear (Memory * memory, const Shape * shape)
{
  if (shape->pinned)
    check_device_free_pinned (memory->host);
  else
    free (memory->host);
  free (memory->shadow);
  check_device_free (memory->device);
}

/* What a literal copy gives. */
static void
copy_rows (const CsCudaRows * rows)
{
  for (gsize y = 0; y < rows->rows; y++)
    for (gsize x = 0; x < rows->row_size; x++)
      ((guint8 *) rows->to)[y * rows->to_stride + x] =
          ((const guint8 *) rows->from)[y * rows->from_stride + x];
}

static CsCudaRows
rows_up (const Shape * shape, guint8 * host, guint8 * device)
{
  const CsCudaRows rows = { host + shape->host_offset, shape->host_stride,
    device + shape->device_offset, shape->device_stride, shape->row_size,
    shape->rows
  };

  return rows;
}

static CsCudaRows
rows_down (const Shape * shape, guint8 * host, guint8 * device)
{
  const CsCudaRows up = rows_up (shape, host, device);
  const CsCudaRows rows = { up.to, up.to_stride, (void *) up.from,
    up.from_stride, up.row_size, up.rows
  };

  return rows;
}

static gboolean
copy (CsCudaCopier * copier, const CsCudaRows * rows, void *stream)
{
  GError *error = NULL;

  if (cs_cuda_copy (copier, rows, stream, &error))
    return TRUE;
  expect (FALSE, "%s", error->message);
  g_error_free (error);
  return FALSE;
}

static void
check_up (CsCudaCopier * copier, const Shape * shape, Memory * m, void *stream)
{
  const CsCudaRows rows = rows_up (shape, m->host, m->device);
  const CsCudaRows wanted = rows_up (shape, m->host, m->shadow);
  guint8 *got = malloc (m->device_size);

  fill (m->host, m->host_size);
  memset (m->shadow, UNTOUCHED, m->device_size);
  check_device_fill (m->device, UNTOUCHED, m->device_size);
  copy_rows (&wanted);
  copy (copier, &rows, stream);
  /* page-locked memory is read until the stream has done it */
  if (!shape->pinned)
    memset (m->host, 0, m->host_size);
  check_device_copy (got, m->device, m->device_size);
  expect (memcmp (got, m->shadow, m->device_size) == 0,
      "other bytes on the GPU");
  free (got);
}

static void
check_down (CsCudaCopier * copier, const Shape * shape, Memory * m,
    void *stream)
{
  const CsCudaRows rows = rows_down (shape, m->host, m->device);
  guint8 *wanted = malloc (m->host_size), *got = malloc (m->host_size);
  const CsCudaRows literally = rows_down (shape, wanted, m->shadow);

  fill (m->shadow, m->device_size);
  check_device_copy (m->device, m->shadow, m->device_size);
  memset (m->host, UNTOUCHED, m->host_size);
  memset (wanted, UNTOUCHED, m->host_size);
  copy_rows (&literally);
  copy (copier, &rows, stream);
  if (!shape->pinned)
    memcpy (got, m->host, m->host_size);
  /* waits */
  check_device_copy (m->shadow, m->device, m->device_size);
  if (shape->pinned)
    memcpy (got, m->host, m->host_size);
  expect (memcmp (got, wanted, m->host_size) == 0, "other bytes on the host");
  free (wanted);
  free (got);
}

void
check_copy (CsCudaCopier * copier, const Shape * shape, void *stream)
{
  Memory memory;

  begin ("%" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT " bytes, strides %"
      G_GSIZE_FORMAT " and %" G_GSIZE_FORMAT ", offsets %" G_GSIZE_FORMAT
      " and %" G_GSIZE_FORMAT "%s", shape->row_size, shape->rows,
      shape->host_stride, shape->device_stride, shape->host_offset,
      shape->device_offset, shape->pinned ? ", page-locked" : "");
  memory_init (&memory, shape);
  check_up (copier, shape, &memory, stream);
  check_down (copier, shape, &memory, stream);
  memory_clear (&memory, shape);
  end ();
}

static Shape
random_shape (gsize max_size)
{
  static const gsize paddings[] = { 0, 0, 1, 3, 64, 100, 1000 };
  const guint which = random_below (&random_state, 4);
  Shape shape = {.rows = 1 };

  if (which > 0)
    shape.rows = 1 + random_below (&random_state, which == 1 ? 300 : 20);
  shape.row_size = 1 + random_below (&random_state, max_size / shape.rows);
  if (which == 2)
    shape.row_size = MIN (shape.row_size, 70);
  shape.host_stride = shape.row_size + paddings[random_below (&random_state,
          G_N_ELEMENTS (paddings))];
  shape.device_stride = shape.row_size + paddings[random_below (&random_state,
          G_N_ELEMENTS (paddings))];
  shape.host_offset = MARGIN - random_below (&random_state, 3) * 7;
  shape.device_offset = MARGIN - random_below (&random_state, 3) * 5;
  shape.pinned = random_below (&random_state, 8) == 0;
  return shape;
}

void
check_copies (void *stream, guint n_cases, gsize max_size)
{
  static const guint n_threads[] = { 0, 1, 2, 4, 7 };
  static const gsize chunk_sizes[] = { 1, 64, 1000, 4096, 65536 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (n_threads) * G_N_ELEMENTS (chunk_sizes); i++) {
    const CsCudaCopyPolicy policy = {
      n_threads[i % G_N_ELEMENTS (n_threads)],
      chunk_sizes[i / G_N_ELEMENTS (n_threads)], i % 2 * 500
    };
    CsCudaCopier copier = { NULL, FALSE };

    cs_cuda_copy_set_policy (&policy);
    for (guint k = 0; k < n_cases; k++) {
      const Shape shape = random_shape (policy.chunk_size < 64 ?
          MIN (max_size, 9000) : max_size);

      check_copy (&copier, &shape, stream);
    }
    cs_cuda_copier_clear (&copier);
  }
  cs_cuda_copy_set_policy (NULL);
}

/* Several parts */

#define MAX_PARTS 6

typedef struct
{
  CsCudaPart parts[MAX_PARTS];
  Memory memory[MAX_PARTS];
  Shape shapes[MAX_PARTS];
  guint n, n_told;
} Parts;

/* What is queued is there when the stream has done it. */
static void
compare_part (void *user_data, guint part)
{
  Parts *parts = user_data;
  Memory *m = &parts->memory[part];
  guint8 *got = malloc (m->device_size);

  expect (part == parts->n_told++, "told of part %u", part);
  check_device_copy (got, m->device, m->device_size);
  expect (memcmp (got, m->shadow, m->device_size) == 0,
      "other bytes in part %u", part);
  free (got);
}

static void
add_part (Parts * parts, const Shape * shape)
{
  const guint i = parts->n++;
  Memory *m = &parts->memory[i];

  parts->shapes[i] = *shape;
  memory_init (m, shape);
  fill (m->host, m->host_size);
  memset (m->shadow, UNTOUCHED, m->device_size);
  check_device_fill (m->device, UNTOUCHED, m->device_size);
  parts->parts[i].rows = rows_up (shape, m->host, m->device);
  CsCudaRows wanted = rows_up (shape, m->host, m->shadow);
  copy_rows (&wanted);
}

static void
check_some_parts (CsCudaCopier * copier, gboolean pinned, void *stream)
{
  const guint n = random_below (&random_state, MAX_PARTS + 1);
  GError *error = NULL;
  Parts parts = { 0, };

  begin ("%u parts%s", n, pinned ? ", some of them page-locked" : "");
  for (guint i = 0; i < n; i++) {
    Shape shape = random_shape (20000);

    shape.pinned = pinned && i % 2;
    if (random_below (&random_state, 6) == 0)
      shape.row_size = 0;
    add_part (&parts, &shape);
  }
  expect (cs_cuda_copy_parts (copier, parts.parts, n, compare_part, &parts,
          stream, &error), "%s", error ? error->message : "");
  expect (parts.n_told == n, "told of %u", parts.n_told);
  g_clear_error (&error);
  for (guint i = 0; i < n; i++)
    memory_clear (&parts.memory[i], &parts.shapes[i]);
  end ();
}

void
check_parts (void *stream)
{
  for (guint i = 0; i < 60; i++) {
    const CsCudaCopyPolicy policy = { 1 + i % 4, i % 2 ? 256 : 4096, i % 3 *
      10000
    };
    CsCudaCopier copier = { NULL, FALSE };

    cs_cuda_copy_set_policy (&policy);
    check_some_parts (&copier, i % 5 == 0, stream);
    check_some_parts (&copier, FALSE, stream);
    cs_cuda_copier_clear (&copier);
  }
  cs_cuda_copy_set_policy (NULL);
}

void
check_frames (void *stream)
{
  static const Shape shapes[] = {
    {1920, 1080, 1920, 1920, MARGIN, MARGIN, FALSE},
    {1920, 1080, 2048, 1920, MARGIN - 1, MARGIN, FALSE},
    {1366, 768, 1366, 1536, MARGIN, MARGIN, FALSE},
    {3840, 2160, 3840, 3840, MARGIN, MARGIN, FALSE},
    {640, 480, 640, 640, MARGIN, MARGIN, FALSE},
    {1920, 1080, 1920, 1920, MARGIN, MARGIN, TRUE},
  };
  CsCudaCopier copier = { NULL, FALSE };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    check_copy (&copier, &shapes[i], stream);
  cs_cuda_copier_clear (&copier);
}

void
check_reached (void)
{
  const gsize size = 100000;
  guint8 *data = check_device_alloc_pinned (size);
  guint8 *device = check_device_alloc (size), *got = malloc (size);

  g_setenv ("CUDASHAPES_MAP_FRAMES", "1", TRUE);
  guint8 *there = cs_cuda_reach (data + 3);
  g_unsetenv ("CUDASHAPES_MAP_FRAMES");
  begin ("page-locked memory where it is");
  expect (there != NULL, "the GPU cannot reach it");
  if (there) {
    fill (data, size);
    check_device_copy (device, there, size - 3);
    check_device_copy (got, device, size - 3);
    expect (memcmp (got, data + 3, size - 3) == 0, "other bytes");
  }
  end ();
  check_device_free_pinned (data);
  check_device_free (device);
  free (got);
}

/* Work of all helpers */

typedef struct
{
  gint at_work, may_end;
} Work;

static void
work (void *user_data, guint index)
{
  Work *work = user_data;

  g_atomic_int_inc (&work->at_work);
  while (!g_atomic_int_get (&work->may_end))
    g_usleep (100);
}

static gpointer
work_func (gpointer data)
{
  /* one thread for each item: helpers, and this one */
  const guint n = MAX (g_get_num_processors (), 4);
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (n);

  cs_executor_parallel_for (executor, n, work, data);
  return NULL;
}

void
check_busy (void *stream)
{
  const Shape shape = { 100000, 1, 100000, 100000, MARGIN, MARGIN, FALSE };
  const CsCudaCopyPolicy policy = { 4, 4096, 0 };
  const gint n = MAX (g_get_num_processors (), 4);
  CsCudaCopier copier = { NULL, FALSE };
  Work work = { 0, FALSE };
  GThread *thread = g_thread_new ("work", work_func, &work);

  while (g_atomic_int_get (&work.at_work) < n)
    g_usleep (100);
  cs_cuda_copy_set_policy (&policy);
  check_copy (&copier, &shape, stream);
  check_that (copier.ring != NULL, "a copy while all helpers have other work");
  cs_cuda_copier_clear (&copier);
  cs_cuda_copy_set_policy (NULL);
  g_atomic_int_set (&work.may_end, TRUE);
  g_thread_join (thread);
}
