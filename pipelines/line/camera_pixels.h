/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Pixel formats by their codes in GenICam's PFNC */
#define LINE_PIXELS_MONO8 0x01080001u
#define LINE_PIXELS_RGB8 0x02180014u
#define LINE_PIXELS_BGR8 0x02180015u
#define LINE_PIXELS_BAYER_GR8 0x01080008u
#define LINE_PIXELS_BAYER_RG8 0x01080009u
#define LINE_PIXELS_BAYER_GB8 0x0108000au
#define LINE_PIXELS_BAYER_BG8 0x0108000bu

/* In order of preference, ended by 0 */
extern const guint32 line_pixel_formats[];

gboolean line_pixels_are_known (guint32 format);

/* Bytes of a picture of a known format. */
gsize line_pixels_get_size (guint32 format, guint columns, guint rows);

/* To rows x columns x 3. Gray becomes three equal samples; of Bayer patterns
 * (at least 2 rows and columns) the samples that are missing are means of the
 * nearest ones, bilinearly. */
void line_pixels_to_rgb (guint32 format, const guint8 * data, guint columns,
    guint rows, guint8 * rgb);
