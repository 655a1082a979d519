/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "world.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "disk.h"

#define STACK (512 * 1024)

/* 2026-01-01 */
#define BEGIN (G_GINT64_CONSTANT (1767225600) * G_USEC_PER_SEC)

/* A fiber runs on after a call, this once in so many times it does not. */
#define SWITCH 6

/* A wait ends for no reason once in so many times. */
#define SPURIOUS 200

struct _Process
{
  char *name;
  gboolean is_alive;
  gint64 stopped_until;
};

typedef enum
{
  READY,
  WAITS,
  FINISHED,
} State;

/* @waits_for: a lock, a condition, or a fiber; NULL: for its time
 * @until: when it goes on in any case
 * @place: where it goes on; at first that is @context, whose switches are calls of
 * the system
 * @is_detached: nobody joins it */
typedef struct
{
  ucontext_t context;
  jmp_buf place;
  gboolean has_begun, is_detached;
  gpointer stack;
  Process *process;
  GThreadFunc function;
  gpointer data, result;
  State state;
  gconstpointer waits_for;
  gint64 until;
  gboolean was_woken;
  int code;
} Fiber;

typedef struct
{
  gint64 time;
  guint64 number;
  void (*function) (gpointer data);
  gpointer data;
} Alarm;

static struct
{
  guint64 random[2], sum, n_events, n_alarms;
  gint64 now;
  GPtrArray *fibers, *processes;
  GArray *alarms;
  Fiber *current;
  jmp_buf scheduler;
  char *failure;
  gboolean is_traced;
} world;

/* Chance: xoroshiro128+ (Blackman, Vigna) */

static guint64
rotate (guint64 x, guint k)
{
  return x << k | x >> (64 - k);
}

guint64
world_random (void)
{
  const guint64 a = world.random[0], b = world.random[1] ^ a;

  world.random[0] = rotate (a, 24) ^ b ^ b << 16;
  world.random[1] = rotate (b, 37);
  return a + (b ^ a);
}

guint64
world_below (guint64 n)
{
  return (guint64) (((unsigned __int128) world_random () * n) >> 64);
}

gboolean
world_one_in (guint n)
{
  return world_below (n) == 0;
}

gint64
world_delay (gint64 most)
{
  /* half of them below the thousandth of it, a tenth above half */
  const guint64 way = world_below (10);

  if (way == 0)
    return (gint64) world_below ((guint64) most + 1);
  return (gint64) world_below ((guint64) most / (way < 5 ? 20 : 1000) + 1);
}

/* What happened */

static void
add_to_sum (const char *text)
{
  for (; *text; text++)
    world.sum = (world.sum ^ (guint8) * text) * 0x100000001b3;
  world.n_events++;
}

void
world_tell (const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  add_to_sum (text);
  if (world.is_traced)
    printf ("%14.6f %s: %s\n", world.now / 1e6, world.current ?
        world.current->process->name : "world", text);
}

void
world_fail (const char *format, ...)
{
  va_list arguments;

  if (world.failure)
    return;
  va_start (arguments, format);
  world.failure = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  world_tell ("failed: %s", world.failure);
}

const char *
world_get_failure (void)
{
  return world.failure;
}

void
world_set_traced (gboolean is_traced)
{
  world.is_traced = is_traced;
}

guint64
world_get_sum (void)
{
  return world.sum;
}

guint64
world_count_events (void)
{
  return world.n_events;
}

/* Time */

gint64
world_now (void)
{
  return world.now;
}

gint64
world_time_of_day (void)
{
  return BEGIN + world.now;
}

gboolean
world_is_inside (void)
{
  return world.current != NULL;
}

/* Fibers */

/* To the scheduler, and back when it is this fiber's turn. */
static void
give_way (void)
{
  Fiber *self = world.current;

  self->code = errno;
  if (_setjmp (self->place) == 0)
    _longjmp (world.scheduler, 1);
  errno = self->code;
}

static void
wait_for (gconstpointer what, gint64 until)
{
  Fiber *self = world.current;

  self->state = WAITS;
  self->waits_for = what;
  self->until = until;
  self->was_woken = FALSE;
  give_way ();
}

void
world_spend (gint64 most)
{
  if (!world.current)
    return;
  world.now += (gint64) world_below ((guint64) most + 1);
  if (world_one_in (SWITCH))
    give_way ();
}

void
world_sleep_until (gint64 time)
{
  if (world.current)
    wait_for (NULL, time);
}

void
world_wait_lock (gconstpointer lock)
{
  wait_for (lock, G_MAXINT64);
}

gboolean
world_wait_signal (gconstpointer condition, gint64 until)
{
  if (world_one_in (SPURIOUS))
    until = MIN (until, world.now + (gint64) world_below (1000));
  wait_for (condition, until);
  return world.current->was_woken;
}

void
world_wake (gconstpointer what, gboolean all)
{
  guint first = world.fibers->len > 0 ?
      (guint) world_below (world.fibers->len) : 0;

  for (guint i = 0; i < world.fibers->len; i++) {
    Fiber *fiber = g_ptr_array_index (world.fibers,
        (first + i) % world.fibers->len);

    if (fiber->state != WAITS || fiber->waits_for != what || !what)
      continue;
    fiber->state = READY;
    fiber->was_woken = TRUE;
    if (!all)
      return;
  }
}

static void
enter (void)
{
  Fiber *self = world.current;

  self->result = self->function (self->data);
  self->state = FINISHED;
  world_wake (self, TRUE);
  give_way ();
}

gpointer
world_spawn (Process * process, GThreadFunc function, gpointer data)
{
  Fiber *fiber = g_new0 (Fiber, 1);

  fiber->process = process;
  fiber->function = function;
  fiber->data = data;
  fiber->stack = mmap (NULL, STACK, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true (fiber->stack != MAP_FAILED);
  getcontext (&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack;
  fiber->context.uc_stack.ss_size = STACK;
  fiber->context.uc_link = NULL;
  makecontext (&fiber->context, enter, 0);
  g_ptr_array_add (world.fibers, fiber);
  return fiber;
}

static void
fiber_free (gpointer data)
{
  Fiber *fiber = data;

  munmap (fiber->stack, STACK);
  g_free (fiber);
}

gpointer
world_join (gpointer data)
{
  Fiber *fiber = data;

  while (fiber->state != FINISHED)
    wait_for (fiber, G_MAXINT64);
  gpointer result = fiber->result;
  g_ptr_array_remove (world.fibers, fiber);
  return result;
}

void
world_detach (gpointer data)
{
  Fiber *fiber = data;

  fiber->is_detached = TRUE;
  if (fiber->state == FINISHED)
    g_ptr_array_remove (world.fibers, fiber);
}

/* Processes */

static void
process_free (gpointer data)
{
  g_free (((Process *) data)->name);
  g_free (data);
}

Process *
world_process_new (const char *name)
{
  Process *process = g_new0 (Process, 1);

  process->name = g_strdup (name);
  process->is_alive = TRUE;
  g_ptr_array_add (world.processes, process);
  return process;
}

Process *
world_get_process (void)
{
  return world.current ? world.current->process : NULL;
}

gboolean
world_process_is_alive (const Process * process)
{
  return process && process->is_alive;
}

/* Its memory is lost, as that of a process is. */
void
world_kill (Process * process)
{
  if (!process->is_alive)
    return;
  world_tell ("%s is killed", process->name);
  process->is_alive = FALSE;
  for (guint i = world.fibers->len; i-- > 0;)
    if (((Fiber *) g_ptr_array_index (world.fibers, i))->process == process)
      g_ptr_array_remove_index (world.fibers, i);
  disk_close_all (process);
}

void
world_stop (Process * process, gint64 until)
{
  world_tell ("%s is stopped until %.3f s", process->name, until / 1e6);
  process->stopped_until = MAX (process->stopped_until, until);
}

/* Alarms */

void
world_at (gint64 time, void (*function) (gpointer data), gpointer data)
{
  const Alarm alarm = { time, world.n_alarms++, function, data };
  guint at = world.alarms->len;

  /* the next one is the last */
  while (at > 0 && g_array_index (world.alarms, Alarm, at - 1).time <= time)
    at--;
  g_array_insert_val (world.alarms, at, alarm);
}

static gint64
next_alarm (void)
{
  return world.alarms->len > 0 ? g_array_index (world.alarms, Alarm,
      world.alarms->len - 1).time : G_MAXINT64;
}

static void
ring (void)
{
  const Alarm alarm = g_array_index (world.alarms, Alarm, world.alarms->len - 1);

  g_array_set_size (world.alarms, world.alarms->len - 1);
  alarm.function (alarm.data);
}

/* The scheduler */

/* Any of those that can go on. @next: when one could, if none can now */
static Fiber *
choose (gint64 * next)
{
  const guint n = world.fibers->len;
  const guint first = n > 0 ? (guint) world_below (n) : 0;

  *next = G_MAXINT64;
  for (guint i = 0; i < n; i++) {
    Fiber *fiber = g_ptr_array_index (world.fibers, (first + i) % n);
    const gint64 time = MAX (fiber->state == READY ? 0 : fiber->until,
        fiber->process->stopped_until);

    if (fiber->state == FINISHED)
      continue;
    if (time <= world.now)
      return fiber;
    *next = MIN (*next, time);
  }
  return NULL;
}

static void
go_on (Fiber * fiber)
{
  fiber->state = READY;
  world.current = fiber;
  if (_setjmp (world.scheduler) == 0) {
    if (fiber->has_begun)
      _longjmp (fiber->place, 1);
    fiber->has_begun = TRUE;
    setcontext (&fiber->context);
  }
  world.current = NULL;
  if (fiber->state == FINISHED && fiber->is_detached)
    g_ptr_array_remove (world.fibers, fiber);
}

gboolean
world_run_until (gint64 time)
{
  while (!world.failure && world.now < time) {
    gint64 next;

    if (next_alarm () <= world.now) {
      ring ();
      continue;
    }
    Fiber *fiber = choose (&next);
    if (fiber)
      go_on (fiber);
    else
      world.now = MIN (MIN (next, next_alarm ()), time);
  }
  return !world.failure;
}

/* Life */

void
world_begin (guint64 seed)
{
  const gboolean is_traced = world.is_traced;

  memset (&world, 0, sizeof (world));
  world.is_traced = is_traced;
  /* splitmix64, so that near seeds are unlike */
  for (guint i = 0; i < 2; i++) {
    guint64 z = seed += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    world.random[i] = z ^ z >> 31;
  }
  world.sum = 0xcbf29ce484222325;
  world.now = G_USEC_PER_SEC;
  world.fibers = g_ptr_array_new_with_free_func (fiber_free);
  world.processes = g_ptr_array_new_with_free_func (process_free);
  world.alarms = g_array_new (FALSE, FALSE, sizeof (Alarm));
}

void
world_end (void)
{
  world.is_traced = FALSE;
  for (guint i = 0; i < world.processes->len; i++)
    world_kill (g_ptr_array_index (world.processes, i));
  g_ptr_array_unref (world.fibers);
  g_ptr_array_unref (world.processes);
  g_array_unref (world.alarms);
  g_clear_pointer (&world.failure, g_free);
}
