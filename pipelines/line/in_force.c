/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "in_force.h"

json_t *
line_in_force_make_recipe (const char *name, const LineRecipe * recipe)
{
  return json_pack ("{s:s?,s:s}", "recipe", name, "hash", recipe->hash);
}

json_t *
line_in_force_new (const LineConfig * config, const LineRecipe * recipe)
{
  json_t *lanes = json_object ();
  json_t *lot = json_pack ("{s:n,s:n,s:n}", "lot", "from", "next");

  for (guint i = 0; i < config->lanes->len; i++) {
    json_t *place = line_in_force_make_recipe (NULL, recipe);

    json_object_set_new (place, "from", json_null ());
    json_object_set_new (place, "next", json_null ());
    json_object_set_new (lanes, g_array_index (config->lanes, LineLaneConfig,
            i).name, place);
  }
  return json_pack ("{s:o,s:o}", "lanes", lanes, "lot", lot);
}

json_t *
line_in_force_get (const json_t * in_force, const char *lane)
{
  json_t *place = lane ? json_object_get (json_object_get (in_force, "lanes"),
      lane) : json_object_get (in_force, "lot");

  return json_is_object (place) ? place : NULL;
}

static json_t *
make_number (gint64 from)
{
  return from < 0 ? json_null () : json_integer (from);
}

void
line_in_force_put (json_t * place, const json_t * what, gint64 from)
{
  json_t *copy = json_deep_copy (what);

  json_object_set_new (copy, "from", make_number (from));
  if (from >= 0) {
    json_object_set_new (place, "next", copy);
    return;
  }
  json_object_clear (place);
  json_object_update (place, copy);
  json_object_set_new (place, "next", json_null ());
  json_decref (copy);
}

void
line_in_force_settle (json_t * place, guint64 piece)
{
  json_t *next = json_object_get (place, "next");
  const json_t *from = json_object_get (next, "from");

  if (!json_is_integer (from) || json_integer_value (from) < 0
      || (guint64) json_integer_value (from) > piece)
    return;
  json_incref (next);
  json_object_clear (place);
  json_object_update (place, next);
  json_object_set_new (place, "next", json_null ());
  json_decref (next);
}
