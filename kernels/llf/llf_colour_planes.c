/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "llf_colour_planes.h"

/* Rows in the backend's memory begin at multiples of this. */
#define ROW_ALIGNMENT ((gsize) 256)

/* Checks */

gboolean
cs_llf_colour_check_format (const CsPicture * picture, GError ** error)
{
  if (picture->depth < 8 || picture->depth + picture->shift > 16 ||
      picture->type != (picture->depth > 8 ? CS_SAMPLE_U16 : CS_SAMPLE_U8) ||
      (picture->model == CS_PICTURE_RGB && picture->depth != 8) ||
      picture->sub_x > 1 || picture->sub_y > 1)
    return cs_error (error, CS_ERROR_INVALID, "a picture of %u components of "
        "%u bits, shifted by %u, is none that can be filtered",
        cs_picture_get_n_components (picture), picture->depth, picture->shift);
  return TRUE;
}

static gboolean
is_same_format (const CsPicture * a, const CsPicture * b)
{
  return a->model == b->model && a->type == b->type && a->width == b->width &&
      a->height == b->height && a->depth == b->depth && a->shift == b->shift &&
      a->sub_x == b->sub_x && a->sub_y == b->sub_y &&
      !a->data[CS_PICTURE_ALPHA] == !b->data[CS_PICTURE_ALPHA];
}

static gboolean
check_pictures (const CsLlfWork * work, GError ** error)
{
  if (!cs_llf_colour_check_format (work->input, error))
    return FALSE;
  if (!is_same_format (work->input, work->output))
    return cs_error (error, CS_ERROR_INVALID,
        "input and output are not of the same format");
  if (!work->is_cuda && (work->input->memory == CS_MEMORY_DEVICE ||
          work->output->memory == CS_MEMORY_DEVICE))
    return cs_error (error, CS_ERROR_INVALID,
        "the CPU cannot read device memory; download pictures first");
  return TRUE;
}

static gboolean
check_plane (const CsLlfWork * work, const CsLlfPlane * plane, GError ** error)
{
  const gsize size = cs_sample_size (work->input->type);

  if (plane->input_stride < plane->row_size ||
      plane->output_stride < plane->row_size ||
      ((guintptr) plane->input | (guintptr) plane->output |
          plane->input_stride | plane->output_stride) % size != 0 ||
      (plane->input == plane->output &&
          plane->input_stride != plane->output_stride))
    return cs_error (error, CS_ERROR_INVALID, "the strides of a plane (%"
        G_GSIZE_FORMAT " and %" G_GSIZE_FORMAT " bytes) do not fit rows of %"
        G_GSIZE_FORMAT " bytes", plane->input_stride, plane->output_stride,
        plane->row_size);
  return TRUE;
}

static gboolean
fail_component (guint c, GError ** error)
{
  return cs_error (error, CS_ERROR_INVALID,
      "component %u does not fit its plane", c);
}

/* Whether kernels can read the components where they are. */
static gboolean
check_layout (const CsLlfWork * work, GError ** error)
{
  const CsPicture *p = work->input;
  const gsize size = cs_sample_size (p->type);

  for (guint c = 1; p->model == CS_PICTURE_RGB && c < 3; c++) {
    if (work->plane_of[c] != 0)
      return fail_component (c, error);
  }
  if (p->model == CS_PICTURE_RGB && (p->pixel_stride[0] < 3 ||
          p->pixel_stride[0] > 4))
    return fail_component (0, error);
  if (p->model == CS_PICTURE_YUV && p->pixel_stride[1] != p->pixel_stride[2])
    return fail_component (2, error);
  if (work->scale_chroma && p->pixel_stride[0] != size)
    return fail_component (0, error);
  return TRUE;
}

/* Planes */

/* Whether component @c is interleaved with plane @plane. */
static gboolean
is_in_plane (const CsLlfWork * work, const CsLlfPlane * plane, guint c)
{
  const CsPicture *input = work->input;
  const gssize distance = (const guint8 *) input->data[c] - plane->input;

  return input->row_stride[c] == plane->input_stride &&
      ABS (distance) < (gssize) input->pixel_stride[c];
}

static void
begin_plane (CsLlfWork * work, guint c)
{
  const CsImage image = cs_picture_get_component (work->input, c);

  work->planes[work->n_planes++] = (CsLlfPlane) {
    .input = work->input->data[c],
    .output = work->output->data[c],
    .input_stride = work->input->row_stride[c],
    .output_stride = work->output->row_stride[c],
    .row_size = image.width * image.pixel_stride,
    .rows = image.height,
  };
}

/* Adds a component to its plane, which begins with the first of its samples. */
static gboolean
add_component (CsLlfWork * work, guint c, GError ** error)
{
  const CsPicture *input = work->input, *output = work->output;
  const gsize size = cs_sample_size (input->type);
  CsLlfPlane *plane = work->planes;
  const CsLlfPlane *end = plane + work->n_planes;

  if (!input->data[c] || !output->data[c] || input->pixel_stride[c] < size ||
      input->pixel_stride[c] % size != 0 ||
      output->pixel_stride[c] != input->pixel_stride[c])
    return fail_component (c, error);
  while (plane < end && !is_in_plane (work, plane, c))
    plane++;
  if (plane == end)
    begin_plane (work, c);
  const gssize distance = (const guint8 *) input->data[c] - plane->input;
  if ((guint8 *) output->data[c] - plane->output != distance ||
      output->row_stride[c] != plane->output_stride)
    return fail_component (c, error);
  plane->input += MIN (distance, 0);
  plane->output += MIN (distance, 0);
  plane->is_used |= c == 0 || input->model == CS_PICTURE_RGB ||
      (work->scale_chroma && c != CS_PICTURE_ALPHA);
  work->plane_of[c] = plane - work->planes;
  return TRUE;
}

static gboolean
find_planes (CsLlfWork * work, GError ** error)
{
  if (!check_pictures (work, error))
    return FALSE;
  for (guint c = 0; c < CS_PICTURE_MAX_COMPONENTS; c++) {
    if ((c < cs_picture_get_n_components (work->input) ||
            (c == CS_PICTURE_ALPHA && work->input->data[c])) &&
        !add_component (work, c, error))
      return FALSE;
  }
  for (guint p = 0; p < work->n_planes; p++) {
    if (!check_plane (work, &work->planes[p], error))
      return FALSE;
  }
  return check_layout (work, error);
}

/* Transfer */

static gboolean
is_here (const CsLlfWork * work, CsMemory memory)
{
  return work->is_cuda == (memory == CS_MEMORY_DEVICE);
}

static gsize
own_stride (const CsLlfPlane * plane)
{
  return (plane->row_size + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

/* Moves the components of plane @p, which begins at @begin, to the backend's
 * memory. */
static void
move_plane (const CsLlfWork * work, guint p, const guint8 * begin,
    CsPicture * picture)
{
  for (guint c = 0; c < CS_PICTURE_MAX_COMPONENTS; c++) {
    if (!picture->data[c] || work->plane_of[c] != p)
      continue;
    picture->data[c] = work->planes[p].own +
        ((guint8 *) picture->data[c] - begin);
    picture->row_stride[c] = own_stride (&work->planes[p]);
  }
}

static gboolean
transfer_plane (CsLlfWork * work, guint p, GError ** error)
{
  const gboolean input_here = is_here (work, work->input->memory);
  const gboolean output_here = is_here (work, work->output->memory);
  CsLlfPlane *plane = &work->planes[p];

  if (!plane->is_used)
    return plane->input == plane->output || work->backend->copy (work->state,
        plane->output, plane->output_stride, plane->input, plane->input_stride,
        plane->row_size, plane->rows, error);
  if (input_here && output_here)
    return TRUE;
  plane->own = work->backend->scratch (work->state, p,
      own_stride (plane) * plane->rows, error);
  if (!plane->own)
    return FALSE;
  if (!output_here)
    move_plane (work, p, plane->output, &work->to);
  if (input_here)
    return TRUE;
  move_plane (work, p, plane->input, &work->from);
  return work->backend->copy (work->state, plane->own, own_stride (plane),
      plane->input, plane->input_stride, plane->row_size, plane->rows, error);
}

gboolean
cs_llf_work_begin (CsLlfWork * work, GError ** error)
{
  if (!find_planes (work, error))
    return FALSE;
  work->from = *work->input;
  work->to = *work->output;
  work->from.memory = work->to.memory = work->is_cuda ? CS_MEMORY_DEVICE :
      CS_MEMORY_HOST;
  for (guint p = 0; p < work->n_planes; p++) {
    if (!transfer_plane (work, p, error))
      return FALSE;
  }
  return TRUE;
}

const guint8 *
cs_llf_work_get_input (const CsLlfWork * work, guint p)
{
  return is_here (work, work->input->memory) ? work->planes[p].input :
      work->planes[p].own;
}

guint8 *
cs_llf_work_get_output (const CsLlfWork * work, guint p)
{
  return is_here (work, work->output->memory) ? work->planes[p].output :
      work->planes[p].own;
}

gsize
cs_llf_work_get_stride (const CsLlfWork * work, guint p, gboolean input)
{
  const CsPicture *picture = input ? work->input : work->output;
  const CsLlfPlane *plane = &work->planes[p];

  if (!is_here (work, picture->memory))
    return own_stride (plane);
  return input ? plane->input_stride : plane->output_stride;
}

gboolean
cs_llf_work_finish (const CsLlfWork * work, GError ** error)
{
  const gboolean output_here = is_here (work, work->output->memory);

  for (guint p = 0; p < work->n_planes && !output_here; p++) {
    const CsLlfPlane *plane = &work->planes[p];

    if (plane->is_used && !work->backend->copy (work->state, plane->output,
            plane->output_stride, plane->own, own_stride (plane),
            plane->row_size, plane->rows, error))
      return FALSE;
  }
  return (output_here && is_here (work, work->input->memory)) ||
      work->backend->wait (work->state, error);
}
