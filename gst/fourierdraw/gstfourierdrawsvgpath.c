/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawsvgpath.h"

#include <math.h>
#include <string.h>

/* Lines of a curve, at least and at most. */
#define MIN_CURVE 32
#define MAX_CURVE 1024
/* Angle of a line of an arc, at most. */
#define ARC (G_PI / 48.)
/* How far lines may be off a curve, in pixels. */
#define ERROR .05
/* Points further away end a line. */
#define TOO_FAR 1e12

/* Drawing */

void
fourier_pen_init (FourierPen * pen)
{
  memset (pen, 0, sizeof (*pen));
  cs_array_init (&pen->points, 2 * sizeof (gdouble));
  cs_array_init (&pen->starts, sizeof (gsize));
  pen->matrix = (FourierMatrix) { 1., 0., 0., 1., 0., 0. };
}

void
fourier_pen_clear (FourierPen * pen)
{
  cs_array_clear (&pen->points);
  cs_array_clear (&pen->starts);
}

void
fourier_pen_begin (FourierPen * pen,
    const FourierMatrix * matrix, gboolean closes)
{
  pen->points.len = pen->starts.len = 0;
  pen->matrix = *matrix;
  pen->closes = closes;
  pen->stopped = FALSE;
  pen->x = pen->y = 0.;
}

static void
add_point (FourierPen * pen, gdouble x, gdouble y)
{
  const FourierMatrix *m = &pen->matrix;
  const struct
  {
    gdouble x, y;
  } point = { m->a * x + m->c * y + m->e, m->b * x + m->d * y + m->f };

  if (pen->points.len == FOURIER_PEN_MAX)
    pen->full = TRUE;
  /* not a number is not less either */
  else if (!(fabs (point.x) < TOO_FAR) || !(fabs (point.y) < TOO_FAR))
    pen->stopped = TRUE;
  else if (!pen->stopped)
    cs_array_append_val (&pen->points, point);
  pen->x = x;
  pen->y = y;
}

void
fourier_pen_end (FourierPen * pen)
{
  const gdouble (*p)[2] = (gconstpointer) pen->points.data;

  if (pen->starts.len == 0)
    return;
  const gsize start = cs_array_index (&pen->starts, gsize, pen->starts.len - 1);
  if (pen->points.len - start < 2) {
    pen->points.len = start;
    pen->starts.len--;
  } else if (pen->closes && pen->points.len - start > 2 &&
      memcmp (p[start], p[pen->points.len - 1], sizeof (*p)) != 0) {
    const gdouble first[2] = { p[start][0], p[start][1] };

    cs_array_append_val (&pen->points, first);
  }
}

void
fourier_pen_move (FourierPen * pen, gdouble x, gdouble y)
{
  fourier_pen_end (pen);
  const gsize start = pen->points.len;
  if (!pen->stopped)
    cs_array_append_val (&pen->starts, start);
  add_point (pen, x, y);
}

void
fourier_pen_line (FourierPen * pen, gdouble x, gdouble y)
{
  add_point (pen, x, y);
}

/* How long a vector is in pixels. */
static gdouble
get_length (const FourierMatrix * m, gdouble x, gdouble y)
{
  return hypot (m->a * x + m->c * y, m->b * x + m->d * y);
}

/* Lines that a cubic curve needs: the bound by its second differences. An even
 * number, so that its middle is a point. */
static guint
get_n_lines (const FourierPen * pen, const gdouble * p)
{
  const gdouble first = get_length (&pen->matrix,
      pen->x - 2. * p[0] + p[2], pen->y - 2. * p[1] + p[3]);
  const gdouble second = get_length (&pen->matrix,
      p[0] - 2. * p[2] + p[4], p[1] - 2. * p[3] + p[5]);
  const gdouble n = 2. * ceil (sqrt (.375 / ERROR * MAX (first, second)));

  /* what is not a number is not less either */
  return n < MAX_CURVE ? (guint) MAX (n, MIN_CURVE) : MAX_CURVE;
}

static void
draw_cubic (FourierPen * pen, const gdouble * p)
{
  const gdouble x = pen->x, y = pen->y;
  const guint n = get_n_lines (pen, p);

  for (guint i = 1; i <= n; i++) {
    const gdouble t = (gdouble) i / n, u = 1. - t;
    const gdouble a = u * u * u, b = 3. * u * u * t, c = 3. * u * t * t;
    const gdouble d = t * t * t;

    add_point (pen, a * x + b * p[0] + c * p[2] + d * p[4],
        a * y + b * p[1] + c * p[3] + d * p[5]);
  }
}

static void
draw_quadratic (FourierPen * pen, const gdouble * p)
{
  const gdouble cubic[6] = {
    pen->x + (p[0] - pen->x) * 2. / 3., pen->y + (p[1] - pen->y) * 2. / 3.,
    p[2] + (p[0] - p[2]) * 2. / 3., p[3] + (p[1] - p[3]) * 2. / 3., p[2], p[3]
  };

  draw_cubic (pen, cubic);
}

void
fourier_pen_ellipse (FourierPen * pen, gdouble cx, gdouble cy,
    gdouble rx, gdouble ry, gdouble turn, gdouble angle, gdouble sweep)
{
  const gdouble radius = MAX (get_length (&pen->matrix, rx * cos (turn),
          rx * sin (turn)), get_length (&pen->matrix, -ry * sin (turn),
          ry * cos (turn)));
  /* of an angle a, a line is off by radius * a * a / 8 */
  const gdouble wanted = ceil (fabs (sweep) / MIN (ARC, sqrt (8. * ERROR /
              radius)));
  const guint n = wanted < MAX_CURVE ? (guint) MAX (wanted, 1.) : MAX_CURVE;

  for (guint i = 1; i < n; i++) {
    const gdouble at = angle + sweep * i / n;
    const gdouble x = rx * cos (at), y = ry * sin (at);

    add_point (pen, cx + x * cos (turn) - y * sin (turn),
        cy + x * sin (turn) + y * cos (turn));
  }
}

/* The points between the present one and the end, none where the radii are too
 * small or too large for numbers: such an arc is a line. p: as draw_arc()
 * says. See SVG 1.1, appendix F.6.5. */
static void
draw_inside_arc (FourierPen * pen, const gdouble * p)
{
  const gdouble turn = p[2] * G_PI / 180.;
  const gdouble dx = (pen->x - p[5]) / 2., dy = (pen->y - p[6]) / 2.;
  const gdouble x = cos (turn) * dx + sin (turn) * dy;
  const gdouble y = -sin (turn) * dx + cos (turn) * dy;
  gdouble rx = fabs (p[0]), ry = fabs (p[1]), over, root, cx, cy, from, sweep;

  if (rx < 1e-12 || ry < 1e-12)
    return;
  over = hypot (x / rx, y / ry);
  if (over > 1.) {
    rx *= over;
    ry *= over;
    over = 1.;
  }
  root = sqrt (1. / (over * over) - 1.) * ((p[3] != 0.) == (p[4] != 0.) ?
      -1. : 1.);
  cx = root * rx * y / ry;
  cy = -root * ry * x / rx;
  from = atan2 ((y - cy) / ry, (x - cx) / rx);
  sweep = atan2 ((-y - cy) / ry, (-x - cx) / rx) - from;
  if (p[4] != 0. && sweep < 0.)
    sweep += 2. * G_PI;
  else if (p[4] == 0. && sweep > 0.)
    sweep -= 2. * G_PI;
  if (isfinite (cx) && isfinite (cy) && isfinite (sweep))
    fourier_pen_ellipse (pen,
        cos (turn) * cx - sin (turn) * cy + (pen->x + p[5]) / 2.,
        sin (turn) * cx + cos (turn) * cy + (pen->y + p[6]) / 2., rx, ry,
        turn, from, sweep);
}

/* From the present point; p: rx, ry, turn in degrees, large, sweep, x, y. */
static void
draw_arc (FourierPen * pen, const gdouble * p)
{
  draw_inside_arc (pen, p);
  add_point (pen, p[5], p[6]);
}

/* Text */

static const gchar *
skip_separator (const gchar * text)
{
  while (g_ascii_isspace (*text))
    text++;
  if (*text == ',')
    text++;
  while (g_ascii_isspace (*text))
    text++;
  return text;
}

gboolean
fourier_read_number (const gchar ** text, gdouble * number)
{
  const gchar *at = skip_separator (*text), *digits = at;
  gchar *end;

  if (*digits == '+' || *digits == '-')
    digits++;
  /* not "nan", "inf" or "0x1" */
  if (!g_ascii_isdigit (*digits) && *digits != '.')
    return FALSE;
  if (*digits == '0' && g_ascii_tolower (digits[1]) == 'x') {
    *number = 0.;
    *text = digits + 1;
    return TRUE;
  }
  *number = g_ascii_strtod (at, &end);
  if (end == at || !isfinite (*number))
    return FALSE;
  *text = end;
  return TRUE;
}

/* A flag of an arc needs no separator after it. */
static gboolean
read_flag (const gchar ** text, gdouble * flag)
{
  const gchar *at = skip_separator (*text);

  if (*at != '0' && *at != '1')
    return FALSE;
  *flag = *at - '0';
  *text = at + 1;
  return TRUE;
}

/* How many numbers a command takes. */
static guint
get_n_numbers (gchar command)
{
  switch (g_ascii_toupper (command)) {
    case 'H':
    case 'V':
      return 1;
    case 'M':
    case 'L':
    case 'T':
      return 2;
    case 'S':
    case 'Q':
      return 4;
    case 'C':
      return 6;
    case 'A':
      return 7;
    default:
      return 0;
  }
}

/* @x, @y: where the subpath began; @last_x, @last_y: last control point, of
 * @last */
typedef struct
{
  gdouble x, y, last_x, last_y;
  gchar last;
} PathState;

static void
make_absolute (const FourierPen * pen, gchar command, gdouble * p, guint n)
{
  guint i;

  if (!g_ascii_islower (command))
    return;
  if (command == 'v')
    p[0] += pen->y;
  for (i = command == 'a' ? 5 : 0; command != 'v' && i < n; i++)
    p[i] += (i - (command == 'a' ? 5 : 0)) % 2 ? pen->y : pen->x;
}

/* What a smooth curve's first control point is. */
static void
reflect (const FourierPen * pen, const PathState * state,
    const gchar * kinds, gdouble * p)
{
  const gboolean smooth = state->last && strchr (kinds, state->last);

  p[0] = smooth ? 2. * pen->x - state->last_x : pen->x;
  p[1] = smooth ? 2. * pen->y - state->last_y : pen->y;
}

/* A command in upper case, with absolute coordinates. */
static void
draw (FourierPen * pen, PathState * state, gchar command, const gdouble * p)
{
  gdouble full[6];

  switch (command) {
    case 'M':
      fourier_pen_move (pen, p[0], p[1]);
      state->x = p[0];
      state->y = p[1];
      break;
    case 'H':
      add_point (pen, p[0], pen->y);
      break;
    case 'V':
      add_point (pen, pen->x, p[0]);
      break;
    case 'L':
      add_point (pen, p[0], p[1]);
      break;
    case 'C':
      state->last_x = p[2];
      state->last_y = p[3];
      draw_cubic (pen, p);
      break;
    case 'S':
      reflect (pen, state, "CS", full);
      memcpy (full + 2, p, 4 * sizeof (gdouble));
      state->last_x = p[0];
      state->last_y = p[1];
      draw_cubic (pen, full);
      break;
    case 'Q':
      state->last_x = p[0];
      state->last_y = p[1];
      draw_quadratic (pen, p);
      break;
    case 'T':
      reflect (pen, state, "QT", full);
      memcpy (full + 2, p, 2 * sizeof (gdouble));
      state->last_x = full[0];
      state->last_y = full[1];
      draw_quadratic (pen, full);
      break;
    default:
      draw_arc (pen, p);
      break;
  }
  state->last = command;
}

static gboolean
read_numbers (const gchar ** at, gchar command, gdouble * p, guint n)
{
  for (guint i = 0; i < n; i++) {
    const gboolean flag = (command == 'A' || command == 'a') &&
        (i == 3 || i == 4);

    if (!(flag ? read_flag (at, &p[i]) : fourier_read_number (at, &p[i])))
      return FALSE;
  }
  return TRUE;
}

/* One command with all its numbers. Returns: FALSE at an error */
static gboolean
read_command (FourierPen * pen, PathState * state, const gchar ** at)
{
  gchar command = *(*at)++;
  const guint n = get_n_numbers (command);
  gdouble p[7];
  const gchar *next;

  if (command == 'Z' || command == 'z') {
    if (!state->last)
      return FALSE;
    add_point (pen, state->x, state->y);
    state->last = 'Z';
    return TRUE;
  }
  /* path data begins with a move */
  if (n == 0 || (!state->last && g_ascii_toupper (command) != 'M'))
    return FALSE;
  do {
    if (!read_numbers (at, command, p, n))
      return FALSE;
    make_absolute (pen, command, p, n);
    /* another line after "z" begins where that went */
    if (state->last == 'Z' && g_ascii_toupper (command) != 'M')
      fourier_pen_move (pen, state->x, state->y);
    draw (pen, state, g_ascii_toupper (command), p);
    if (command == 'M' || command == 'm')
      command = command == 'M' ? 'L' : 'l';
    next = skip_separator (*at);
  } while (!pen->stopped && *next && !g_ascii_isalpha (*next));
  return !pen->stopped;
}

void
fourier_pen_path (FourierPen * pen, const gchar * data)
{
  PathState state = { 0., 0., 0., 0., 0 };
  const gchar *at = skip_separator (data);

  while (*at && read_command (pen, &state, &at))
    at = skip_separator (at);
}

/* Transforms */

FourierMatrix
fourier_matrix_multiply (const FourierMatrix * outer,
    const FourierMatrix * inner)
{
  return (FourierMatrix) {
    .a = outer->a * inner->a + outer->c * inner->b,
    .b = outer->b * inner->a + outer->d * inner->b,
    .c = outer->a * inner->c + outer->c * inner->d,
    .d = outer->b * inner->c + outer->d * inner->d,
    .e = outer->a * inner->e + outer->c * inner->f + outer->e,
    .f = outer->b * inner->e + outer->d * inner->f + outer->f,
  };
}

/* A number of a transform: a length in user units, or an angle in degrees. */
static gboolean
read_argument (const gchar ** at, gdouble * number)
{
  static const struct
  {
    const gchar *name;
    gdouble size;
  } units[] = {
    {"px", 1.}, {"deg", 1.}, {"grad", .9}, {"rad", 180. / G_PI}, {"turn", 360.}
  };

  if (!fourier_read_number (at, number))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (units); i++) {
    if (g_str_has_prefix (*at, units[i].name)) {
      *at += strlen (units[i].name);
      *number *= units[i].size;
      break;
    }
  }
  return TRUE;
}

static FourierMatrix
rotate (const gdouble * p)
{
  const gdouble angle = p[0] * G_PI / 180., c = cos (angle), s = sin (angle);

  return (FourierMatrix) {
    c, s, -s, c, p[1] - c * p[1] + s * p[2], p[2] - s * p[1] - c * p[2]
  };
}

static gdouble
slope (gdouble degrees)
{
  return tan (degrees * G_PI / 180.);
}

/* @p: with zeros for those that are not there
 * Returns: FALSE if it is not known or has other numbers */
static gboolean
make_matrix (const gchar * name, const gdouble * p, guint n, FourierMatrix * m)
{
  *m = (FourierMatrix) { 1., 0., 0., 1., 0., 0. };
  if (strcmp (name, "matrix") == 0 && n == 6)
    *m = (FourierMatrix) { p[0], p[1], p[2], p[3], p[4], p[5] };
  else if (strcmp (name, "rotate") == 0 && (n == 1 || n == 3))
    *m = rotate (p);
  else if (strcmp (name, "translateY") == 0 && n == 1)
    m->f = p[0];
  else if (strcmp (name, "scaleX") == 0 && n == 1)
    m->a = p[0];
  else if (strcmp (name, "scaleY") == 0 && n == 1)
    m->d = p[0];
  else if (strcmp (name, "skewX") == 0 && n == 1)
    m->c = slope (p[0]);
  else if (strcmp (name, "skewY") == 0 && n == 1)
    m->b = slope (p[0]);
  else if (strcmp (name, "translateX") == 0 && n == 1)
    m->e = p[0];
  else if (n < 1 || n > 2)
    return FALSE;
  else if (strcmp (name, "translate") == 0)
    *m = (FourierMatrix) { 1., 0., 0., 1., p[0], p[1] };
  else if (strcmp (name, "scale") == 0)
    *m = (FourierMatrix) { p[0], 0., 0., n == 2 ? p[1] : p[0], 0., 0. };
  else if (strcmp (name, "skew") == 0)
    *m = (FourierMatrix) { 1., slope (p[1]), slope (p[0]), 1., 0., 0. };
  else
    return FALSE;
  return TRUE;
}

gboolean
fourier_matrix_parse (FourierMatrix * matrix, const gchar * text)
{
  const gchar *at = skip_separator (text);
  FourierMatrix all = *matrix;

  while (*at) {
    gdouble p[7] = { 0. };
    FourierMatrix inner;
    gchar name[16] = "";
    guint n = 0;

    for (; g_ascii_isalpha (*at) && n + 1 < sizeof (name); at++)
      name[n++] = *at;
    n = 0;
    at = skip_separator (at);
    if (*at == '(') {
      at++;
      while (n < 7 && read_argument (&at, &p[n]))
        n++;
      at = skip_separator (at);
    }
    if (*at != ')' || !make_matrix (name, p, n, &inner))
      return FALSE;
    all = fourier_matrix_multiply (&all, &inner);
    at = skip_separator (at + 1);
  }
  *matrix = all;
  return TRUE;
}
