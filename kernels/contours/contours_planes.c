/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which planes the targets need. */
#include "contours_planes.h"

#include <string.h>

#include "base/map.h"

/* The channels of @channel, which may be a group. */
static CsContoursGroup
get_members (const CsContoursParams * params, const guint * channel)
{
  if (*channel >= CS_CONTOURS_GROUP (0))
    return params->groups[*channel - CS_CONTOURS_GROUP (0)];
  return (CsContoursGroup) { channel, 1 };
}

static void
add_plane (CsContoursPlanes * planes, const CsContoursGroup * group)
{
  CsPlaneSource *source = &planes->sources[planes->n_planes++];

  *source = (CsPlaneSource) {
  planes->n_members, group->n_channels, group->channels[0]};
  for (guint i = 0; i < group->n_channels; i++) {
    planes->members[planes->n_members++] = group->channels[i];
    source->lowest = MIN (source->lowest, group->channels[i]);
  }
}

/* The first target with the channel of target @t. @firsts: those of the targets
 * before it, by channel; the map spares a search that takes minutes for a tensor
 * of 65,536 channels, and is made without where memory runs out. */
static guint
first_of_channel (const CsContoursParams * params, guint t, CsMap * firsts)
{
  const gint32 channel = (gint32) params->targets[t].channel;
  const gsize *found = cs_map_find (firsts, channel);
  guint k = 0;

  if (found)
    return (guint) *found;
  if (!firsts->failed && cs_map_set (firsts, channel, t))
    return t;
  while (params->targets[k].channel != params->targets[t].channel)
    k++;
  return k;
}

static void
add_target (CsContoursPlanes * planes, const CsContoursParams * params, guint t,
    CsMap * firsts)
{
  const CsContoursGroup group =
      get_members (params, &params->targets[t].channel);

  for (guint i = 0; i < group.n_channels; i++)
    planes->n_channels = MAX (planes->n_channels, group.channels[i] + 1);
  planes->of_target[t] = -1;
  if (!planes->all && params->targets[t].channel < CS_CONTOURS_GROUP (0))
    return;
  const guint first = first_of_channel (params, t, firsts);
  if (first == t)
    add_plane (planes, &group);
  planes->of_target[t] = first == t ? (gint) planes->n_planes - 1 :
      planes->of_target[first];
}

void
cs_contours_planes_init (CsContoursPlanes * planes,
    const CsContoursParams * params)
{
  CsMap firsts = CS_MAP_INIT;
  gboolean all = TRUE;
  gsize n_members = 0;

  memset (planes, 0, sizeof (*planes));
  for (guint t = 0; t < params->n_targets; t++) {
    all &= params->targets[t].channel >= CS_CONTOURS_GROUP (0);
    n_members += get_members (params, &params->targets[t].channel).n_channels;
  }
  planes->border = params->close_at_border && !params->bands ? 1 : 0;
  planes->all = all || planes->border || params->exclusive ||
      params->adaptive_window > 0;
  planes->of_target = g_new (gint, params->n_targets);
  planes->sources = g_new (CsPlaneSource, params->n_targets);
  planes->members = g_new (guint32, n_members);
  for (guint t = 0; t < params->n_targets; t++)
    add_target (planes, params, t, &firsts);
  cs_map_clear (&firsts);
}

void
cs_contours_planes_clear (CsContoursPlanes * planes)
{
  g_clear_pointer (&planes->of_target, g_free);
  g_clear_pointer (&planes->sources, g_free);
  g_clear_pointer (&planes->members, g_free);
}

gboolean
cs_contours_planes_equal (const CsContoursPlanes * a,
    const CsContoursPlanes * b, guint n_targets)
{
  return a->n_planes == b->n_planes && a->n_members == b->n_members &&
      a->all == b->all && a->border == b->border &&
      memcmp (a->of_target, b->of_target, n_targets * sizeof (gint)) == 0 &&
      memcmp (a->sources, b->sources,
      a->n_planes * sizeof (CsPlaneSource)) == 0 &&
      memcmp (a->members, b->members, a->n_members * sizeof (guint32)) == 0;
}

gboolean
cs_contours_planes_use (const CsContoursPlanes * planes,
    const CsContoursParams * params, guint channel)
{
  if (params->exclusive)
    return TRUE;
  for (guint i = 0; i < planes->n_members; i++) {
    if (planes->members[i] == channel)
      return TRUE;
  }
  for (guint i = 0; i < params->n_targets && !planes->all; i++) {
    if (params->targets[i].channel == channel)
      return TRUE;
  }
  return FALSE;
}

CsImage
cs_contours_planes_shape (const CsImage * image, guint n, guint border)
{
  CsImage planes = *image;

  planes.data = NULL;
  planes.type = image->type == CS_SAMPLE_F64 ? CS_SAMPLE_F64 : CS_SAMPLE_F32;
  planes.width += 2 * border;
  planes.height += 2 * border;
  planes.channels = n;
  planes.pixel_stride = cs_sample_size (planes.type);
  planes.row_stride = planes.width * planes.pixel_stride;
  planes.channel_stride = planes.height * planes.row_stride;
  return planes;
}

guint
cs_contours_n_bins (const CsContoursParams * params, guint t, CsSampleType type,
    gboolean * codes)
{
  *codes = params->targets[t].channel < CS_CONTOURS_GROUP (0) &&
      (type == CS_SAMPLE_U8 || type == CS_SAMPLE_U16);
  return *codes && type == CS_SAMPLE_U16 ? 1 << 16 : CS_OTSU_BINS;
}
