/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "error.h"

G_DEFINE_QUARK (cs-error-quark, cs_error);
