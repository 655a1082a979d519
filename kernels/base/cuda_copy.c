/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda_copy.h"

#include "cuda_base.h"
#include "cuda_memory.h"
#include "executor.h"
#include "stream_copy.h"

/* Chunks in page-locked memory at once. */
#define N_SLOTS 16
/* Rows in a chunk begin at multiples of a cache line. */
#define ALIGNMENT ((gsize) 64)
/* How often a thread looks whether another one is done before it leaves or
 * sleeps: some ten microseconds. */
#define SPINS 1000

#ifdef CS_FAULT_INJECTION
/* The frames of tests/faults are small. */
#define DEFAULT_CHUNK_SIZE ((gsize) 256)
#define DEFAULT_MIN_SIZE ((gsize) 1024)
#define DEFAULT_THREADS MAX_THREADS
#else
#define DEFAULT_CHUNK_SIZE ((gsize) 256 << 10)
#define DEFAULT_MIN_SIZE ((gsize) 768 << 10)
#define DEFAULT_THREADS MIN (g_get_num_processors (), MAX_THREADS)
#endif
#define MAX_THREADS 4
/* From a GPU to the host more threads get in each other's way. */
#define MAX_THREADS_DOWN 3

/**
 * CsCudaRing:
 * @memory: N_SLOTS chunks of @slot_size bytes, page-locked
 * @events: of each slot, when the GPU has done with it
 * @pending: whether an event is known not to have come
 * @head: the slot of the next chunk, from copy to copy
 * @min_size, @executor: of the policy
 * @lock, @copied, @waiting: the caller waits for a helper
 */
typedef struct _CsCudaRing
{
  guint8 *memory;
  gsize slot_size, min_size;
  cudaEvent_t events[N_SLOTS];
  gboolean pending[N_SLOTS];
  guint head;
  CsExecutor *executor;
  GMutex lock;
  GCond copied;
  gint waiting;
} CsCudaRing;

/**
 * Job:
 * @parts: what is copied, one after the other; if one is one row, its chunks
 *     are pieces of it
 * @queued, @user_data: up, told of parts that are sent, which are @n_told
 * @up: from the host to the GPU
 * @caller: the only thread that talks to CUDA
 * @next: the next chunk that nobody has claimed, atomic
 * @limit: chunks below it can be claimed: up, they have a free slot; down, the
 *     GPU has brought them; atomic
 * @copied: of each slot, one more than the chunk that was copied last; atomic
 * @n_finished: chunks that the caller knows to be copied, and, up, has sent
 * @n_queued: down, chunks that the GPU is to bring
 *
 * One copy. All threads claim chunks and copy them between the slots and
 * pageable memory; the caller sees to it that the GPU does the same between the
 * slots and its own. It waits for nobody who has not claimed a chunk.
 */
typedef struct
{
  CsCudaRing *ring;
  CsCudaPart *parts;
  guint n_parts, n_told;
  CsCudaQueuedFunc queued;
  void *user_data;
  cudaStream_t stream;
  gboolean up;
  GThread *caller;
  guint n_chunks;
  gint next, limit;
  gint copied[N_SLOTS];
  guint n_finished, n_queued;
  gboolean ok;
  GError **error;
} Job;

static gboolean has_policy;
static CsCudaCopyPolicy given_policy;

void
cs_cuda_copy_set_policy (const CsCudaCopyPolicy * policy)
{
  has_policy = policy != NULL;
  if (policy)
    given_policy = *policy;
}

/* A single thread gains nothing. */
static CsCudaCopyPolicy
get_policy (void)
{
  static CsCudaCopyPolicy policy = {.chunk_size = DEFAULT_CHUNK_SIZE,
    .min_size = DEFAULT_MIN_SIZE
  };
  static gsize is_known;

  /* asks the system each time */
  if (g_once_init_enter (&is_known)) {
    policy.n_threads = DEFAULT_THREADS;
    if (policy.n_threads == 1)
      policy.n_threads = 0;
    g_once_init_leave (&is_known, TRUE);
  }
  return has_policy ? given_policy : policy;
}

/* --- The ring ------------------------------------------------------------- */

static void
ring_free (CsCudaRing * ring)
{
  for (guint i = 0; i < N_SLOTS && !cs_cuda_context_is_lost (); i++) {
    if (ring->pending[i])
      (cs_cuda_check) (cudaEventSynchronize (ring->events[i]), "", NULL);
    if (ring->events[i])
      (cs_cuda_check) (cudaEventDestroy (ring->events[i]), "", NULL);
  }
  if (ring->memory)
    cs_cuda_pinned_free (ring->memory, NULL);
  cs_executor_free (ring->executor);
  g_mutex_clear (&ring->lock);
  g_cond_clear (&ring->copied);
  g_free (ring);
}

static gboolean
ring_allocate (CsCudaRing * ring)
{
  ring->memory = (guint8 *) cs_cuda_pinned_alloc (N_SLOTS * ring->slot_size,
      NULL);
  for (guint i = 0; ring->memory && i < N_SLOTS; i++) {
    if (!cs_cuda_check (cudaEventCreateWithFlags (&ring->events[i],
                cudaEventDisableTiming), "make an event", NULL))
      return FALSE;
  }
  return ring->memory != NULL;
}

static CsCudaRing *
ring_new (const CsCudaCopyPolicy * policy)
{
  CsCudaRing *ring = g_new0 (CsCudaRing, 1);

  g_mutex_init (&ring->lock);
  g_cond_init (&ring->copied);
  ring->executor = cs_executor_new_cpu (policy->n_threads);
  ring->slot_size = MAX (policy->chunk_size / ALIGNMENT, 1) * ALIGNMENT;
  ring->min_size = policy->min_size;
  if (ring_allocate (ring))
    return ring;
  ring_free (ring);
  return NULL;
}

void
cs_cuda_copier_clear (CsCudaCopier * copier)
{
  g_clear_pointer (&copier->ring, ring_free);
  copier->failed = FALSE;
}

/* Whether the GPU has done with @slot. */
static gboolean
slot_is_free (Job * job, guint slot)
{
  CsCudaRing *ring = job->ring;

  if (!ring->pending[slot])
    return TRUE;
  cudaError_t status = CS_OR_FAULT (CS_FAULT_CUDA, cudaErrorMemoryAllocation,
      cudaEventQuery (ring->events[slot]));
  if (status == cudaErrorNotReady)
    cudaGetLastError ();
  else if (!(cs_cuda_check) (status, "copy a frame", job->error))
    job->ok = FALSE;
  else
    ring->pending[slot] = FALSE;
  return !ring->pending[slot];
}

/* --- Chunks --------------------------------------------------------------- */

static guint
slot_of (const Job * job, guint chunk)
{
  return (job->ring->head + chunk) % N_SLOTS;
}

static guint8 *
slot_memory (const Job * job, guint chunk)
{
  return job->ring->memory + slot_of (job, chunk) * job->ring->slot_size;
}

static const CsCudaPart *
part_of (const Job * job, guint chunk)
{
  const CsCudaPart *part = job->parts;

  while (chunk >= part->first_chunk + part->n_chunks)
    part++;
  return part;
}

/* The rows of @part that are @chunk. */
static CsCudaRows
chunk_rows (const CsCudaPart * part, guint chunk)
{
  const gsize first = (chunk - part->first_chunk) * part->per_chunk;
  CsCudaRows rows = part->rows;

  if (rows.rows == 1) {
    rows.from = (const guint8 *) rows.from + first;
    rows.to = (guint8 *) rows.to + first;
    rows.row_size = MIN (part->per_chunk, rows.row_size - first);
  } else {
    rows.from = (const guint8 *) rows.from + first * rows.from_stride;
    rows.to = (guint8 *) rows.to + first * rows.to_stride;
    rows.rows = MIN (part->per_chunk, rows.rows - first);
  }
  return rows;
}

/* Copies between a slot and pageable memory, on any thread. */
static void
copy_chunk (Job * job, guint chunk)
{
  const CsCudaPart *part = part_of (job, chunk);
  const CsCudaRows rows = chunk_rows (part, chunk);
  guint8 *slot = slot_memory (job, chunk);

  if (job->up)
    cs_stream_copy (slot, part->pitch, rows.from, rows.from_stride,
        rows.row_size, rows.rows);
  else
    cs_stream_copy (rows.to, rows.to_stride, slot, part->pitch, rows.row_size,
        rows.rows);
  g_atomic_int_set (&job->copied[slot_of (job, chunk)], (gint) chunk + 1);
}

static gboolean
queue_rows (const CsCudaRows * rows, cudaStream_t stream, GError ** error)
{
  return cs_cuda_check (rows->rows == 1 ? cudaMemcpyAsync (rows->to, rows->from,
          rows->row_size, cudaMemcpyDefault, stream) :
      cudaMemcpy2DAsync (rows->to, rows->to_stride, rows->from,
          rows->from_stride, rows->row_size, rows->rows, cudaMemcpyDefault,
          stream), "copy a frame", error);
}

/* Queues a copy between a slot and the GPU. */
static gboolean
queue_chunk (Job * job, guint chunk)
{
  const guint slot = slot_of (job, chunk);
  const CsCudaPart *part = part_of (job, chunk);
  CsCudaRows rows = chunk_rows (part, chunk);

  if (job->up) {
    rows.from = slot_memory (job, chunk);
    rows.from_stride = part->pitch;
  } else {
    rows.to = slot_memory (job, chunk);
    rows.to_stride = part->pitch;
  }
  job->ok = queue_rows (&rows, job->stream, job->error) &&
      cs_cuda_check (cudaEventRecord (job->ring->events[slot], job->stream),
      "copy a frame", job->error);
  job->ring->pending[slot] = job->ok;
  return job->ok;
}

static gboolean
is_copied (Job * job, guint chunk)
{
  return g_atomic_int_get (&job->copied[slot_of (job, chunk)]) ==
      (gint) chunk + 1;
}

static gboolean
claim (Job * job, guint * chunk)
{
  for (;;) {
    const gint next = g_atomic_int_get (&job->next);

    if (next >= g_atomic_int_get (&job->limit))
      return FALSE;
    if (g_atomic_int_compare_and_exchange (&job->next, next, next + 1)) {
      *chunk = (guint) next;
      return TRUE;
    }
  }
}

/* --- Threads -------------------------------------------------------------- */

static void
pause_cpu (void)
{
#if defined (__x86_64__) || defined (__i386__)
  __builtin_ia32_pause ();
#endif
}

/* A helper leaves when there is nothing to do for a while: the caller goes on
 * without it. */
static void
help (Job * job)
{
  CsCudaRing *ring = job->ring;
  guint chunk, i = 0;

  while ((guint) g_atomic_int_get (&job->next) < job->n_chunks && i < SPINS) {
    if (!claim (job, &chunk)) {
      pause_cpu ();
      i++;
      continue;
    }
    copy_chunk (job, chunk);
    if (g_atomic_int_get (&ring->waiting)) {
      g_mutex_lock (&ring->lock);
      g_cond_signal (&ring->copied);
      g_mutex_unlock (&ring->lock);
    }
    i = 0;
  }
}

/* Waits until the helper that has claimed @chunk has copied it. */
static void
wait_for_helper (Job * job, guint chunk)
{
  CsCudaRing *ring = job->ring;
  guint i;

  for (i = 0; i < SPINS && !is_copied (job, chunk); i++)
    pause_cpu ();
  if (i < SPINS)
    return;
  g_mutex_lock (&ring->lock);
  g_atomic_int_set (&ring->waiting, TRUE);
  while (!is_copied (job, chunk))
    g_cond_wait (&ring->copied, &ring->lock);
  g_atomic_int_set (&ring->waiting, FALSE);
  g_mutex_unlock (&ring->lock);
}

/* Tells of the parts that are sent whole. */
static void
tell (Job * job)
{
  while (job->queued && job->n_told < job->n_parts && job->n_finished >=
      job->parts[job->n_told].first_chunk + job->parts[job->n_told].n_chunks)
    job->queued (job->user_data, job->n_told++);
}

/* Sends what is copied; chunks whose slots are free can be claimed. */
static void
advance_up (Job * job)
{
  guint limit = (guint) job->limit;

  while (job->ok && job->n_finished < limit &&
      is_copied (job, job->n_finished) && queue_chunk (job, job->n_finished)) {
    job->n_finished++;
    tell (job);
  }
  while (job->ok && limit < job->n_chunks &&
      limit - job->n_finished < N_SLOTS &&
      slot_is_free (job, slot_of (job, limit)))
    g_atomic_int_set (&job->limit, (gint) ++limit);
}

/* Slots that are copied get the next chunks; those that the GPU has brought can
 * be claimed. */
static void
advance_down (Job * job)
{
  guint limit = (guint) job->limit;

  while (job->n_finished < limit && is_copied (job, job->n_finished))
    job->n_finished++;
  while (job->ok && job->n_queued < job->n_chunks &&
      job->n_queued - job->n_finished < N_SLOTS &&
      queue_chunk (job, job->n_queued))
    job->n_queued++;
  while (job->ok && limit < job->n_queued &&
      slot_is_free (job, slot_of (job, limit)))
    g_atomic_int_set (&job->limit, (gint) ++limit);
}

static void
advance (Job * job)
{
  if (job->up)
    advance_up (job);
  else
    advance_down (job);
}

/* Waits, where nothing can be claimed, for a helper if one is at work, else for
 * the GPU. */
static void
wait_for_others (Job * job)
{
  const guint slot = slot_of (job, (guint) job->limit);

  if ((guint) g_atomic_int_get (&job->next) > job->n_finished)
    wait_for_helper (job, job->n_finished);
  else if (job->ring->pending[slot])
    job->ok = cs_cuda_check (cudaEventSynchronize (job->ring->events[slot]),
        "copy a frame", job->error);
}

static void
lead (Job * job)
{
  guint chunk;

  for (;;) {
    advance (job);
    if (!job->ok || job->n_finished == job->n_chunks)
      break;
    if (claim (job, &chunk))
      copy_chunk (job, chunk);
    else
      wait_for_others (job);
  }
  /* nothing is left for helpers */
  g_atomic_int_set (&job->next, (gint) job->n_chunks);
}

static void
take_part (void *user_data, guint index)
{
  Job *job = (Job *) user_data;

  if (g_thread_self () == job->caller)
    lead (job);
  else
    help (job);
}

/* --- Copies --------------------------------------------------------------- */

/* Cuts a part into chunks of about the same size. */
static void
cut (CsCudaPart * part, gsize slot_size)
{
  const CsCudaRows *rows = &part->rows;

  part->n_chunks = 0;
  if (rows->row_size == 0 || rows->rows == 0)
    return;
  if (rows->rows == 1) {
    part->n_chunks = (rows->row_size + slot_size - 1) / slot_size;
    part->per_chunk = (rows->row_size + part->n_chunks - 1) / part->n_chunks;
    part->per_chunk = (part->per_chunk + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    part->n_chunks = (rows->row_size + part->per_chunk - 1) / part->per_chunk;
  } else {
    part->pitch = (rows->row_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    part->per_chunk = slot_size / part->pitch;
    part->n_chunks = (rows->rows + part->per_chunk - 1) / part->per_chunk;
    part->per_chunk = (rows->rows + part->n_chunks - 1) / part->n_chunks;
    part->n_chunks = (rows->rows + part->per_chunk - 1) / part->per_chunk;
  }
}

static gboolean
run (Job * job)
{
  CsCudaRing *ring = job->ring;
  guint n_threads = cs_executor_get_n_threads (ring->executor);

  if (!job->up)
    n_threads = MIN (n_threads, MAX_THREADS_DOWN);
  for (guint i = 0; i < job->n_parts; i++) {
    job->parts[i].first_chunk = job->n_chunks;
    cut (&job->parts[i], job->ring->slot_size);
    job->n_chunks += job->parts[i].n_chunks;
  }
  job->ok = TRUE;
  job->caller = g_thread_self ();
  /* before helpers come: there are chunks to claim, and the GPU has computed
   * the frame */
  advance (job);
  if (job->ok && job->limit == 0)
    wait_for_others (job);
  if (job->ok) {
    cs_executor_parallel_for (ring->executor, MIN (job->n_chunks, n_threads),
        take_part, job);
    /* the caller goes on where helpers came before it */
    lead (job);
  }
  ring->head = slot_of (job, job->n_chunks);
  if (job->ok)
    return TRUE;
  (cs_cuda_check) (cudaStreamSynchronize (job->stream), "", NULL);
  for (guint i = 0; i < N_SLOTS; i++)
    ring->pending[i] = FALSE;
  return FALSE;
}

/* Where @data is; failures, too, are left to the driver's copy. */
static enum cudaMemoryType
memory_type (const void *data)
{
  struct cudaPointerAttributes attributes;

  if (!cs_cuda_check (cudaPointerGetAttributes (&attributes, data), "", NULL))
    return cudaMemoryTypeManaged;
  return attributes.type;
}

/* Whether one side is pageable and the other on the GPU, and in which direction
 * that is. */
static gboolean
is_pageable (const CsCudaRows * rows, gboolean * up)
{
  const enum cudaMemoryType from = memory_type (rows->from);
  const enum cudaMemoryType to = memory_type (rows->to);

  *up = from == cudaMemoryTypeUnregistered;
  return (*up && to == cudaMemoryTypeDevice) ||
      (from == cudaMemoryTypeDevice && to == cudaMemoryTypeUnregistered);
}

/* Whether all parts are pageable on the same side, and their rows fit into
 * slots. */
static gboolean
fit (Job * job, gsize slot_size)
{
  for (guint i = 0; i < job->n_parts; i++) {
    const CsCudaRows *rows = &job->parts[i].rows;
    gboolean up;

    if ((rows->rows > 1 && rows->row_size > slot_size) ||
        !is_pageable (rows, &up) || (i > 0 && up != job->up))
      return FALSE;
    job->up = up;
  }
  return TRUE;
}

/* The ring, if the parts are to be copied by way of it. */
static CsCudaRing *
choose (CsCudaCopier * copier, Job * job)
{
  const CsCudaCopyPolicy policy = get_policy ();
  const CsCudaRing *ring = copier->ring;
  gsize size = 0;

  for (guint i = 0; i < job->n_parts; i++)
    size += job->parts[i].rows.row_size * job->parts[i].rows.rows;
  if (copier->failed || (!ring && policy.n_threads == 0) || size == 0 ||
      size < (ring ? ring->min_size : policy.min_size) ||
      !fit (job, ring ? ring->slot_size : policy.chunk_size))
    return NULL;
  if (!copier->ring)
    copier->ring = ring_new (&policy);
  copier->failed = !copier->ring;
  return copier->ring;
}

/* One row if there are no others between. */
static void
join_rows (CsCudaRows * rows)
{
  if (rows->row_size != rows->from_stride || rows->row_size != rows->to_stride)
    return;
  rows->row_size *= rows->rows;
  rows->rows = 1;
}

/* Each part by itself. */
static gboolean
copy_apart (CsCudaCopier * copier, Job * job)
{
  for (guint i = 0; i < job->n_parts; i++) {
    const CsCudaRows *rows = &job->parts[i].rows;

    if (job->n_parts > 1 ? !cs_cuda_copy (copier, rows, job->stream,
            job->error) : rows->row_size > 0 && rows->rows > 0 &&
        !queue_rows (rows, job->stream, job->error))
      return FALSE;
    if (job->queued)
      job->queued (job->user_data, i);
  }
  return TRUE;
}

gboolean
cs_cuda_copy_parts (CsCudaCopier * copier, CsCudaPart * parts, guint n_parts,
    CsCudaQueuedFunc queued, void *user_data, void *stream, GError ** error)
{
  Job job = {.parts = parts,.n_parts = n_parts,.queued = queued,
    .user_data = user_data,.stream = (cudaStream_t) stream,.error = error
  };

  for (guint i = 0; i < n_parts; i++)
    join_rows (&parts[i].rows);
  job.ring = choose (copier, &job);
  return job.ring ? run (&job) : copy_apart (copier, &job);
}

gboolean
cs_cuda_copy (CsCudaCopier * copier, const CsCudaRows * rows, void *stream,
    GError ** error)
{
  CsCudaPart part = {.rows = *rows };

  return cs_cuda_copy_parts (copier, &part, 1, NULL, NULL, stream, error);
}

gboolean
cs_cuda_copy_bytes (CsCudaCopier * copier, void *to, const void *from,
    gsize size, void *stream, GError ** error)
{
  const CsCudaRows rows = { from, size, to, size, size, 1 };

  return cs_cuda_copy (copier, &rows, stream, error);
}

/* --- No copies ------------------------------------------------------------ */

/* Whether the current GPU has the attribute; not when that cannot be known. */
static gboolean
device_has (enum cudaDeviceAttr attribute)
{
  int device = 0, value = 0;

  return cs_cuda_check (cudaGetDevice (&device), "", NULL) &&
      cs_cuda_check (cudaDeviceGetAttribute (&value, attribute, device), "",
      NULL) && value != 0;
}

static gboolean
shares_memory (void)
{
  const gchar *wish = g_getenv ("CUDASHAPES_MAP_FRAMES");

  if (wish && (*wish == '0' || *wish == '1'))
    return *wish == '1';
  return device_has (cudaDevAttrIntegrated);
}

void *
cs_cuda_reach (const void *data)
{
  struct cudaPointerAttributes attributes;

  if (!shares_memory () || !cs_cuda_check (cudaPointerGetAttributes
          (&attributes, data), "", NULL))
    return NULL;
  if (attributes.type == cudaMemoryTypeHost)
    return attributes.devicePointer;
  return attributes.type == cudaMemoryTypeUnregistered &&
      device_has (cudaDevAttrPageableMemoryAccess) ? (void *) data : NULL;
}
