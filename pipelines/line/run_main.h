/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Commands: @argv[0] is the command's word. Return the exit status. */

int line_check_main (int argc, char **argv);
int line_run_main (int argc, char **argv);
int line_simulate_main (int argc, char **argv);
