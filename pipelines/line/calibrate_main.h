int line_calibrate_main (int argc, char **argv);
