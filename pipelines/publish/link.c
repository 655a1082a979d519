/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "link.h"

#include "clock.h"
#include "lock.h"
#include "message.h"

typedef struct
{
  LinePublishMark mark;
  gboolean is_acknowledged;
} Slot;

/* Lines @done .. @sent - 1 are on their way, line i in slot
 * i % LINE_PUBLISH_WINDOW.
 * @bytes: of those
 * @why: of the last failure; @told: of the last that was printed */
struct _LinePublishLink
{
  const char *target;
  LineTransportEvents events;
  GMutex lock;
  GCond changed;
  Slot slots[LINE_PUBLISH_WINDOW];
  guint64 done, sent, bytes, connections, failures;
  gboolean is_connected, is_refused, has_told_connection;
  gint64 connected_at;
  char *why, *told;
};

static void
acknowledged (guint64 number, gpointer user)
{
  LinePublishLink *link = user;

  LINE_LOCK (&link->lock);
  if (number >= link->done && number < link->sent)
    link->slots[number % LINE_PUBLISH_WINDOW].is_acknowledged = TRUE;
  g_cond_signal (&link->changed);
}

/* With the lock. */
static void
note_failure (LinePublishLink * link, const char *why)
{
  link->failures++;
  g_free (link->why);
  /* brokers say of it what they like */
  link->why = line_message_text (why, -1);
}

static void
changed (gboolean is_connected, const char *why, gpointer user)
{
  LinePublishLink *link = user;
  LINE_LOCK (&link->lock);

  if (is_connected && !link->is_connected) {
    link->connections++;
    link->connected_at = line_clock_now ();
  }
  if (!is_connected) {
    link->connected_at = 0;
    note_failure (link, why);
  }
  link->is_connected = is_connected;
  g_cond_signal (&link->changed);
}

static void
refused (const char *why, gpointer user)
{
  line_publish_link_refuse (user, why);
}

LinePublishLink *
line_publish_link_new (const char *target)
{
  LinePublishLink *link = g_new0 (LinePublishLink, 1);

  link->target = target;
  link->events = (LineTransportEvents) {acknowledged, changed, refused, link};
  g_mutex_init (&link->lock);
  g_cond_init (&link->changed);
  return link;
}

void
line_publish_link_free (LinePublishLink * link)
{
  g_free (link->why);
  g_free (link->told);
  g_cond_clear (&link->changed);
  g_mutex_clear (&link->lock);
  g_free (link);
}

const LineTransportEvents *
line_publish_link_events (LinePublishLink * link)
{
  return &link->events;
}

guint64
line_publish_link_add (LinePublishLink * link, const LinePublishMark * mark)
{
  LINE_LOCK (&link->lock);
  guint64 number = link->sent++;

  link->slots[number % LINE_PUBLISH_WINDOW] = (Slot) {*mark};
  link->bytes += mark->size;
  return number;
}

LinePublishState
line_publish_link_get_state (LinePublishLink * link)
{
  LINE_LOCK (&link->lock);

  return (LinePublishState) {link->sent, link->done, link->bytes,
    link->is_refused, link->is_connected};
}

/* With the lock. Whether the first line on its way has arrived. */
static gboolean
has_more (const LinePublishLink * link)
{
  return link->done < link->sent
      && link->slots[link->done % LINE_PUBLISH_WINDOW].is_acknowledged;
}

gboolean
line_publish_link_take (LinePublishLink * link, LinePublishMark * mark)
{
  LINE_LOCK (&link->lock);

  if (!has_more (link))
    return FALSE;
  *mark = link->slots[link->done++ % LINE_PUBLISH_WINDOW].mark;
  link->bytes -= mark->size;
  return TRUE;
}

void
line_publish_link_refuse (LinePublishLink * link, const char *why)
{
  LINE_LOCK (&link->lock);

  if (!link->is_refused)
    note_failure (link, why);
  link->is_refused = TRUE;
  g_cond_signal (&link->changed);
}

void
line_publish_link_reset (LinePublishLink * link)
{
  LINE_LOCK (&link->lock);

  link->is_connected = link->is_refused = FALSE;
  link->connected_at = 0;
  link->done = link->sent;
  link->bytes = 0;
}

/* With the lock. */
static void
print_change (LinePublishLink * link, gboolean is_resting)
{
  if (link->is_connected && !link->is_refused) {
    if (!link->has_told_connection)
      g_printerr ("%s: connected\n", link->target);
    link->has_told_connection = TRUE;
    if (!is_resting)
      g_clear_pointer (&link->told, g_free);
  } else if (link->why && g_strcmp0 (link->told, link->why) != 0) {
    g_printerr ("%s: %s; trying again until it works\n", link->target,
        link->why);
    g_free (link->told);
    link->told = g_strdup (link->why);
    link->has_told_connection = FALSE;
  }
}

void
line_publish_link_report (LinePublishLink * link, gboolean is_resting,
    LinePublishConnection * connection)
{
  LINE_LOCK (&link->lock);

  print_change (link, is_resting);
  *connection = (LinePublishConnection) {link->connections, link->failures,
    link->connected_at, g_strdup (link->why)};
  link->failures = 0;
}

void
line_publish_link_wait (LinePublishLink * link, gint64 timeout)
{
  const gint64 until = g_get_monotonic_time () + timeout;
  LINE_LOCK (&link->lock);

  if (!has_more (link))
    g_cond_wait_until (&link->changed, &link->lock, until);
}
