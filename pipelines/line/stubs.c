
#include "report.h"
#include "pictures.h"
#include "recording.h"
int line_replay_main (int argc, char **argv);
int line_calibrate_main (int argc, char **argv);
int line_replay_main (int argc, char **argv) {return 0;}
int line_calibrate_main (int argc, char **argv) {return 0;}
struct _LineReport { guint64 pieces; guint64 ok; gint64 lat[100000]; LineCounts c; LineLosses l; };
LineReport *line_report_new (const LineConfig * config) { return g_new0 (LineReport, 1); }
void line_report_free (LineReport * report) { g_free (report); }
void line_report_decision (LineReport * report, guint lane, const LineDecision * d, const LineTruth * truth)
{ report->lat[report->pieces++] = d->to_tensor + d->to_shapes + d->to_decision; report->ok += d->outcome->status == 0; }
void line_report_lane (LineReport * report, guint lane, const LineCounts * counts, const LineLosses * losses) { report->c = *counts; report->l = *losses; }
void line_report_written (LineReport * report, const LineWritten * written) {}
guint64 line_report_get_pieces (LineReport * report) { return report->pieces; }
char *line_report_to_line (LineReport * report) { return g_strdup_printf ("%u pieces", (guint) report->pieces); }
gboolean line_report_adds_up (LineReport * report) { return report->c.triggers * 4 == report->c.in_time + report->c.late + report->c.lost; }
char *line_report_to_json (LineReport * report) { return g_strdup ("{}"); }
static int cmp (const void *a, const void *b) { gint64 x = *(gint64*)a, y = *(gint64*)b; return (x>y)-(x<y); }
#include <stdlib.h>
char *line_report_to_text (LineReport * r) { qsort (r->lat, r->pieces, 8, cmp); return g_strdup_printf ("%u pieces, %u ok; trigger to decision p50 %d p99 %d max %d us; triggers %u in time %u late %u lost %u refused %u; unfit %u crowded %u slow %u\n", (guint) r->pieces, (guint) r->ok, (int) r->lat[r->pieces/2], (int) r->lat[r->pieces*99/100], (int) r->lat[r->pieces-1], (guint) r->c.triggers, (guint) r->c.in_time, (guint) r->c.late, (guint) r->c.lost, (guint) r->c.refused, (guint) r->l.unfit, (guint) r->l.crowded, (guint) r->l.slow); }
LinePictures *line_pictures_new (const LineConfig * config, const char *folder, guint n_slots, LineLookAt look_at, gpointer user, GError ** error) { return NULL; }
void line_pictures_free (LinePictures * pictures) {}
void line_pictures_add (LinePictures * pictures, guint lane, const LineDecision * decision) {}
void line_pictures_get_counts (LinePictures * pictures, guint64 * written, guint64 * dropped, guint64 * failed) {}
GBytes *line_recording_head (void) { return g_bytes_new ("x", 1); }
GBytes *line_recording_encode (const LineEvent * event) { return g_bytes_new ("x", 1); }
