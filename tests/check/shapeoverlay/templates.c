/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Templates of shapeoverlay's labels. */
#include <math.h>
#include <string.h>

#include "../lib/suite.h"
#include "shapeoverlay/gstshapeoverlaytemplate.h"

static const OverlayFields some = {
  .class_name = NULL,.id = 7,.class_id = 3,.parent = -1,.region = -1,
  .track = 12,.level = .25,.area = 1234.5678,.length = 42.,.area_mm2 = NAN,
  .length_mm = 10.04,.confidence = .875
};

static void
assert_text (const gchar * template, const OverlayFields * fields,
    const gchar * expected)
{
  GError *error = NULL;
  OverlayTemplate *parsed =
      overlay_template_parse (template, &error);
  g_autoptr (GString) text = g_string_new (NULL);

  fail_unless (parsed != NULL, "%s: %s", template, error ? error->message : "");
  overlay_template_format (parsed, fields, text);
  fail_unless_equals_string (text->str, expected);
  overlay_template_free (parsed);
}

static void
assert_no_template (const gchar * template, const gchar * part)
{
  g_autoptr (GError) error = NULL;

  fail_unless (overlay_template_parse (template, &error) == NULL,
      "%s", template);
  fail_unless (g_error_matches (error, GST_LIBRARY_ERROR,
          GST_LIBRARY_ERROR_SETTINGS));
  fail_unless (strstr (error->message, part) != NULL, "%s: %s", template,
      error->message);
}

TEST (templates_name_fields_and_decimals)
{
  OverlayFields named = some;

  assert_text ("", &some, "");
  assert_text ("plain", &some, "plain");
  assert_text ("{id}", &some, "7");
  assert_text ("{class} {area:.0f} px", &some, "3 1235 px");
  assert_text ("{area:.2f}|{area}|{level}|{confidence:.3f}", &some,
      "1234.57|1235|0.25|0.875");
  assert_text ("{confidence:.9f}", &some, "0.875000000");
  assert_text ("{parent}{region}{area-mm2}", &some, "???");
  assert_text ("{track} {length-mm} {length:.1f} {class-id}", &some,
      "12 10.0 42.0 3");
  assert_text ("{{{id}}}", &some, "{7}");
  named.class_name = "stem";
  assert_text ("{class}/{class-id}", &named, "stem/3");
}

TEST (mistakes_in_templates_are_named)
{
  assert_no_template ("{ares}", "{area}");
  assert_no_template ("{area", "\"{area\" has no }");
  assert_no_template ("area} px", "\"} px\" closes what was not opened");
  assert_no_template ("{}", "{id}");
  assert_no_template ("{id:.0f}", "{id:.0f}");
  assert_no_template ("{area:.f}", "{area:.f}");
  assert_no_template ("{area:.10f}", "{area:.10f}");
  assert_no_template ("{area:d}", "{area:d}");
  assert_no_template ("{area::f}", "{area::f}");
  assert_no_template ("\xff", "UTF-8");
}

SUITE (templates) {}
