/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * Gradients of circles, and their text:
 *
 *   radial:STOP:...        from the centre to the border
 *   linear:ANGLE:STOP:...  from border to border, in the direction ANGLE:
 *                          degrees, 0 to the right, 90 downwards
 *   glow:STOP:..., glow    radial, with alpha times exp (-4 t^2); white
 *   snow                   the snowflakes of the circle renderer of Stanford's
 *                          course CS149: a glow of white to light blue, whose
 *                          alpha depends on the circle's depth
 *
 * STOP is a colour, and if wanted / and where it is, 0 to 1; the others are
 * spread evenly. Of "#rrggbb" and "#rrggbbaa" the # may be left out: without it
 * GStreamer's texts of structures need no quotes. The circle's own colour is
 * multiplied by the gradient's.
 */

#include "base/array.h"
#include "raster/raster.h"

G_BEGIN_DECLS

/* Most stops of a gradient. */
#define CS_GRADIENT_MAX_STOPS 16

/* Reads a colour's text, which ends with a zero.
 *
 * Returns: whether it is one; sets 0xRRGGBBAA */
typedef gboolean (*CsColorFunc) (const char *text, guint32 * rgba);

/* "#rrggbb" or "#rrggbbaa", or either without # */
gboolean cs_color_parse (const char *text, guint32 * rgba);

/**
 * CsGradientSet:
 *
 * Gradients, which circles refer to by number, from 1 on; 0 is none.
 */
typedef struct
{
  CsArray *gradients;           /* of CsGradient */
  CsArray *stops;               /* of CsGradientStop */
  CsArray *looks;               /* of CsGradientLook: what text is made of */
} CsGradientSet;

CsGradientSet *cs_gradient_set_new (void);
void cs_gradient_set_free (CsGradientSet * set);
void cs_gradient_set_empty (CsGradientSet * set);

/* As the tile engine takes them; valid until the set changes. */
CsGradients cs_gradient_set_get (const CsGradientSet * set);

/* Whether there was no memory for all gradients. */
gboolean cs_gradient_set_has_failed (const CsGradientSet * set);

/* Adds the gradient that @length bytes of @text describe, unless one of the
 * last is the same.
 *
 * @color: reads colours
 * @number: its number
 * Returns: %FALSE with @error (CS_ERROR_INVALID: what is wrong with the text;
 *     CS_ERROR_NO_MEMORY) */
gboolean cs_gradient_set_add (CsGradientSet * set, const char *text,
    gsize length, CsColorFunc color, guint32 * number, GError ** error);

/* Adds all of @from, whose numbers become greater by what is returned. */
guint32 cs_gradient_set_append (CsGradientSet * set,
    const CsGradientSet * from);

/* Returns: (transfer full): the text of a gradient */
gchar *cs_gradient_set_to_text (const CsGradientSet * set, guint32 number);

/* The colour of a circle of @rgba at depth @z with a gradient: its own; with
 * "snow" white, with alpha .5 (.6 + .4 (1 - z)), of which the bracket is limited
 * to 0 to 1. */
guint32 cs_gradient_set_color (const CsGradientSet * set, guint32 number,
    guint32 rgba, float z);

G_END_DECLS
