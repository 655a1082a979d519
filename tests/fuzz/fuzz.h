/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Shared by the fuzz targets. A target defines LLVMFuzzerTestOneInput(),
 * decodes its input with a Feed, and checks invariants with FUZZ_CHECK().
 * GLib's warnings and criticals are findings, too.
 */

#include <stdint.h>
#include <string.h>

#include <glib.h>

G_BEGIN_DECLS

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);
int LLVMFuzzerInitialize (int *argc, char ***argv);

/* Prints the failed invariant, and ends the program. */
void fuzz_fail (const char *file, int line, const char *condition,
    const char *format, ...) G_GNUC_PRINTF (4, 5) G_GNUC_NORETURN;

#define FUZZ_CHECK(condition, ...) G_STMT_START { \
  if (!(condition)) \
    fuzz_fail (__FILE__, __LINE__, #condition, __VA_ARGS__); \
} G_STMT_END

/* A function that failed must say why, one that did not must not. */
#define FUZZ_CHECK_ERROR(ok, error) \
    FUZZ_CHECK (!(ok) == ((error) != NULL && (error)->message[0] != '\0'), \
        "%s", (error) ? (error)->message : "no error is set")

/* Writes a file, in place of one that is there. */
void fuzz_write_file (const char *path, const void *data, size_t size);

/* A message of @size bytes: UTF-8, and nothing that a terminal obeys but the ends
 * of lines. */
static inline void
fuzz_check_plain (const gchar * text, gsize size)
{
  FUZZ_CHECK (g_utf8_validate (text, size, NULL), "no UTF-8");
  for (gsize i = 0; i < size; i++) {
    const guint8 c = (guint8) text[i];

    FUZZ_CHECK ((c >= 32 || c == '\n') && c != 127, "character %u", c);
    FUZZ_CHECK (c != 0xc2 || (guint8) text[i + 1] >= 0xa0, "character %u",
        (guint8) text[i + 1]);
  }
}

/**
 * Feed:
 * @data: the rest of the input
 * @size: its size in bytes
 *
 * Values decoded from the input; zeros at its end.
 */
typedef struct
{
  const guint8 *data;
  gsize size;
} Feed;

static inline void
feed_bytes (Feed * feed, void *to, gsize n)
{
  const gsize there = MIN (n, feed->size);

  memset (to, 0, n);
  if (there > 0)
    memcpy (to, feed->data, there);
  feed->data += there;
  feed->size -= there;
}

#define FEED_TYPE(name, type) \
static inline type \
feed_##name (Feed * feed) \
{ \
  type value; \
\
  feed_bytes (feed, &value, sizeof (value)); \
  return value; \
}

/* *INDENT-OFF* */
FEED_TYPE (u8, guint8)
FEED_TYPE (u16, guint16)
FEED_TYPE (u32, guint32)
FEED_TYPE (u64, guint64)
FEED_TYPE (i32, gint32)
FEED_TYPE (float, gfloat)
FEED_TYPE (double, gdouble)
/* *INDENT-ON* */

/* 0 .. n - 1, for n up to 256. */
static inline guint
feed_below (Feed * feed, guint n)
{
  return feed_u8 (feed) % n;
}

/* A coordinate: mostly near a small picture, in steps of 1/64; sometimes any
 * float, NaN and infinities included. */
static inline gfloat
feed_coordinate (Feed * feed)
{
  if (feed_below (feed, 8) == 0)
    return feed_float (feed);
  return (gint16) feed_u16 (feed) / 64.f;
}

/* The rest of the input up to a byte @end as text in UTF-8, to be freed. What
 * is not UTF-8 is replaced. */
static inline gchar *
feed_text (Feed * feed, guint8 end)
{
  gsize n = 0;
  gchar *text;

  while (n < feed->size && feed->data[n] != end)
    n++;
  text = g_utf8_make_valid ((const gchar *) feed->data, n);
  n = MIN (n + 1, feed->size);
  feed->data += n;
  feed->size -= n;
  return text;
}

G_END_DECLS
