/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contours_private.h"

/* Which backend computes what @params ask for. */
static const CsContoursBackend *
choose (const CsContoursParams * params, CsExecutor * executor, GError ** error)
{
  return params->bands ? &cs_contours_bands_backend :
      cs_contours_choose_lines (params, executor, error);
}

CsContours *
cs_contours_new (const CsContoursParams * params, CsExecutor * executor,
    GError ** error)
{
  return cs_contours_new_by (choose, params, executor, error);
}
