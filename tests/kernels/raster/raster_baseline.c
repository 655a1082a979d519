/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "raster_baseline.h"

#include <dlfcn.h>
#include <math.h>
#include <sys/resource.h>

double
baseline_cpu_time (void)
{
  struct rusage u;

  getrusage (RUSAGE_SELF, &u);
  return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
      (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static void
paint_disc (const Disc * d, guint width, guint height, float *image)
{
  const float a = (d->rgba & 255) / 255.f;
  const float color[3] = {
    (d->rgba >> 24) / 255.f, (d->rgba >> 16 & 255) / 255.f,
    (d->rgba >> 8 & 255) / 255.f
  };
  const gint x0 = MAX (floorf (d->x - d->r), 0);
  const gint y0 = MAX (floorf (d->y - d->r), 0);
  const gint x1 = MIN (ceilf (d->x + d->r), width - 1.f);
  const gint y1 = MIN (ceilf (d->y + d->r), height - 1.f);

  for (gint y = y0; y <= y1; y++)
    for (gint x = x0; x <= x1; x++) {
      const float dx = x - d->x, dy = y - d->y;
      float *p = &image[3 * ((gsize) y * width + x)];

      if (dx * dx + dy * dy > d->r * d->r)
        continue;
      for (gint i = 0; i < 3; i++)
        p[i] = a * color[i] + (1 - a) * p[i];
    }
}

double
baseline_sequential (const Disc * discs, gsize n, guint width, guint height,
    guint32 * pixels)
{
  const double start = baseline_cpu_time ();
  const gsize n_pixels = (gsize) width * height;
  g_autofree float *image = g_new0 (float, 3 * n_pixels);

  for (gsize i = 0; i < n; i++)
    paint_disc (&discs[i], width, height, image);
  for (gsize i = 0; i < n_pixels; i++) {
    const float *p = &image[3 * i];

    pixels[i] = (guint32) (255 * p[0] + .5f) |
        (guint32) (255 * p[1] + .5f) << 8 |
        (guint32) (255 * p[2] + .5f) << 16 | 255u << 24;
  }
  return baseline_cpu_time () - start;
}

typedef struct
{
  void *(*surface_create) (int format, int width, int height);
  void *(*create) (void *surface);
  void (*set_antialias) (void *cairo, int antialias);
  void (*set_source_rgba) (void *cairo, double r, double g, double b, double a);
  void (*arc) (void *cairo, double x, double y, double r, double a0, double a1);
  void (*fill) (void *cairo);
  void (*surface_flush) (void *surface);
  void (*destroy) (void *cairo);
  void (*surface_destroy) (void *surface);
} Cairo;

static gboolean
load_cairo (Cairo * cairo)
{
  static const char *const names[] = {
    "cairo_image_surface_create", "cairo_create", "cairo_set_antialias",
    "cairo_set_source_rgba", "cairo_arc", "cairo_fill", "cairo_surface_flush",
    "cairo_destroy", "cairo_surface_destroy"
  };
  void *library = dlopen ("libcairo.so.2", RTLD_NOW);

  if (!library)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    ((void **) cairo)[i] = dlsym (library, names[i]);
    if (!((void **) cairo)[i])
      return FALSE;
  }
  return TRUE;
}

double
baseline_cairo (const Disc * discs, gsize n, guint width, guint height)
{
  const int rgb24 = 1, antialias_none = 1;
  Cairo cairo;

  if (!load_cairo (&cairo))
    return -1;
  gint64 start = g_get_monotonic_time ();
  void *surface = cairo.surface_create (rgb24, width, height);
  void *context = cairo.create (surface);
  cairo.set_antialias (context, antialias_none);
  for (gsize i = 0; i < n; i++) {
    const Disc *d = &discs[i];

    cairo.set_source_rgba (context, (d->rgba >> 24) / 255.,
        (d->rgba >> 16 & 255) / 255., (d->rgba >> 8 & 255) / 255.,
        (d->rgba & 255) / 255.);
    /* its pixel centres are at halves */
    cairo.arc (context, d->x + .5, d->y + .5, d->r, 0, 2 * G_PI);
    cairo.fill (context);
  }
  cairo.surface_flush (surface);
  cairo.destroy (context);
  cairo.surface_destroy (surface);
  return (g_get_monotonic_time () - start) / 1e3;
}
