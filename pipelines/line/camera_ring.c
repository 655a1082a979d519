/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "camera_ring.h"

#include <string.h>

#include "base/memory.h"
#include "publish/clock.h"
#include "publish/lock.h"
#include "settings.h"

typedef enum
{
  AWAITED,
  FILLING,
  THERE,
  INCOMPLETE,
  MISSING,
} State;

/* A trigger. @readers: who must not have it taken away */
typedef struct
{
  guint64 trigger;
  gboolean is_used;
  guint readers;
  gboolean is_taken;
  State states[LINE_MAX_VIEWS];
  guint8 *pictures;
} Slot;

typedef struct
{
  guint64 frames, incomplete, missing;
  guint silence;
  gint64 last_time;
} Count;

struct _LineCameraRing
{
  guint views, n_slots;
  gsize size;
  Slot *slots;
  GMutex lock;
  GCond changed;
  gboolean is_cancelled;
  Count counts[LINE_MAX_VIEWS];
};

LineCameraRing *
line_camera_ring_new (guint views, gsize size, guint slots)
{
  LineCameraRing *ring = g_new0 (LineCameraRing, 1);

  g_mutex_init (&ring->lock);
  g_cond_init (&ring->changed);
  ring->views = views;
  ring->size = size;
  ring->n_slots = slots;
  ring->slots = g_new0 (Slot, slots);
  for (guint i = 0; i < slots; i++) {
    ring->slots[i].pictures = cs_try_malloc_n (size, views);
    if (!ring->slots[i].pictures) {
      line_camera_ring_free (ring);
      return NULL;
    }
    /* the pages are there then */
    memset (ring->slots[i].pictures, 0, size * views);
  }
  return ring;
}

void
line_camera_ring_free (LineCameraRing * ring)
{
  for (guint i = 0; i < ring->n_slots; i++)
    g_free (ring->slots[i].pictures);
  g_free (ring->slots);
  g_cond_clear (&ring->changed);
  g_mutex_clear (&ring->lock);
  g_free (ring);
}

/* With the lock. Returns: NULL if the ring does not have it (any more) */
static Slot *
find (LineCameraRing * ring, guint64 trigger)
{
  Slot *slot = &ring->slots[trigger % ring->n_slots];

  return slot->is_used && slot->trigger == trigger ? slot : NULL;
}

static gboolean
is_busy (const LineCameraRing * ring, const Slot * slot)
{
  gboolean is_filling = FALSE;

  for (guint v = 0; v < ring->views; v++)
    is_filling = is_filling || (slot->is_used && slot->states[v] == FILLING);
  return is_filling || slot->readers > 0 || slot->is_taken;
}

void
line_camera_ring_add (LineCameraRing * ring, guint64 trigger, guint32 awaited)
{
  Slot *slot = &ring->slots[trigger % ring->n_slots];
  LINE_LOCK (&ring->lock);

  /* a slot that is still held, one whole ring later: this trigger's views are
   * missing */
  if (!is_busy (ring, slot)) {
    slot->trigger = trigger;
    slot->is_used = TRUE;
    for (guint v = 0; v < ring->views; v++)
      slot->states[v] = awaited & (1u << v) ? AWAITED : MISSING;
  }
}

guint8 *
line_camera_ring_fill (LineCameraRing * ring, guint64 trigger, guint view)
{
  guint8 *picture = NULL;
  LINE_LOCK (&ring->lock);
  Slot *slot = find (ring, trigger);

  if (slot && slot->states[view] == AWAITED) {
    slot->states[view] = FILLING;
    picture = slot->pictures + view * ring->size;
  }
  return picture;
}

void
line_camera_ring_filled (LineCameraRing * ring, guint64 trigger, guint view,
    gint64 time)
{
  LINE_LOCK (&ring->lock);

  find (ring, trigger)->states[view] = THERE;
  ring->counts[view].last_time = time;
  g_cond_broadcast (&ring->changed);
}

void
line_camera_ring_lose (LineCameraRing * ring, guint64 trigger, guint view,
    gboolean is_incomplete)
{
  LINE_LOCK (&ring->lock);
  Slot *slot = find (ring, trigger);

  if (slot && slot->states[view] == AWAITED)
    slot->states[view] = is_incomplete ? INCOMPLETE : MISSING;
  g_cond_broadcast (&ring->changed);
}

void
line_camera_ring_give_up (LineCameraRing * ring, guint view)
{
  LINE_LOCK (&ring->lock);

  for (guint i = 0; i < ring->n_slots; i++)
    if (ring->slots[i].is_used && ring->slots[i].states[view] == AWAITED)
      ring->slots[i].states[view] = MISSING;
  g_cond_broadcast (&ring->changed);
}

/* With the lock. Returns: whether a picture may still come. @view: one that is
 * there and not taken; the number of views if there is none */
static gboolean
look_for (const LineCameraRing * ring, const Slot * slot, guint32 taken,
    guint * view)
{
  gboolean may_come = FALSE;

  for (*view = 0; *view < ring->views; ++*view) {
    const State state = slot->states[*view];

    if (state == THERE && !(taken & (1u << *view)))
      break;
    may_come = may_come || state == AWAITED || state == FILLING;
  }
  return may_come;
}

const guint8 *
line_camera_ring_take (LineCameraRing * ring, guint64 trigger,
    guint32 * taken, guint * view, gint64 until)
{
  const guint8 *picture = NULL;
  LINE_LOCK (&ring->lock);
  Slot *slot = find (ring, trigger);
  gboolean is_waiting = slot != NULL;

  if (slot)
    slot->is_taken = TRUE;
  while (is_waiting) {
    is_waiting = look_for (ring, slot, *taken, view);
    if (*view < ring->views) {
      picture = slot->pictures + *view * ring->size;
      *taken |= 1u << *view;
      break;
    }
    is_waiting = is_waiting && !ring->is_cancelled && line_clock_now () < until;
    if (is_waiting)
      g_cond_wait_until (&ring->changed, &ring->lock,
          line_clock_to_monotonic (until + 999));
  }
  return picture;
}

/* With the lock. */
static void
settle_view (LineCameraRing * ring, Slot * slot, guint view,
    gboolean is_taken, LineLostViews * lost)
{
  Count *count = &ring->counts[view];
  LineLoss loss = LINE_LOSS_MISSING;

  /* copying takes less than a millisecond */
  while (slot && slot->states[view] == FILLING)
    g_cond_wait (&ring->changed, &ring->lock);
  if (slot && slot->states[view] == AWAITED) {
    slot->states[view] = MISSING;
    if (ring->is_cancelled)
      loss = LINE_LOSS_STOPPED;
  }
  if (slot && slot->states[view] == THERE && is_taken) {
    count->frames++;
    count->silence = 0;
  } else if (slot && slot->states[view] == INCOMPLETE) {
    lost->by[LINE_LOSS_INCOMPLETE] |= 1u << view;
    count->incomplete++;
    count->silence = 0;
  } else {
    lost->by[loss] |= 1u << view;
    count->missing++;
    count->silence++;
  }
}

void
line_camera_ring_settle (LineCameraRing * ring, guint64 trigger,
    guint32 taken, LineLostViews * lost)
{
  *lost = (LineLostViews) { 0 };
  LINE_LOCK (&ring->lock);
  Slot *slot = find (ring, trigger);
  /* it is not taken away while a picture is waited for */
  if (slot)
    slot->is_taken = TRUE;
  for (guint v = 0; v < ring->views; v++)
    settle_view (ring, slot, v, taken >> v & 1, lost);
  if (slot)
    slot->is_taken = FALSE;
}

gboolean
line_camera_ring_look_at (LineCameraRing * ring, guint64 trigger, guint view,
    guint8 * picture)
{
  g_mutex_lock (&ring->lock);
  Slot *slot = find (ring, trigger);
  gboolean is_there = slot && slot->states[view] == THERE;
  if (is_there)
    slot->readers++;
  g_mutex_unlock (&ring->lock);
  if (!is_there)
    return FALSE;
  memcpy (picture, slot->pictures + view * ring->size, ring->size);
  g_mutex_lock (&ring->lock);
  slot->readers--;
  g_mutex_unlock (&ring->lock);
  return TRUE;
}

void
line_camera_ring_cancel (LineCameraRing * ring)
{
  LINE_LOCK (&ring->lock);

  ring->is_cancelled = TRUE;
  g_cond_broadcast (&ring->changed);
}

void
line_camera_ring_count (LineCameraRing * ring, guint view,
    LineCameraHealth * health)
{
  const Count *count = &ring->counts[view];
  LINE_LOCK (&ring->lock);

  health->frames = count->frames;
  health->incomplete = count->incomplete;
  health->missing = count->missing;
  health->last_time = count->last_time;
}

guint
line_camera_ring_get_silence (LineCameraRing * ring, guint view)
{
  LINE_LOCK (&ring->lock);

  return ring->counts[view].silence;
}

void
line_camera_ring_forget (LineCameraRing * ring, guint view)
{
  LINE_LOCK (&ring->lock);

  ring->counts[view].silence = 0;
}
