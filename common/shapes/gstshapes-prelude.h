/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_PRELUDE_H
#define GST_SHAPES_PRELUDE_H

#include <gst/gst.h>

#ifndef GST_SHAPES_API
# ifdef BUILDING_GST_SHAPES
#  define GST_SHAPES_API GST_API_EXPORT
# else
#  define GST_SHAPES_API GST_API_IMPORT
# endif
#endif

#endif /* GST_SHAPES_PRELUDE_H */
