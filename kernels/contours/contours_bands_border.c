/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Iso-bands: where valid cells end. */
#include "contours_bands.h"

#include "contours_cpu.h"

typedef struct
{
  CsImage image;                /* of the channel */
  const CsImage *mask;
  CsArray *edges;
  guint8 *samples;              /* a row of valid ones, in bytes */
  guint8 *gathered;             /* a row, side by side */
  guint8 *above, *below;        /* rows of valid cells */
} Border;

static const guint8 *
get_sample (const Border * border, guint column, guint row)
{
  return (const guint8 *) border->image.data + row * border->image.row_stride +
      column * border->image.pixel_stride;
}

static void
add_edge (Border * border, guint column, guint row, gboolean vertical,
    gboolean backward)
{
  const CsSampleType type = border->image.type;
  const CsBorderEdge edge = { column, row, vertical, backward,
    cs_cpu_load_sample (get_sample (border, column, row), type),
    cs_cpu_load_sample (get_sample (border, column + !vertical,
            row + vertical), type)
  };

  cs_array_append_val (border->edges, edge);
}

/* The valid samples of @row. */
static void
find_valid (Border * border, guint row, guint8 * valid)
{
  const CsImage *image = &border->image, *mask = border->mask;

  cs_row_gather (image->type, get_sample (border, 0, row),
      image->pixel_stride, image->width, border->gathered);
  cs_row_valid (image->type, border->gathered, image->width, mask ?
      (const guint8 *) mask->data + row * mask->row_stride : NULL,
      mask ? mask->pixel_stride : 0, 1, valid);
}

/* The valid cells of @row, whose upper samples' are in samples; the lower ones'
 * are there afterwards. */
static void
find_cells (Border * border, guint row, guint8 * cells)
{
  const guint n = border->image.width - 1;
  guint8 *upper = border->samples;

  for (guint i = 0; i < n; i++)
    cells[i] = upper[i] & upper[i + 1];
  find_valid (border, row + 1, upper);
  for (guint i = 0; i < n; i++)
    cells[i] &= upper[i] & upper[i + 1];
}

static void
add_edges_of_row (Border * border, guint row)
{
  const guint n = border->image.width - 1;

  for (guint i = 0; i < n; i++) {
    if (border->above[i] != border->below[i])
      add_edge (border, i, row, FALSE, border->above[i]);
  }
  for (guint i = 0; i <= n && row + 1 < border->image.height; i++) {
    const gboolean left = i > 0 && border->below[i - 1];
    const gboolean right = i < n && border->below[i];

    if (left != right)
      add_edge (border, i, row, TRUE, right);
  }
}

static void
walk_rows (Border * border)
{
  const guint height = border->image.height;

  find_valid (border, 0, border->samples);
  for (guint row = 0; row < height; row++) {
    guint8 *other = border->above;

    border->above = border->below;
    border->below = other;
    if (row + 1 < height)
      find_cells (border, row, border->below);
    else
      memset (border->below, 0, border->image.width);
    add_edges_of_row (border, row);
  }
}

/* All cells are valid. */
static void
walk_around (Border * border)
{
  const guint right = border->image.width - 1;
  const guint bottom = border->image.height - 1;

  for (guint i = 0; i < right; i++) {
    add_edge (border, i, 0, FALSE, FALSE);
    add_edge (border, i, bottom, FALSE, TRUE);
  }
  for (guint i = 0; i < bottom; i++) {
    add_edge (border, 0, i, TRUE, TRUE);
    add_edge (border, right, i, TRUE, FALSE);
  }
}

gboolean
cs_bands_find_border (const CsImage * image, const CsImage * mask,
    guint channel, CsArray * edges)
{
  Border border = {.image = *image,.mask = mask,.edges = edges };
  const gsize width = image->width;

  border.image.data = (const guint8 *) image->data +
      channel * image->channel_stride;
  if (!mask && image->type <= CS_SAMPLE_U16) {
    walk_around (&border);
    return !edges->failed;
  }
  guint8 *memory = cs_try_new0 (guint8, width * (3 + sizeof (gdouble)));
  if (!memory)
    return FALSE;
  border.gathered = memory;
  border.samples = memory + width * sizeof (gdouble);
  border.above = border.samples + width;
  border.below = border.above + width;
  walk_rows (&border);
  g_free (memory);
  return !edges->failed;
}
