/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* shapetensordec on a GPU: the polygons of a YOLO's tensors are what the CPU
 * finds, bit for bit, frame by frame. */

#include <math.h>

#include "gpu_test.h"

#define SIDE 40                 /* of a prototype: the input has 160 pixels */
#define PROTOTYPES 8
#define CLASSES 3
#define CANDIDATES 525
#define ROWS (4 + CLASSES + PROTOTYPES)
#define CAPS "other/tensors,format=static,num_tensors=2,framerate=0/1," \
    "types=(string)\"float32,float32\"," \
    "dimensions=(string)\"525:15:1,40:40:8:1\""

/* Objects at random, of waves. */
static GstBuffer *
tensors_new (guint seed)
{
  GRand *rand = g_rand_new_with_seed (seed);
  gfloat *data = g_new0 (gfloat, ROWS * CANDIDATES + PROTOTYPES * SIDE * SIDE);
  gfloat *to = data + ROWS * CANDIDATES;

  for (guint k = 0; k < 30; k++) {
    const guint i = (guint) g_rand_int_range (rand, 0, CANDIDATES);

    for (guint r = 0; r < 2; r++) {
      data[r * CANDIDATES + i] = (gfloat) g_rand_double_range (rand, 0, 160);
      data[(2 + r) * CANDIDATES + i] = (gfloat) g_rand_double_range (rand, 5,
          90);
    }
    data[(4 + k % CLASSES) * CANDIDATES + i] = (gfloat) g_rand_double (rand);
    for (guint c = 0; c < PROTOTYPES; c++)
      data[(4 + CLASSES + c) * CANDIDATES + i] = (gfloat)
          g_rand_double_range (rand, -1, 1);
  }
  for (guint k = 0; k < PROTOTYPES; k++) {
    const gdouble fx = g_rand_double_range (rand, -1, 1);
    const gdouble fy = g_rand_double_range (rand, -1, 1);

    for (guint y = 0; y < SIDE; y++)
      for (guint x = 0; x < SIDE; x++)
        *to++ = (gfloat) cos (fx * x + fy * y + k);
  }
  g_rand_free (rand);
  return gst_buffer_new_wrapped (data, sizeof (gfloat) * (ROWS * CANDIDATES +
          PROTOTYPES * SIDE * SIDE));
}

/* The letterbox of the second size enlarges the prototypes first. */
TEST (test_tensors_give_what_the_cpu_gives)
{
  static const gchar *const settings[] = {
    "", "width=640 height=480 measures=full", "width=211 height=100 boxes=true "
        "outline-tolerance=0.01", "width=2000 height=3000 min-area=50",
  };

  for (guint s = 0; s < G_N_ELEMENTS (settings); s++) {
    g_autofree gchar *cuda_line = g_strdup_printf ("shapetensordec "
        "backend=cuda score=0.1 %s", settings[s]);
    g_autofree gchar *cpu_line = g_strdup_printf ("shapetensordec backend=cpu "
        "score=0.1 %s", settings[s]);
    GstHarness *cuda = harness_on (test_context, cuda_line);
    GstHarness *cpu = harness_on (NULL, cpu_line);
    gsize n = 0;

    gst_harness_set_src_caps_str (cuda, CAPS);
    gst_harness_set_src_caps_str (cpu, CAPS);
    for (guint i = 0; i < 20; i++) {
      GstBuffer *buffer = tensors_new (100 * s + i);
      GstShapeSet *a = set_of (cuda, buffer), *b = set_of (cpu, buffer);

      assert_same_sets (a, b, settings[s]);
      n += gst_shape_layer_get_n_shapes (gst_shape_set_get_layer (b, 0));
      gst_shape_set_unref (a);
      gst_shape_set_unref (b);
      gst_buffer_unref (buffer);
    }
    fail_unless (n > 100, "only %u polygons", (guint) n);
    gst_harness_teardown (cuda);
    gst_harness_teardown (cpu);
  }
}

GPU_SUITE (tensordec)
{
  tcase_set_timeout (tcase, 120);
}
