/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "status.h"

#include <string.h>

#include "json.h"
#include "state.h"

#define MOST (1 << 20)

static json_t *
make_string (const char *text)
{
  json_t *string = text ? json_string (text) : NULL;

  return string ? string : json_null ();
}

static json_t *
make_position (const LinePublishKind * kind,
    const LineSpoolPosition * position)
{
  json_t *object = json_object ();

  if (kind->files->has_segments) {
    json_object_set_new (object, "run", make_string (position->run));
    set_count (object, "segment", position->segment);
  } else {
    json_object_set_new (object, "file", make_string (position->run));
  }
  set_count (object, "offset", position->offset);
  set_count (object, "lines", position->lines);
  return object;
}

/* The only one's position, or the streams by their names */
static void
set_streams (json_t * object, const LinePublishStatus * status)
{
  json_t *streams;

  if (!status->kind->has_streams) {
    json_object_set_new (object, "position", make_position (status->kind,
            &status->streams->position));
    return;
  }
  set_count (object, "deleted_files", status->deleted);
  streams = json_object ();
  for (guint i = 0; i < status->n_streams; i++) {
    const LinePublishProgress *stream = &status->streams[i];
    json_t *one = make_position (status->kind, &stream->position);

    set_count (one, "waiting_lines", stream->waiting_lines);
    set_count (one, "waiting_bytes", stream->waiting_bytes);
    json_object_set_new (streams, stream->name, one);
  }
  json_object_set_new (object, "streams", streams);
}

static json_t *
make_status (const LinePublishStatus * status, gint64 now)
{
  json_t *object = json_object ();

  json_object_set_new (object, "schema",
      json_string (status->kind->status_schema));
  set_count (object, "t_ns", now);
  json_object_set_new (object, status->kind->has_streams ? "name" :
      status->kind->owner, make_string (status->name));
  json_object_set_new (object, "target", make_string (status->target));
  json_object_set_new (object, "connected_since_ns", status->connected_at ?
      json_integer (status->connected_at) : json_null ());
  set_count (object, "published", status->published);
  set_count (object, "acknowledged", status->acknowledged);
  set_count (object, "waiting_lines", status->waiting_lines);
  set_count (object, "waiting_bytes", status->waiting_bytes);
  set_count (object, "reconnects", status->reconnects);
  set_count (object, "errors", status->errors);
  set_count (object, "damaged", status->damaged);
  set_count (object, "gaps", status->gaps);
  json_object_set_new (object, "last_error", make_string (status->last_error));
  set_streams (object, status);
  return object;
}

gboolean
line_publish_status_write (const char *path,
    const LinePublishStatus * status, gint64 now, GError ** error)
{
  json_auto_t *object = make_status (status, now);
  char *json = json_dumps (object, 0);
  g_autofree char *text = g_strconcat (json ? json : "{}", "\n", NULL);
  gboolean good = line_publish_replace (path, text, strlen (text), FALSE,
      error);

  free (json);
  return good;
}

char *
line_publish_status_read (const char *path)
{
  char *text;
  gsize size;

  return line_publish_load (path, MOST, &text, &size, NULL) ? text : NULL;
}
