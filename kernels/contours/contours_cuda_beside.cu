/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: frames of a batch side by side, each on a stream of its own: a small one
 * is a chain of kernels that leave most of the GPU idle. Their ids follow one
 * another, so that they are known when all are done. */
#include "contours_cuda_plan.cuh"

#define SHIFT_BLOCKS 16

/* What is computed waits for what is queued on the executor's stream. */
gboolean
cs_contours_cuda_follow (CsContoursCuda * cuda, GError ** error)
{
  return !cuda->is_beside ||
      (cs_cuda_check (cudaEventRecord (cuda->event, cuda->stream),
          "record an event", error) &&
      cs_cuda_check (cudaStreamWaitEvent (cuda->beside, cuda->event, 0),
          "wait for an event", error));
}

gboolean
cs_contours_cuda_ensure_stream (cudaStream_t * stream)
{
  if (*stream || cs_cuda_check (cudaStreamCreateWithFlags (stream,
              cudaStreamNonBlocking), "", NULL))
    return TRUE;
  *stream = NULL;
  return FALSE;
}

gboolean
cs_contours_cuda_ensure_event (cudaEvent_t * event)
{
  if (*event || cs_cuda_check (cudaEventCreateWithFlags (event,
              cudaEventDisableTiming), "", NULL))
    return TRUE;
  *event = NULL;
  return FALSE;
}

void
cs_contours_cuda_place (CsContoursCuda * const *states, guint n)
{
  gboolean is_beside = n > 1;

  for (guint i = 0; i < n; i++)
    is_beside = is_beside &&
        cs_contours_cuda_ensure_stream (&states[i]->beside) &&
        cs_contours_cuda_ensure_event (&states[i]->event);
  for (guint i = 0; i < n; i++)
    states[i]->is_beside = is_beside;
  if (is_beside)
    cs_contours_take (CS_CONTOURS_BESIDE);
}

void
cs_contours_cuda_clear_beside (CsContoursCuda * cuda)
{
  if (cs_cuda_context_is_lost ())
    return;
  if (cuda->event)
    cudaEventDestroy (cuda->event);
  if (cuda->beside)
    cudaStreamDestroy (cuda->beside);
}

/* Ids */

/**
 * Numbered:
 * @published: what the host reads of a frame
 * @device: its contours, numbered from 0
 * @host: (nullable): the same, mapped
 */
typedef struct
{
  const CsPublished *published;
  CsContour *device, *host;
} Numbered;

typedef struct
{
  Numbered frames[CS_CONTOURS_AT_ONCE];
  int32_t first_id;
} Shift;

/* Numbers the contours of every frame but the first from where the one before
 * ends. Of frames after one that had no room, which is computed again, they
 * mean nothing. */
static __global__ void
__launch_bounds__ (CS_THREADS)
shift_ids (const __grid_constant__ Shift a)
{
  __shared__ uint32_t first, n;
  const uint32_t frame = blockIdx.y + 1;

  if (threadIdx.x == 0) {
    first = (uint32_t) a.first_id;
    n = 0;
    for (uint32_t i = 0; i <= frame; i++) {
      if (a.frames[i].published->overflow) {
        n = 0;
        break;
      }
      first += n;
      n = (uint32_t) a.frames[i].published->counters.n_contours;
    }
  }
  __syncthreads ();
  for (uint32_t c = blockIdx.x * CS_THREADS + threadIdx.x; c < n;
      c += gridDim.x * CS_THREADS) {
    CsContour *contour = &a.frames[frame].device[c];
    const int32_t id = (int32_t) (first + c);
    const int32_t parent = contour->parent >= 0 ?
        (int32_t) (first + (uint32_t) contour->parent) : -1;

    contour->id = id;
    contour->parent = parent;
    if (a.frames[frame].host) {
      a.frames[frame].host[c].id = id;
      a.frames[frame].host[c].parent = parent;
    }
  }
}

gboolean
cs_contours_cuda_join (void *const *states, guint n, gint32 first_id,
    GError ** error)
{
  CsContoursCuda *const *all = (CsContoursCuda * const *) states;
  const cudaStream_t stream = all[0]->stream;
  Shift shift = { {{NULL, NULL, NULL},}, first_id };

  for (guint i = 0; i < n; i++) {
    const CsFrame *f = &all[i]->frame;

    shift.frames[i] = (Numbered) {
      all[i]->device_published, f->out.contours, f->host.contours
    };
    if (all[i]->is_beside && (!cs_cuda_check (cudaEventRecord (all[i]->event,
                    all[i]->beside), "record an event", error) ||
            !cs_cuda_check (cudaStreamWaitEvent (stream, all[i]->event, 0),
                "wait for an event", error)))
      return FALSE;
  }
  shift_ids <<<dim3 (SHIFT_BLOCKS, n - 1), CS_THREADS, 0, stream>>> (shift);
  if (!cs_cuda_check (cudaGetLastError (), "number contours", error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    all[i]->is_beside = FALSE;
  return TRUE;
}
