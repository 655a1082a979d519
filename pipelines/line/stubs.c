
int line_calibrate_main (int argc, char **argv);
int line_calibrate_main (int argc, char **argv) {return 0;}
