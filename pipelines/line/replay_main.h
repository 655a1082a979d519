/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The command replay; @argv[0] is its word. Returns: the exit status: 0 if
 * nothing differs, 1 if something does, 2 for an error, which is printed */
int line_replay_main (int argc, char **argv);
