/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GLib's locks implemented with the C library's, for ThreadSanitizer, which
 * understands pthread_mutex_lock() but not GLib's futexes. They interpose
 * GLib's for the program, the plugin and GStreamer; calls inside GLib are not
 * interposed. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <gst/gst.h>
#include <sanitizer/tsan_interface.h>

#define EXPORT __attribute__ ((visibility ("default")))

/* GLib's table of interned strings has a lock of its own: what is looked up in
 * it by one thread is freed by another one. */
static pthread_mutex_t strings = PTHREAD_MUTEX_INITIALIZER;

EXPORT char *
g_ref_string_new_intern (const char *string)
{
  char *(*intern) (const char *);

  *(void **) &intern = dlsym (RTLD_NEXT, "g_ref_string_new_intern");
  pthread_mutex_lock (&strings);
  char *interned = intern (string);
  pthread_mutex_unlock (&strings);
  return interned;
}

EXPORT void
g_ref_string_release (char *string)
{
  void (*release) (char *);

  *(void **) &release = dlsym (RTLD_NEXT, "g_ref_string_release");
  pthread_mutex_lock (&strings);
  release (string);
  pthread_mutex_unlock (&strings);
}

/* Locks may be zero and never initialised: made on first use. */
#define DEFINE_GET(name, type, init) \
static type * \
get_##name (gpointer *place) \
{ \
  type *made = g_atomic_pointer_get (place); \
  if (made) \
    return made; \
  made = malloc (sizeof (type)); \
  init; \
  if (g_atomic_pointer_compare_and_exchange (place, NULL, made)) \
    return made; \
  type##_destroy_and_free (made); \
  return g_atomic_pointer_get (place); \
}

static void
pthread_mutex_t_destroy_and_free (pthread_mutex_t * mutex)
{
  pthread_mutex_destroy (mutex);
  free (mutex);
}

static void
pthread_cond_t_destroy_and_free (pthread_cond_t * cond)
{
  pthread_cond_destroy (cond);
  free (cond);
}

static void
pthread_rwlock_t_destroy_and_free (pthread_rwlock_t * lock)
{
  pthread_rwlock_destroy (lock);
  free (lock);
}

static void
init_recursive (pthread_mutex_t * mutex)
{
  pthread_mutexattr_t attributes;

  pthread_mutexattr_init (&attributes);
  pthread_mutexattr_settype (&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init (mutex, &attributes);
  pthread_mutexattr_destroy (&attributes);
}

static void
init_cond (pthread_cond_t * cond)
{
  pthread_condattr_t attributes;

  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (cond, &attributes);
  pthread_condattr_destroy (&attributes);
}

DEFINE_GET (mutex, pthread_mutex_t, pthread_mutex_init (made, NULL))
DEFINE_GET (rec, pthread_mutex_t, init_recursive (made))
DEFINE_GET (cond, pthread_cond_t, init_cond (made))
DEFINE_GET (rw, pthread_rwlock_t, pthread_rwlock_init (made, NULL))

/* Reference counts: accesses before an unref happen before the last unref.
 * GStreamer's atomic operations are not instrumented. */
EXPORT void
gst_mini_object_unref (GstMiniObject * object)
{
  static void (*unref) (GstMiniObject *);

  if (!g_atomic_pointer_get ((gpointer *) &unref))
    g_atomic_pointer_set ((gpointer *) &unref, dlsym (RTLD_NEXT,
            "gst_mini_object_unref"));
  __tsan_release (object);
  __tsan_acquire (object);
  unref (object);
}

/* Buffers: what their former owner wrote happens before somebody acquires them
 * again. GStreamer's own unref, which returns a buffer to its pool, is not
 * interposed: who pushes a buffer is done with it. */
EXPORT GstFlowReturn
gst_pad_push (GstPad * pad, GstBuffer * buffer)
{
  GstFlowReturn (*push) (GstPad *, GstBuffer *);

  *(void **) &push = dlsym (RTLD_NEXT, "gst_pad_push");
  __tsan_release (buffer);
  return push (pad, buffer);
}

EXPORT GstFlowReturn
gst_buffer_pool_acquire_buffer (GstBufferPool * pool, GstBuffer ** buffer,
    GstBufferPoolAcquireParams * params)
{
  GstFlowReturn (*acquire) (GstBufferPool *, GstBuffer **,
      GstBufferPoolAcquireParams *);

  *(void **) &acquire = dlsym (RTLD_NEXT, "gst_buffer_pool_acquire_buffer");
  GstFlowReturn flow = acquire (pool, buffer, params);
  if (flow == GST_FLOW_OK)
    __tsan_acquire (*buffer);
  return flow;
}

/* Tasks: writes to a pool's data happen before its thread reads them. The
 * pool's queue is inside GLib, and GStreamer's task frees the data. */
EXPORT gboolean
g_thread_pool_push (GThreadPool * pool, gpointer data, GError ** error)
{
  gboolean (*push) (GThreadPool *, gpointer, GError **);

  *(void **) &push = dlsym (RTLD_NEXT, "g_thread_pool_push");
  __tsan_release (data);
  return push (pool, data, error);
}

EXPORT void
g_slice_free1 (gsize size, gpointer data)
{
  static void (*slice_free) (gsize, gpointer);

  if (!g_atomic_pointer_get ((gpointer *) &slice_free))
    g_atomic_pointer_set ((gpointer *) &slice_free, dlsym (RTLD_NEXT,
            "g_slice_free1"));
  if (data)
    __tsan_acquire (data);
  slice_free (size, data);
}

/* Mutexes */

EXPORT void
g_mutex_init (GMutex * mutex)
{
  mutex->p = NULL;
}

EXPORT void
g_mutex_clear (GMutex * mutex)
{
  if (mutex->p)
    pthread_mutex_t_destroy_and_free (mutex->p);
  mutex->p = NULL;
}

EXPORT void
g_mutex_lock (GMutex * mutex)
{
  pthread_mutex_lock (get_mutex (&mutex->p));
}

EXPORT gboolean
g_mutex_trylock (GMutex * mutex)
{
  return pthread_mutex_trylock (get_mutex (&mutex->p)) == 0;
}

EXPORT void
g_mutex_unlock (GMutex * mutex)
{
  pthread_mutex_unlock (get_mutex (&mutex->p));
}

EXPORT void
g_rec_mutex_init (GRecMutex * mutex)
{
  mutex->p = NULL;
}

EXPORT void
g_rec_mutex_clear (GRecMutex * mutex)
{
  if (mutex->p)
    pthread_mutex_t_destroy_and_free (mutex->p);
  mutex->p = NULL;
}

EXPORT void
g_rec_mutex_lock (GRecMutex * mutex)
{
  pthread_mutex_lock (get_rec (&mutex->p));
}

EXPORT gboolean
g_rec_mutex_trylock (GRecMutex * mutex)
{
  return pthread_mutex_trylock (get_rec (&mutex->p)) == 0;
}

EXPORT void
g_rec_mutex_unlock (GRecMutex * mutex)
{
  pthread_mutex_unlock (get_rec (&mutex->p));
}

/* Conditions */

EXPORT void
g_cond_init (GCond * cond)
{
  cond->p = NULL;
}

EXPORT void
g_cond_clear (GCond * cond)
{
  if (cond->p)
    pthread_cond_t_destroy_and_free (cond->p);
  cond->p = NULL;
}

EXPORT void
g_cond_wait (GCond * cond, GMutex * mutex)
{
  pthread_cond_wait (get_cond (&cond->p), get_mutex (&mutex->p));
}

EXPORT gboolean
g_cond_wait_until (GCond * cond, GMutex * mutex, gint64 end_time)
{
  const struct timespec end = { end_time / G_USEC_PER_SEC,
    end_time % G_USEC_PER_SEC * 1000
  };

  return pthread_cond_timedwait (get_cond (&cond->p), get_mutex (&mutex->p),
      &end) != ETIMEDOUT;
}

EXPORT void
g_cond_signal (GCond * cond)
{
  pthread_cond_signal (get_cond (&cond->p));
}

EXPORT void
g_cond_broadcast (GCond * cond)
{
  pthread_cond_broadcast (get_cond (&cond->p));
}

/* Locks of readers and writers */

EXPORT void
g_rw_lock_init (GRWLock * lock)
{
  lock->p = NULL;
}

EXPORT void
g_rw_lock_clear (GRWLock * lock)
{
  if (lock->p)
    pthread_rwlock_t_destroy_and_free (lock->p);
  lock->p = NULL;
}

EXPORT void
g_rw_lock_writer_lock (GRWLock * lock)
{
  pthread_rwlock_wrlock (get_rw (&lock->p));
}

EXPORT gboolean
g_rw_lock_writer_trylock (GRWLock * lock)
{
  return pthread_rwlock_trywrlock (get_rw (&lock->p)) == 0;
}

EXPORT void
g_rw_lock_writer_unlock (GRWLock * lock)
{
  pthread_rwlock_unlock (get_rw (&lock->p));
}

EXPORT void
g_rw_lock_reader_lock (GRWLock * lock)
{
  pthread_rwlock_rdlock (get_rw (&lock->p));
}

EXPORT gboolean
g_rw_lock_reader_trylock (GRWLock * lock)
{
  return pthread_rwlock_tryrdlock (get_rw (&lock->p)) == 0;
}

EXPORT void
g_rw_lock_reader_unlock (GRWLock * lock)
{
  pthread_rwlock_unlock (get_rw (&lock->p));
}
