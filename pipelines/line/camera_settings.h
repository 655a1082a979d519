/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "settings.h"

/* The keys of a lane's cameras; what is wrong with them is added to the problems
 * of @ini. @config: with its deadline, and the lanes before. @views: of the
 * lane. Never NULL */
LineCameraConfig *line_camera_config_read (LineIni * ini, const char *group,
    const LineConfig * config, guint views);
void line_camera_config_free (LineCameraConfig * cameras);
