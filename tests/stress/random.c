/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#define MAX_SIDE 72
#define MAX_ELEMENTS 4

guint
random_below (GRand * random, guint n)
{
  return (guint) g_rand_int_range (random, 0, (gint) n);
}

gboolean
random_one_in (GRand * random, guint n)
{
  return random_below (random, n) == 0;
}

/* Chains */

static const gchar *const of_video[] = { "cudacontours", "cudahull",
  "cudallf quality=sampled", "cudallf color-remapping=rgb-distance "
      "quality=fast", "cudallf hdr=linear quality=sampled", "cudacircles",
  "shapeoverlay", "fourierdraw",
  "fourierdraw mode=live", "shapestats", "shapeanalytics", "shapecombiner",
  "shapezones tracks=overlap zones=\"a: 2,2 20,2 20,20\"",
  "shapetensordec"
};
static const gchar *const of_tensors[] = { "cudacontours", "cudahull",
  "shapestats"
};
static const gchar *const encoders[] = { "shapejsonenc", "shapegeojsonenc",
  "shapesvgenc", "shapecsvenc", "shapecocoenc"
};

static const gchar *
random_name (GRand * random, const gchar * const names[], guint n)
{
  return names[random_below (random, n)];
}

/* Some are built only where their libraries are. */
static gboolean
is_there (const gchar * name)
{
  g_autofree gchar *factory_name = g_strndup (name, strcspn (name, " "));
  GstElementFactory *factory = gst_element_factory_find (factory_name);

  if (factory)
    gst_object_unref (factory);
  return factory != NULL;
}

static gchar *lines_path;

static void
remove_lines (void)
{
  g_unlink (lines_path);
}

/* A file of shapes for the frames of two seconds, for the other branch. */
static const gchar *
get_lines (void)
{
  guint i;

  if (lines_path)
    return lines_path;
  g_autoptr (GString) lines = g_string_new (NULL);
  for (i = 0; i < 50; i++)
    g_string_append_printf (lines, "{\"pts\":%" G_GUINT64_FORMAT ",\"width\":64,"
        "\"height\":64,\"shapes\":[{\"kind\":\"contour\",\"id\":%u,"
        "\"class\":1,\"class-name\":\"ripe\",\"closed\":true,"
        "\"confidence\":0.5,\"points\":[[%u,4],[%u,30],[40,9],[%u,4]]}]}\n",
        i * (GST_SECOND / 25), i, i, i + 5, i);
  close (g_file_open_tmp ("stress-XXXXXX", &lines_path, NULL));
  g_file_set_contents (lines_path, lines->str, -1, NULL);
  atexit (remove_lines);
  return lines_path;
}

/* A combiner, whose shapes come from a file or from another source. Not from the
 * same frames: the ALLOCATION query of a tee waits in one branch for as long as
 * a frame there waits for shapes of the other one. A chain may have but one. */
static void
append_combiner (GString * chain, GRand * random)
{
  if (random_one_in (random, 2))
    g_string_append_printf (chain, " ! c.sink_video filesrc location=%s "
        "blocksize=500 ! shapejsondec", get_lines ());
  else
    g_string_append (chain, " ! c.sink_video videotestsrc num-buffers=50 "
        "pattern=ball ! video/x-raw,width=64,height=64,framerate=25/1 ! "
        "cudacontours");
  g_string_append (chain, " ! queue ! c.sink_shapes shapecombiner name=c");
}

static void
append_element (GString * chain, const gchar * name, GRand * random)
{
  if (strcmp (name, "shapecombiner") == 0)
    append_combiner (chain, random);
  else
    g_string_append_printf (chain, " ! %s", name);
  if (g_str_has_prefix (name, "fourierdraw"))
    g_string_append (chain, " duration=0.2 hold=0.1");
}

gchar *
random_chain (GRand * random, gboolean * is_counted, gboolean * takes_tensors)
{
  const guint n = 1 + random_below (random, MAX_ELEMENTS);
  GString *chain = g_string_new ("identity silent=true");
  gboolean has_film = FALSE, has_branch = FALSE;
  const gchar *name;
  guint i, n_left = 0;

  *takes_tensors = random_one_in (random, 8);
  *is_counted = TRUE;
  for (i = 0; i < n; i++) {
    name = *takes_tensors ?
        random_name (random, of_tensors, G_N_ELEMENTS (of_tensors)) :
        random_name (random, of_video, G_N_ELEMENTS (of_video));
    /* one film is enough: each is many times as long as what it is of */
    if ((strcmp (name, "fourierdraw") == 0 && has_film)
        || (strcmp (name, "shapecombiner") == 0 && has_branch)
        || !is_there (name)) {
      n_left++;
      continue;
    }
    has_film |= strcmp (name, "fourierdraw") == 0;
    has_branch |= strcmp (name, "shapecombiner") == 0;
    if (random_one_in (random, 3))
      g_string_append (chain, " ! queue max-size-buffers=3");
    if (!*takes_tensors)
      g_string_append (chain, " ! videoconvert");
    append_element (chain, name, random);
  }
  if (n_left == n)
    append_element (chain, of_tensors[0], random);
  if (random_one_in (random, 3)) {
    name = random_name (random, encoders, G_N_ELEMENTS (encoders));
    g_string_append_printf (chain, " ! %s", name);
    /* a document ends with a part of its own */
    *is_counted = strcmp (name, "shapecocoenc") != 0;
  }
  /* frames without shapes may be left out, and are counted elsewhere */
  *is_counted &= !has_film && !has_branch;
  return g_string_free (chain, FALSE);
}

GPtrArray *
find_elements (GstBin * bin)
{
  GPtrArray *elements = g_ptr_array_new ();
  GstIterator *iterator = gst_bin_iterate_elements (bin);
  GValue value = G_VALUE_INIT;

  while (gst_iterator_next (iterator, &value) == GST_ITERATOR_OK) {
    GstElement *element = g_value_get_object (&value);
    const gchar *plugin = gst_plugin_feature_get_plugin_name
        (GST_PLUGIN_FEATURE (gst_element_get_factory (element)));

    if (g_strcmp0 (plugin, "cudashapes") == 0)
      g_ptr_array_add (elements, element);
    g_value_reset (&value);
  }
  g_value_unset (&value);
  gst_iterator_free (iterator);
  return elements;
}

/* Frames */

GstCaps *
random_caps (GRand * random, gboolean tensors)
{
  static const gchar *const formats[] = { "GRAY8", "GRAY16_LE", "NV12", "I420",
    "Y444", "RGBA", "BGRx", "RGB", "ARGB", "YUY2", "P010_10LE", "NV21"
  };
  const guint width = 1 + random_below (random, MAX_SIDE);
  const guint height = 1 + random_below (random, MAX_SIDE);
  gchar *text;

  if (tensors)
    text = g_strdup_printf ("other/tensors,format=(string)static,"
        "num_tensors=(int)1,dimensions=(string)%u:%u:%u:1,"
        "types=(string)%s,framerate=(fraction)25/1",
        1 + random_below (random, 3), width, height,
        random_one_in (random, 2) ? "uint8" : "float32");
  else
    text = g_strdup_printf ("video/x-raw,format=%s,width=%u,height=%u,"
        "framerate=%u/1", formats[random_below (random,
                G_N_ELEMENTS (formats))], width, height,
        random_below (random, 3) * 10);
  GstCaps *caps = gst_caps_from_string (text);
  g_free (text);
  return caps;
}

static gsize
size_of_tensor (GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *type = gst_structure_get_string (structure, "types");
  guint n[3] = { 0, 0, 0 };

  sscanf (gst_structure_get_string (structure, "dimensions"), "%u:%u:%u",
      &n[0], &n[1], &n[2]);
  return (gsize) n[0] * n[1] * n[2] * (strcmp (type, "uint8") == 0 ? 1 : 4);
}

GstBuffer *
random_frame (GRand * random, GstCaps * caps)
{
  const guint kind = random_below (random, 3);
  const guint8 value = (guint8) random_below (random, 256);
  GstVideoInfo info;
  GstBuffer *buffer;
  GstMapInfo map;

  if (gst_video_info_from_caps (&info, caps))
    buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
  else
    buffer = gst_buffer_new_allocate (NULL, size_of_tensor (caps), NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = kind == 0 ? (guint8) g_rand_int (random) : kind == 1 ?
        (i / 16 % 2 ? 255 - value : value) : value;
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Properties */

static const struct
{
  const gchar *name;
  gdouble most;
} bounds[] = {
  {"n-threads", 4}, {"duration", 1}, {"hold", .5}, {"start-delay", .3},
  {"n-samples", 5000}, {"n-vectors", 500}, {"scene", 3},
  {"rank", 4}, {"line-width", 64}, {"max-segments", 100000},
  {"simplify", 100}, {"zoom", 8}, {"canny-sigma", 8},
};

static gdouble
get_bound (const gchar * name)
{
  for (guint i = 0; i < G_N_ELEMENTS (bounds); i++)
    if (strcmp (name, bounds[i].name) == 0)
      return bounds[i].most;
  return G_MAXDOUBLE;
}

/* Between @low and @high, often at one of them. */
static gdouble
random_number (GRand * random, gdouble low, gdouble high, gdouble normal)
{
  switch (random_below (random, 5)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return normal;
    case 3:
      return CLAMP (normal * 2. * g_rand_double (random), low, high);
    default:
      return CLAMP (g_rand_double_range (random, MAX (low, -10.), 1. +
              MIN (high, 300.)), low, high);
  }
}

static const gchar *
random_text (GRand * random, const gchar * name)
{
  static const gchar *const texts[] = { NULL, "", "0.2,0.5,0.7", "0.4",
    "1,1,9,9", "3,3 20,20;30,5", "\xff\xfe", "0,0,0,0", "2", "nothing", ","
  };

  if (g_str_has_suffix (name, "location") || g_str_has_suffix (name, "file"))
    return random_one_in (random, 8) ? "/no/such/file" : NULL;
  return texts[random_below (random, G_N_ELEMENTS (texts))];
}

static gboolean
random_value (GRand * random, GParamSpec * pspec, GValue * value)
{
  const gdouble most = get_bound (pspec->name);

  if (G_IS_PARAM_SPEC_BOOLEAN (pspec)) {
    g_value_set_boolean (value, random_one_in (random, 2));
  } else if (G_IS_PARAM_SPEC_UINT (pspec)) {
    GParamSpecUInt *p = G_PARAM_SPEC_UINT (pspec);

    g_value_set_uint (value, (guint) random_number (random, p->minimum,
            MIN (p->maximum, most), MIN (p->default_value, most)));
  } else if (G_IS_PARAM_SPEC_INT (pspec)) {
    GParamSpecInt *p = G_PARAM_SPEC_INT (pspec);

    g_value_set_int (value, (gint) random_number (random, p->minimum,
            MIN (p->maximum, most), p->default_value));
  } else if (G_IS_PARAM_SPEC_UINT64 (pspec)) {
    g_value_set_uint64 (value, (guint64) random_number (random, 0.,
            MIN (1e6, most), 0.));
  } else if (G_IS_PARAM_SPEC_DOUBLE (pspec)) {
    GParamSpecDouble *p = G_PARAM_SPEC_DOUBLE (pspec);

    g_value_set_double (value, random_number (random, p->minimum,
            MIN (p->maximum, most), MIN (p->default_value, most)));
  } else if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;
    const guint n = (guint) MIN (klass->n_values, most);

    g_value_set_enum (value, klass->values[random_below (random, n)].value);
  } else if (G_IS_PARAM_SPEC_STRING (pspec)) {
    g_value_set_static_string (value, random_text (random, pspec->name));
  } else {
    return FALSE;
  }
  return TRUE;
}

/* What is GstObject's, what chooses another backend, what lets a film never end,
 * and mostly what makes a table that takes long. */
static gboolean
is_left_alone (GRand * random, const gchar * name)
{
  static const gchar *const never[] = { "name", "parent", "backend",
    "cuda-device-id", "mode", "loop", "speed", "progress",
    "paused"
  };
  static const gchar *const seldom[] = { "alpha", "beta", "sigma", "curve",
    "quality", "rank", "intensity-levels"
  };

  for (guint i = 0; i < G_N_ELEMENTS (never); i++)
    if (strcmp (name, never[i]) == 0)
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (seldom); i++)
    if (strcmp (name, seldom[i]) == 0)
      return !random_one_in (random, 20);
  return FALSE;
}

void
random_property (GRand * random, GstElement * element)
{
  GParamSpec **pspecs, *pspec;
  GValue value = G_VALUE_INIT;
  guint n;

  pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  pspec = pspecs[random_below (random, n)];
  g_free (pspecs);
  if (!(pspec->flags & G_PARAM_WRITABLE) || is_left_alone (random, pspec->name))
    return;
  g_value_init (&value, pspec->value_type);
  if (random_value (random, pspec, &value) &&
      !g_param_value_validate (pspec, &value))
    g_object_set_property (G_OBJECT (element), pspec->name, &value);
  g_value_unset (&value);
}
