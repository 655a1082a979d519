/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawsvg.h"

#include "base/error.h"
#include "element/gstshapesfile.h"
#include "gstfourierdrawsvgwalk.h"

/* Points of a drawing. */
#define MAX_POINTS (1u << 24)

/* Copies lines, with points in between, or only counts their points. */
static gsize
copy_lines (const FourierLines * lines, FourierContours * contours)
{
  const gdouble (*p)[2] = (gconstpointer) lines->points.data;
  gsize line, i, n = 0;

  for (line = 0; line < lines->starts.len; line++) {
    const gsize first = cs_array_index (&lines->starts, gsize, line);
    const gsize end = line + 1 < lines->starts.len ?
        cs_array_index (&lines->starts, gsize, line + 1) : lines->points.len;
    CsStrokePoint last = { 0.f, 0.f };

    for (i = first; i < end && n < MAX_POINTS; i++) {
      /* pixel centres are at integers */
      const CsStrokePoint point = { p[i][0] - .5, p[i][1] - .5 };

      if (i > first)
        n += fourier_divide_line (last, point,
            contours ? contours->points + n : NULL);
      else if (contours)
        contours->points[n++] = point;
      else
        n++;
      last = point;
    }
    if (contours)
      contours->offsets[line + 1] = (guint32) n;
  }
  if (contours)
    contours->n_contours = lines->starts.len;
  return n;
}

/* Says what in the document is not drawn, and what the user can do. */
static const gchar *
describe_rest (const SvgDrawing * drawing)
{
  if (drawing->has_text)
    return "texts are not drawn; make paths of them (in Inkscape: Path > "
        "Object to Path) and save it";
  if (drawing->has_image)
    return "images are not drawn; make paths of them (in Inkscape: Path > "
        "Trace Bitmap) and save it";
  if (drawing->has_mask)
    return "masks are not applied, and what they hide is drawn; make clip "
        "paths of them, or cut the paths, and save it";
  return NULL;
}

static FourierContours *
make_contours (const SvgDrawing * drawing, guint width,
    guint height, GError ** error)
{
  const gchar *rest = describe_rest (drawing);

  if (drawing->lines.starts.len == 0)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_INVALID, "nothing is drawn "
        "in it: %s", rest ? rest : "there is no shape with a fill or a stroke "
        "on the page that is not hidden");
  const gsize n = copy_lines (&drawing->lines, NULL);
  if (n >= MAX_POINTS)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_LIMIT, "its lines are "
        "longer than %u pixels; draw parts of it one by one",
        (guint) (MAX_POINTS * FOURIER_SPACING));
  FourierContours *contours = fourier_contours_new (width, height, n,
      drawing->lines.starts.len, error);
  if (contours) {
    contours->rest = rest;
    copy_lines (&drawing->lines, contours);
  }
  return contours;
}

FourierContours *
svg_parse (const gchar * data, gsize size, guint width,
    guint height, GError ** error)
{
  SvgTree *tree = svg_tree_new (data, size, error);
  FourierContours *contours = NULL;
  SvgDrawing drawing;

  if (!tree)
    return NULL;
  if (svg_walk (tree, width, height, &drawing, error))
    contours = make_contours (&drawing, width, height, error);
  svg_drawing_clear (&drawing);
  svg_tree_free (tree);
  return contours;
}

FourierContours *
svg_load (const gchar * path, guint width, guint height, GError ** error)
{
  gchar *data;
  gsize size;

  if (!gst_shapes_file_load (path, SVG_MAX_SIZE, &data, &size, error))
    return NULL;
  FourierContours *contours = svg_parse (data, size, width, height, error);
  if (!contours)
    g_prefix_error (error, "%s: ", path);
  g_free (data);
  return contours;
}
