/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is a line of JSON, whose it is, and what configurations may have. */

#include "check.h"
#include "checks.h"
#include "publish/settings.h"
#include "publish/shapes.h"
#include "publish/state.h"

#include <string.h>

#include <glib/gstdio.h>

CHECK (lines)
{
  static const char *const good[] = { "{}", " {\t\"a\" :1 } \r",
    "{\"a\":[1,-0,0.5,1e3,{\"b\":[null]}],\"\":true}",
    "{\"\303\244\":\"\342\202\254\"}"
  };
  static const char *const bad[] = { "", " ", "[]", "1", "\"a\"", "{", "{}}",
    "{} {}", "{\"a\":}", "{\"a\":1,}", "{\"a\":01}", "{\"a\":NaN}",
    "{\"a\":\"\377\"}", "{\"a\":\"\t\"}", "{\"a\":\"b}", "{'a':1}"
  };
  LinePublishKey key;

  begin ("what is a line of shapes");
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    expect (!line_publish_shapes.parse (good[i], strlen (good[i]), "folder",
            &key), "%s", good[i]);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    expect (line_publish_shapes.parse (bad[i], strlen (bad[i]), "folder",
            &key) != NULL, "%s", bad[i]);
  expect (line_publish_shapes.parse ("{\"a\":1\0}", 8, "folder", &key) != NULL,
      "a byte 0");
  end ();
}

CHECK (sources)
{
  static const struct
  {
    const char *text, *name;
  } lines[] = {
    {"{\"version\":1,\"source\":\"cam1\"}", "cam1"},
    {"{\"source\" : \"cam1\",\"source\":\"cam2\"}", "cam2"},
    {"{\"a\":{\"source\":\"cam1\"}}", "folder"},
    {"{\"a\":\"source\",\"sources\":\"b\",\"sourc\":\"c\"}", "folder"},
    {"{\"source\":\"\"}", "folder"}, {"{}", "folder"},
    {"{\"source\":\"\\u00e4\\/b c\"}", "\303\244/b c"},
    {"{\"source\":\"+\"}", "+"}, {"{\"source\":1}", NULL},
    {"{\"source\":null}", NULL}, {"{\"source\":\"\\ud800\"}", NULL},
    {"{\"source\":\"a\\u0000b\"}", NULL}, {"{\"source\":{}}", NULL},
  };
  g_autofree char *name = g_strnfill (LINE_PUBLISH_NAME - 1, 'a');
  LinePublishKey key;

  begin ("whose a line is");
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    const char *problem = line_publish_shapes.parse (lines[i].text,
        strlen (lines[i].text), "folder", &key);

    expect (!problem == !!lines[i].name && (problem
            || strcmp (key.names[0], lines[i].name) == 0), "%s: %s",
        lines[i].text, problem ? problem : key.names[0]);
  }
  for (guint longer = 0; longer < 2; longer++) {
    g_autofree char *text = g_strdup_printf ("{\"source\":\"%s%s\"}", name,
        longer ? "a" : "");

    expect (!line_publish_shapes.parse (text, strlen (text), "folder", &key)
        == !longer, "%u more", longer);
  }
  end ();
}

#define SHAPES "[shapes]\nname=n\nfolder=f\n"
#define PUBLISH "[publish]\nhost=h\n"

CHECK (configs)
{
  static const struct
  {
    const char *text, *problem;
  } configs[] = {
    {SHAPES PUBLISH, NULL},
    {SHAPES "keep-mb=100\nkeep-days=0.5\n" PUBLISH "topic=a/{source}/b\n", NULL},
    {SHAPES "[publish]\ntransport=kafka\nbrokers=h:9092\n", NULL},
    {"", "c.ini:1: [shapes] lacks the key \"name\""},
    {SHAPES, "c.ini:1: there is no group [publish]: add it"},
    {"[shapes]\nname=n\n" PUBLISH, "c.ini:1: [shapes] lacks the key \"folder\""},
    {"[shapes]\nname=a/b\nfolder=f\n" PUBLISH, "c.ini:2: \"a/b\": a name has"},
    {SHAPES "keep-mb=0\n" PUBLISH, "c.ini:4: \"keep-mb\" is 0, and must be"},
    {SHAPES "keep-days=x\n" PUBLISH, "c.ini:4: \"keep-days\" is x"},
    {SHAPES "segment-mb=1\n" PUBLISH, "c.ini:4: unknown key \"segment-mb\""},
    {SHAPES PUBLISH "topic={source}/#\n", "c.ini:6: with source \"n\", "
          "\"{source}/#\" is no topic"},
    {SHAPES PUBLISH "password=x\n", "c.ini:6: configurations are copied and "
          "read by many: write the password to a file"},
    {SHAPES "[publish]\nhost=a:b@c d\n", "c.ini:5: \"host\" must be a host's"},
    {SHAPES PUBLISH "in-flight=0\n", "c.ini:6: \"in-flight\" is 0"},
    {SHAPES PUBLISH "[line]\nname=x\n", "c.ini:6: unknown group \"line\""},
  };

  begin ("configurations, and what is wrong with them");
  for (guint i = 0; i < G_N_ELEMENTS (configs); i++) {
    g_autoptr (GError) error = NULL;
    LinePublishSource *source = line_shapes_config_parse ("c.ini",
        configs[i].text, strlen (configs[i].text), &error);

    expect (!source == !!configs[i].problem, "%s: %s", configs[i].text,
        error ? error->message : "no problem");
    if (error && configs[i].problem)
      expect (strstr (error->message, configs[i].problem) != NULL, "%s",
          error->message);
    if (source)
      line_shapes_config_free (source);
  }
  end ();
}

CHECK (defaults)
{
  static const char text[] = SHAPES "keep-mb=2\nkeep-days=3\n" PUBLISH;

  begin ("what is not said");
  LinePublishSource *source = line_shapes_config_parse ("/etc/x/c.ini", text,
      strlen (text), NULL);
  expect (strcmp (source->folder, "/etc/x/f") == 0, "%s", source->folder);
  expect (source->keep_bytes == 2000000 && source->keep_days == 3, "keep");
  expect (strcmp (source->publish->topic, "shapes/{source}") == 0
      && strcmp (source->publish->client_id, "cudashapes-n") == 0
      && source->publish->port == 1883, "%s, %s", source->publish->topic,
      source->publish->client_id);
  line_shapes_config_free (source);
  end ();
}

/* The state of several streams */

static char *
make_state (const char *stream, const char *file, const char *more)
{
  return g_strdup_printf ("{\"schema\":\"cudashapes-publisher-state/1\","
      "\"stream\":\"%s\",\"file\":\"%s\",\"offset\":5,\"lines\":1%s}", stream,
      file, more);
}

static GHashTable *
read_state (const char *path, const char *text)
{
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return line_publish_state_read (&line_publish_shapes, path, NULL);
}

CHECK (states)
{
  static const char *const wrong[][3] = {
    {"../a", "f.jsonl", ""}, {"a+", "f.jsonl", ""}, {"a", "../f.jsonl", ""},
    {"a", "f", ""}, {"a", ".jsonl", ""}, {"a", "f.jsonl", ",\"last\":-1"},
    {"a", "f.jsonl", ",\"last\":6,\"check\":1"}, {"a", "f.jsonl", ",\"last\":3"},
    {"a", "f.jsonl", ",\"last\":3,\"check\":4294967296"},
    {"a", "f.jsonl", "}x{"},
  };
  const LineSpoolPosition positions[] = {
    {"2026.jsonl", 0, 9000000000, 77, 3, 4294967295u}, {"\303\244.jsonl"}, {""}
  };
  static const char *const names[] = { "a", "\303\244 b", "c" };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *folder = g_dir_make_tmp ("states-XXXXXX", NULL);
  g_autofree char *path = line_publish_state_path (folder);

  begin ("the state of streams is read as it was written, or not at all");
  for (guint i = 0; i < 3; i++)
    line_publish_state_add (&line_publish_shapes, text, names[i],
        &positions[i]);
  expect (line_publish_state_write (path, text, NULL), "written");
  GStatBuf status;
  expect (g_stat (path, &status) == 0 && status.st_size == 1024
      && text->len == 1024 && g_str_has_suffix (text->str, " \n"), "its size");
  GHashTable *got = line_publish_state_read (&line_publish_shapes, path, NULL);
  expect (got && g_hash_table_size (got) == 3, "three");
  for (guint i = 0; got && i < 3; i++) {
    const LineSpoolPosition *one = g_hash_table_lookup (got, names[i]);

    expect (one && line_spool_is_same (one, &positions[i])
        && one->lines == positions[i].lines && one->last == positions[i].last,
        "%s", names[i]);
  }
  g_clear_pointer (&got, g_hash_table_unref);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autofree char *one = make_state (wrong[i][0], wrong[i][1], wrong[i][2]);

    expect (!read_state (path, one), "%s", one);
  }
  g_autofree char *good = make_state ("a", "f.jsonl", "");
  got = read_state (path, good);
  expect (got && g_hash_table_size (got) == 1, "%s", good);
  g_clear_pointer (&got, g_hash_table_unref);
  g_unlink (path);
  expect (g_rmdir (folder) == 0, "something is left behind");
  end ();
}

CHECKS
