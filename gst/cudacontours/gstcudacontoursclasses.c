/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudacontoursclasses.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* As large as the channels of an image. */
#define MAX_CHANNEL ((1 << 16) - 1)

/* Groups */

static void
clear_group (gpointer data)
{
  ContoursGroup *group = data;

  g_free (group->name);
  g_array_unref (group->channels);
}

/* Reads an integer, and moves *@at past it. */
static gboolean
parse_channel (const gchar ** at, guint * channel)
{
  const gchar *end = *at;

  while (g_ascii_isdigit (*end))
    end++;
  const guint64 number = g_ascii_strtoull (*at, NULL, 10);
  if (end == *at || end - *at > 9 || number > MAX_CHANNEL)
    return FALSE;
  *channel = (guint) number;
  *at = end;
  return TRUE;
}

/* Reads "5" or "5..7"; @seen: for each channel whether it is there. */
static gboolean
parse_range (const gchar ** at, GArray * channels, gboolean * seen)
{
  guint first, last;

  if (!parse_channel (at, &first))
    return FALSE;
  last = first;
  if (g_str_has_prefix (*at, "..")) {
    *at += 2;
    if (!parse_channel (at, &last) || last < first)
      return FALSE;
  }
  for (guint channel = first; channel <= last; channel++) {
    if (seen[channel])
      return FALSE;
    seen[channel] = TRUE;
    g_array_append_val (channels, channel);
  }
  return TRUE;
}

/* Reads "5+7..9". */
static gboolean
parse_channels (const gchar * text, GArray * channels)
{
  gboolean *seen = g_new0 (gboolean, MAX_CHANNEL + 1);
  const gchar *at = text;
  gboolean ok;

  while ((ok = parse_range (&at, channels, seen)) && *at == '+')
    at++;
  g_free (seen);
  return ok && !*at;
}

/* A name is not a number, which would be a class. */
static gboolean
is_name (const gchar * text)
{
  return *text && !strpbrk (text, ",:;=+") && !g_ascii_isdigit (*text) &&
      g_utf8_validate (text, -1, NULL);
}

static gchar *
without_spaces (const gchar * text)
{
  GString *out = g_string_new (NULL);

  for (; *text; text++) {
    if (!g_ascii_isspace (*text))
      g_string_append_c (out, *text);
  }
  return g_string_free (out, FALSE);
}

static gboolean
has_group (const GArray * groups, const gchar * name)
{
  for (guint i = 0; i < groups->len; i++) {
    if (strcmp (g_array_index (groups, ContoursGroup, i).name, name) == 0)
      return TRUE;
  }
  return FALSE;
}

/* Adds the group of "name=channels". */
static gboolean
parse_group (const gchar * text, GArray * groups)
{
  const gchar *equals = strchr (text, '=');
  ContoursGroup group;

  if (!equals)
    return FALSE;
  group.name = g_strstrip (g_strndup (text, equals - text));
  group.channels = g_array_new (FALSE, FALSE, sizeof (guint));
  gchar *channels = without_spaces (equals + 1);
  const gboolean ok = is_name (group.name) && !has_group (groups, group.name) &&
      parse_channels (channels, group.channels);
  g_free (channels);
  if (ok)
    g_array_append_val (groups, group);
  else
    clear_group (&group);
  return ok;
}

GArray *
contours_parse_groups (const gchar * text, GError ** error)
{
  GArray *groups = g_array_new (FALSE, FALSE, sizeof (ContoursGroup));
  gchar *stripped = g_strstrip (g_strdup (text ? text : ""));
  gchar **parts = g_strsplit (stripped, ",", -1);
  gboolean ok = TRUE;

  g_array_set_clear_func (groups, clear_group);
  for (guint i = 0; ok && parts[i]; i++)
    ok = parse_group (parts[i], groups);
  g_strfreev (parts);
  g_free (stripped);
  if (ok)
    return groups;
  g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "class-groups=\"%s\" is not "
      "a comma-separated list of names and channels, such as \"defect=5+6+7,"
      "skin=1..11\"; a name begins with a letter, and neither a name nor a "
      "group's channel is there twice", text);
  g_array_unref (groups);
  return NULL;
}

/* Areas */

static void
clear_area (gpointer data)
{
  g_free (((ContoursClassArea *) data)->name);
}

static gboolean
parse_area (const gchar * text, GArray * areas)
{
  const gchar *colon = strrchr (text, ':');
  ContoursClassArea area;
  gchar *rest, *end;

  if (!colon)
    return FALSE;
  rest = without_spaces (colon + 1);
  area.area = g_ascii_strtod (rest, &end);
  gboolean ok = end > rest && !*end && isfinite (area.area) && area.area >= 0;
  g_free (rest);
  area.name = g_strstrip (g_strndup (text, colon - text));
  if (ok && *area.name)
    g_array_append_val (areas, area);
  else
    g_free (area.name);
  return ok && *text != ':';
}

GArray *
contours_parse_class_areas (const gchar * property,
    const gchar * text, GError ** error)
{
  GArray *areas = g_array_new (FALSE, FALSE, sizeof (ContoursClassArea));
  gchar *stripped = g_strstrip (g_strdup (text ? text : ""));
  gchar **parts = g_strsplit (stripped, ",", -1);
  gboolean ok = TRUE;
  guint i;

  g_array_set_clear_func (areas, clear_area);
  for (i = 0; ok && parts[i]; i++)
    ok = parse_area (parts[i], areas);
  ok = ok && areas->len == i;
  g_strfreev (parts);
  g_free (stripped);
  if (ok)
    return areas;
  g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "%s=\"%s\" is not a comma-"
      "separated list of classes and areas, such as \"5:20, 6:40\"", property,
      text);
  g_array_unref (areas);
  return NULL;
}
