/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_H
#define GST_SHAPES_H

#include "gstshapeset.h"
#include "gstshaperesult.h"
#include "gstshapepixels.h"
#include "gstshapeselect.h"
#include "gstshapeengine.h"
#include "gstshapemeta.h"
#include "gstshapejson.h"
#include "gstshapeformats.h"
#include "gstshapesallocator.h"
#include "gstshapetransform.h"
#include "gstshapesbuffer.h"
#include "gstshapesversion.h"

#endif /* GST_SHAPES_H */
