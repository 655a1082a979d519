/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "shapes.h"

#include "files.h"
#include "shapes/jsontext.h"

#define GROUP "shapes"

static const char *
parse_line (const char *text, gsize size, const char *stream,
    LinePublishKey * key)
{
  char *name = key->names[0];
  const char *problem, *source;
  gsize where;

  *name = '\0';
  if (!json_text_check (text, size, &where, &problem))
    return "it is no JSON object";
  source = json_text_get (json_text_root (text), "source");
  if (source && !json_text_get_string (source, name, LINE_PUBLISH_NAME))
    return "its \"source\" is no text, or a long one";
  if (!*name)
    g_strlcpy (name, stream, LINE_PUBLISH_NAME);
  return NULL;
}

const LinePublishKind line_publish_shapes = {
  "lines", "stream", "cudashapes-publisher-state/1",
  "cudashapes-publisher/1", TRUE, &line_files_by_name, {"{source}"}, 1,
  "shapes/{source}", "shapes", "cudashapes-",
  "configurations are copied and read by many",
  "its \"source\" makes no topic", parse_line
};

static char *
read_folder (LineIni * ini, const char *file)
{
  g_autofree char *value = line_ini_string (ini, GROUP, "folder", NULL);
  g_autofree char *beside = g_path_get_dirname (file);

  return g_path_is_absolute (value) ? g_steal_pointer (&value) :
      g_build_filename (beside, value, NULL);
}

LinePublishSource *
line_shapes_config_parse (const char *file, const char *text, gsize size,
    GError ** error)
{
  LinePublishSource *source = g_new0 (LinePublishSource, 1);
  g_autoptr (LineIni) ini = line_ini_new (file, text, size);

  source->name = line_ini_string (ini, GROUP, "name", NULL);
  if (*source->name && !line_name_is_good (source->name))
    line_ini_problem (ini, GROUP, "name", "\"%s\": " LINE_NAME_RULE,
        source->name);
  source->folder = read_folder (ini, file);
  source->keep_bytes = (guint64) (1e6 * line_ini_number (ini, GROUP, "keep-mb",
          0.01, 1e9, 0));
  source->keep_days = line_ini_number (ini, GROUP, "keep-days", 0.01, 1e5, 0);
  source->publish = line_publish_config_read (ini, file, &line_publish_shapes,
      source->name);
  if (!source->publish)
    line_ini_problem (ini, GROUP, NULL, "there is no group [publish]: add it, "
        "with the key \"host\" or \"brokers\"");
  if (!line_ini_check (ini, error))
    g_clear_pointer (&source, line_shapes_config_free);
  return source;
}

LinePublishSource *
line_shapes_config_load (const char *path, GError ** error)
{
  g_autofree char *text = NULL;
  gsize size;

  return line_ini_load (path, &text, &size, error) ?
      line_shapes_config_parse (path, text, size, error) : NULL;
}

void
line_shapes_config_free (LinePublishSource * source)
{
  g_free (source->name);
  g_free (source->folder);
  g_clear_pointer (&source->publish, line_publish_config_free);
  g_free (source);
}
