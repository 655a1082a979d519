/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Marks that several looks show count once. */

#include "marks.h"

#include <math.h>
#include <string.h>

/* Radians by which looks may differ on where a mark is; on where one is that goes
 * on behind the limb */
#define SLACK 0.07
#define CUT_SLACK 0.26

/* A part may be found larger than all by this factor. */
#define LARGER 1.2

/* Looks that show less than this part of what another one shows do not see all
 * of it. */
#define WHOLE 0.7

/* A mark that is seen at the cosine WELL or better should be in each look that
 * would show it at this cosine; a mark that goes on behind the limb should be,
 * at the second one. */
#define WELL 0.5
#define EXPECTED 0.75
#define CUT_EXPECTED 0.85

typedef struct
{
  LineMark *marks;
  gsize n;
  const LineView *const *views;
  const LineSight *sights;
  guint n_sights;
  /* of each mark: its direction in the piece, the cosine of how far others may be
   * that are the same, and the first mark of its track */
  gdouble at[LINE_MAX_MARKS][3], reach[LINE_MAX_MARKS];
  guint tracks[LINE_MAX_MARKS];
} Tracks;

/* Of the looks that show a track */
typedef struct
{
  gdouble surface[LINE_MAX_LOOKS], least[LINE_MAX_LOOKS];
  gboolean is_there[LINE_MAX_LOOKS];
} TrackLooks;

static gdouble
dot (const gdouble a[3], const gdouble b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void
place (Tracks * tracks, guint i)
{
  const LineMark *mark = &tracks->marks[i];
  const LineSight *sight = &tracks->sights[mark->look];
  const gdouble *d = mark->place.centre;

  tracks->at[i][0] = d[0] * sight->cc - d[2] * sight->sc;
  tracks->at[i][1] = d[1];
  tracks->at[i][2] = d[0] * sight->sc + d[2] * sight->cc;
  tracks->reach[i] = cos (MIN (mark->place.radius + SLACK, G_PI));
  tracks->tracks[i] = i;
}

/* The tracks of @a and @b become one, which has the name of its first mark. */
static void
join (Tracks * tracks, guint a, guint b)
{
  const guint first = MIN (tracks->tracks[a], tracks->tracks[b]);
  const guint second = MAX (tracks->tracks[a], tracks->tracks[b]);

  for (gsize i = second; i < tracks->n && first != second; i++)
    if (tracks->tracks[i] == second)
      tracks->tracks[i] = first;
}

/* Whether the middle of a mark is within another one's outline, as that look
 * shows it, or less than SLACK beside it */
static gboolean
is_inside (const Tracks * tracks, gsize i, gsize j)
{
  const LineMark *mark = &tracks->marks[j];
  const LineSight *sight = &tracks->sights[mark->look];
  const gdouble slack = SLACK * sight->radius;
  gdouble x, y;

  return dot (tracks->at[i], tracks->at[j]) >= tracks->reach[j]
      && line_sight_project (sight, tracks->at[i], &x, &y)
      && line_contour_is_near (mark->contour,
      tracks->views[mark->look]->points, x, y, slack);
}

static gboolean
is_whole (const Tracks * tracks, gsize i)
{
  return tracks->marks[i].place.least > LINE_LIMB;
}

/* Radians from the middle of a mark to the rim of another one, if that is round;
 * G_MAXDOUBLE if they cannot be the same, for one look shows both. */
static gdouble
get_gap (const Tracks * tracks, gsize part, gsize all)
{
  const LineMark *a = &tracks->marks[part], *b = &tracks->marks[all];
  const gdouble cosine = dot (tracks->at[part], tracks->at[all]);

  return a->look == b->look ? G_MAXDOUBLE :
      acos (CLAMP (cosine, -1, 1)) - b->place.radius;
}

/* A mark that goes on behind the limb is part of the nearest one that some look
 * shows whole, and of others that it shows as one with it. Returns: whether
 * there are such ones, as large as it is */
static gboolean
join_part (Tracks * tracks, gsize part)
{
  gdouble surfaces[LINE_MAX_LOOKS] = { 0 }, most = 0, least = CUT_SLACK;
  gsize nearest = part;

  for (gsize i = 0; i < tracks->n; i++) {
    const gdouble gap = is_whole (tracks, i) ? get_gap (tracks, part, i) :
        G_MAXDOUBLE;
    gdouble *surface = &surfaces[tracks->marks[i].look];

    if (gap > CUT_SLACK)
      continue;
    *surface += tracks->marks[i].surface;
    most = MAX (most, *surface);
    if (nearest == part || gap < least) {
      least = gap;
      nearest = i;
    }
  }
  if (nearest == part || tracks->marks[part].surface > LARGER * most)
    return FALSE;
  join (tracks, part, nearest);
  return TRUE;
}

static void
join_parts (Tracks * tracks)
{
  guint parts[LINE_MAX_MARKS], n = 0;

  for (gsize i = 0; i < tracks->n; i++)
    if (!is_whole (tracks, i) && !join_part (tracks, i))
      parts[n++] = i;
  for (guint i = 0; i < n; i++)
    for (guint j = i + 1; j < n; j++)
      if (MIN (get_gap (tracks, parts[i], parts[j]),
              get_gap (tracks, parts[j], parts[i])) <= CUT_SLACK)
        join (tracks, parts[i], parts[j]);
}

static void
collect_looks (const Tracks * tracks, guint track, TrackLooks * looks)
{
  memset (looks, 0, sizeof (*looks));
  for (gsize i = track; i < tracks->n; i++) {
    const LineMark *mark = &tracks->marks[i];
    const guint k = mark->look;

    if (tracks->tracks[i] != track)
      continue;
    if (!looks->is_there[k] || mark->place.least < looks->least[k])
      looks->least[k] = mark->place.least;
    looks->surface[k] += mark->surface;
    looks->is_there[k] = TRUE;
  }
}

/* Sets what each look's marks of the track weigh. Returns: FALSE if no look
 * shows all of it */
static gboolean
weigh_looks (const Tracks * tracks, const TrackLooks * looks, gdouble * weights)
{
  gdouble most = 0, sum = 0;

  for (guint k = 0; k < tracks->n_sights; k++) {
    /* The least cosine says how well a look sees all of a mark. Steep, so that
     * the best look counts most. */
    const gdouble above = looks->least[k] - LINE_LIMB;
    weights[k] = looks->is_there[k] && above > 0 ?
        above * above * above * above : 0;
    if (weights[k] > 0 && looks->surface[k] > most)
      most = looks->surface[k];
  }
  for (guint k = 0; k < tracks->n_sights; k++) {
    if (looks->surface[k] < WHOLE * most)
      weights[k] = 0;
    sum += weights[k];
  }
  for (guint k = 0; k < tracks->n_sights; k++)
    weights[k] = sum > 0 ? weights[k] / sum : 0;
  return sum > 0;
}

/* Each place counts as the looks that see it share it; all together not less than
 * one look shows. */
static void
share_parts (Tracks * tracks, guint track, const TrackLooks * looks)
{
  gdouble sum = 0, most = 0;

  for (guint k = 0; k < tracks->n_sights; k++)
    most = MAX (most, looks->surface[k]);
  for (gsize i = track; i < tracks->n; i++) {
    LineMark *mark = &tracks->marks[i];

    if (tracks->tracks[i] != track)
      continue;
    mark->share = mark->surface > 0 ? line_sight_shared (tracks->sights,
        tracks->n_sights, mark->look, mark->contour,
        tracks->views[mark->look]) / mark->surface : 0;
    sum += mark->share * mark->surface;
  }
  for (gsize i = track; i < tracks->n && sum < most; i++) {
    LineMark *mark = &tracks->marks[i];

    if (tracks->tracks[i] == track)
      mark->share = sum > 0 ? mark->share * (most / sum) :
          looks->surface[mark->look] == most;
  }
}

/* Returns: whether a look does not show a mark of the track that it should */
static gboolean
is_missed (const Tracks * tracks, guint track, const TrackLooks * looks,
    gdouble large_mm2)
{
  for (gsize i = track; i < tracks->n; i++) {
    const LineMark *mark = &tracks->marks[i];
    const gdouble expected = is_whole (tracks, i) ? EXPECTED : CUT_EXPECTED;
    const gdouble least = is_whole (tracks, i) ? large_mm2 : large_mm2 / 2;

    if (tracks->tracks[i] != track || mark->surface < least
        || (is_whole (tracks, i) && mark->place.least < WELL))
      continue;
    for (guint k = 0; k < tracks->n_sights; k++)
      if (!looks->is_there[k]
          && dot (tracks->at[i], tracks->sights[k].direction) >= expected)
        return TRUE;
  }
  return FALSE;
}

static gboolean
share_track (Tracks * tracks, guint track, gdouble large_mm2)
{
  gdouble weights[LINE_MAX_LOOKS];
  TrackLooks looks;

  collect_looks (tracks, track, &looks);
  if (weigh_looks (tracks, &looks, weights)) {
    for (gsize i = track; i < tracks->n; i++)
      if (tracks->tracks[i] == track)
        tracks->marks[i].share = weights[tracks->marks[i].look];
  } else {
    share_parts (tracks, track, &looks);
  }
  return is_missed (tracks, track, &looks, large_mm2);
}

gboolean
line_marks_share (LineMark * marks, gsize n, const LineView * const *views,
    const LineSight * sights, guint n_sights, gdouble large_mm2)
{
  g_autofree Tracks *tracks = g_new (Tracks, 1);
  gboolean is_inconsistent = FALSE;

  g_assert (n <= LINE_MAX_MARKS);
  tracks->marks = marks;
  tracks->n = n;
  tracks->views = views;
  tracks->sights = sights;
  tracks->n_sights = n_sights;
  for (gsize i = 0; i < tracks->n; i++)
    place (tracks, i);
  for (gsize i = 0; i < tracks->n; i++)
    for (gsize j = i + 1; j < tracks->n; j++)
      if (is_whole (tracks, i) && is_whole (tracks, j)
          && tracks->marks[i].look != tracks->marks[j].look
          && (is_inside (tracks, i, j) || is_inside (tracks, j, i)))
        join (tracks, i, j);
  join_parts (tracks);
  for (gsize i = 0; i < n; i++)
    if (tracks->tracks[i] == i && share_track (tracks, i, large_mm2))
      is_inconsistent = TRUE;
  return is_inconsistent;
}
