/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/**
 * LineTokens:
 *
 * Who may change something: names, each with a secret that whoever has it says.
 * Only the secrets' hashes are kept.
 */
typedef struct _LineTokens LineTokens;

/* @path: a file as line_secret_load() wants it, with a line "NAME TOKEN" for
 * each; "#" begins a comment. Returns: NULL with @error set to what is wrong, in
 * which no token is */
LineTokens *line_tokens_load (const char *path, GError ** error);
void line_tokens_free (LineTokens * tokens);

/* (nullable): whose @token is. It takes as long whatever is alike. */
const char *line_tokens_find (const LineTokens * tokens, const char *token);
