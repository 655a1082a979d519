/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GLib's threads and clocks, for fibers of the world: the linker's --wrap puts
 * these functions in the place of those without "__wrap_". Outside of fibers
 * there is nobody to wait for. */

#include "world.h"

/* Microseconds that a call takes, at most */
#define CALL 3

gint64 __wrap_g_get_monotonic_time (void);
gint64 __wrap_g_get_real_time (void);
void __wrap_g_usleep (gulong microseconds);
GThread *__wrap_g_thread_try_new (const char *name, GThreadFunc function,
    gpointer data, GError ** error);
gpointer __wrap_g_thread_join (GThread * thread);
void __wrap_g_thread_unref (GThread * thread);
void __wrap_g_mutex_init (GMutex * mutex);
void __wrap_g_mutex_clear (GMutex * mutex);
void __wrap_g_mutex_lock (GMutex * mutex);
void __wrap_g_mutex_unlock (GMutex * mutex);
void __wrap_g_cond_init (GCond * cond);
void __wrap_g_cond_clear (GCond * cond);
void __wrap_g_cond_signal (GCond * cond);
void __wrap_g_cond_broadcast (GCond * cond);
void __wrap_g_cond_wait (GCond * cond, GMutex * mutex);
gboolean __wrap_g_cond_wait_until (GCond * cond, GMutex * mutex, gint64 end);

gint64
__wrap_g_get_monotonic_time (void)
{
  world_spend (CALL);
  return world_now ();
}

gint64
__wrap_g_get_real_time (void)
{
  world_spend (CALL);
  return world_time_of_day ();
}

void
__wrap_g_usleep (gulong microseconds)
{
  world_sleep_until (world_now () + (gint64) microseconds);
}

GThread *
__wrap_g_thread_try_new (const char *name, GThreadFunc function, gpointer data,
    GError ** error)
{
  world_spend (CALL);
  return world_spawn (world_get_process (), function, data);
}

gpointer
__wrap_g_thread_join (GThread * thread)
{
  return world_join (thread);
}

void
__wrap_g_thread_unref (GThread * thread)
{
  world_detach (thread);
}

/* A mutex is locked if its pointer is set. */

void
__wrap_g_mutex_init (GMutex * mutex)
{
  mutex->p = NULL;
}

void
__wrap_g_mutex_clear (GMutex * mutex)
{
  if (mutex->p)
    world_fail ("a mutex is cleared while it is locked");
}

void
__wrap_g_mutex_lock (GMutex * mutex)
{
  world_spend (CALL);
  while (mutex->p)
    world_wait_lock (mutex);
  mutex->p = mutex;
}

void
__wrap_g_mutex_unlock (GMutex * mutex)
{
  if (!mutex->p)
    world_fail ("a mutex is unlocked that is not locked");
  mutex->p = NULL;
  world_wake (mutex, TRUE);
  world_spend (CALL);
}

void
__wrap_g_cond_init (GCond * cond)
{
  cond->p = NULL;
}

void
__wrap_g_cond_clear (GCond * cond)
{
}

void
__wrap_g_cond_signal (GCond * cond)
{
  world_wake (cond, FALSE);
}

void
__wrap_g_cond_broadcast (GCond * cond)
{
  world_wake (cond, TRUE);
}

gboolean
__wrap_g_cond_wait_until (GCond * cond, GMutex * mutex, gint64 end)
{
  /* nobody runs between the two */
  mutex->p = NULL;
  world_wake (mutex, TRUE);
  const gboolean was_woken = world_wait_signal (cond, end);
  while (mutex->p)
    world_wait_lock (mutex);
  mutex->p = mutex;
  return was_woken;
}

void
__wrap_g_cond_wait (GCond * cond, GMutex * mutex)
{
  __wrap_g_cond_wait_until (cond, mutex, G_MAXINT64);
}
