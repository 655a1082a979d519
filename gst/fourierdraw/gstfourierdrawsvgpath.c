/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawsvgpath.h"

#include <math.h>
#include <string.h>

/* Lines of a curve. */
#define CURVE 32
/* Angle of a line of an arc. */
#define ARC (G_PI / 48.)

/* Drawing */

void
gst_fourier_draw_pen_init (GstFourierDrawPen * pen)
{
  memset (pen, 0, sizeof (*pen));
  cs_array_init (&pen->points, 2 * sizeof (gdouble));
  cs_array_init (&pen->starts, sizeof (gsize));
  pen->matrix = (GstFourierDrawMatrix) { 1., 0., 0., 1., 0., 0. };
}

void
gst_fourier_draw_pen_clear (GstFourierDrawPen * pen)
{
  cs_array_clear (&pen->points);
  cs_array_clear (&pen->starts);
  g_clear_error (&pen->error);
}

static void
fail (GstFourierDrawPen * pen, CsError code, const gchar * message,
    const gchar * at)
{
  if (!pen->error)
    g_set_error (&pen->error, CS_ERROR, code, "%s: \"%.20s\"", message, at);
}

static void
add_point (GstFourierDrawPen * pen, gdouble x, gdouble y)
{
  const GstFourierDrawMatrix *m = &pen->matrix;
  const struct
  {
    gdouble x, y;
  } point = { m->a * x + m->c * y + m->e, m->b * x + m->d * y + m->f };

  if (pen->error)
    return;
  if (pen->points.len == GST_FOURIER_DRAW_PEN_MAX)
    fail (pen, CS_ERROR_LIMIT, "there are more than 4194304 points", "");
  else if (!isfinite (point.x) || !isfinite (point.y))
    fail (pen, CS_ERROR_INVALID, "a point is too far away", "");
  else
    cs_array_append_val (&pen->points, point);
  pen->x = x;
  pen->y = y;
}

void
gst_fourier_draw_pen_move (GstFourierDrawPen * pen, gdouble x, gdouble y)
{
  const gsize start = pen->points.len;

  cs_array_append_val (&pen->starts, start);
  add_point (pen, x, y);
}

void
gst_fourier_draw_pen_line (GstFourierDrawPen * pen, gdouble x, gdouble y)
{
  add_point (pen, x, y);
}

static void
draw_cubic (GstFourierDrawPen * pen, const gdouble * p)
{
  const gdouble x = pen->x, y = pen->y;
  guint i;

  for (i = 1; i <= CURVE; i++) {
    const gdouble t = (gdouble) i / CURVE, u = 1. - t;
    const gdouble a = u * u * u, b = 3. * u * u * t, c = 3. * u * t * t;
    const gdouble d = t * t * t;

    add_point (pen, a * x + b * p[0] + c * p[2] + d * p[4],
        a * y + b * p[1] + c * p[3] + d * p[5]);
  }
}

static void
draw_quadratic (GstFourierDrawPen * pen, const gdouble * p)
{
  const gdouble cubic[6] = {
    pen->x + (p[0] - pen->x) * 2. / 3., pen->y + (p[1] - pen->y) * 2. / 3.,
    p[2] + (p[0] - p[2]) * 2. / 3., p[3] + (p[1] - p[3]) * 2. / 3., p[2], p[3]
  };

  draw_cubic (pen, cubic);
}

void
gst_fourier_draw_pen_ellipse (GstFourierDrawPen * pen, gdouble cx, gdouble cy,
    gdouble rx, gdouble ry, gdouble turn, gdouble angle, gdouble sweep)
{
  const guint n = (guint) CLAMP (ceil (fabs (sweep) / ARC), 1., 200.);
  guint i;

  for (i = 1; i < n; i++) {
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
draw_inside_arc (GstFourierDrawPen * pen, const gdouble * p)
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
    gst_fourier_draw_pen_ellipse (pen,
        cos (turn) * cx - sin (turn) * cy + (pen->x + p[5]) / 2.,
        sin (turn) * cx + cos (turn) * cy + (pen->y + p[6]) / 2., rx, ry,
        turn, from, sweep);
}

/* From the present point; p: rx, ry, turn in degrees, large, sweep, x, y. */
static void
draw_arc (GstFourierDrawPen * pen, const gdouble * p)
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
gst_fourier_draw_read_number (const gchar ** text, gdouble * number)
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
make_absolute (const GstFourierDrawPen * pen, gchar command, gdouble * p,
    guint n)
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
reflect (const GstFourierDrawPen * pen, const PathState * state,
    const gchar * kinds, gdouble * p)
{
  const gboolean smooth = state->last && strchr (kinds, state->last);

  p[0] = smooth ? 2. * pen->x - state->last_x : pen->x;
  p[1] = smooth ? 2. * pen->y - state->last_y : pen->y;
}

/* A command in upper case, with absolute coordinates. */
static void
draw (GstFourierDrawPen * pen, PathState * state, gchar command,
    const gdouble * p)
{
  gdouble full[6];

  switch (command) {
    case 'M':
      gst_fourier_draw_pen_move (pen, p[0], p[1]);
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
  guint i;

  for (i = 0; i < n; i++) {
    const gboolean flag = (command == 'A' || command == 'a') &&
        (i == 3 || i == 4);

    if (!(flag ? read_flag (at, &p[i]) :
            gst_fourier_draw_read_number (at, &p[i])))
      return FALSE;
  }
  return TRUE;
}

/* One command with all its numbers. Returns: FALSE with the error set */
static gboolean
read_command (GstFourierDrawPen * pen, PathState * state, const gchar ** at)
{
  const gchar *begin = *at;
  gchar command = *(*at)++;
  const guint n = get_n_numbers (command);
  gdouble p[7];
  const gchar *next;

  if (command == 'Z' || command == 'z') {
    add_point (pen, state->x, state->y);
    state->last = 'Z';
    return TRUE;
  }
  if (n == 0 || (!state->last && g_ascii_toupper (command) != 'M')) {
    fail (pen, CS_ERROR_INVALID, n == 0 ? "unknown command in path data" :
        "path data must begin with M", begin);
    return FALSE;
  }
  do {
    if (!read_numbers (at, command, p, n)) {
      fail (pen, CS_ERROR_INVALID, "numbers are missing in path data", begin);
      return FALSE;
    }
    make_absolute (pen, command, p, n);
    /* another line after "z" begins where that went */
    if (state->last == 'Z' && g_ascii_toupper (command) != 'M')
      gst_fourier_draw_pen_move (pen, state->x, state->y);
    draw (pen, state, g_ascii_toupper (command), p);
    if (command == 'M' || command == 'm')
      command = command == 'M' ? 'L' : 'l';
    next = skip_separator (*at);
  } while (!pen->error && *next && !g_ascii_isalpha (*next));
  return !pen->error;
}

void
gst_fourier_draw_pen_path (GstFourierDrawPen * pen, const gchar * data)
{
  PathState state = { 0., 0., 0., 0., 0 };
  const gchar *at = skip_separator (data);

  pen->x = pen->y = 0.;
  while (*at && !pen->error && read_command (pen, &state, &at))
    at = skip_separator (at);
}

/* Transforms */

GstFourierDrawMatrix
gst_fourier_draw_matrix_multiply (const GstFourierDrawMatrix * outer,
    const GstFourierDrawMatrix * inner)
{
  return (GstFourierDrawMatrix) {
    .a = outer->a * inner->a + outer->c * inner->b,
    .b = outer->b * inner->a + outer->d * inner->b,
    .c = outer->a * inner->c + outer->c * inner->d,
    .d = outer->b * inner->c + outer->d * inner->d,
    .e = outer->a * inner->e + outer->c * inner->f + outer->e,
    .f = outer->b * inner->e + outer->d * inner->f + outer->f,
  };
}

/* Returns: FALSE if it is not known or has other numbers */
static gboolean
make_matrix (const gchar * name, gsize length, const gdouble * p, guint n,
    GstFourierDrawMatrix * m)
{
  const gdouble angle = p[0] * G_PI / 180.;

  *m = (GstFourierDrawMatrix) { 1., 0., 0., 1., 0., 0. };
  if (length == 6 && !strncmp (name, "matrix", 6) && n == 6) {
    *m = (GstFourierDrawMatrix) { p[0], p[1], p[2], p[3], p[4], p[5] };
  } else if (length == 9 && !strncmp (name, "translate", 9) && n >= 1 &&
      n <= 2) {
    m->e = p[0];
    m->f = n == 2 ? p[1] : 0.;
  } else if (length == 5 && !strncmp (name, "scale", 5) && n >= 1 && n <= 2) {
    m->a = p[0];
    m->d = n == 2 ? p[1] : p[0];
  } else if (length == 6 && !strncmp (name, "rotate", 6) &&
      (n == 1 || n == 3)) {
    m->a = m->d = cos (angle);
    m->b = sin (angle);
    m->c = -m->b;
    if (n == 3) {
      m->e = p[1] - m->a * p[1] - m->c * p[2];
      m->f = p[2] - m->b * p[1] - m->d * p[2];
    }
  } else if (length == 5 && !strncmp (name, "skewX", 5) && n == 1) {
    m->c = tan (angle);
  } else if (length == 5 && !strncmp (name, "skewY", 5) && n == 1) {
    m->b = tan (angle);
  } else {
    return FALSE;
  }
  return TRUE;
}

gboolean
gst_fourier_draw_matrix_parse (GstFourierDrawMatrix * matrix,
    const gchar * text, GError ** error)
{
  const gchar *at = skip_separator (text);

  while (*at) {
    const gchar *name = at;
    gdouble p[7] = { 0. };
    GstFourierDrawMatrix inner;
    gsize length;
    guint n = 0;

    while (g_ascii_isalpha (*at))
      at++;
    length = at - name;
    at = skip_separator (at);
    if (*at == '(') {
      at++;
      while (n < 7 && gst_fourier_draw_read_number (&at, &p[n]))
        n++;
      at = skip_separator (at);
    }
    if (*at != ')' || !make_matrix (name, length, p, n, &inner)) {
      g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "transform \"%.20s\" is "
          "not one of matrix, translate, scale, rotate, skewX and skewY, with "
          "their numbers in parentheses", name);
      return FALSE;
    }
    *matrix = gst_fourier_draw_matrix_multiply (matrix, &inner);
    at = skip_separator (at + 1);
  }
  return TRUE;
}
