
#include "report.h"
#include "pictures.h"
int line_calibrate_main (int argc, char **argv);
int line_calibrate_main (int argc, char **argv) {return 0;}
LinePictures *line_pictures_new (const LineConfig * config, const char *folder, guint n_slots, LineLookAt look_at, gpointer user, GError ** error) { return NULL; }
void line_pictures_free (LinePictures * pictures) {}
void line_pictures_add (LinePictures * pictures, guint lane, const LineDecision * decision) {}
void line_pictures_get_counts (LinePictures * pictures, guint64 * written, guint64 * dropped, guint64 * failed) {}
