/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* No tables come with the build: it cannot run what it has compiled. */
#include "llf_private.h"

const CsLlfShipped cs_llf_shipped[1];
const guint cs_llf_n_shipped = 0;
const guint32 cs_llf_shipped_data[1];
