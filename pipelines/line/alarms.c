/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "alarms.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "publish/ini.h"
#include "publish/lock.h"

/* Times in a row after which a cause is there, or gone */
#define TIMES 3

/* @id: 0 until it has been there often enough
 * @times: that it was there in a row, or, of an alarm, was not
 * @lane, @who: (nullable)
 * @gone_at, @acknowledged_at: 0: it is not */
typedef struct
{
  LineAlarmKind kind;
  char *lane, *who;
  gint view;
  gdouble value;
  guint64 id;
  guint times;
  gboolean is_there;
  gint64 since, gone_at, acknowledged_at;
} Alarm;

struct _LineAlarms
{
  gint ref_count;
  GMutex lock;
  guint64 next;
  GPtrArray *alarms;
};

const char *const line_alarm_names[LINE_N_ALARMS] = { "view-dark",
  "frames-lost", "frames-late", "camera-off", "plc-down", "plc-out-of-step",
  "deadline-missed", "undecided", "publisher-gone", "broker-down",
  "disk-waits", "decisions-unwritten"
};

static void
free_alarm (gpointer data)
{
  Alarm *alarm = data;

  g_free (alarm->lane);
  g_free (alarm->who);
  g_free (alarm);
}

LineAlarms *
line_alarms_new (guint64 first)
{
  LineAlarms *alarms = g_new0 (LineAlarms, 1);

  alarms->ref_count = 1;
  g_mutex_init (&alarms->lock);
  alarms->next = first;
  alarms->alarms = g_ptr_array_new_with_free_func (free_alarm);
  return alarms;
}

LineAlarms *
line_alarms_ref (LineAlarms * alarms)
{
  g_atomic_int_inc (&alarms->ref_count);
  return alarms;
}

void
line_alarms_unref (LineAlarms * alarms)
{
  if (!g_atomic_int_dec_and_test (&alarms->ref_count))
    return;
  g_ptr_array_unref (alarms->alarms);
  g_mutex_clear (&alarms->lock);
  g_free (alarms);
}

/* With the lock: the alarm of @cause that is not gone */
static Alarm *
find (const LineAlarms * alarms, const LineCause * cause)
{
  for (guint i = 0; i < alarms->alarms->len; i++) {
    Alarm *alarm = alarms->alarms->pdata[i];

    if (alarm->gone_at == 0 && alarm->kind == cause->kind
        && alarm->view == cause->view
        && g_strcmp0 (alarm->lane, cause->lane) == 0)
      return alarm;
  }
  return NULL;
}

/* With the lock: the oldest one that is gone makes room. Returns: NULL if there
 * is none */
static Alarm *
add (LineAlarms * alarms, const LineCause * cause)
{
  for (guint i = 0; i < alarms->alarms->len
      && alarms->alarms->len >= LINE_MOST_ALARMS; i++)
    if (((const Alarm *) alarms->alarms->pdata[i])->gone_at > 0)
      g_ptr_array_remove_index (alarms->alarms, i--);
  if (alarms->alarms->len >= LINE_MOST_ALARMS)
    return NULL;
  Alarm *alarm = g_new0 (Alarm, 1);
  alarm->kind = cause->kind;
  alarm->lane = g_strdup (cause->lane);
  alarm->view = cause->view;
  g_ptr_array_add (alarms->alarms, alarm);
  return alarm;
}

/* With the lock: it is there. */
static void
note (LineAlarms * alarms, Alarm * alarm, gdouble value, gint64 now)
{
  alarm->is_there = TRUE;
  alarm->value = value;
  if (alarm->id > 0) {
    alarm->times = 0;
    return;
  }
  if (alarm->times++ == 0)
    alarm->since = now;
  if (alarm->times == TIMES) {
    alarm->id = alarms->next++;
    alarm->times = 0;
  }
}

/* With the lock: it is not. Returns: whether nobody need know of it */
static gboolean
miss (Alarm * alarm, gint64 now)
{
  if (alarm->gone_at > 0)
    return FALSE;
  if (alarm->id > 0 && ++alarm->times < TIMES)
    return FALSE;
  alarm->gone_at = now;
  return alarm->id == 0 || alarm->acknowledged_at > 0;
}

void
line_alarms_update (LineAlarms * alarms, const LineCause * causes,
    guint n_causes, gint64 now)
{
  LINE_LOCK (&alarms->lock);

  for (guint i = 0; i < alarms->alarms->len; i++)
    ((Alarm *) alarms->alarms->pdata[i])->is_there = FALSE;
  for (guint i = 0; i < n_causes; i++) {
    Alarm *alarm = find (alarms, &causes[i]);

    if (!alarm)
      alarm = add (alarms, &causes[i]);
    if (alarm)
      note (alarms, alarm, causes[i].value, now);
  }
  for (guint i = alarms->alarms->len; i-- > 0;) {
    Alarm *alarm = alarms->alarms->pdata[i];

    if (!alarm->is_there && miss (alarm, now))
      g_ptr_array_remove_index (alarms->alarms, i);
  }
}

/* People */

/* With the lock: the place of alarm @id, which nobody has acknowledged; -1:
 * there is none */
static gint
find_id (const LineAlarms * alarms, guint64 id)
{
  for (guint i = 0; i < alarms->alarms->len; i++) {
    const Alarm *alarm = alarms->alarms->pdata[i];

    if (id > 0 && alarm->id == id && alarm->acknowledged_at == 0)
      return (gint) i;
  }
  return -1;
}

gboolean
line_alarms_check (LineAlarms * alarms, guint64 id, GError ** error)
{
  LINE_LOCK (&alarms->lock);

  return find_id (alarms, id) >= 0 || line_fail (error, LINE_ERROR_INVALID,
      "there is no alarm %" G_GUINT64_FORMAT " that is not acknowledged", id);
}

void
line_alarms_acknowledge (LineAlarms * alarms, guint64 id, const char *who,
    gint64 now)
{
  LINE_LOCK (&alarms->lock);
  const gint at = find_id (alarms, id);
  Alarm *alarm = at >= 0 ? alarms->alarms->pdata[at] : NULL;

  if (alarm && alarm->gone_at > 0) {
    g_ptr_array_remove_index (alarms->alarms, (guint) at);
  } else if (alarm) {
    alarm->who = g_strdup (who);
    alarm->acknowledged_at = now;
  }
}

/* As JSON */

static json_t *
make_alarm (const Alarm * alarm)
{
  json_t *json = json_pack ("{s:I,s:s,s:s?,s:I}", "id",
      (json_int_t) alarm->id, "what", line_alarm_names[alarm->kind], "lane",
      alarm->lane, "since_ns", (json_int_t) alarm->since);

  json_object_set_new (json, "view", alarm->view >= 0 ?
      json_integer (alarm->view) : json_null ());
  json_object_set_new (json, "value", isnan (alarm->value) ? json_null () :
      json_real (alarm->value));
  json_object_set_new (json, "gone_ns", alarm->gone_at > 0 ?
      json_integer (alarm->gone_at) : json_null ());
  json_object_set_new (json, "acknowledged", alarm->acknowledged_at > 0 ?
      json_pack ("{s:s,s:I}", "who", alarm->who, "time_ns",
          (json_int_t) alarm->acknowledged_at) : json_null ());
  return json;
}

static int
compare_alarms (gconstpointer a, gconstpointer b)
{
  const Alarm *x = *(const Alarm * const *) a;
  const Alarm *y = *(const Alarm * const *) b;

  return (x->id < y->id) - (x->id > y->id);
}

char *
line_alarms_to_json (LineAlarms * alarms)
{
  json_auto_t *list = json_array ();

  g_mutex_lock (&alarms->lock);
  g_autoptr (GPtrArray) sorted = g_ptr_array_copy (alarms->alarms, NULL, NULL);
  g_ptr_array_set_free_func (sorted, NULL);
  g_ptr_array_sort (sorted, compare_alarms);
  for (guint i = 0; i < sorted->len; i++)
    if (((const Alarm *) sorted->pdata[i])->id > 0)
      json_array_append_new (list, make_alarm (sorted->pdata[i]));
  g_mutex_unlock (&alarms->lock);
  char *encoded = json_dumps (list, JSON_COMPACT | JSON_REAL_PRECISION (6));
  char *text = g_strdup_printf ("%s\n", encoded ? encoded : "[]");
  free (encoded);
  return text;
}
