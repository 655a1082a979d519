/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tokens.h"
#include "web_answer.h"

/**
 * LineWeb:
 *
 * A page about a run, for people, and what it is made of, for programs: GET of
 * /, /report.json, /metrics (Prometheus), /pictures.json and /pictures/NNN.jpg.
 * Nothing is changed but by POST of /command with a token (web_command.h). It
 * answers only who asks for it by a name that is its own (web_request.h).
 *
 * One thread of its own answers, and waits for no client: nobody of the line
 * waits for it, and all clients together have a quarter of a core. A client has two seconds for its request and ten to take the
 * answer, whatever it sends or takes meanwhile. An address (of IPv6 a network of
 * 64 bits) has sixteen clients at most, all others than this machine have 48:
 * who comes then takes the place of the one that has been there longest. So
 * clients that wait keep nobody out.
 *
 * Not libsoup: its server has none of these bounds, which are most of this.
 */
typedef struct _LineWeb LineWeb;

/* @address: that it listens at, "127.0.0.1" or "0.0.0.0" for all. @port: 0 for
 * any. @hosts: more names that it has, ends with NULL. @sources: all of it
 * is there longer, but the commander is closed before. @tokens: (nullable):
 * taken */
LineWeb *line_web_new (const char *address, guint port,
    const char *const *hosts, const LineWebSources * sources,
    LineTokens * tokens, GError ** error);
/* Breaks off answers that are being given. */
void line_web_free (LineWeb * web);

guint line_web_get_port (const LineWeb * web);
