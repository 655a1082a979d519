/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: frames to the GPU, several of them by one copy. */
#include "contours_cuda_plan.cuh"

#include "base/cuda_copy.h"

/**
 * Upload:
 * @states: of each view
 * @first: the state whose copier, stream and events all of them use
 * @stream: what copies are queued on
 * @ends: the number of parts when a view's are there
 * @n_ready: views that @ready has been told of
 * @ok: FALSE: @ready is told of no more
 */
typedef struct
{
  CsContoursCuda *const *states;
  CsContoursCuda *first;
  cudaStream_t stream;
  guint ends[CS_CONTOURS_AT_ONCE];
  guint n, n_ready;
  CsContoursReadyFunc ready;
  void *user_data;
  gboolean ok;
} Upload;

/* Where the GPU finds the samples and, if there is one, the mask. */
static gboolean
describe (CsContoursCuda * cuda, CsContoursView * view, CsArray * parts,
    GError ** error)
{
  CsContoursInput *input = &view->input;
  const CsImage image = input->image;

  if (image.memory != CS_MEMORY_DEVICE &&
      !cs_contours_describe_upload (cuda->stream, &image, cuda->plan,
          &cuda->staging, parts, &input->image, error))
    return FALSE;
  if (!input->mask || input->mask->memory == CS_MEMORY_DEVICE)
    return TRUE;
  CsImage mask = *input->mask;
  mask.channels = 1;
  if (!cs_contours_describe_upload (cuda->stream, &mask, NULL,
          &cuda->mask_staging, parts, &view->mask, error))
    return FALSE;
  input->mask = &view->mask;
  return TRUE;
}

/* As many views as there is memory for, at least one. */
static gboolean
describe_all (Upload * upload, CsContoursView * views, GError ** error)
{
  CsArray *parts = &upload->first->parts;
  GError *failed = NULL;
  guint i;

  cs_array_empty (parts);
  for (i = 0; i < upload->n; i++) {
    if (!describe (upload->states[i], &views[i], parts, &failed))
      break;
    upload->ends[i] = (guint) parts->len;
  }
  if (i == 0) {
    g_propagate_error (error, failed);
    return FALSE;
  }
  g_clear_error (&failed);
  upload->n = i;
  return TRUE;
}

/* Kernels of view @i wait for the copies so far. */
static gboolean
join (Upload * upload, guint i)
{
  const cudaEvent_t event = upload->first->uploaded[i];

  return upload->stream == upload->first->stream ||
      (cs_cuda_check (cudaEventRecord (event, upload->stream), "", NULL) &&
      cs_cuda_check (cudaStreamWaitEvent (cs_contours_cuda_stream
              (upload->states[i]), event, 0), "", NULL));
}

/* When @n_parts are queued. */
static void
tell (Upload * upload, guint n_parts)
{
  while (upload->ok && upload->n_ready < upload->n &&
      upload->ends[upload->n_ready] <= n_parts) {
    upload->ok = (n_parts == 0 || join (upload, upload->n_ready)) &&
        (!upload->ready || upload->ready (upload->user_data, upload->n_ready));
    upload->n_ready += upload->ok;
  }
}

static void
tell_of_part (void *user_data, guint part)
{
  tell ((Upload *) user_data, part + 1);
}

/* A stream beside the executor's, so that what is computed does not keep the
 * copies of later frames waiting, and events; kept. */
static gboolean
ensure_stream (CsContoursCuda * first)
{
  gboolean ok = cs_contours_cuda_ensure_stream (&first->upload_stream);

  for (guint i = 0; ok && i < CS_CONTOURS_AT_ONCE; i++)
    ok = cs_contours_cuda_ensure_event (&first->uploaded[i]);
  return ok;
}

/* The stream for copies: they come after what is queued already. */
static cudaStream_t
fork (CsContoursCuda * first)
{
  if (!ensure_stream (first) ||
      !cs_cuda_check (cudaEventRecord (first->uploaded[0], first->stream), "",
          NULL) || !cs_cuda_check (cudaStreamWaitEvent (first->upload_stream,
              first->uploaded[0], 0), "", NULL))
    return first->stream;
  return first->upload_stream;
}

void
cs_contours_cuda_drain (CsContoursCuda * cuda)
{
  if (cuda->upload_stream &&
      cudaStreamSynchronize (cuda->upload_stream) != cudaSuccess)
    cudaGetLastError ();
  if (cuda->beside && cudaStreamSynchronize (cuda->beside) != cudaSuccess)
    cudaGetLastError ();
  if (cudaStreamSynchronize (cuda->stream) != cudaSuccess)
    cudaGetLastError ();
}

gboolean
cs_contours_cuda_upload (void *const *states, CsContoursView * views, guint n,
    CsContoursReadyFunc ready, void *user_data, GError ** error)
{
  CsContoursCuda *first = (CsContoursCuda *) states[0];
  Upload upload = { (CsContoursCuda * const *) states, first, first->stream,
    { 0, }, n, 0, ready, user_data, TRUE
  };

  if (!describe_all (&upload, views, error))
    return FALSE;
  cs_contours_cuda_place (upload.states, upload.n);
  if (upload.n > 1 && first->parts.len > 0)
    upload.stream = fork (first);
  cs_contours_take (first->parts.len == 0 ? CS_CONTOURS_NO_UPLOAD :
      upload.n == 1 ? CS_CONTOURS_UPLOAD_ONE : CS_CONTOURS_UPLOAD_SEVERAL);
  tell (&upload, 0);
  gboolean ok = cs_cuda_copy_parts (&first->copier, (CsCudaPart *) (gpointer)
      first->parts.data, (guint) first->parts.len, tell_of_part, &upload,
      upload.stream, error);
  if (!ok || !upload.ok)
    cs_contours_cuda_drain (first);
  return ok;
}

void
cs_contours_cuda_clear_upload (CsContoursCuda * cuda)
{
  cs_cuda_scratch_clear (&cuda->staging, cuda->stream);
  cs_cuda_scratch_clear (&cuda->mask_staging, cuda->stream);
  cs_cuda_copier_clear (&cuda->copier);
  cs_array_clear (&cuda->parts);
  if (cs_cuda_context_is_lost ())
    return;
  for (guint i = 0; i < CS_CONTOURS_AT_ONCE; i++) {
    if (cuda->uploaded[i])
      cudaEventDestroy (cuda->uploaded[i]);
  }
  if (cuda->upload_stream)
    cudaStreamDestroy (cuda->upload_stream);
}
