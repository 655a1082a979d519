/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapescontext.h"

#ifdef HAVE_CUDA

#include "base/cuda_memory.h"
#include "base/fault.h"
#include "gstshapescompat.h"

/* A destroyed context remains a valid handle, whose calls fail, as long as it
 * is current in some thread. After that, making it current is a use after
 * free, which libgstcuda does even to free a GstCudaContext. So a thread keeps
 * it current for the lifetime of the object. */
typedef struct
{
  CUcontext handle;
  GThread *thread;
  GMutex lock;
  GCond changed;
  gboolean tried, held, let_go;
} Holder;

static gpointer
hold (gpointer data)
{
  Holder *holder = data;
  const gboolean pushed = CuCtxPushCurrent (holder->handle) == CUDA_SUCCESS;

  g_mutex_lock (&holder->lock);
  holder->tried = TRUE;
  holder->held = pushed;
  g_cond_signal (&holder->changed);
  while (!holder->let_go)
    g_cond_wait (&holder->changed, &holder->lock);
  g_mutex_unlock (&holder->lock);
  if (pushed)
    CuCtxPopCurrent (NULL);
  return NULL;
}

static void
holder_clear (Holder * holder)
{
  g_cond_clear (&holder->changed);
  g_mutex_clear (&holder->lock);
  g_free (holder);
}

static void
holder_free (gpointer data)
{
  Holder *holder = data;

  g_mutex_lock (&holder->lock);
  holder->let_go = TRUE;
  g_cond_signal (&holder->changed);
  g_mutex_unlock (&holder->lock);
  g_thread_join (holder->thread);
  holder_clear (holder);
}

static Holder *
holder_new (CUcontext handle, GError ** error)
{
  Holder *holder = g_new0 (Holder, 1);

  holder->handle = handle;
  g_mutex_init (&holder->lock);
  g_cond_init (&holder->changed);
  holder->thread = cs_thread_try_new ("shapes-context", hold, holder, error);
  if (!holder->thread) {
    holder_clear (holder);
    return NULL;
  }
  g_mutex_lock (&holder->lock);
  while (!holder->tried)
    g_cond_wait (&holder->changed, &holder->lock);
  const gboolean held = holder->held;
  g_mutex_unlock (&holder->lock);
  if (held)
    return holder;
  g_set_error (error, CS_ERROR, CS_ERROR_DEVICE,
      "cannot make the CUDA context current in a thread");
  holder_free (holder);
  return NULL;
}

/* Object data is freed after libgstcuda's finalize. */
gboolean
gst_shapes_context_hold (gpointer context, GError ** error)
{
  static const gchar key[] = "shapes-context-holder";
  static GMutex lock;

  g_mutex_lock (&lock);
  Holder *holder = g_object_get_data (G_OBJECT (context), key);
  if (!holder) {
    holder = holder_new (gst_cuda_context_get_handle (context), error);
    if (holder)
      g_object_set_data_full (G_OBJECT (context), key, holder, holder_free);
  }
  g_mutex_unlock (&lock);
  return holder != NULL;
}

/* Bits that gst_shapes_context_leave() undoes. */
#define ENTERED 1
#define LOST 2

guint
gst_shapes_context_enter_to_free (gpointer context)
{
  /* in parentheses: bypasses the fault injection macro, since freeing must not
   * fail */
  guint entered = (gst_cuda_context_push) (context) ? ENTERED : 0;

  if (!entered || !cs_cuda_context_is_alive ()) {
    GST_WARNING ("the CUDA context is gone, and its memory with it");
    cs_cuda_set_context_lost (TRUE);
    entered |= LOST;
  }
  return entered;
}

void
gst_shapes_context_leave (guint entered)
{
  if (entered & LOST)
    cs_cuda_set_context_lost (FALSE);
  if (entered & ENTERED)
    gst_cuda_context_pop (NULL);
}

#endif /* HAVE_CUDA */
