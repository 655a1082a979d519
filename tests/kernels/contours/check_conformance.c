/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cases of contours.json: what scikit-image finds, point by point. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_contours.h"
#include "../lib/check.h"

typedef struct
{
  const char *at;
  gboolean failed;
} Reader;

/* One case; arrays of double, nested ones flattened. */
typedef struct
{
  char *name, *connected, *orientation;
  GArray *shape, *input, *mask, *lengths, *contours;
  double level;
} Conformance;

/* The JSON that the file is written in: enough of it for arrays of numbers. */

static gboolean
accept (Reader * reader, char c)
{
  while (*reader->at && strchr (" \t\r\n,:", *reader->at))
    reader->at++;
  if (*reader->at != c)
    return FALSE;
  reader->at++;
  return TRUE;
}

static char *
read_string (Reader * reader)
{
  if (!accept (reader, '"')) {
    reader->failed = TRUE;
    return g_strdup ("");
  }
  const char *begin = reader->at;
  while (*reader->at && *reader->at != '"')
    reader->at += *reader->at == '\\' && reader->at[1] ? 2 : 1;
  if (!*reader->at) {
    reader->failed = TRUE;
    return g_strdup ("");
  }
  return g_strndup (begin, (gsize) (reader->at++ - begin));
}

/* A number, true, false, or null, which is NaN. */
static double
read_scalar (Reader * reader)
{
  static const struct
  {
    const char *word;
    double value;
  } words[] = { {"null", NAN}, {"true", 1.}, {"false", 0.}, {"NaN", NAN},
    {"Infinity", INFINITY}, {"-Infinity", -INFINITY}
  };
  char *end;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_has_prefix (reader->at, words[i].word)) {
      reader->at += strlen (words[i].word);
      return words[i].value;
    }
  double value = g_ascii_strtod (reader->at, &end);
  reader->failed |= end == reader->at;
  reader->at = end;
  return value;
}

static void
read_numbers (Reader * reader, GArray * numbers)
{
  if (accept (reader, '[')) {
    while (!reader->failed && !accept (reader, ']'))
      read_numbers (reader, numbers);
  } else {
    const double value = read_scalar (reader);

    g_array_append_val (numbers, value);
  }
}

static void
skip_value (Reader * reader)
{
  if (accept (reader, '"')) {
    reader->at--;
    g_free (read_string (reader));
    return;
  }
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (double));
  read_numbers (reader, numbers);
}

static void
read_member (Reader * reader, const char *key, Conformance * c)
{
  const struct
  {
    const char *key;
    GArray *array;
  } arrays[] = { {"shape", c->shape}, {"input", c->input}, {"mask", c->mask},
    {"lengths", c->lengths}, {"contours", c->contours}
  };
  const struct
  {
    const char *key;
    char **string;
  } strings[] = { {"name", &c->name}, {"fully_connected", &c->connected},
    {"positive_orientation", &c->orientation}
  };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    if (strcmp (key, arrays[i].key) == 0) {
      read_numbers (reader, arrays[i].array);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    if (strcmp (key, strings[i].key) == 0) {
      g_free (*strings[i].string);
      *strings[i].string = read_string (reader);
      return;
    }
  if (strcmp (key, "level") == 0) {
    accept (reader, ' ');
    c->level = read_scalar (reader);
  } else {
    skip_value (reader);
  }
}

static void
conformance_init (Conformance * c)
{
  GArray **arrays[] = { &c->shape, &c->input, &c->mask, &c->lengths,
    &c->contours
  };

  memset (c, 0, sizeof (*c));
  c->level = NAN;
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    *arrays[i] = g_array_new (FALSE, FALSE, sizeof (double));
}

static void
conformance_clear (Conformance * c)
{
  g_free (c->name);
  g_free (c->connected);
  g_free (c->orientation);
  g_array_unref (c->shape);
  g_array_unref (c->input);
  g_array_unref (c->mask);
  g_array_unref (c->lengths);
  g_array_unref (c->contours);
}

/* Cases */

static double
number (const GArray * array, gsize i)
{
  return g_array_index (array, double, i);
}

/* Whether the case says what we say: it has its input, and a level; of
 * infinities we think otherwise. */
static gboolean
is_ours (const Conformance * c)
{
  if (isnan (c->level) || c->shape->len != 2 || c->input->len == 0 ||
      c->input->len != number (c->shape, 0) * number (c->shape, 1))
    return FALSE;
  for (guint i = 0; i < c->input->len; i++)
    if (isinf (number (c->input, i)))
      return FALSE;
  return TRUE;
}

static gboolean
same_contours (const Conformance * c, const CsContoursOutput * output)
{
  const double *points = output->points;

  if (output->n_contours != c->lengths->len ||
      2 * output->n_points != c->contours->len)
    return FALSE;
  for (gsize i = 0; i < output->n_contours; i++)
    if (output->offsets[i + 1] - output->offsets[i] != number (c->lengths, i))
      return FALSE;
  for (gsize i = 0; i < output->n_points; i++)
    if (points[2 * i + 1] != number (c->contours, 2 * i) ||
        points[2 * i] != number (c->contours, 2 * i + 1))
      return FALSE;
  return TRUE;
}

static gboolean
run_conformance (const Conformance * c, const Backend * backend)
{
  const guint height = (guint) number (c->shape, 0);
  const guint width = (guint) number (c->shape, 1);
  const CsContoursTarget target = { 0, c->level };
  MemoryPool pool = {.cuda = is_cuda (backend) };
  CsContoursOutput output = {.alloc = memory_pool_alloc,.user_data = &pool,
    .want_host = TRUE
  };
  g_autofree guint8 *mask = g_new0 (guint8, c->input->len);
  CsContoursInput input = { 0, };
  GError *error = NULL;
  CsContoursParams params;
  CsImage mask_image;

  cs_contours_params_init (&params);
  params.targets = &target;
  params.points = CS_POINTS_F64;
  params.fully_connected_high = g_strcmp0 (c->connected, "high") == 0;
  params.positive_orientation_high = g_strcmp0 (c->orientation, "high") == 0;
  input.image = cs_image_gray (c->input->data, CS_SAMPLE_F64, width, height,
      width * sizeof (double));
  if (c->mask->len == c->input->len) {
    for (gsize i = 0; i < c->mask->len; i++)
      mask[i] = number (c->mask, i) != 0.;
    mask_image = cs_image_gray (mask, CS_SAMPLE_U8, width, height, width);
    input.mask = &mask_image;
  }
  CsContours *plan = cs_contours_new (&params, backend->executor, &error);
  gboolean ok = plan && cs_contours_run (plan, &input, &output, &error);
  if (!ok) {
    fprintf (stderr, "%s, %s: %s\n", c->name, backend->name, error->message);
    g_error_free (error);
  } else if (!same_contours (c, &output)) {
    fprintf (stderr, "%s: %s finds other contours\n", c->name, backend->name);
    ok = FALSE;
  }
  cs_contours_free (plan);
  memory_pool_clear (&pool);
  return ok;
}

gboolean
check_conformance (const char *path, Backend ** backends, guint n_backends)
{
  Reader reader = { NULL, FALSE };
  char *text;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return FALSE;
  reader.at = text;
  reader.failed = !accept (&reader, '[');
  while (!reader.failed && accept (&reader, '{')) {
    Conformance c;

    conformance_init (&c);
    while (!reader.failed && !accept (&reader, '}')) {
      g_autofree char *key = read_string (&reader);

      read_member (&reader, key, &c);
    }
    for (guint b = 0; b < n_backends && !reader.failed && is_ours (&c); b++)
      count (run_conformance (&c, backends[b]));
    conformance_clear (&c);
  }
  if (reader.failed) {
    fprintf (stderr, "%s is not what was expected\n", path);
    count (FALSE);
  }
  g_free (text);
  return TRUE;
}
