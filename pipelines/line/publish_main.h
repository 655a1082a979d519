/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* fruit-line publish: sends a line's decisions to a broker. @argv: from the word
 * "publish" on. Returns: the exit status */
int line_publish_main (int argc, char **argv);
