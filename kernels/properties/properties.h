/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * Properties of all regions of a label picture, in one pass.
 *
 * The region of label k is all pixels that have it, connected or not; labels
 * below 1 have none. Names and definitions are those of scikit-image's
 * regionprops (0.26): coordinates are (row, column), pixel centres at integers.
 *
 * Sums, counts and hulls are of integers and exact, and only the last steps are
 * in double precision. The convex image of a region are the pixels whose centres
 * are in the convex hull of the middles of its pixels' sides
 * (convex_hull_image with offset_coordinates).
 *
 * The time depends on the number of pixels and on the length of the borders, and
 * with a convex hull on the regions' heights.
 */

#include <glib.h>

#include "base/executor.h"
#include "labels/labels.h"

G_BEGIN_DECLS

/* Limits of a picture, beyond which CS_ERROR_LIMIT is set. Sums fit 64 bits up
 * to them, those of moments 128 bits. */
#define CS_PROPERTIES_MAX_SIDE (1u << 17)
#define CS_PROPERTIES_MAX_PIXELS (1u << 31)

/**
 * CsProperty:
 * @CS_PROPERTY_LABEL: the label
 * @CS_PROPERTY_BBOX: first row and column, and those behind the last
 * @CS_PROPERTY_NUM_PIXELS: number of pixels
 * @CS_PROPERTY_EULER_NUMBER: components less holes, pixels connected by sides
 *     and corners
 * @CS_PROPERTY_AREA: num_pixels, scaled
 * @CS_PROPERTY_AREA_BBOX: of the bounding box, scaled
 * @CS_PROPERTY_AREA_CONVEX: of the convex image, scaled
 * @CS_PROPERTY_AXIS_MAJOR_LENGTH, @CS_PROPERTY_AXIS_MINOR_LENGTH: of the ellipse
 *     with the same second moments
 * @CS_PROPERTY_CENTROID: row, column
 * @CS_PROPERTY_CENTROID_LOCAL: the same from the bounding box on
 * @CS_PROPERTY_ECCENTRICITY: of that ellipse
 * @CS_PROPERTY_EQUIVALENT_DIAMETER_AREA: of a circle of the same area
 * @CS_PROPERTY_EXTENT: area / area_bbox
 * @CS_PROPERTY_FERET_DIAMETER_MAX: greatest distance between points of the
 *     convex image's contour at .5
 * @CS_PROPERTY_INERTIA_TENSOR: 2 x 2
 * @CS_PROPERTY_INERTIA_TENSOR_EIGVALS: the greater first
 * @CS_PROPERTY_MOMENTS: 4 x 4, m[i][j] of row^i column^j, from the bounding box on
 * @CS_PROPERTY_MOMENTS_CENTRAL: the same from the centroid on
 * @CS_PROPERTY_MOMENTS_NORMALIZED: the same for area 1; NaN where i + j < 2
 * @CS_PROPERTY_MOMENTS_HU: seven
 * @CS_PROPERTY_ORIENTATION: angle from the rows' axis to the major axis
 * @CS_PROPERTY_PERIMETER: of Benkrid and Crookes, with 4 neighbours
 * @CS_PROPERTY_PERIMETER_CROFTON: by Crofton's formula, with 4 directions
 * @CS_PROPERTY_SOLIDITY: area / area_convex
 *
 * The first four are integers. The order is that of a result's columns.
 */
typedef enum
{
  CS_PROPERTY_LABEL,
  CS_PROPERTY_BBOX,
  CS_PROPERTY_NUM_PIXELS,
  CS_PROPERTY_EULER_NUMBER,
  CS_PROPERTY_AREA,
  CS_PROPERTY_AREA_BBOX,
  CS_PROPERTY_AREA_CONVEX,
  CS_PROPERTY_AXIS_MAJOR_LENGTH,
  CS_PROPERTY_AXIS_MINOR_LENGTH,
  CS_PROPERTY_CENTROID,
  CS_PROPERTY_CENTROID_LOCAL,
  CS_PROPERTY_ECCENTRICITY,
  CS_PROPERTY_EQUIVALENT_DIAMETER_AREA,
  CS_PROPERTY_EXTENT,
  CS_PROPERTY_FERET_DIAMETER_MAX,
  CS_PROPERTY_INERTIA_TENSOR,
  CS_PROPERTY_INERTIA_TENSOR_EIGVALS,
  CS_PROPERTY_MOMENTS,
  CS_PROPERTY_MOMENTS_CENTRAL,
  CS_PROPERTY_MOMENTS_NORMALIZED,
  CS_PROPERTY_MOMENTS_HU,
  CS_PROPERTY_ORIENTATION,
  CS_PROPERTY_PERIMETER,
  CS_PROPERTY_PERIMETER_CROFTON,
  CS_PROPERTY_SOLIDITY,
  CS_N_PROPERTIES,
} CsProperty;

#define CS_PROPERTY_BIT(property) (1u << (property))

/* How many columns @property has in a result. */
guint cs_property_get_n_columns (CsProperty property);
gboolean cs_property_is_integer (CsProperty property);

/**
 * CsPropertiesParams:
 * @wanted: CS_PROPERTY_BIT() of each property wanted
 * @row_spacing, @column_spacing: from a pixel to the one below, and to the
 *     right; positive. Perimeters need them to be equal, moments_hu to be 1
 */
typedef struct
{
  guint32 wanted;
  double row_spacing, column_spacing;
} CsPropertiesParams;

/* Label and bounding box, spacing 1. */
void cs_properties_params_init (CsPropertiesParams * params);

/**
 * CsPropertiesOutput:
 * @alloc: as that of #CsContoursOutput
 * @user_data: for @alloc
 * @want_host: CUDA only: also download the result
 *
 * Filled in:
 *
 * @n_regions: labels above 0 that there are
 * @n_columns: of all properties wanted, in their order; numbers of 8 bytes,
 *     integers or doubles
 * @stride: bytes from a column to the next
 * @columns: the first one; an item for each region, in the order of the labels
 * @device_columns: the same in the executor's GPU memory, CUDA only
 */
typedef struct
{
  void *(*alloc) (void *user_data, gsize size, gboolean host);
  void *user_data;
  gboolean want_host;

  gsize n_regions, n_columns, stride;
  void *columns;
  void *device_columns;
} CsPropertiesOutput;

/**
 * CsProperties:
 *
 * A plan. Not thread-safe.
 */
typedef struct _CsProperties CsProperties;

/* @executor outlives the plan. Fails with CS_ERROR_INVALID or
 * CS_ERROR_NOT_SUPPORTED. */
CsProperties *cs_properties_new (const CsPropertiesParams * params,
    CsExecutor * executor, GError ** error);

/* Changes the parameters of later runs; fails as cs_properties_new(), and leaves
 * them as they were. */
gboolean cs_properties_set_params (CsProperties * plan,
    const CsPropertiesParams * params, GError ** error);

/* Makes what runs of pictures like @picture will need; its labels are not looked
 * at. */
gboolean cs_properties_warm_up (CsProperties * plan,
    const CsLabelsPicture * picture, GError ** error);

/* Measures the regions of @picture. All backends give the same bits. Complete on
 * return. Fails with CS_ERROR_INVALID (sizes, strides, a picture in memory of the
 * GPU on the CPU), CS_ERROR_LIMIT (labels, sides, pixels), CS_ERROR_NO_MEMORY,
 * CS_ERROR_DEVICE; the output's numbers are 0 then. */
gboolean cs_properties_run (CsProperties * plan,
    const CsLabelsPicture * picture, CsPropertiesOutput * output,
    GError ** error);

void cs_properties_free (CsProperties * plan);

G_END_DECLS
