/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* calibrate CONFIG LANE PICTURE [--diameter-mm MM]: lines for [geometry], of a
 * picture of a target. @argv[0] is the command's word. Returns: the exit
 * status */
int line_calibrate_main (int argc, char **argv);
