/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is told of two decisions of a piece: of any texts, for recordings are
 * files that anybody may have changed. */

#include "check.h"
#include "replay_difference.h"

#include <string.h>

#define LONG "0123456789012345678901234567890123456789012345678901234567890123"

static const struct
{
  const char *recorded, *replayed, *told;
  gboolean has_other_recipe;
} cases[] = {
  {"{\"outlet\":1,\"a\":[1,{\"b\":2}]}", "{\"a\":[1,{\"b\":2}],\"outlet\":1}",
      NULL},
  {"{\"outlet\":1,\"software\":\"x\",\"latency_us\":{\"a\":1}}",
      "{\"outlet\":1,\"software\":\"y\"}", NULL},
  {"{\"outlet\":1,\"recipe\":\"x\"}", "{\"outlet\":1,\"recipe\":\"y\"}", NULL,
        TRUE},
  {"{\"outlet\":1,\"recipe\":\"x\"}", "{\"outlet\":1,\"recipe\":\"y\"}",
      "recipe \"x\" -> \"y\""},
  /* outlets, and why */
  {"{\"outlet\":1,\"reasons\":[\"r\",\"a\"]}",
        "{\"outlet\":2,\"reasons\":[\"s\",\"a\",\"b\",\"c\"]}",
      "outlet 1 -> 2 (b, c)"},
  {"{\"outlet\":1,\"reasons\":[\"r\",\"a\",\"b\"]}",
        "{\"outlet\":2,\"reasons\":[\"s\",\"b\"]}",
      "outlet 1 -> 2 (no longer a)"},
  {"{\"outlet\":1,\"reasons\":[\"r\",\"a\"]}",
        "{\"outlet\":2,\"reasons\":[\"s\",\"a\"]}",
      "outlet 1 -> 2 (by \"s\")"},
  {"{\"outlet\":1,\"reasons\":[]}", "{\"outlet\":2,\"reasons\":[]}",
      "outlet 1 -> 2 (by nothing)"},
  {"{\"outlet\":1,\"reasons\":7}", "{\"outlet\":2}",
      "outlet 1 -> 2 (by nothing)"},
  {"{\"outlet\":1,\"reasons\":[\"r\",5,null,\"a\\nb\"]}",
        "{\"outlet\":2,\"reasons\":[\"s\",6]}",
      "outlet 1 -> 2 (no longer a\\nb)"},
  {"{\"outlet\":1,\"reasons\":[\"r\",\"a\"]}",
        "{\"outlet\":1,\"reasons\":[\"r\",\"b\"]}", "outlet 1 as before (b)"},
  {"{\"outlet\":1,\"reasons\":[\"r\"],\"x\":1}",
        "{\"outlet\":1,\"reasons\":[\"s\"],\"x\":2}",
      "reasons[0] \"r\" -> \"s\", and more"},
  /* the first member that differs */
  {"{\"outlet\":1,\"a\":{\"b\":{\"c\":1,\"d\":3}}}",
        "{\"outlet\":1,\"a\":{\"b\":{\"c\":2,\"d\":3}}}", "a.b.c 1 -> 2"},
  {"{\"outlet\":1,\"a\":{\"c\":1,\"d\":3}}",
        "{\"outlet\":1,\"a\":{\"c\":2,\"d\":4}}", "a.c 1 -> 2, and more"},
  {"{\"outlet\":1,\"a\":[1,[2,3]]}", "{\"outlet\":1,\"a\":[1,[2,4]]}",
      "a[1][1] 3 -> 4"},
  {"{\"outlet\":1,\"a\":[1,2]}", "{\"outlet\":1,\"a\":[1]}",
      "a [1,2] -> [1]"},
  {"{\"outlet\":1,\"a\":[1]}", "{\"outlet\":1,\"a\":{\"b\":1}}",
      "a [1] -> {\"b\":1}"},
  {"{\"outlet\":1,\"a\":{}}", "{\"outlet\":1,\"a\":null}", "a {} -> null"},
  {"{\"outlet\":1,\"a\":3}", "{\"outlet\":1}", "a 3 -> nothing"},
  {"{\"outlet\":1}", "{\"outlet\":1,\"a\":3}", "a nothing -> 3"},
  {"{\"outlet\":1,\"b\":1}", "{\"outlet\":1,\"a\":3}",
      "b 1 -> nothing, and more"},
  {"{\"outlet\":1,\"a\":1}", "{\"outlet\":1,\"a\":1.0}", "a 1 -> 1.0"},
  {"{\"outlet\":1,\"a\\u001b\":1}", "{\"outlet\":1}", "a\\033 1 -> nothing"},
  {"{\"outlet\":1,\"a\":\"\\u00e4\"}", "{\"outlet\":1}",
      "a \"\\u00E4\" -> nothing"},
  {"{\"outlet\":1,\"a\":\"" LONG "01234567890123\"}", "{\"outlet\":1}",
      "a \"" LONG "01234567890123\" -> nothing"},
  {"{\"outlet\":1,\"a\":\"" LONG "012345678901234\"}", "{\"outlet\":1}",
      "a \"" LONG "012345678901234... -> nothing"},
};

int
main (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    json_auto_t *recorded = json_loads (cases[i].recorded, 0, NULL);
    json_auto_t *replayed = json_loads (cases[i].replayed, 0, NULL);

    g_assert (recorded && replayed);
    g_autofree char *told = line_replay_difference (recorded, replayed,
        cases[i].has_other_recipe);
    check_that (g_strcmp0 (told, cases[i].told) == 0, "%s, %s: %s",
        cases[i].recorded, cases[i].replayed, told ? told : "nothing");
  }
  return finish ();
}
