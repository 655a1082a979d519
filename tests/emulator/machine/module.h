/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Modules: the PTX of a fat binary, of which kernels are decoded when they are
 * first launched. */

#include "machine.h"

typedef struct
{
  gchar *name;
  gsize offset, size;
} Formal;

typedef struct
{
  gchar *name;
  GArray *params, *results;     /* of Formal */
  const gchar *body, *end;      /* within the braces; NULL: only declared */
  gboolean is_entry;
  guint max_threads;
} Function;

typedef struct
{
  gchar *name;
  gchar space;                  /* 's'hared, or global */
  gboolean is_extern;
  gsize align, size;
  gpointer data;                /* of global ones, once used */
  GByteArray *initial;
} Variable;

typedef struct
{
  gchar *text;                  /* without comments */
  GHashTable *functions, *variables;
} Module;

/* The PTX in a fat binary, or NULL; free with g_free(). */
gchar *fatbin_get_ptx (gconstpointer binary);
/* Takes @ptx. */
Module *module_new (gchar * ptx);
/* Reads what is between ".param" or a space and the end of a declaration. */
Variable *module_read_variable (const gchar ** at);
/* The variable's address; it is made when it is first used. */
gpointer module_get_data (Variable * variable);

/* With the memory's lock */
Kernel *module_get_kernel (gconstpointer function);

/* decode.c */
Kernel *decode_kernel (Module * module, const Function * function);
