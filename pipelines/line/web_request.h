/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/**
 * LineWebRequest:
 * @path: without what is behind "?"
 * @host: as it was asked for, without a port; an IPv6 address without brackets;
 *     NULL for one of HTTP/1.0, which no browser speaks, that does not say it
 * @is_head: HEAD, not GET
 * @is_command: POST of /command, to which alone the other members belong
 * @token: (nullable): what the client says it may
 * @origin: (nullable): host of the page whose script asks; "" for one of none
 * @is_json: whether a body of JSON follows
 * @length: bytes of the body; -1 if that is not said
 */
typedef struct
{
  const char *path, *host;
  gboolean is_head, is_command, is_json;
  const char *token, *origin;
  gint64 length;
} LineWebRequest;

/* Bytes up to the end of the request's head, which is at the start of @text, of
 * @size bytes; 0 if it is not all there. */
gsize line_web_request_find_end (const char *text, gsize size);

/* @text: a request's head, of @size bytes with a 0 behind them. It is changed,
 * and @request points into it. Returns: NULL, or the status of a refusal */
const char *line_web_request_parse (char *text, gsize size,
    LineWebRequest * request);

/* Whether @host is this machine's: "localhost", one of its loopback addresses,
 * @address, that the server listens at, or one of @hosts; "*" in @hosts: any. If
 * it listens at all addresses, each is one of them, and so is the machine's
 * name. A page of somebody else's whose name has become this machine's address
 * is not: its scripts would read all there is. Nobody can do that to an
 * address. */
gboolean line_web_request_is_for (const char *host, GInetAddress * address,
    const char *const *hosts);
