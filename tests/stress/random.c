/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "random.h"

#include <stdio.h>
#include <string.h>

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

gchar *
random_chain (GRand * random, gboolean * has_film, gboolean * takes_tensors)
{
  static const gchar *const of_video[] = { "cudacontours", "cudahull",
    "cudallf quality=sampled", "cudacircles", "shapeoverlay", "fourierdraw",
    "fourierdraw mode=live", "shapestats"
  };
  static const gchar *const of_tensors[] = { "cudacontours", "cudahull" };
  const guint n = 1 + random_below (random, MAX_ELEMENTS);
  GString *chain = g_string_new ("identity silent=true");
  guint i;

  *takes_tensors = random_one_in (random, 8);
  *has_film = FALSE;
  for (i = 0; i < n; i++) {
    const gchar *name = *takes_tensors ?
        of_tensors[random_below (random, G_N_ELEMENTS (of_tensors))] :
        of_video[random_below (random, G_N_ELEMENTS (of_video))];

    /* one film is enough: each is many times as long as what it is of */
    if (strcmp (name, "fourierdraw") == 0) {
      if (*has_film)
        continue;
      *has_film = TRUE;
    }
    if (random_one_in (random, 3))
      g_string_append (chain, " ! queue max-size-buffers=3");
    if (!*takes_tensors)
      g_string_append (chain, " ! videoconvert");
    g_string_append_printf (chain, " ! %s", name);
    if (g_str_has_prefix (name, "fourierdraw"))
      g_string_append (chain, " duration=0.2 hold=0.1");
  }
  if (random_one_in (random, 3))
    g_string_append (chain, " ! shapejsonenc");
  return g_string_free (chain, FALSE);
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
  GstCaps *caps;
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
  caps = gst_caps_from_string (text);
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
  gsize i;

  if (gst_video_info_from_caps (&info, caps))
    buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
  else
    buffer = gst_buffer_new_allocate (NULL, size_of_tensor (caps), NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (i = 0; i < map.size; i++)
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
  guint i;

  for (i = 0; i < G_N_ELEMENTS (bounds); i++)
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

  if (strstr (name, "mask") || strcmp (name, "location") == 0)
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
  guint i;

  for (i = 0; i < G_N_ELEMENTS (never); i++)
    if (strcmp (name, never[i]) == 0)
      return TRUE;
  for (i = 0; i < G_N_ELEMENTS (seldom); i++)
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
  if (!(pspec->flags & G_PARAM_WRITABLE) ||
      is_left_alone (random, pspec->name))
    return;
  g_value_init (&value, pspec->value_type);
  if (random_value (random, pspec, &value) &&
      !g_param_value_validate (pspec, &value))
    g_object_set_property (G_OBJECT (element), pspec->name, &value);
  g_value_unset (&value);
}
