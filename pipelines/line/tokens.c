/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tokens.h"

#include <string.h>

#include "publish/ini.h"
#include "publish/names.h"
#include "publish/secret.h"

#define MOST 64

/* Characters of a token: fewer can be tried */
#define SHORTEST 20
#define LONGEST 256

/* As RFC 6750 has them */
#define CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" \
    "0123456789-._~+/="

#define HASH 32

typedef struct
{
  char name[LINE_NAME_LONGEST + 1];
  guint8 hash[HASH];
} Token;

struct _LineTokens
{
  Token tokens[MOST];
  guint n;
};

static void
make_hash (const char *token, guint8 hash[HASH])
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize size = HASH;

  g_checksum_update (checksum, (const guchar *) token, strlen (token));
  g_checksum_get_digest (checksum, hash, &size);
}

/* What a line says, which is changed. Messages have its number alone: what is in
 * it may be a token in the wrong place. */
static gboolean
parse_line (LineTokens * tokens, char *line, const char *path, guint number,
    GError ** error)
{
  char *token = line + strcspn (line, " \t");

  if (*token)
    *token++ = '\0';
  token += strspn (token, " \t");
  const gsize size = strlen (token);
  if (!line_name_is_lane (line))
    return line_fail (error, LINE_ERROR_INVALID, "%s:%u: a line has a name of "
        "a-z, A-Z, 0-9, \"_\" and \"-\", a space, and a token", path, number);
  if (size < SHORTEST || size > LONGEST || strspn (token, CHARACTERS) != size)
    return line_fail (error, LINE_ERROR_INVALID, "%s:%u: a token has %d to %d "
        "letters, digits and \"-._~+/=\": make one by openssl rand -hex 32",
        path, number, SHORTEST, LONGEST);
  if (tokens->n == MOST)
    return line_fail (error, LINE_ERROR_INVALID, "%s:%u: there can be %d tokens",
        path, number, MOST);
  if (line_tokens_find (tokens, token))
    return line_fail (error, LINE_ERROR_INVALID, "%s:%u: this token is there "
        "already: each has one of its own", path, number);
  g_strlcpy (tokens->tokens[tokens->n].name, line,
      sizeof (tokens->tokens->name));
  make_hash (token, tokens->tokens[tokens->n++].hash);
  return TRUE;
}

LineTokens *
line_tokens_load (const char *path, GError ** error)
{
  char *text = line_secret_load (path, error), *end;
  gboolean good = text != NULL;
  LineTokens *tokens = g_new0 (LineTokens, 1);
  guint number = 1;

  for (char *line = text; good && line; line = end, number++) {
    end = strchr (line, '\n');
    if (end)
      *end++ = '\0';
    g_strstrip (line);
    good = *line == '\0' || *line == '#'
        || parse_line (tokens, line, path, number, error);
  }
  g_clear_pointer (&text, line_secret_free);
  if (good && tokens->n == 0)
    good = line_fail (error, LINE_ERROR_INVALID, "%s: there is no token in it: "
        "a line has a name and a token", path);
  if (!good)
    g_clear_pointer (&tokens, line_tokens_free);
  return tokens;
}

void
line_tokens_free (LineTokens * tokens)
{
  g_free (tokens);
}

const char *
line_tokens_find (const LineTokens * tokens, const char *token)
{
  guint8 hash[HASH];
  const char *name = NULL;

  make_hash (token, hash);
  for (guint i = 0; i < tokens->n; i++) {
    guint difference = 0;

    for (guint k = 0; k < HASH; k++)
      difference |= hash[k] ^ tokens->tokens[i].hash[k];
    if (difference == 0)
      name = tokens->tokens[i].name;
  }
  return name;
}
