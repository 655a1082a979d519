/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * CheckOptions:
 * @backend: --backend: "cpu", "cuda" or "both"
 * @brief: --brief: few cases
 * @measure: --bench: times, and no cases
 * @n_cases: the first number, or that for @brief or all
 * @seed: the second one, or 1
 *
 * The arguments of a program that checks a kernel.
 */
typedef struct
{
  const char *backend;
  gboolean brief, measure;
  guint n_cases;
  guint64 seed;
} CheckOptions;

/* Without numbers there are @n_brief cases with --brief, else @n_all. Returns:
 * FALSE for an unknown argument, having said so; end with EXIT_USAGE */
gboolean check_options_parse (int argc, char **argv, guint n_brief,
    guint n_all, CheckOptions * options);

#define EXIT_USAGE 2

G_END_DECLS
