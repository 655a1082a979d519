/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Pictures of all layouts, and marks made to hurt. */

#include "raster/raster.h"

G_BEGIN_DECLS

/* --- Pictures ------------------------------------------------------------- */

typedef struct
{
  const char *name;
  CsPictureModel model;
  guint depth, shift;
  guint sub_x, sub_y;
  gboolean has_alpha, premultiplied, limited;
  guint pixel_size;             /* samples per pixel when packed; 0: planes */
  gboolean chroma_pairs;        /* Cb and Cr in one plane */
  const char *order;            /* of samples, if not RGBA; x is none */
  gboolean is_yuy2;             /* Y, Cb, Y and Cr lie together */
} Layout;

extern const Layout layouts[];
extern const guint n_layouts;

/* One block of memory with the picture in it and room around every row. */
typedef struct
{
  CsPicture view;
  guint8 *memory;
  gsize size;
} Picture;

Picture *picture_new (const Layout * layout, guint width, guint height,
    GRand * rand);
Picture *picture_copy (const Picture * picture);
void picture_free (Picture * picture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Picture, picture_free)

/* The same view of a copy of the memory elsewhere. */
CsPicture picture_view_at (const Picture * picture, void *memory,
    CsMemory kind);

/* Samples that differ; prints the first if @name is not NULL. Alien bytes,
 * those of no sample, must be those of @a. */
guint64 picture_compare (const Picture * a, const Picture * b,
    const char *name);

/* --- Marks ---------------------------------------------------------------- */

typedef enum
{
  MARKS_DISCS,
  MARKS_TINY,
  MARKS_HUGE,
  MARKS_FOG,
  MARKS_OPAQUE,
  MARKS_TANGENT,
  MARKS_ONE_TILE,
  MARKS_RINGS,
  MARKS_CAPSULES,
  MARKS_MIXED,
  MARKS_GROUPS,
  MARKS_BROKEN,
  MARKS_FILLS,                  /* groups, and fills below a number */
  MARKS_GRADIENTS,              /* of all sorts, some with gradients */
  MARKS_GRADIENTS_GROUPS,       /* groups, and some with gradients */
  MARKS_N_KINDS,
} MarksKind;

typedef enum
{
  DEPTHS_NONE,
  DEPTHS_RANDOM,
  DEPTHS_TIED,
  DEPTHS_EQUAL,
  DEPTHS_STRANGE,
  DEPTHS_N_KINDS,
} DepthsKind;

/* How many fills MARKS_FILLS refers to. */
#define MARKS_N_FILLS 9

/* How many gradients the kinds with gradients refer to. */
#define MARKS_N_GRADIENTS 7

const char *marks_kind_name (MarksKind kind);

void marks_fill (MarksKind kind, GRand * rand, guint width, guint height,
    gsize n, CsMark * marks);

/* Small marks of all sorts, or @plain discs, that leave most of the picture
 * visible. */
void marks_fill_small (GRand * rand, guint width, guint height,
    gboolean plain, gsize n, CsMark * marks);

/* Outlines: groups of short lines of one width, now and then of several, rings,
 * and single marks. */
void marks_fill_paths (GRand * rand, guint width, guint height, gsize n,
    CsMark * marks);

/* Random gradients, some of which have steps. */
typedef struct
{
  CsGradient gradients[MARKS_N_GRADIENTS];
  CsGradientStop stops[MARKS_N_GRADIENTS * 5];
  CsGradients view;
} Gradients;

void gradients_fill (GRand * rand, Gradients * gradients);

void depths_fill (DepthsKind kind, GRand * rand, gsize n, float *depths);

G_END_DECLS
