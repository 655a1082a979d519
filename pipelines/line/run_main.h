/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_RUN_MAIN_H
#define LINE_RUN_MAIN_H

/* Commands: @argv[0] is the command's word. Return the exit status. */

int line_check_main (int argc, char **argv);
int line_run_main (int argc, char **argv);
int line_simulate_main (int argc, char **argv);

#endif /* LINE_RUN_MAIN_H */
