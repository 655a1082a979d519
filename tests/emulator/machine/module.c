/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is declared in a module: functions, kernels, variables */

#include "module.h"

#include <stdlib.h>
#include <string.h>

#include "scan.h"

/* Replaces comments by blanks. */
static void
drop_comments (gchar * text)
{
  gchar *at = text;

  while (*at) {
    if (at[0] == '/' && at[1] == '/')
      while (*at && *at != '\n')
        *at++ = ' ';
    else if (at[0] == '/' && at[1] == '*') {
      while (at[0] && !(at[0] == '*' && at[1] == '/'))
        *at++ = ' ';
      if (*at)
        at[0] = at[1] = ' ';
    } else
      at++;
  }
}

static gsize
type_size (const gchar * type)
{
  if (!strcmp (type, ".pred"))
    return 1;
  return atoi (type + 2) / 8;
}

static void
read_initial (Variable * variable, gsize element, const gchar ** at)
{
  variable->initial = g_byte_array_new ();
  skip_char (at, '{');
  do {
    gchar *end;

    skip_blanks (at);
    if (**at == '}')
      break;
    guint64 value = g_ascii_strtoull (*at, &end, 0);
    if (end == *at)
      g_error ("emulator: the value of %s is not known", variable->name);
    *at = end;
    g_byte_array_append (variable->initial, (guint8 *) & value, element);
  } while (skip_char (at, ','));
  skip_char (at, '}');
}

Variable *
module_read_variable (const gchar ** at)
{
  Variable *variable = g_new0 (Variable, 1);
  gsize element = 0;

  variable->align = 1;
  for (;;) {
    gchar *word = scan_word (at);

    if (!strcmp (word, ".align")) {
      gchar *number = scan_word (at);

      variable->align = atoi (number);
      g_free (number);
    } else if (word[0] == '.' && strchr ("busf", word[1]) &&
        g_ascii_isdigit (word[2]))
      element = type_size (word);
    else if (word[0] != '.') {
      variable->name = word;
      break;
    }
    g_free (word);
  }
  variable->size = element;
  variable->align = MAX (variable->align, element);
  while (skip_char (at, '[')) {
    gchar *number = scan_word (at);

    if (*number)
      variable->size *= atoi (number);
    g_free (number);
    skip_char (at, ']');
  }
  if (skip_char (at, '='))
    read_initial (variable, element, at);
  return variable;
}

gpointer
module_get_data (Variable * variable)
{
  if (variable->data)
    return variable->data;
  variable->data = emulator_allocate (variable->size);
  guint8 *bytes = emulator_reach (variable->data, variable->size, TRUE);
  memset (bytes, 0, variable->size);
  if (variable->initial)
    memcpy (bytes, variable->initial->data,
        MIN (variable->initial->len, variable->size));
  return variable->data;
}

/* Parameters or results in parentheses; they follow each other, aligned. */
static GArray *
read_formals (const gchar ** at)
{
  GArray *formals = g_array_new (FALSE, FALSE, sizeof (Formal));
  gsize offset = 0;

  if (!skip_char (at, '('))
    return formals;
  while (!skip_char (at, ')')) {
    g_autofree Variable *variable = module_read_variable (at);

    offset = (offset + variable->align - 1) / variable->align * variable->align;
    Formal formal = (Formal) {
    variable->name, offset, variable->size};
    g_array_append_val (formals, formal);
    offset += variable->size;
    skip_char (at, ',');
  }
  return formals;
}

static const gchar *
find_end (const gchar * at)
{
  guint depth = 1;

  for (; *at; at++)
    if (*at == '{')
      depth++;
    else if (*at == '}' && --depth == 0)
      return at;
  g_error ("emulator: a function does not end");
}

/* The product of numbers with commas between them */
static guint
read_product (const gchar ** at)
{
  guint product = 1;

  do {
    g_autofree gchar *number = scan_word (at);

    product *= atoi (number);
  } while (skip_char (at, ','));
  return product;
}

/* Directives between the parameters and the body */
static void
read_directives (Function * function, const gchar ** at)
{
  for (;;) {
    skip_blanks (at);
    if (**at == '{' || **at == ';' || !**at)
      return;
    g_autofree gchar *word = scan_word (at);
    if (!strcmp (word, ".maxntid") || !strcmp (word, ".reqntid"))
      function->max_threads = read_product (at);
    else if (!*word)
      ++*at;
  }
}

static void
read_function (Module * module, gboolean is_entry, const gchar ** at)
{
  Function *function = g_new0 (Function, 1);

  function->is_entry = is_entry;
  function->results = is_entry ? NULL : read_formals (at);
  function->name = scan_word (at);
  function->params = read_formals (at);
  read_directives (function, at);
  if (skip_char (at, '{')) {
    function->body = *at;
    function->end = find_end (*at);
    *at = function->end + 1;
  } else
    skip_char (at, ';');
  /* a declaration is replaced by what it declares */
  if (function->body || !g_hash_table_lookup (module->functions,
          function->name))
    g_hash_table_insert (module->functions, function->name, function);
}

static void
read_global (Module * module, gchar space, gboolean is_extern,
    const gchar ** at)
{
  Variable *variable = module_read_variable (at);

  variable->space = space;
  variable->is_extern = is_extern;
  g_hash_table_insert (module->variables, variable->name, variable);
  skip_char (at, ';');
}

static void
skip_line (const gchar ** at)
{
  while (**at && **at != '\n')
    ++*at;
}

Module *
module_new (gchar * ptx)
{
  Module *module = g_new0 (Module, 1);
  gboolean is_extern = FALSE;
  const gchar *at = ptx;

  drop_comments (ptx);
  module->text = ptx;
  module->functions = g_hash_table_new (g_str_hash, g_str_equal);
  module->variables = g_hash_table_new (g_str_hash, g_str_equal);
  for (;;) {
    gchar *word = scan_word (&at);

    if (!*word && !*at)
      break;
    if (!strcmp (word, ".extern"))
      is_extern = TRUE;
    else if (!strcmp (word, ".entry") || !strcmp (word, ".func"))
      read_function (module, word[1] == 'e', &at);
    else if (!strcmp (word, ".global") || !strcmp (word, ".const") ||
        !strcmp (word, ".shared"))
      read_global (module, word[1], is_extern, &at);
    else if (strcmp (word, ".visible") && strcmp (word, ".weak"))
      skip_line (&at);
    if (strcmp (word, ".extern"))
      is_extern = FALSE;
    g_free (word);
  }
  return module;
}
