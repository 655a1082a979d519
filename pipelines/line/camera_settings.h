/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "settings.h"

/* The keys of a lane's cameras; what is wrong with them is added to the problems
 * of @ini. @config: with its geometry, its deadline, and the lanes before. Never
 * NULL */
LineCameraConfig *line_camera_config_read (LineIni * ini, const char *group,
    const LineConfig * config);
void line_camera_config_free (LineCameraConfig * cameras);
