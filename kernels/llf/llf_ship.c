/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* llf-ship PRESETS OUTPUT: a program of the build. Writes a C file of the tables
 * for the defaults and for each preset of the file PRESETS, of 8 and 10 bits and
 * both ranges, so that no stream waits for them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llf_private.h"

static const char *const qualities[] = { "fast", "normal", "high", "exact",
  "sampled", NULL
};
static const char *const curves[] = { "power", "smooth", NULL };

static GArray *shipped;         /* of CsLlfShipped */
static GArray *floats;          /* of float */

static void
fail (const char *what)
{
  fprintf (stderr, "llf-ship: %s\n", what);
  exit (1);
}

/* The index of the key's text in @names; @index without one. */
static int
read_name (GKeyFile * file, const char *group, const char *key,
    const char *const *names, int index)
{
  g_autofree char *text = g_key_file_get_string (file, group, key, NULL);
  int i;

  if (!text)
    return index;
  for (i = 0; names[i] && strcmp (names[i], text) != 0; i++);
  if (!names[i])
    fail (text);
  return i;
}

static double
read_number (GKeyFile * file, const char *group, const char *key, double number)
{
  if (!g_key_file_has_key (file, group, key, NULL))
    return number;
  return g_key_file_get_double (file, group, key, NULL);
}

static CsLlfParams
read_preset (GKeyFile * file, const char *group)
{
  CsLlfParams params;

  cs_llf_params_init (&params);
  params.quality = read_name (file, group, "quality", qualities,
      params.quality);
  params.curve = read_name (file, group, "curve", curves, params.curve);
  params.sigma = read_number (file, group, "sigma", params.sigma);
  params.alpha = read_number (file, group, "alpha", params.alpha);
  params.beta = read_number (file, group, "beta", params.beta);
  params.noise_guard = read_number (file, group, "noise-guard",
      params.noise_guard);
  params.rank = read_number (file, group, "rank", params.rank);
  return params;
}

static gboolean
is_hdr (GKeyFile * file, const char *group)
{
  g_autofree char *text = g_key_file_get_string (file, group, "hdr", NULL);

  return text && strcmp (text, "none") != 0;
}

static void
add_table (const CsLlfParams * params)
{
  GError *error = NULL;
  CsLlfTable *table = cs_llf_table_new (params, &error);
  const guint r = table ? table->stride : 0, nodes = CS_LLF_NODES + 2;

  if (!table)
    fail (error->message);
  /* the identity, and exact tables, take no time */
  if (table->rank > 0) {
    CsLlfShipped entry = {
      *params, table->rank, r, table->spread, table->code_spread, floats->len
    };

    g_array_append_val (shipped, entry);
    g_array_append_vals (floats, table->u, table->n_codes * r);
    g_array_append_vals (floats, table->v, nodes * r);
    g_array_append_vals (floats, table->v0, nodes);
    g_array_append_vals (floats, table->code_v, table->n_codes * r);
    g_array_append_vals (floats, table->code_v0, table->n_codes);
    g_array_append_vals (floats, table->code_d, table->n_codes);
  }
  cs_llf_table_unref (table);
}

/* @all: else only that of 16 bits and full range, which HDR is filtered in */
static void
add_tables (CsLlfParams params, gboolean all)
{
  for (guint i = all ? 0 : 2; i < (all ? 4 : 3); i++) {
    params.depth = i < 2 ? 8 : 10;
    params.limited_range = i % 2;
    add_table (&params);
  }
}

static void
write_entry (FILE * out, const CsLlfShipped * entry)
{
  const CsLlfParams *p = &entry->params;

  fprintf (out, "  {{.quality = %d,.curve = %d,.sigma = %.17g,.alpha = %.17g,"
      ".beta = %.17g,.noise_guard = %.17g,.rank = %u,.depth = %u,"
      ".limited_range = %d}, %u, %u, %a, %a, %" G_GSIZE_FORMAT "},\n",
      p->quality, p->curve, p->sigma, p->alpha, p->beta, p->noise_guard,
      p->rank, p->depth, p->limited_range, entry->rank, entry->stride,
      entry->spread, entry->code_spread, entry->first);
}

static gboolean
write_file (const char *name)
{
  FILE *out = fopen (name, "w");

  if (!out)
    return FALSE;
  fprintf (out, "/* Made by llf-ship. */\n#include \"llf/llf_private.h\"\n\n"
      "const guint cs_llf_n_shipped = %u;\n"
      "const CsLlfShipped cs_llf_shipped[] = {\n", shipped->len);
  for (guint i = 0; i < shipped->len; i++)
    write_entry (out, &g_array_index (shipped, CsLlfShipped, i));
  fprintf (out, "};\nconst guint32 cs_llf_shipped_data[] = {\n");
  for (guint i = 0; i < floats->len; i++) {
    guint32 bits;

    memcpy (&bits, &g_array_index (floats, float, i), sizeof (bits));
    fprintf (out, "%uu,%s", bits, i % 8 == 7 ? "\n" : "");
  }
  fprintf (out, "};\n");
  return fclose (out) == 0;
}

int
main (int argc, char **argv)
{
  GKeyFile *file = g_key_file_new ();
  GError *error = NULL;
  CsLlfParams params;

  if (argc != 3)
    fail ("wanted: PRESETS OUTPUT");
  if (!g_key_file_load_from_file (file, argv[1], G_KEY_FILE_NONE, &error))
    fail (error->message);
  shipped = g_array_new (FALSE, FALSE, sizeof (CsLlfShipped));
  floats = g_array_new (FALSE, FALSE, sizeof (float));
  cs_llf_params_init (&params);
  add_tables (params, TRUE);
  char **groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i]; i++)
    if (strcmp (groups[i], "_presets_") != 0)
      add_tables (read_preset (file, groups[i]), !is_hdr (file, groups[i]));
  if (!write_file (argv[2]))
    fail ("the file cannot be written");
  g_strfreev (groups);
  g_array_free (shipped, TRUE);
  g_array_free (floats, TRUE);
  g_key_file_free (file);
  return 0;
}
