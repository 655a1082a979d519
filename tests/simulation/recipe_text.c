/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "recipe_text.h"

void
recipe_text_write (const char *path, guint base, const char *more)
{
  const guint b = base * 10;
  g_autofree char *text = g_strdup_printf ("[recipe]\nname=r%u\n"
      "classes=belt;skin;rot\nfruit=skin;rot\ndefects=rot\nlevel=0.5\n"
      "class-level=0.3\nmin-area=1\nmin-diameter-mm=20\nmin-looks=4\n"
      "min-coverage=0.9\nempty-outlet=%u\nundecided-outlet=%u\n"
      "[size small]\nmin-mm=30\nmax-mm=40\n"
      "[size large]\nmin-mm=40\nmax-mm=60\n"
      "[limits sound]\nrot-mm2=10\n"
      "[rule large]\noutlet=%u\nsize=large\nlimits=sound\nstatus=ok\n"
      "[rule small]\noutlet=%u\nsize=small\nlimits=sound\nstatus=ok\n"
      "[rule again]\noutlet=%u\nlimits=sound\nstatus=partial;late\n"
      "[rule reject]\noutlet=%u\n%s", base, b, b + 9, b + 1, b + 2, b + 9,
      b + 8, more);

  if (!g_file_set_contents (path, text, -1, NULL))
    g_error ("%s cannot be written", path);
}
