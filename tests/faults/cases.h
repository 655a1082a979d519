/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "run.h"

G_BEGIN_DECLS

/* Makes the pipelines for @backend. Returns: how many there are */
guint cases_init (const gchar * backend);
const Case *cases_get (guint i);
void cases_clear (void);

G_END_DECLS
