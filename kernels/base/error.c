/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "error.h"

G_DEFINE_QUARK (cs-error-quark, cs_error);

gboolean
cs_fail_no_memory (GError ** error, const char *what)
{
  return cs_error (error, CS_ERROR_NO_MEMORY,
      "there is not enough memory for %s", what);
}
