/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "camera_votes.h"

#include <string.h>

/* Cameras without a picture for so many nanoseconds, in which there was no
 * candidate either, see the next trigger first. */
#define QUIET (G_GINT64_CONSTANT (500) * 1000000)

/* Triggers in succession of which all pictures were lost, at most */
#define MOST_UNSEEN 16

/* Triggers in succession at which a picture of none means that ids are wrong,
 * and such pictures in succession of a camera that is alone */
#define MOST_UNTIMELY 3
#define MOST_UNTIMELY_ALONE 2

static guint
count_bits (guint32 bits)
{
  guint n = 0;

  for (; bits; bits &= bits - 1)
    n++;
  return n;
}

/* Times */

/* The time between the two, each of which may have been earlier by its
 * doubt. */
static gint64
get_distance (gint64 a, gint64 a_doubt, gint64 b, gint64 b_doubt)
{
  return MAX (MAX (a - a_doubt - b, b - b_doubt - a), 0);
}

/* Places are triggers, and candidates after the last one. */
static gint64
get_first_place (const LineCameraVotes * votes)
{
  return MAX ((gint64) votes->log.n - LINE_TRIGGER_LOG, 0);
}

static gint64
get_end (const LineCameraVotes * votes)
{
  return votes->log.n + votes->n_candidates;
}

static gint64
get_place (const LineCameraVotes * votes, gint64 place, gint64 * doubt,
    guint32 * seen)
{
  if (place < (gint64) votes->log.n) {
    *doubt = votes->doubts[place % LINE_TRIGGER_LOG];
    *seen = votes->seen[place % LINE_TRIGGER_LOG];
    return votes->log.times[place % LINE_TRIGGER_LOG];
  }
  const LineCandidate *candidate = &votes->candidates[place - votes->log.n];
  *doubt = candidate->doubt;
  *seen = candidate->seen;
  return candidate->time;
}

static gint64
get_last_time (const LineCameraVotes * votes)
{
  return votes->log.times[(votes->log.n - 1) % LINE_TRIGGER_LOG];
}

/* If its time was wrong */
static gint64
get_earliest_last_time (const LineCameraVotes * votes)
{
  return get_last_time (votes)
      - votes->doubts[(votes->log.n - 1) % LINE_TRIGGER_LOG];
}

/* Whether, by its time, the view's picture can be of no other place. Places
 * that no other view has seen do not count. */
static gboolean
is_certain (const LineCameraVotes * votes, guint view, const LineVote * vote,
    gint64 place)
{
  if ((votes->none_seen & ~(1u << view)) && get_distance (vote->time,
          vote->doubt, votes->none_time, 0) <= 2 * votes->tolerance)
    return FALSE;
  for (gint64 i = get_first_place (votes); i < get_end (votes); i++) {
    gint64 doubt, time;
    guint32 seen;

    time = get_place (votes, i, &doubt, &seen);
    if (i != place && (seen & ~(1u << view)) && get_distance (vote->time,
            vote->doubt, time, doubt) <= 2 * votes->tolerance)
      return FALSE;
  }
  return TRUE;
}

/* Places */

/* Candidates before this one that the view has not seen: they may be spikes. */
static guint
count_doubtful (const LineCameraVotes * votes, guint view, gint64 place)
{
  guint n = 0;

  for (gint64 i = votes->log.n; i < place; i++)
    n += !(votes->candidates[i - votes->log.n].seen & (1u << view));
  return n;
}

static gboolean
fits_id (const LineCameraVotes * votes, guint view, guint64 count, gint64 place)
{
  const LineVoter *voter = &votes->of[view];
  const gint64 at = (gint64) count + voter->offset;

  return voter->has_offset && at - voter->n_refused <= place
      && at >= place - count_doubtful (votes, view, place);
}

/* After what the camera has seen before */
static gint64
get_next_place (const LineCameraVotes * votes, guint view)
{
  gint64 next = MAX (get_first_place (votes), votes->of[view].last + 1);

  for (guint i = 0; i < votes->n_candidates; i++)
    if (votes->candidates[i].waiting & (1u << view))
      next = votes->log.n + i + 1;
  return next;
}

/* The first place that the picture is near to by its time, and, if that can be,
 * its id fits; -1 for none. */
static gint64
find_place (const LineCameraVotes * votes, guint view, const LineVote * vote)
{
  gint64 near = -1;

  for (gint64 i = get_next_place (votes, view); i < get_end (votes); i++) {
    gint64 doubt, time;
    guint32 seen;

    time = get_place (votes, i, &doubt, &seen);
    if ((seen & (1u << view)) || ABS (vote->time - time) > votes->tolerance)
      continue;
    if (fits_id (votes, view, vote->count, i))
      return i;
    if (near < 0)
      near = i;
  }
  return near;
}

/* Verdicts */

static LineCameraVerdict *
find_verdict (LineVoter * voter, guint64 count)
{
  for (guint64 i = voter->n_taken; i < voter->n_pictures; i++)
    if (voter->counts[i % LINE_MOST_VERDICTS] == count
        && !voter->is_decided[i % LINE_MOST_VERDICTS]) {
      voter->is_decided[i % LINE_MOST_VERDICTS] = TRUE;
      return &voter->verdicts[i % LINE_MOST_VERDICTS];
    }
  g_return_val_if_reached (&voter->verdicts[0]);
}

static void
expect_verdict (LineVoter * voter, guint64 count)
{
  const guint i = voter->n_pictures++ % LINE_MOST_VERDICTS;

  voter->counts[i] = count;
  voter->is_decided[i] = FALSE;
  voter->verdicts[i] = (LineCameraVerdict) {.trigger = LINE_NO_TRIGGER };
}

/* The camera does not vote any more, and its pictures that wait are of no
 * trigger. */
static void
lose_step (LineCameraVotes * votes, guint view)
{
  LineVoter *voter = &votes->of[view];

  votes->voters &= ~(1u << view);
  for (guint i = 0; i < votes->n_candidates; i++)
    votes->candidates[i].waiting &= ~(1u << view);
  for (guint64 i = voter->n_taken; i < voter->n_pictures; i++)
    voter->is_decided[i % LINE_MOST_VERDICTS] = TRUE;
}

static void
refuse (LineCameraVotes * votes, guint view, const LineVote * vote,
    LineCameraVerdict * verdict, guint most_refused)
{
  LineVoter *voter = &votes->of[view];

  voter->shown = vote->count;
  voter->n_refused++;
  if (voter->refused_at != votes->log.n)
    voter->n_untimely++;
  voter->refused_at = votes->log.n;
  verdict->is_lost = voter->n_untimely >= MOST_UNTIMELY
      || voter->n_refused >= most_refused;
  if (verdict->is_lost)
    lose_step (votes, view);
}

typedef enum
{
  FITS,
  UNSURE,
  WRONG,
} Fit;

/* Two things must agree: by its time the picture is of this trigger. By its id,
 * once that is known, it must be, too; or, if it can be of no other one by its time, pictures of
 * spikes explain it, or one trigger that the camera has not seen. One whose time
 * is in doubt is of no use, but not wrong. */
static Fit
compare_id (const LineCameraVotes * votes, guint view, const LineVote * vote,
    gint64 trigger)
{
  const LineVoter *voter = &votes->of[view];
  const gint64 ahead = (gint64) vote->count + voter->offset - trigger;
  const gint64 between = (gint64) (vote->count - voter->count) - 1;

  if (!voter->has_offset)
    return vote->doubt <= votes->tolerance
        || is_certain (votes, view, vote, trigger) ? FITS : UNSURE;
  if (ahead == 0 && vote->doubt <= votes->tolerance)
    return FITS;
  if (ahead < -1 || (ahead > 0
          && ahead > MIN (between, voter->n_refused + MOST_UNSEEN))
      || (ahead != 0
          && votes->doubts[trigger % LINE_TRIGGER_LOG] > votes->tolerance))
    return WRONG;
  if (is_certain (votes, view, vote, trigger))
    return FITS;
  return ahead == 0 ? UNSURE : WRONG;
}

static void
accept (LineCameraVotes * votes, guint view, const LineVote * vote,
    gint64 trigger, LineCameraVerdict * verdict)
{
  LineVoter *voter = &votes->of[view];
  const gint64 ahead = (gint64) vote->count + voter->offset - trigger;

  verdict->trigger = trigger;
  verdict->spikes = voter->has_offset ? MAX (ahead, 0) : voter->n_refused;
  verdict->missed = voter->has_offset && ahead < 0;
  voter->has_offset = TRUE;
  voter->offset = trigger - (gint64) vote->count;
  voter->last = trigger;
  voter->count = vote->count;
  voter->n_refused = voter->n_untimely = 0;
  voter->refused_at = LINE_NO_TRIGGER;
}

/* @is_good: whether the picture may be used, if it is of a trigger */
static void
answer (LineCameraVotes * votes, guint view, const LineVote * vote,
    gint64 trigger, gboolean is_good)
{
  LineVoter *voter = &votes->of[view];
  LineCameraVerdict *verdict = find_verdict (voter, vote->count);
  const Fit fit = compare_id (votes, view, vote, trigger);

  voter->shown = vote->count;
  if (fit == FITS)
    accept (votes, view, vote, trigger, verdict);
  /* one that has taken so many others is wrong */
  else if (fit == WRONG)
    refuse (votes, view, vote, verdict, (gint64) vote->count + voter->offset
        - voter->n_refused - trigger > MOST_UNSEEN ? 1 : G_MAXUINT);
  if (!is_good)
    verdict->trigger = LINE_NO_TRIGGER;
}

static void
vote_for (LineCandidate * candidate, guint view, const LineVote * vote)
{
  candidate->seen |= 1u << view;
  candidate->waiting |= 1u << view;
  candidate->votes[view] = *vote;
}

/* Returns: FALSE if it is near none */
static gboolean
vote_near (LineCameraVotes * votes, guint view, const LineVote * vote)
{
  const gint64 place = find_place (votes, view, vote);

  if (place >= (gint64) votes->log.n) {
    vote_for (&votes->candidates[place - votes->log.n], view, vote);
  } else if (place >= 0) {
    votes->seen[place % LINE_TRIGGER_LOG] |= 1u << view;
    answer (votes, view, vote, place, TRUE);
  }
  return place >= 0;
}

/* Triggers */

static void
add_trigger (LineCameraVotes * votes, gint64 time, gint64 doubt, guint32 seen,
    guint32 awaited)
{
  const guint64 n = votes->log.n;
  const gint64 at = n > 0 ? MAX (time, get_last_time (votes)) : time;

  votes->doubts[n % LINE_TRIGGER_LOG] = doubt;
  votes->seen[n % LINE_TRIGGER_LOG] = seen;
  line_trigger_log_add (&votes->log, n, at);
  votes->fired (n, at, awaited, votes->user);
}

/* The last of @n is @after before @time, as the first one is after the last
 * there was. */
static void
add_unseen (LineCameraVotes * votes, guint n, gint64 time, guint32 awaited)
{
  for (; n > 0; n--) {
    const gint64 before = votes->log.n > 0 ? get_last_time (votes) : time;

    add_trigger (votes, before + (time - before) / (n + 1), 0, 0, awaited);
  }
}

/* The first picture when no camera votes: if there were triggers before, some
 * may have passed unseen. So many count as lost that no piece has looks from
 * before and after. */
static void
begin (LineCameraVotes * votes, gint64 time)
{
  const gint64 end = time - 2 * votes->tolerance;

  if (votes->log.n == 0)
    return;
  add_unseen (votes, votes->cups - 1, end, 0);
  add_trigger (votes, end, 0, 0, 0);
}

static void
remove_head (LineCameraVotes * votes, LineCandidate * head)
{
  *head = votes->candidates[0];
  votes->n_candidates--;
  memmove (&votes->candidates[0], &votes->candidates[1],
      votes->n_candidates * sizeof (votes->candidates[0]));
}

/* Pictures that the camera has taken by its ids between the last trigger and
 * this one, and that did not come. */
static gint64
count_lost (const LineCameraVotes * votes, guint view, const LineVote * vote)
{
  const LineVoter *voter = &votes->of[view];

  return voter->has_offset ? (gint64) vote->count + voter->offset
      - voter->n_refused - (gint64) votes->log.n : 0;
}

/* Triggers between the last one and the head whose pictures enough cameras have
 * lost. A camera that has lost too many is wrong, and is not counted. */
static guint
count_unseen (LineCameraVotes * votes, const LineCandidate * head, guint need)
{
  guint n[MOST_UNSEEN + 1] = { 0 }, unseen = 0;

  for (guint v = 0; v < votes->views; v++) {
    if (!(head->waiting & votes->voters & (1u << v)))
      continue;
    gint64 lost = count_lost (votes, v, &head->votes[v]);
    if (lost > MOST_UNSEEN)
      continue;
    for (gint64 i = 1; i <= lost; i++)
      n[i]++;
  }
  while (unseen < MOST_UNSEEN && n[unseen + 1] >= need)
    unseen++;
  return unseen;
}

/* Where it is not known which of two candidates was the trigger, or when, it
 * counts, but no picture is taken for it. */
static void
confirm (LineCameraVotes * votes, guint32 seen, guint need)
{
  LineCandidate head;

  remove_head (votes, &head);
  if (count_bits (head.seen) >= need)
    votes->is_unsure = FALSE;
  gboolean is_good = !head.is_merged && !votes->is_unsure;
  votes->is_alone = count_bits (votes->voters | seen) < votes->min_cameras;
  add_unseen (votes, count_unseen (votes, &head, need), head.time,
      votes->voters);
  gint64 trigger = votes->log.n;
  add_trigger (votes, head.time, head.doubt, seen, votes->voters);
  for (guint v = 0; v < votes->views; v++)
    if (head.waiting & votes->voters & (1u << v))
      answer (votes, v, &head.votes[v], trigger, is_good);
}

/* The cameras that have seen the head may have seen a trigger or candidate
 * close to it. */
static void
reject (LineCameraVotes * votes, guint most_refused)
{
  LineCandidate head;

  remove_head (votes, &head);
  votes->none_time = head.time;
  votes->none_seen = head.seen;
  for (guint v = 0; v < votes->views; v++) {
    const LineVote *vote = &head.votes[v];

    if ((head.waiting & votes->voters & (1u << v))
        && !vote_near (votes, v, vote))
      refuse (votes, v, vote, find_verdict (&votes->of[v], vote->count),
          most_refused);
  }
}

/* Votes */

typedef enum
{
  YES,
  NO,
  OPEN,
  UNKNOWN,
} Vote;

/* The vote on the head of a camera that has no picture of it, by its next
 * one. */
static Vote
weigh (const LineCameraVotes * votes, guint view)
{
  for (guint i = 0; i < votes->n_candidates; i++) {
    const LineCandidate *candidate = &votes->candidates[i];
    const LineVote *next = &candidate->votes[view];

    if (!(candidate->waiting & (1u << view)))
      continue;
    gint64 lost = MIN (count_lost (votes, view, next),
        (gint64) (next->count - votes->of[view].shown) - 1);
    return lost <= 0 ? NO : lost >= i ? YES : UNKNOWN;
  }
  return OPEN;
}

static guint
get_need (const LineCameraVotes * votes, guint32 seen, guint32 denied)
{
  return MIN (votes->min_cameras, count_bits (votes->voters | seen | denied));
}

/* A spike close to a trigger must not make two of it, some cameras being nearer to
 * the one, some to the other: who tells of the second one has seen the first. */
static guint32
find_witnesses (const LineCameraVotes * votes, const LineCandidate * head,
    guint32 seen)
{
  guint32 last = 0;

  if (votes->log.n > 0
      && head->time - get_last_time (votes) <= 2 * votes->tolerance)
    last = votes->seen[(votes->log.n - 1) % LINE_TRIGGER_LOG];
  /* a trigger that nobody has seen was found by ids */
  return last ? seen & last : seen;
}

/* The head and the next one are the same, and the time of one of them is wrong,
 * if both may have come at the same time, and every camera has but one of
 * them. */
static gboolean
may_be_next (const LineCameraVotes * votes)
{
  const LineCandidate *head = &votes->candidates[0], *next = head + 1;

  return votes->n_candidates > 1 && !(head->seen & next->seen)
      && get_distance (head->time, head->doubt, next->time, next->doubt)
      <= votes->tolerance;
}

/* Whether all voting cameras that have seen the head have shown a later
 * picture. */
static gboolean
has_passed (const LineCameraVotes * votes)
{
  guint32 later = 0;

  for (guint i = 1; i < votes->n_candidates; i++)
    later |= votes->candidates[i].waiting;
  return !(votes->candidates[0].seen & votes->voters & ~later);
}

static void
merge_head (LineCameraVotes * votes)
{
  LineCandidate head, *next = &votes->candidates[0];

  remove_head (votes, &head);
  next->time = head.time;
  next->doubt = head.doubt;
  next->is_merged = TRUE;
  next->seen |= head.seen;
  next->waiting |= head.waiting;
  for (guint v = 0; v < votes->views; v++)
    if (head.seen & (1u << v))
      next->votes[v] = head.votes[v];
}

/* Returns: FALSE if the head must wait */
static gboolean
decide_head (LineCameraVotes * votes)
{
  const LineCandidate *head = &votes->candidates[0];
  guint32 seen = head->seen, open = 0, unknown = 0, witnesses;

  for (guint v = 0; v < votes->views; v++) {
    const guint32 bit = 1u << v;
    const Vote vote = votes->voters & bit & ~seen ? weigh (votes, v) : NO;

    if (vote == YES)
      seen |= bit;
    else if (vote == OPEN)
      open |= bit;
    else if (vote == UNKNOWN)
      unknown |= bit;
  }
  guint need = get_need (votes, seen, head->denied);
  witnesses = need > 1 ? find_witnesses (votes, head, seen) : seen;
  if (count_bits (witnesses) >= need) {
    /* A camera that goes on alone, twice too fast, is wrong. */
    if (need == 1 && count_bits (seen) == 1 && votes->log.n > 0
        && head->time < get_earliest_last_time (votes) + votes->tolerance)
      reject (votes, MOST_UNTIMELY_ALONE);
    else
      confirm (votes, seen, need);
    return TRUE;
  }
  if (count_bits (witnesses | open) >= need
      || (may_be_next (votes) && !has_passed (votes)))
    return FALSE;
  votes->is_unsure = votes->is_unsure || unknown || open;
  if (may_be_next (votes))
    merge_head (votes);
  else
    reject (votes, G_MAXUINT);
  return TRUE;
}

static void
decide (LineCameraVotes * votes)
{
  while (votes->n_candidates > 0 && decide_head (votes))
    continue;
}

void
line_camera_votes_expire (LineCameraVotes * votes, gint64 until)
{
  for (guint i = 1; i < votes->n_candidates; i++) {
    const LineCandidate *candidate = &votes->candidates[i];

    if (candidate->time > until || count_bits (candidate->seen)
        < get_need (votes, candidate->seen, 0))
      continue;
    reject (votes, G_MAXUINT);
    decide (votes);
    i = 0;
  }
}

/* Pictures */

/* The first picture of a camera, whose time may be wrong, may be of something
 * else; or that to which it is near is wrong, after a pause. At the start all are
 * first ones. */
static gboolean
is_doubtful (const LineCameraVotes * votes, guint view, const LineVote * vote)
{
  const gint64 place = find_place (votes, view, vote);
  gint64 doubt = 0;
  guint32 seen;

  if (place >= 0)
    get_place (votes, place, &doubt, &seen);
  return (doubt > votes->tolerance && doubt < vote->doubt)
      || !is_certain (votes, view, vote, place);
}

/* Returns: FALSE if it is too late for that */
static gboolean
add_candidate (LineCameraVotes * votes, guint view, const LineVote * vote)
{
  guint i;

  if (votes->log.n > 0
      && vote->time < get_earliest_last_time (votes) - votes->tolerance)
    return FALSE;
  if (votes->n_candidates == LINE_MOST_CANDIDATES) {
    reject (votes, G_MAXUINT);
    decide (votes);
  }
  /* in order of time, and after the camera's last one */
  for (i = votes->n_candidates; i > 0
      && votes->candidates[i - 1].time > vote->time
      && !(votes->candidates[i - 1].waiting & (1u << view)); i--)
    votes->candidates[i] = votes->candidates[i - 1];
  votes->candidates[i] = (LineCandidate) {.doubt = vote->doubt,
    .time = i > 0 ? MAX (vote->time, votes->candidates[i - 1].time) :
        vote->time
  };
  votes->n_candidates++;
  votes->last_time = MAX (votes->last_time, vote->time);
  vote_for (&votes->candidates[i], view, vote);
  return TRUE;
}

/* Cameras */

/* @last: the trigger before the first one that it can see */
static void
enter (LineCameraVotes * votes, guint view, guint64 count, gint64 last)
{
  LineVoter *voter = &votes->of[view];

  votes->voters |= 1u << view;
  voter->has_offset = FALSE;
  voter->last = last;
  voter->count = voter->shown = count;
  voter->n_refused = voter->n_untimely = 0;
  voter->refused_at = LINE_NO_TRIGGER;
}

static void
enter_at (LineCameraVotes * votes, guint view, guint64 count, gint64 trigger)
{
  enter (votes, view, count - 1, trigger - 1);
  votes->of[view].has_offset = TRUE;
  votes->of[view].offset = trigger - (gint64) count;
}

/* Returns: whether the camera votes now */
static gboolean
try_to_enter (LineCameraVotes * votes, guint view, LineCameraSync * sync)
{
  const guint32 bit = 1u << view;
  const gboolean is_first = votes->voters == 0;

  if (is_first)
    begin (votes, sync->time);
  /* At a picture after a pause: cameras that have been there see this
   * trigger. */
  for (guint v = 0; v < votes->views; v++) {
    const LineVoter *voter = &votes->of[v];

    if (voter->is_there && !(votes->voters & (1u << v))
        && sync->time - QUIET >= MAX (MAX (voter->joined, voter->heard),
            votes->last_time))
      enter (votes, v, 0, (gint64) votes->log.n - 1);
  }
  votes->of[view].heard = sync->time;
  if (is_first && !(votes->voters & bit))
    enter_at (votes, view, sync->count, votes->log.n);
  else if (!(votes->voters & bit)
      && line_camera_sync_learn (sync, &votes->log, votes->tolerance))
    enter_at (votes, view, sync->count, sync->count + sync->offset);
  return (votes->voters & bit) != 0;
}

void
line_camera_votes_join (LineCameraVotes * votes, guint view, gint64 time)
{
  votes->of[view].is_there = TRUE;
  votes->of[view].joined = time;
}

void
line_camera_votes_leave (LineCameraVotes * votes, guint view)
{
  LineVoter *voter = &votes->of[view];

  voter->is_there = FALSE;
  lose_step (votes, view);
  voter->n_taken = voter->n_pictures;
  decide (votes);
}

gboolean
line_camera_votes_see (LineCameraVotes * votes, guint view,
    LineCameraSync * sync)
{
  const LineVote vote = { sync->count, sync->time, sync->doubt };
  LineVoter *voter = &votes->of[view];

  if (!try_to_enter (votes, view, sync)
      || voter->n_pictures - voter->n_taken == LINE_MOST_VERDICTS)
    return FALSE;
  sync->has_sample = FALSE;
  sync->n_candidates = 0;
  if (!voter->has_offset && is_doubtful (votes, view, &vote)) {
    lose_step (votes, view);
    decide (votes);
    return FALSE;
  }
  expect_verdict (voter, vote.count);
  if (!vote_near (votes, view, &vote) && !add_candidate (votes, view, &vote))
    refuse (votes, view, &vote, find_verdict (voter, vote.count), G_MAXUINT);
  decide (votes);
  return TRUE;
}

void
line_camera_votes_see_remains (LineCameraVotes * votes, guint view,
    gint64 arrival, gint64 timeout)
{
  LineCandidate *found = NULL;

  if (!(votes->voters & (1u << view)) || !votes->of[view].has_offset)
    return;
  for (guint i = 0; i < votes->n_candidates; i++) {
    LineCandidate *candidate = &votes->candidates[i];

    if (candidate->seen & (1u << view))
      continue;
    if (found)
      return;
    found = candidate;
  }
  if (!found || arrival < found->time || arrival - found->time > timeout)
    return;
  found->seen |= 1u << view;
  decide (votes);
}

gboolean
line_camera_votes_has (const LineCameraVotes * votes, guint view)
{
  const LineVoter *voter = &votes->of[view];

  return voter->n_taken < voter->n_pictures
      && voter->is_decided[voter->n_taken % LINE_MOST_VERDICTS];
}

gboolean
line_camera_votes_take (LineCameraVotes * votes, guint view,
    LineCameraVerdict * verdict)
{
  LineVoter *voter = &votes->of[view];

  if (!line_camera_votes_has (votes, view))
    return FALSE;
  *verdict = voter->verdicts[voter->n_taken++ % LINE_MOST_VERDICTS];
  return TRUE;
}

/* Silence */

/* Candidates after the camera's last picture wait for it. */
static guint
find_first_open (const LineCameraVotes * votes, guint view)
{
  guint first = votes->n_candidates;

  while (first > 0 && !(votes->candidates[first - 1].seen & (1u << view)))
    first--;
  return first;
}

guint
line_camera_votes_get_silence (const LineCameraVotes * votes, guint view,
    gint64 until, gboolean * is_new)
{
  guint n = 0;

  *is_new = FALSE;
  if (!(votes->voters & (1u << view)))
    return 0;
  for (guint i = find_first_open (votes, view); i < votes->n_candidates
      && votes->candidates[i].time <= until; i++, n++)
    if (!(votes->candidates[i].denied & (1u << view)))
      *is_new = TRUE;
  return n;
}

void
line_camera_votes_deny (LineCameraVotes * votes, guint view, gint64 until)
{
  for (guint i = find_first_open (votes, view); i < votes->n_candidates
      && votes->candidates[i].time <= until; i++)
    votes->candidates[i].denied |= 1u << view;
}
