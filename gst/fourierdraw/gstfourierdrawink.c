/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawink.h"

void
fourier_brush_ink_clear (FourierBrushInk * self)
{
  g_clear_pointer (&self->raster, cs_raster_free);
  g_clear_pointer (&self->ink, cs_ink_free);
  g_clear_pointer (&self->stamps, g_array_unref);
  self->valid = FALSE;
}

static gboolean
ensure_ink (FourierBrushInk * self, CsExecutor * executor,
    const CsPicture * picture, GError ** error)
{
  if (!self->stamps)
    self->stamps = g_array_new (FALSE, FALSE, sizeof (CsInkSegment));
  if (!self->raster)
    self->raster = cs_raster_new (executor, error);
  if (!self->raster)
    return FALSE;
  if (self->ink && self->width == picture->width &&
      self->height == picture->height)
    return TRUE;
  g_clear_pointer (&self->ink, cs_ink_free);
  self->valid = FALSE;
  self->width = picture->width;
  self->height = picture->height;
  self->ink = cs_ink_new (executor, self->width, self->height, error);
  return self->ink != NULL;
}

/* Clears the ink unless @pending only adds to it. */
static gboolean
check_ink (FourierBrushInk * self, const FourierPending * pending,
    const FourierView * view, GError ** error)
{
  if (self->valid && self->epoch == pending->epoch &&
      self->next >= pending->first && self->view.scale == view->scale &&
      self->view.dx == view->dx && self->view.dy == view->dy)
    return TRUE;
  self->epoch = pending->epoch;
  self->view = *view;
  self->next = pending->first;
  self->valid = cs_ink_clear (self->ink, error);
  return self->valid;
}

static CsInkSegment
make_stamp (const FourierView * view, const FourierDab * dab)
{
  return (CsInkSegment) {
    .x0 = fourier_view_x (view, dab->x0),
    .y0 = fourier_view_y (view, dab->y0),
    .x1 = fourier_view_x (view, dab->x1),
    .y1 = fourier_view_y (view, dab->y1),
  };
}

static gboolean
stamp_pending (FourierBrushInk * self,
    const FourierPending * pending, GError ** error)
{
  const FourierDab *dabs = (const FourierDab *) (gpointer) pending->dabs->data;
  const guint n = pending->dabs->len;
  guint i = self->next - pending->first, end;

  for (; i < n; i = end) {
    /* all of one radius */
    g_array_set_size (self->stamps, 0);
    for (end = i; end < n && dabs[end].radius == dabs[i].radius; end++) {
      const CsInkSegment stamp = make_stamp (&self->view, &dabs[end]);

      g_array_append_val (self->stamps, stamp);
    }
    if (!cs_ink_stamp (self->ink,
            (const CsInkSegment *) (gpointer) self->stamps->data,
            self->stamps->len, dabs[i].radius * self->view.scale, error)) {
      self->valid = FALSE;
      return FALSE;
    }
  }
  self->next = pending->first + n;
  return TRUE;
}

gboolean
fourier_brush_ink_paint (FourierBrushInk * self, CsExecutor * executor,
    const FourierPending * pending, guint32 rgba, const FourierView * view,
    const CsPicture * picture, GError ** error)
{
  const CsMarks none = {.memory = CS_MEMORY_HOST };
  CsRasterSettings settings;

  if (pending->dabs->len == 0 || (rgba & 0xff) == 0)
    return TRUE;
  if (!ensure_ink (self, executor, picture, error) ||
      !check_ink (self, pending, view, error) ||
      !stamp_pending (self, pending, error))
    return FALSE;
  cs_raster_settings_init (&settings);
  settings.ink = self->ink;
  settings.ink_rgba = rgba;
  return cs_raster_run (self->raster, &none, &settings, picture, picture,
      error);
}
