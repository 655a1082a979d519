/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tables of properties, by an object that has one of each type. */

#include "../lib/suite.h"
#include "element/gstshapesproperties.h"
#include "shapes/gstshapesenum.h"

#define AFFECTS_SIZE (1u << 1)
#define AFFECTS_NAME (1u << 2)

typedef enum
{
  SIDE_LEFT,
  SIDE_RIGHT,
} Side;

typedef struct
{
  gboolean on;
  gint offset;
  guint count;
  guint64 bytes;
  gdouble ratio;
  Side side;
  gchar *name, *note;
  guint n_codes, codes[4];
  guint32 tint;
} Values;

typedef struct
{
  GstObject parent;
  Values values;
  guint last;
} Thing;

typedef struct
{
  GstObjectClass parent_class;
} ThingClass;

GST_SHAPES_DEFINE_ENUM_TYPE (static, side_get_type, "TestSide",
    {SIDE_LEFT, "The left one", "left"},
    {SIDE_RIGHT, "The right one", "right"})

static GParamSpec *
new_code (void)
{
  return g_param_spec_uint ("code", "Code", "A code.", 0, 255, 0,
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

static gboolean
set_codes (gpointer values, const GValue * array)
{
  Values *self = values;

  self->n_codes = MIN (gst_value_array_get_size (array), 4);
  for (guint i = 0; i < self->n_codes; i++)
    self->codes[i] = g_value_get_uint (gst_value_array_get_value (array, i));
  return TRUE;
}

static void
get_codes (gconstpointer values, GValue * array)
{
  const Values *self = values;

  for (guint i = 0; i < self->n_codes; i++) {
    GValue value = G_VALUE_INIT;

    g_value_init (&value, G_TYPE_UINT);
    g_value_set_uint (&value, self->codes[i]);
    gst_value_array_append_and_take_value (array, &value);
  }
}

static const GstShapesProperty rows[] = {
  GST_SHAPES_BOOLEAN (Values, on, "on", "On", TRUE, LIVE, "Whether it is on."),
  GST_SHAPES_INT (Values, offset, "offset", "Offset", -7, 7, -3, READY,
      "Where it begins.", .affects = AFFECTS_SIZE),
  GST_SHAPES_UINT (Values, count, "count", "Count", 1, G_MAXUINT32, 4000000000,
      LIVE, "How many there are.", .affects = AFFECTS_SIZE),
  GST_SHAPES_UINT64 (Values, bytes, "bytes", "Bytes", 0, G_MAXUINT64,
      G_MAXUINT64 - 1, LIVE, "How much there is."),
  GST_SHAPES_DOUBLE (Values, ratio, "ratio", "Ratio", -1., 1e9, .1, ANIMATED,
      "How much of it.", .affects = AFFECTS_SIZE | AFFECTS_NAME),
  GST_SHAPES_ENUM (Values, side, "side", "Side", side_get_type, SIDE_RIGHT,
      LIVE, "Which side."),
  GST_SHAPES_STRING (Values, name, "title", "Title", "untitled", LIVE,
      "What it is called.", .affects = AFFECTS_NAME),
  GST_SHAPES_STRING (Values, note, "note", "Note", NULL, READ_ONLY,
      "What is to be said about it."),
  GST_SHAPES_ARRAY ("codes", "Codes", new_code, LIVE, "Some codes.",
      .affects = AFFECTS_SIZE, .set = set_codes, .get = get_codes),
  GST_SHAPES_COLOR (Values, tint, "tint", "Tint", 0x80d55e00, ANIMATED,
      "How it is coloured.", AFFECTS_NAME),
};

static const GstShapesProperties properties =
    GST_SHAPES_PROPERTIES (rows, Values, 10);

GType thing_get_type (void);
G_DEFINE_TYPE (Thing, thing, GST_TYPE_OBJECT);

static void
thing_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  Thing *self = (Thing *) object;

  self->last = gst_shapes_properties_set (&properties, &self->values, id,
      value);
}

static void
thing_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  gst_shapes_properties_get (&properties, &((Thing *) object)->values, id,
      value);
}

static void
thing_finalize (GObject * object)
{
  gst_shapes_properties_clear (&properties, &((Thing *) object)->values);
  G_OBJECT_CLASS (thing_parent_class)->finalize (object);
}

static void
thing_class_init (ThingClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = thing_set_property;
  object_class->get_property = thing_get_property;
  object_class->finalize = thing_finalize;
  gst_shapes_properties_install (&properties, object_class);
}

static void
thing_init (Thing * self)
{
  gst_shapes_properties_init (&properties, &self->values);
}

static Thing *
new_thing (void)
{
  return gst_object_ref_sink (g_object_new (thing_get_type (), NULL));
}

static GParamSpec *
find_spec (Thing * thing, const gchar * name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (thing), name);
}

/* Of a default, a range and the flags, each as the row has it. */
TEST (rows_become_properties)
{
  Thing *thing = new_thing ();
  GParamSpecInt *offset = G_PARAM_SPEC_INT (find_spec (thing, "offset"));
  GParamSpecUInt *count = G_PARAM_SPEC_UINT (find_spec (thing, "count"));
  GParamSpecUInt64 *bytes = G_PARAM_SPEC_UINT64 (find_spec (thing, "bytes"));
  GParamSpecDouble *ratio = G_PARAM_SPEC_DOUBLE (find_spec (thing, "ratio"));
  GParamSpec *side = find_spec (thing, "side");
  GParamSpec *note = find_spec (thing, "note");

  fail_unless_equals_int (offset->minimum, -7);
  fail_unless_equals_int (offset->maximum, 7);
  fail_unless_equals_int (offset->default_value, -3);
  fail_unless_equals_uint64 (count->minimum, 1);
  fail_unless_equals_uint64 (count->maximum, G_MAXUINT32);
  fail_unless_equals_uint64 (bytes->maximum, G_MAXUINT64);
  fail_unless_equals_uint64 (bytes->default_value, G_MAXUINT64 - 1);
  fail_unless_equals_float (ratio->minimum, -1.);
  fail_unless_equals_float (ratio->maximum, 1e9);
  fail_unless (side->value_type == side_get_type ());
  fail_unless (gst_type_is_plugin_api (side_get_type (), NULL));
  fail_unless_equals_string (g_param_spec_get_nick (side), "Side");
  fail_unless_equals_string (g_param_spec_get_blurb (side), "Which side.");
  fail_unless_equals_int (note->flags,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  fail_unless (find_spec (thing, "offset")->flags & GST_PARAM_MUTABLE_READY);
  fail_unless (side->flags & GST_PARAM_MUTABLE_PLAYING);
  fail_if (side->flags & GST_PARAM_CONTROLLABLE);
  fail_unless (find_spec (thing, "ratio")->flags & GST_PARAM_CONTROLLABLE);
  gst_object_unref (thing);
}

TEST (values_begin_with_the_defaults)
{
  Thing *thing = new_thing ();
  const Values *values = &thing->values;

  fail_unless (values->on);
  fail_unless_equals_int (values->offset, -3);
  fail_unless_equals_uint64 (values->count, 4000000000);
  fail_unless_equals_uint64 (values->bytes, G_MAXUINT64 - 1);
  fail_unless_equals_float (values->ratio, .1);
  fail_unless_equals_int (values->side, SIDE_RIGHT);
  fail_unless_equals_string (values->name, "untitled");
  fail_unless (values->note == NULL);
  fail_unless_equals_int (values->n_codes, 0);
  gst_object_unref (thing);
}

TEST (what_is_set_is_got)
{
  Thing *thing = new_thing ();
  GValue codes = G_VALUE_INIT;
  gboolean on;
  gint offset, side;
  guint count;
  guint64 bytes;
  gdouble ratio;
  g_autofree gchar *name = NULL;

  g_object_set (thing, "on", FALSE, "offset", 5, "count", 3000000001u, "bytes",
      G_GUINT64_CONSTANT (1) << 40, "ratio", .25, "side", SIDE_LEFT, "title",
      "a", NULL);
  gst_util_set_object_arg (G_OBJECT (thing), "codes", "<7,8,9>");
  g_object_get (thing, "on", &on, "offset", &offset, "count", &count, "bytes",
      &bytes, "ratio", &ratio, "side", &side, "title", &name, NULL);
  fail_if (on);
  fail_unless_equals_int (offset, 5);
  fail_unless_equals_uint64 (count, 3000000001u);
  fail_unless_equals_uint64 (bytes, G_GUINT64_CONSTANT (1) << 40);
  fail_unless_equals_float (ratio, .25);
  fail_unless_equals_int (side, SIDE_LEFT);
  fail_unless_equals_string (name, "a");
  g_value_init (&codes, GST_TYPE_ARRAY);
  g_object_get_property (G_OBJECT (thing), "codes", &codes);
  g_autofree gchar *text = gst_value_serialize (&codes);
  fail_unless_equals_string (text, "< (uint)7, (uint)8, (uint)9 >");
  g_value_unset (&codes);
  gst_object_unref (thing);
}

/* Sets @name to @text; whether that changed something, and what. */
static guint
set (Thing * thing, const gchar * name, const gchar * text)
{
  thing->last = 0;
  gst_util_set_object_arg (G_OBJECT (thing), name, text);
  return thing->last;
}

TEST (only_another_value_is_a_change)
{
  static const struct
  {
    const gchar *name, *value;
    guint affects;
  } cases[] = {
    {"on", "false", 0},
    {"offset", "-4", AFFECTS_SIZE},
    {"count", "4", AFFECTS_SIZE},
    /* other than the default in the upper half only */
    {"bytes", "4294967294", 0},
    {"ratio", "0.5", AFFECTS_SIZE | AFFECTS_NAME},
    {"side", "left", 0},
    {"title", "a", AFFECTS_NAME},
  };
  Thing *thing = new_thing ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    fail_unless_equals_int (set (thing, cases[i].name, cases[i].value),
        cases[i].affects | GST_SHAPES_PROPERTY_CHANGED);
    fail_unless_equals_int (set (thing, cases[i].name, cases[i].value), 0);
  }
  /* what has no field says itself whether it changed */
  fail_unless_equals_int (set (thing, "codes", "<1>"),
      AFFECTS_SIZE | GST_SHAPES_PROPERTY_CHANGED);
  gst_object_unref (thing);
}

TEST (a_colour_is_a_number_and_a_text)
{
  Thing *thing = new_thing ();
  GParamSpec *number = find_spec (thing, "tint");
  GParamSpec *text = find_spec (thing, "tint-name");
  gchar *name;
  guint tint;

  /* as GstARGBControlBinding wants it */
  fail_unless (number->value_type == G_TYPE_UINT);
  fail_unless (number->flags & GST_PARAM_CONTROLLABLE);
  fail_if (text->flags & GST_PARAM_CONTROLLABLE);
  fail_unless_equals_string (G_PARAM_SPEC_STRING (text)->default_value,
      "#d55e0080");
  fail_unless_equals_uint64_hex (thing->values.tint, 0x80d55e00u);

  fail_unless_equals_int (set (thing, "tint-name", "Red"),
      AFFECTS_NAME | GST_SHAPES_PROPERTY_CHANGED);
  fail_unless_equals_int (set (thing, "tint-name", "#ff0000"), 0);
  g_object_get (thing, "tint", &tint, "tint-name", &name, NULL);
  fail_unless_equals_uint64_hex (tint, 0xffff0000u);
  fail_unless_equals_string (name, "#ff0000");
  g_free (name);
  fail_unless_equals_int (set (thing, "tint", "0x44112233"),
      AFFECTS_NAME | GST_SHAPES_PROPERTY_CHANGED);
  g_object_get (thing, "tint-name", &name, NULL);
  fail_unless_equals_string (name, "#11223344");
  g_free (name);
  g_test_expect_message ("cudashapes", G_LOG_LEVEL_WARNING,
      "tint-name=\"rde\" is no colour*");
  fail_unless_equals_int (set (thing, "tint-name", "rde"), 0);
  g_test_assert_expected_messages ();
  fail_unless_equals_uint64_hex (thing->values.tint, 0x44112233u);
  gst_object_unref (thing);
}

TEST (identifiers_of_other_tables_change_nothing)
{
  Thing *thing = new_thing ();
  const guint others[] = { 0, 9, 10 + G_N_ELEMENTS (rows), G_MAXUINT };
  const Values before = thing->values;
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, 6);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    fail_unless_equals_int (gst_shapes_properties_set (&properties,
            &thing->values, others[i], &value), 0);
    gst_shapes_properties_get (&properties, &thing->values, others[i], &value);
  }
  fail_unless_equals_int (g_value_get_int (&value), 6);
  fail_unless (memcmp (&before, &thing->values, sizeof (before)) == 0);
  gst_object_unref (thing);
}

TEST (copies_have_strings_of_their_own)
{
  Thing *thing = new_thing ();
  Values copy = { 0, };

  set (thing, "codes", "<5,6>");
  gst_shapes_properties_copy (&properties, &copy, &thing->values);
  fail_unless (copy.name != thing->values.name);
  set (thing, "title", "another");
  fail_unless_equals_string (copy.name, "untitled");
  fail_unless_equals_int (copy.codes[1], 6);
  /* the copy before goes */
  gst_shapes_properties_copy (&properties, &copy, &thing->values);
  fail_unless_equals_string (copy.name, "another");
  gst_object_unref (thing);
  fail_unless_equals_string (copy.name, "another");
  gst_shapes_properties_clear (&properties, &copy);
  fail_unless (copy.name == NULL);
}

TEST (only_what_affects_the_same_is_compared)
{
  Thing *a = new_thing (), *b = new_thing ();

  fail_unless (gst_shapes_properties_same (&properties, &a->values, &b->values,
          AFFECTS_SIZE | AFFECTS_NAME));
  set (a, "on", "false");
  fail_unless (gst_shapes_properties_same (&properties, &a->values, &b->values,
          AFFECTS_SIZE | AFFECTS_NAME));
  set (a, "title", "a");
  fail_unless (gst_shapes_properties_same (&properties, &a->values, &b->values,
          AFFECTS_SIZE));
  fail_if (gst_shapes_properties_same (&properties, &a->values, &b->values,
          AFFECTS_NAME));
  set (b, "title", "a");
  fail_unless (gst_shapes_properties_same (&properties, &a->values, &b->values,
          AFFECTS_NAME));
  set (b, "ratio", "0.11");
  fail_if (gst_shapes_properties_same (&properties, &a->values, &b->values,
          AFFECTS_SIZE));
  gst_object_unref (a);
  gst_object_unref (b);
}

SUITE (properties) {}
