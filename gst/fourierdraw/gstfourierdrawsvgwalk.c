/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawsvgwalk.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "gstfourierdrawsvgvalue.h"

/* How deep elements and uses are nested, at most. */
#define MAX_DEPTH SVG_MAX_DEPTH
/* What an element counts for in the limit of work. */
#define WORK_OF_ELEMENT 64
/* Size of the font, in pixels, where the document names none. */
#define FONT_SIZE 16.

/**
 * Walk:
 * @pen: of one shape
 * @drawing: what is seen so far; %NULL while only @box is looked for
 * @box: x0, y0, x1, y1 around the shapes so far
 * @work: steps so far
 * @full: whether there were more points than one drawing has
 * @deep: whether there were more elements within each other than MAX_DEPTH
 * @has_text: whether there was a text; @has_image: an image; @has_mask: a mask
 */
typedef struct
{
  SvgTree *tree;
  SvgSheet *sheet;
  FourierPen pen;
  SvgDrawing *drawing;
  gdouble box[4];
  guint64 work;
  gboolean full, deep, failed, has_text, has_image, has_mask;
} Walk;

/**
 * State:
 * @matrix: from user units to pixels
 * @clip: (nullable): what is seen
 * @fill: whether areas are painted; @stroke: lines. The others: what they are
 *     called in SVG, and whether that is more than none
 *
 * What an element has from those around it.
 */
typedef struct
{
  FourierMatrix matrix;
  SvgUnits units;
  FourierClip *clip;
  gboolean visible, fill, fill_opacity, stroke, stroke_opacity, stroke_width;
  gboolean fill_even_odd, clip_even_odd;
  guint depth;
} State;

/* An element with its properties. @use: (nullable): by which it is drawn */
typedef struct
{
  SvgNode *node;
  const SvgStyle *style;
  const SvgNode *use;
  const SvgStyle *use_style;
} Element;

static void draw_node (Walk * walk, const State * outer,
    SvgNode * node, const Element * use);

static gboolean
goes_on (const Walk * walk)
{
  return !walk->full && !walk->deep && !walk->failed &&
      walk->work < SVG_MAX_WORK;
}

static FourierMatrix
translate (const FourierMatrix * outer, gdouble x, gdouble y)
{
  const FourierMatrix inner = { 1., 0., 0., 1., x, y };

  return fourier_matrix_multiply (outer, &inner);
}

/* Properties */

/* Sets @flag, unless the property is not there, or "inherit". */
static void
set_flag (gboolean * flag, const gchar * value, gboolean is)
{
  if (value && !svg_is_word (value, "inherit"))
    *flag = is;
}

static gboolean
is_paint (const gchar * value)
{
  return !svg_is_word (value, "none") && !svg_is_word (value, "transparent");
}

static void
inherit (State * state, const SvgStyle * style)
{
  const gchar *const *v = style->values;
  gdouble width = 1.;

  svg_read_length (v[SVG_FONT_SIZE],
      &state->units, SVG_OF_FONT, &state->units.font_size);
  const gchar *value = v[SVG_VISIBILITY];
  set_flag (&state->visible, value, svg_is_word (value, "visible"));
  value = v[SVG_FILL];
  set_flag (&state->fill, value, is_paint (value));
  value = v[SVG_STROKE];
  set_flag (&state->stroke, value, is_paint (value));
  value = v[SVG_FILL_OPACITY];
  set_flag (&state->fill_opacity, value, svg_read_opacity (value) > 0.);
  value = v[SVG_STROKE_OPACITY];
  set_flag (&state->stroke_opacity, value, svg_read_opacity (value) > 0.);
  value = v[SVG_STROKE_WIDTH];
  if (svg_read_length (value, &state->units, SVG_OF_DIAGONAL, &width))
    state->stroke_width = width > 0.;
  value = v[SVG_FILL_RULE];
  set_flag (&state->fill_even_odd, value, svg_is_word (value, "evenodd"));
  value = v[SVG_CLIP_RULE];
  set_flag (&state->clip_even_odd, value, svg_is_word (value, "evenodd"));
}

static void
transform (State * state, const SvgStyle * style)
{
  const gchar *value = style->values[SVG_TRANSFORM];

  if (value)
    fourier_matrix_parse (&state->matrix, value);
}

/* Properties and state of an element in @outer, also of one that is left out.
 * Returns: FALSE at the end of what can be done */
static gboolean
style_node (Walk * walk, const State * outer, SvgNode * node,
    SvgStyle * style, State * state)
{
  walk->work += WORK_OF_ELEMENT;
  walk->deep |= outer->depth == MAX_DEPTH;
  if (!goes_on (walk))
    return FALSE;
  if (!svg_sheet_get (walk->sheet, node, style, &walk->work)) {
    walk->failed = TRUE;
    return FALSE;
  }
  *state = *outer;
  state->depth++;
  inherit (state, style);
  transform (state, style);
  return TRUE;
}

/* As style_node(). Returns: FALSE also if the element is not drawn, with all
 * that is in it */
static gboolean
enter (Walk * walk, const State * outer, SvgNode * node,
    SvgStyle * style, State * state)
{
  return style_node (walk, outer, node, style, state) &&
      !svg_is_word (style->values[SVG_DISPLAY], "none") &&
      svg_read_opacity (style->values[SVG_OPACITY]) > 0. &&
      svg_conditions_hold (svg_node_get (node,
          "requiredFeatures"), svg_node_get (node,
          "requiredExtensions"), svg_node_get (node, "systemLanguage"));
}

/* Shapes */

static void
grow_box (Walk * walk)
{
  const gdouble (*p)[2] = (gconstpointer) walk->pen.points.data;

  for (gsize i = 0; i < walk->pen.points.len; i++) {
    walk->box[0] = MIN (walk->box[0], p[i][0]);
    walk->box[1] = MIN (walk->box[1], p[i][1]);
    walk->box[2] = MAX (walk->box[2], p[i][0]);
    walk->box[3] = MAX (walk->box[3], p[i][1]);
  }
}

static void
trace_shape (Walk * walk, const State * state, const Element * element,
    gboolean closes)
{
  fourier_pen_begin (&walk->pen, &state->matrix, closes);
  svg_draw_shape (&walk->pen, element->node, element->style, &state->units);
  walk->work += walk->pen.points.len;
  walk->full |= walk->pen.full;
  walk->failed |= walk->pen.points.failed || walk->pen.starts.failed;
}

/* The borders of clip paths that the pen's area goes beyond. */
static void
cover_clips (Walk * walk, const State * state)
{
  const FourierClip *clip = state->clip;

  while (clip && !clip->shows)
    clip = clip->outer;
  if (!clip)
    return;
  FourierRegion *region = fourier_region_new ();
  fourier_region_add (region, &walk->pen, state->fill_even_odd, NULL);
  if (fourier_region_end (region))
    fourier_clip_cover (state->clip, region, &walk->work, SVG_MAX_WORK);
  else
    walk->failed = TRUE;
  fourier_region_free (region);
}

static void
draw_shape (Walk * walk, const State * state, const Element * element)
{
  const gboolean fill = state->fill && state->fill_opacity;
  const gboolean stroke = state->stroke && state->stroke_opacity &&
      state->stroke_width;
  const gboolean area = fill && element->node->kind != SVG_LINE;

  if (!state->visible || (!fill && !stroke))
    return;
  trace_shape (walk, state, element, area);
  grow_box (walk);
  if (!walk->drawing || !goes_on (walk))
    return;
  fourier_clip_cut (state->clip, &walk->pen, &walk->drawing->lines,
      &walk->work, SVG_MAX_WORK);
  if (area)
    cover_clips (walk, state);
  walk->full |= walk->drawing->lines.points.len > FOURIER_PEN_MAX;
}

/* Clip paths */

static FourierRegion *make_region (Walk * walk, const State * state,
    SvgNode * node, const gdouble * box);

/* The box around what an element draws, in its own user units; x, y, width,
 * height. Returns: FALSE if there is none */
static gboolean
find_box (Walk * walk, const State * state, const Element * element,
    gdouble * box);

/* Returns: (nullable): the clip path that an element names */
static SvgNode *
find_clip_path (const Walk * walk, const SvgStyle * style)
{
  const gchar *value = style->values[SVG_CLIP];
  SvgNode *node = NULL;

  while (value && g_ascii_isspace (*value))
    value++;
  if (!value || g_ascii_strncasecmp (value, "url(", 4) != 0)
    return NULL;
  for (value += 4; g_ascii_isspace (*value) || strchr ("\"'", *value);
      value++)
    if (!*value)
      return NULL;
  const gchar *end = value + strcspn (value, "\"') \t\r\n");
  if (*value == '#') {
    g_autofree gchar *id = g_strndup (value + 1, end - value - 1);
    node = svg_tree_find (walk->tree, id);
  }
  return node && node->kind == SVG_CLIP_PATH ? node : NULL;
}

/* Whether coordinates of a clip path are parts of the box around what is
 * clipped. */
static gboolean
is_of_box (const SvgNode * node)
{
  return g_strcmp0 (svg_node_get (node, "clipPathUnits"),
      "objectBoundingBox") == 0;
}

/* Adds a shape of a clip path, or one that is used there. */
static void
add_to_region (Walk * walk, const State * outer, SvgNode * node,
    FourierRegion * region, const gdouble * box)
{
  SvgStyle style;
  FourierRegion *within = NULL;
  Element element = { node, &style, NULL, NULL };
  State state;

  if (!enter (walk, outer, node, &style, &state))
    return;
  if (node->kind == SVG_USE) {
    SvgNode *used = svg_node_follow (node, walk->tree);
    state.matrix = translate (&state.matrix, svg_get_length (&style, SVG_X,
            &state.units, SVG_OF_WIDTH, 0.), svg_get_length (&style, SVG_Y,
            &state.units, SVG_OF_HEIGHT, 0.));
    if (used && used->kind != SVG_USE)
      add_to_region (walk, &state, used, region, box);
    return;
  }
  if (!state.visible)
    return;
  SvgNode *clip = find_clip_path (walk, &style);
  if (clip)
    within = make_region (walk, &state, clip, box);
  trace_shape (walk, &state, &element, TRUE);
  fourier_region_add (region, &walk->pen, state.clip_even_odd, within);
}

/* Returns: (transfer full): the area of a clip path */
static FourierRegion *
make_region (Walk * walk, const State * outer, SvgNode * node,
    const gdouble * box)
{
  FourierRegion *region = fourier_region_new ();
  SvgStyle style;
  SvgNode *child;
  State state, base = *outer;

  /* the style of what is clipped does not apply to the clip path's shapes */
  base.visible = TRUE;
  base.clip_even_odd = FALSE;
  /* a clip path that refers to itself shows nothing */
  if (node->open || !style_node (walk, &base, node, &style, &state))
    return region;
  if (is_of_box (node)) {
    const FourierMatrix inner = { box[2], 0., 0., box[3], box[0],
      box[1]
    };

    state.matrix = fourier_matrix_multiply (&state.matrix, &inner);
    state.units.width = state.units.height = 1.;
  }
  node->open = TRUE;
  for (child = node->first; child && goes_on (walk); child = child->next)
    add_to_region (walk, &state, child, region, box);
  node->open = FALSE;
  walk->failed |= !fourier_region_end (region);
  return region;
}

/* Clips: those that are in force for an element, from the one that it names to
 * the one that the others are in. */

static void
push_clip (State * state, FourierRegion * region, gboolean shows)
{
  FourierClip *clip = g_new (FourierClip, 1);

  fourier_clip_init (clip, region, shows, state->clip);
  state->clip = clip;
}

/* Back to what was in force before. */
static void
pop_clips (Walk * walk, const State * state, const FourierClip * before)
{
  FourierClip *clip = state->clip;

  while (clip != before) {
    FourierClip *outer = clip->outer;

    if (walk->drawing && goes_on (walk))
      fourier_clip_draw (clip, &walk->drawing->lines);
    fourier_clip_clear (clip);
    g_free (clip);
    clip = outer;
  }
}

static void
push_box (Walk * walk, State * state, const gdouble * box, gboolean shows)
{
  FourierRegion *region = fourier_region_new ();

  fourier_pen_begin (&walk->pen, &state->matrix, TRUE);
  fourier_pen_move (&walk->pen, box[0], box[1]);
  fourier_pen_line (&walk->pen, box[0] + box[2], box[1]);
  fourier_pen_line (&walk->pen, box[0] + box[2], box[1] + box[3]);
  fourier_pen_line (&walk->pen, box[0], box[1] + box[3]);
  fourier_pen_end (&walk->pen);
  fourier_region_add (region, &walk->pen, FALSE, NULL);
  walk->failed |= !fourier_region_end (region);
  push_clip (state, region, shows);
}

/* A clip path, and its own one, unless that is already in force. */
static void
push_clip_path (Walk * walk, State * state, SvgNode * node,
    const gdouble * box, guint depth)
{
  SvgStyle style;

  if (!node || node->open || depth == MAX_DEPTH || !goes_on (walk))
    return;
  push_clip (state, make_region (walk, state, node, box), TRUE);
  if (svg_sheet_get (walk->sheet, node, &style, &walk->work)) {
    node->open = TRUE;
    push_clip_path (walk, state, find_clip_path (walk, &style), box, depth + 1);
    node->open = FALSE;
  } else {
    walk->failed = TRUE;
  }
}

static void
push_clip_paths (Walk * walk, State * state, const Element * element)
{
  SvgNode *node = find_clip_path (walk, element->style);
  gdouble box[4] = { 0. };

  /* the box is one around all that is drawn */
  if (!node || !walk->drawing)
    return;
  if (!find_box (walk, state, element, box))
    memset (box, 0, sizeof (box));
  push_clip_path (walk, state, node, box, 0);
}

/* Elements */

static void
draw_children (Walk * walk, const State * state, const SvgNode * node)
{
  SvgNode *child;

  for (child = node->first; child && goes_on (walk); child = child->next)
    draw_node (walk, state, child, NULL);
}

/* The first that can be drawn, whether or not it is seen. */
static void
draw_switch (Walk * walk, const State * state, const SvgNode * node)
{
  SvgNode *child;

  for (child = node->first; child; child = child->next) {
    walk->work += WORK_OF_ELEMENT;
    if (child->kind != SVG_OTHER &&
        child->kind != SVG_STYLE &&
        svg_conditions_hold (svg_node_get
            (child, "requiredFeatures"), svg_node_get (child,
                "requiredExtensions"), svg_node_get (child,
                "systemLanguage"))) {
      draw_node (walk, state, child, NULL);
      return;
    }
  }
}

/* A length of an svg or a symbol: that of the use by which it is drawn, its
 * own, or all of the viewport. */
static gdouble
get_size (const Element * element, SvgProperty property,
    const SvgUnits * units, SvgOf of)
{
  gdouble length = of == SVG_OF_WIDTH ? units->width : units->height;

  if (element->use_style && svg_read_length
      (element->use_style->values[property], units, of, &length))
    return length;
  if (element->node->kind == SVG_SVG)
    svg_read_length (element->style->values[property], units, of, &length);
  return length;
}

/* Lays the element's view box into @box, x, y, width and height, and makes it
 * the viewport. Returns: FALSE if nothing is seen of it */
static gboolean
fit_view_box (State * state, const SvgNode * node, const gdouble * box)
{
  FourierMatrix inner;
  gdouble view[4];

  if (!(box[2] > 0.) || !(box[3] > 0.))
    return FALSE;
  state->units.width = box[2];
  state->units.height = box[3];
  if (!svg_read_view_box (svg_node_get (node, "viewBox"), view)) {
    state->matrix = translate (&state->matrix, box[0], box[1]);
    return TRUE;
  }
  if (!(view[2] > 0.) || !(view[3] > 0.))
    return FALSE;
  inner = svg_fit (view, box, svg_node_get (node, "preserveAspectRatio"));
  state->matrix = fourier_matrix_multiply (&state->matrix, &inner);
  state->units.width = view[2];
  state->units.height = view[3];
  return TRUE;
}

/* An svg within another one, or a symbol. */
static void
draw_viewport (Walk * walk, State * state, const Element * element)
{
  const SvgUnits units = state->units;
  const gchar *overflow = element->style->values[SVG_OVERFLOW];
  gdouble box[4] = { 0. };

  if (element->node->kind == SVG_SVG) {
    box[0] = svg_get_length (element->style, SVG_X, &units, SVG_OF_WIDTH, 0.);
    box[1] = svg_get_length (element->style, SVG_Y, &units, SVG_OF_HEIGHT, 0.);
  }
  box[2] = get_size (element, SVG_WIDTH, &units, SVG_OF_WIDTH);
  box[3] = get_size (element, SVG_HEIGHT, &units, SVG_OF_HEIGHT);
  if (walk->drawing && !svg_is_word (overflow, "visible") &&
      !svg_is_word (overflow, "auto"))
    push_box (walk, state, box, TRUE);
  if (fit_view_box (state, element->node, box))
    draw_children (walk, state, element->node);
}

static void
draw_use (Walk * walk, State * state, const Element * element)
{
  SvgNode *used = svg_node_follow (element->node, walk->tree);

  if (!used)
    return;
  state->matrix = translate (&state->matrix, svg_get_length (element->style,
          SVG_X, &state->units, SVG_OF_WIDTH, 0.),
      svg_get_length (element->style, SVG_Y, &state->units, SVG_OF_HEIGHT, 0.));
  draw_node (walk, state, used, element);
}

static void
draw_element (Walk * walk, State * state, const Element * element)
{
  switch (element->node->kind) {
    case SVG_GROUP:
      draw_children (walk, state, element->node);
      break;
    case SVG_SWITCH:
      draw_switch (walk, state, element->node);
      break;
    case SVG_SYMBOL:
      /* only where it is used */
      if (element->use)
        draw_viewport (walk, state, element);
      break;
    case SVG_SVG:
      draw_viewport (walk, state, element);
      break;
    case SVG_USE:
      draw_use (walk, state, element);
      break;
    case SVG_IMAGE:
      walk->has_image |= state->visible;
      break;
    case SVG_TEXT:
      walk->has_text |= state->visible;
      break;
    default:
      draw_shape (walk, state, element);
      break;
  }
}

/* @use: (nullable): by which it is drawn */
static void
draw_node (Walk * walk, const State * outer, SvgNode * node,
    const Element * use)
{
  SvgStyle style;
  const Element element = { node, &style, use ? use->node : NULL,
    use ? use->style : NULL
  };
  State state;

  /* what uses itself is not drawn there */
  if (node->open || node->kind == SVG_OTHER ||
      node->kind == SVG_CLIP_PATH ||
      !enter (walk, outer, node, &style, &state))
    return;
  node->open = TRUE;
  walk->has_mask |= style.values[SVG_MASK] &&
      !svg_is_word (style.values[SVG_MASK],
      "none");
  push_clip_paths (walk, &state, &element);
  draw_element (walk, &state, &element);
  pop_clips (walk, &state, outer->clip);
  node->open = FALSE;
}

static gboolean
find_box (Walk * walk, const State * state, const Element * element,
    gdouble * box)
{
  SvgDrawing *drawing = walk->drawing;
  State inner = *state;
  gdouble before[4];

  if (!is_of_box (find_clip_path (walk, element->style)))
    return FALSE;
  memcpy (before, walk->box, sizeof (before));
  walk->box[0] = walk->box[1] = INFINITY;
  walk->box[2] = walk->box[3] = -INFINITY;
  walk->drawing = NULL;
  inner.matrix = (FourierMatrix) { 1., 0., 0., 1., 0., 0. };
  inner.clip = NULL;
  draw_element (walk, &inner, element);
  walk->drawing = drawing;
  box[0] = walk->box[0];
  box[1] = walk->box[1];
  box[2] = walk->box[2] - walk->box[0];
  box[3] = walk->box[3] - walk->box[1];
  memcpy (walk->box, before, sizeof (before));
  return box[2] > 0. && box[3] > 0.;
}

/* Documents */

/* The size of the page. Returns: FALSE if the document does not say it; then
 * nothing is changed */
static gboolean
find_page (const SvgNode * root,
    const SvgStyle * style, gdouble * width, gdouble * height)
{
  /* percentages are not of a size that is known: they are as if not there */
  const SvgUnits units = { 0., 0., FONT_SIZE };
  gdouble view[4];
  const gboolean has_view = svg_read_view_box
      (svg_node_get (root, "viewBox"), view) &&
      view[2] > 0. && view[3] > 0.;

  gdouble w = svg_get_length (style, SVG_WIDTH, &units, SVG_OF_WIDTH, 0.);
  gdouble h = svg_get_length (style, SVG_HEIGHT, &units, SVG_OF_HEIGHT, 0.);
  if (has_view && !(w > 0.) && !(h > 0.)) {
    w = view[2];
    h = view[3];
  } else if (has_view && !(w > 0.)) {
    w = h / view[3] * view[2];
  } else if (has_view && !(h > 0.)) {
    h = w / view[2] * view[3];
  }
  if (!(w > 0.) || !(h > 0.))
    return FALSE;
  *width = w;
  *height = h;
  return TRUE;
}

/* Lays @box, x, y, width and height, into the picture. */
static void
fit_into_picture (State * state, gdouble * box, guint width, guint height)
{
  const gdouble picture[4] = { 0., 0., width, height };

  /* a line has no height */
  box[2] = MAX (box[2], 1e-9);
  box[3] = MAX (box[3], 1e-9);
  state->matrix = svg_fit (box, picture, NULL);
}

/* The document, with a page or, the second time, with a box around it. */
static void
draw_root (Walk * walk, State * state, const Element * root, guint width,
    guint height, SvgDrawing * drawing)
{
  gdouble page[4] = { 0., 0., width, height };
  const gboolean has_page = find_page (root->node, root->style, &page[2],
      &page[3]);

  if (has_page) {
    fit_into_picture (state, page, width, height);
    push_box (walk, state, page, FALSE);
  } else {
    draw_children (walk, state, root->node);
    if (!(walk->box[0] <= walk->box[2]))
      return;
    push_box (walk, state, page, FALSE);
    walk->box[2] -= walk->box[0];
    walk->box[3] -= walk->box[1];
    fit_into_picture (state, walk->box, width, height);
  }
  walk->drawing = drawing;
  transform (state, root->style);
  if (has_page && !fit_view_box (state, root->node, page))
    return;
  push_clip_paths (walk, state, root);
  draw_children (walk, state, root->node);
}

static gboolean
set_error (const Walk * walk, GError ** error)
{
  if (walk->deep)
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "there are more than %d "
        "elements, used ones too, within each other; ungroup some of them",
        MAX_DEPTH);
  else if (walk->full)
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "there are more than %u "
        "points; draw parts of it one by one", FOURIER_PEN_MAX);
  else if (walk->failed)
    cs_fail_no_memory (error, "the lines of an SVG document");
  else if (walk->work >= SVG_MAX_WORK)
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "its uses, styles and clip "
        "paths take too long to draw; draw parts of it one by one");
  else
    return TRUE;
  return FALSE;
}

gboolean
svg_walk (SvgTree * tree, guint width,
    guint height, SvgDrawing * drawing, GError ** error)
{
  Walk walk = {.tree = tree,.box = { INFINITY, INFINITY, -INFINITY,
      -INFINITY
    }
  };
  State outer = {.visible = TRUE,.fill = TRUE,.fill_opacity = TRUE,
    .stroke_opacity = TRUE,.stroke_width = TRUE,
    .matrix = { 1., 0., 0., 1., 0., 0. },
    .units = { width, height, FONT_SIZE }
  };
  SvgStyle style;
  const Element root = { svg_tree_get_root (tree), &style,
    NULL, NULL
  };
  State state;

  memset (drawing, 0, sizeof (*drawing));
  cs_array_init (&drawing->lines.points, 2 * sizeof (gdouble));
  cs_array_init (&drawing->lines.starts, sizeof (gsize));
  walk.sheet = svg_sheet_new (tree, error);
  if (!walk.sheet)
    return FALSE;
  fourier_pen_init (&walk.pen);
  if (enter (&walk, &outer, root.node, &style, &state)) {
    state.matrix = outer.matrix;
    root.node->open = TRUE;
    draw_root (&walk, &state, &root, width, height, drawing);
    pop_clips (&walk, &state, NULL);
  }
  drawing->has_text = walk.has_text;
  drawing->has_image = walk.has_image;
  drawing->has_mask = walk.has_mask;
  walk.failed |= drawing->lines.points.failed || drawing->lines.starts.failed;
  const gboolean ok = set_error (&walk, error);
  fourier_pen_clear (&walk.pen);
  svg_sheet_free (walk.sheet);
  return ok;
}

void
svg_drawing_clear (SvgDrawing * drawing)
{
  cs_array_clear (&drawing->lines.points);
  cs_array_clear (&drawing->lines.starts);
}
