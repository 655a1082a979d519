int line_replay_main (int argc, char **argv);
