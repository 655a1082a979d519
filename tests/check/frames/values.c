/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Properties of every element: when values hold, that they are read back, which
 * can be animated. */

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

#include "elements.h"

TEST_TO_ADD (a_new_value_holds_from_the_next_buffer_on)
{
  const Element *element = &elements[__i__];
  g_auto (GStrv) changes = g_strsplit (element->changes, "|", -1);
  Stream stream = begin (element);
  GstBuffer *in = make_buffer (element, 0);
  g_autofree gchar *last = fresh (element, element->caps, NULL, 0, in);
  Element lenient = *element;

  lenient.is |= element->is & ENCODES ? VARIES : 0;
  assert_result (&stream, element, gst_buffer_copy_deep (in), last, "first");
  for (guint i = 0; changes[i]; i++) {
    if (*changes[i] == '-')
      continue;
    change (stream.element, changes[i]);
    gchar *want = fresh (element, element->caps, changes, i + 1, in);
    assert_result (&stream, &lenient, gst_buffer_copy_deep (in), want,
        changes[i]);
    fail_unless (strcmp (want, last) != 0 || *changes[i] == '~',
        "%s: %s changes nothing", element->line, changes[i]);
    g_free (last);
    last = want;
  }
  gst_buffer_unref (in);
  end (&stream);
}

typedef struct
{
  GstElement *element;
  gchar **changes;
  gint stop;
} Changer;

static gpointer
change_properties (gpointer data)
{
  Changer *changer = data;
  const guint n = g_strv_length (changer->changes);
  const gboolean computes = g_object_class_find_property (G_OBJECT_GET_CLASS
      (changer->element), "n-threads") != NULL;

  for (guint i = 0; !g_atomic_int_get (&changer->stop); i++) {
    const gchar *text = changer->changes[(i * 7 + i / n) % n];

    if (*text != '-')
      change (changer->element, text);
    if (computes)
      g_object_set (changer->element, "n-threads", i % 5, NULL);
    g_usleep (100);
  }
  return NULL;
}

TEST_TO_ADD (properties_may_change_on_any_thread)
{
  const Element *element = &elements[__i__];
  Stream stream = begin (element);
  Changer changer = { stream.element, g_strsplit (element->changes, "|", -1) };
  GThread *thread = g_thread_new ("change", change_properties, &changer);

  gst_harness_set_live (stream.h, TRUE);
  for (guint i = 0; i < 300; i++)
    gst_buffer_unref (run (stream.h, make_buffer (element, 0)));
  g_atomic_int_set (&changer.stop, 1);
  g_thread_join (thread);
  g_strfreev (changer.changes);
  end (&stream);
}

/* What is set is read, and is as a new element has it: the default. */
TEST_TO_ADD (properties_read_back)
{
  const Element *element = &elements[__i__];
  g_auto (GStrv) changes = g_strsplit (element->changes, "|", -1);
  g_autofree gchar *name = name_of (element);
  g_autoptr (GstElement) one = gst_element_factory_make (name, NULL);
  GObjectClass *class = G_OBJECT_GET_CLASS (one);

  gst_object_ref_sink (one);
  for (guint i = 0; changes[i]; i++) {
    g_auto (GStrv) parts = g_strsplit (changes[i] + strspn (changes[i], "~-"),
        "=", 2);
    GParamSpec *spec = g_object_class_find_property (class, parts[0]);
    GValue got = G_VALUE_INIT, want = G_VALUE_INIT;

    fail_unless (spec != NULL, "%s", parts[0]);
    fail_unless (spec->flags & GST_PARAM_MUTABLE_PLAYING, "%s", parts[0]);
    g_value_init (&got, spec->value_type);
    g_value_init (&want, spec->value_type);
    change (one, changes[i]);
    g_object_get_property (G_OBJECT (one), parts[0], &got);
    fail_unless (gst_value_deserialize (&want, parts[1]), "%s", changes[i]);
    fail_unless (gst_value_compare (&got, &want) == GST_VALUE_EQUAL, "%s: %s",
        name, changes[i]);
    g_value_unset (&got);
    g_value_unset (&want);
  }
}

TEST_TO_ADD (values_that_can_be_animated_say_so)
{
  const Element *element = &elements[__i__];
  g_auto (GStrv) animated = g_strsplit (element->animated, " ", -1);
  g_autofree gchar *name = name_of (element);
  g_autoptr (GstElement) one = gst_element_factory_make (name, NULL);
  guint n, found = 0;

  gst_object_ref_sink (one);
  GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (one),
      &n);
  for (guint i = 0; i < n; i++) {
    if (!(specs[i]->flags & GST_PARAM_CONTROLLABLE))
      continue;
    fail_unless (g_strv_contains ((const gchar * const *) animated,
            specs[i]->name), "%s: %s", name, specs[i]->name);
    fail_unless (specs[i]->flags & GST_PARAM_MUTABLE_PLAYING, "%s: %s", name,
        specs[i]->name);
    found++;
  }
  fail_unless_equals_int (found, g_strv_length (animated));
  g_free (specs);
}

TEST_TO_ADD (a_controller_moves_a_value)
{
  const Element *element = &elements[__i__];
  gchar *name = g_strndup (element->animated, strcspn (element->animated, " "));
  GstControlSource *source = gst_interpolation_control_source_new ();
  GstTimedValueControlSource *values = GST_TIMED_VALUE_CONTROL_SOURCE (source);
  Stream stream = begin (element);

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  fail_unless (gst_object_add_control_binding (GST_OBJECT (stream.element),
          gst_direct_control_binding_new_absolute (GST_OBJECT (stream.element),
              name, source)));
  gst_timed_value_control_source_set (values, 0, 0.);
  gst_timed_value_control_source_set (values, 4 * GST_SECOND, 1.);
  for (guint i = 0; i <= 5; i++) {
    g_autofree gchar *value = g_strdup_printf ("%s=%g", name, MIN (i, 4) * .25);
    GstBuffer *in = make_buffer (element, 0);

    /* without a time the last value stays */
    GST_BUFFER_PTS (in) = i == 5 ? GST_CLOCK_TIME_NONE : i * GST_SECOND;
    g_autofree gchar *want = fresh (element, element->caps, &value, 1, in);
    assert_result (&stream, element, in, want, value);
  }
  gst_object_unref (source);
  g_free (name);
  end (&stream);
}

TEST_TO_ADD (a_gpu_that_is_not_there_is_an_error)
{
  const Element *element = &elements[__i__];
  Stream stream = open_stream (element);

  gst_element_set_state (stream.element, GST_STATE_NULL);
  g_object_set (stream.element, "cuda-device-id", 4711, NULL);
  gst_util_set_object_arg (G_OBJECT (stream.element), "backend", "cuda");
  fail_unless_equals_int (gst_element_set_state (stream.element,
          GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  g_free (take_error (&stream, element, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_NOT_FOUND));
  gst_element_set_state (stream.element, GST_STATE_NULL);
  end (&stream);
}

/* One of each of the plugin's. */
static GPtrArray *
make_elements (void)
{
  GPtrArray *elements = g_ptr_array_new_with_free_func (gst_object_unref);
  GList *features = gst_registry_get_feature_list_by_plugin
      (gst_registry_get (), "cudashapes");

  for (GList * at = features; at; at = at->next)
    /* from 1.28 on the plugin has a factory of metas, too */
    if (GST_IS_ELEMENT_FACTORY (at->data))
      g_ptr_array_add (elements, gst_object_ref_sink
          (gst_element_factory_create (at->data, NULL)));
  gst_plugin_feature_list_free (features);
  return elements;
}

/* What a name of a property promises to whoever knows it from another element:
 * its type, what it is called, and when it may change. */
TEST (a_name_means_the_same_in_all_elements)
{
  const guint when = G_PARAM_READWRITE | GST_PARAM_CONTROLLABLE |
      GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PLAYING;
  g_autoptr (GHashTable) first = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) elements = make_elements ();
  guint n_shared = 0;

  for (guint at = 0; at < elements->len; at++) {
    guint n;
    g_autofree GParamSpec **specs =
        g_object_class_list_properties (G_OBJECT_GET_CLASS (elements->
            pdata[at]), &n);

    for (guint i = 0; i < n; i++) {
      const GParamSpec *here = specs[i], *there = g_hash_table_lookup (first,
          here->name);
      /* fourierdraw's says which caps it takes */
      const guint besides = g_str_equal (here->name, "background") ?
          GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PLAYING : 0;

      if (!there) {
        g_hash_table_insert (first, (gpointer) here->name, (gpointer) here);
        continue;
      }
      n_shared += here != there;
      fail_unless (here->value_type == there->value_type
          && ((here->flags ^ there->flags) & when & ~besides) == 0
          && g_str_equal (g_param_spec_get_nick ((GParamSpec *) here),
              g_param_spec_get_nick ((GParamSpec *) there)),
          "%s of %s and of %s", here->name, g_type_name (here->owner_type),
          g_type_name (there->owner_type));
    }
  }
  fail_unless (n_shared > 20, "only %u", n_shared);
}

/* Names of files that no element opens. */
static gboolean
is_a_label (const gchar * name)
{
  return g_str_equal (name, "file-name") || g_str_equal (name, "source-id");
}

/* And not by an empty one. */
TEST (a_file_is_named_by_a_location)
{
  g_autoptr (GPtrArray) elements = make_elements ();
  guint n_files = 0;

  for (guint at = 0; at < elements->len; at++) {
    GstElement *one = elements->pdata[at];
    guint n;
    g_autofree GParamSpec **specs =
        g_object_class_list_properties (G_OBJECT_GET_CLASS (one), &n);

    for (guint i = 0; i < n; i++) {
      const gchar *says = g_param_spec_get_blurb (specs[i]);
      gboolean is_location = g_str_has_suffix (specs[i]->name, "location");

      if (specs[i]->value_type != G_TYPE_STRING || is_a_label (specs[i]->name))
        continue;
      fail_unless (is_location == (strstr (says, " file") || strstr (says,
                  "File ") || strstr (says, "PGM image")), "%s of %s",
          specs[i]->name, GST_OBJECT_NAME (one));
      n_files += is_location;
      if (is_location)
        g_object_set (one, specs[i]->name, "", NULL);
    }
    fail_unless (gst_element_set_state (one, GST_STATE_PAUSED)
        != GST_STATE_CHANGE_FAILURE, "%s: empty is none",
        GST_OBJECT_NAME (one));
    gst_element_set_state (one, GST_STATE_NULL);
  }
  fail_unless (n_files > 5, "only %u", n_files);
}

TEST (the_plugin_says_where_it_is_from)
{
  g_autoptr (GstPlugin) plugin = gst_registry_find_plugin (gst_registry_get (),
      "cudashapes");

  fail_unless (gst_uri_is_valid (gst_plugin_get_origin (plugin)), "%s",
      gst_plugin_get_origin (plugin));
}

static void
add_tests (TCase * tcase, guint i)
{
  const Element *element = &elements[i];

  if (element->changes) {
    if (!(element->is & TAKES_TEXT))
      ADD_ROW (a_new_value_holds_from_the_next_buffer_on);
    ADD_ROW (properties_may_change_on_any_thread);
    ADD_ROW (properties_read_back);
  }
  if (element->animated) {
    ADD_ROW (values_that_can_be_animated_say_so);
    ADD_ROW (a_controller_moves_a_value);
  }
  if (strstr (element->line, "backend"))
    ADD_ROW (a_gpu_that_is_not_there_is_an_error);
}

SUITE (values)
{
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    if (is_there (&elements[i]))
      add_tests (tcase, i);
}
