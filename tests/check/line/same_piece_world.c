/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The line and the PLC in virtual time. The PLC runs plc.st. */

#include "same_piece_world.h"

#include <math.h>
#include <string.h>

#include "plc_queue.h"
#include "plc_rings.h"

static gint steps_left;
static guint32 plc_time, plc_timer;

guint64 world_n_back;
static void step_now (void);

/* Between any two statements of the PLC */
#define ST_STEP() \
  do { if (steps_left > 0 && --steps_left == 0) step_now (); } while (0)
#define ST_TIME() plc_time
#define ST_TIMER() plc_timer

#include "plc_st.h"

#define TICK (MS / 2)
#define TIMEOUT (100 * MS)
#define BEAT SECOND

#define SLOTS 16
#define LANES 3
/* of Modbus */
#define MOST_WORDS 123

#define MAX_LATE 64

typedef enum
{ DO_OPEN, DO_HEAD, DO_CLEAR, DO_READ, DO_WRITE } Deed;

/* What is written somewhere, or read; @done: words so far */
typedef struct
{
  guint16 *to, values[MOST_WORDS], ring[LINE_PLC_RING_REGISTERS];
  guint n, done;
  gint64 due;
} Effect;

/* @asked: by the line; @answer: when it comes, or is not awaited any more */
typedef struct
{
  Deed deed;
  gboolean is_busy, is_failing, is_torn;
  gint64 asked, answer;
  Effect effect;
} Request;

/* @n_decided: pieces that are in the queue, or were; @decided_at: when each
 * comes there */
typedef struct
{
  gboolean is_up;
  guint run, n_triggers, n_decided;
  const Trigger *triggers[1024];
  gint64 times[1024], decided_at[1024];
  LinePlcRings *rings;
  LinePlcQueue *queue;
  LinePlcPiece piece;
  gboolean has_piece, is_turn;
  guint64 beat;
  gint64 beat_at;
} Line;

typedef struct
{
  gboolean is_open, has_head;
  guint failures, cleared;
  gint64 retry_at;
  Request request;
  Effect late[MAX_LATE];
  guint n_late;
  guint16 last[LINE_PLC_RING_REGISTERS];
} Link;

typedef struct
{
  const Script *script;
  guint lane;
  gboolean by_counting;
  Past *past;
  GRand *rand;
  gint64 now;
  guint next_trigger;
  LineConfig config;
  gdouble delay;
  Line line;
  Link link;
  gboolean is_plc_on, is_cold;
  gint64 next_scan, plc_zero;
  guint32 plc_tick, plc_count;
  LineExample plc;
} World;

static World *world_of_steps;

/* Effects in the PLC */

static void
put (Effect * effect, LineExample * plc, guint n)
{
  if (!effect->to)
    memcpy (effect->ring, plc->Ring, sizeof (effect->ring));
  for (; effect->to && effect->done < MIN (n, effect->n); effect->done++)
    effect->to[effect->done] = effect->values[effect->done];
  effect->done = effect->to ? effect->done : effect->n;
}

static void
finish (World * world, Effect * effect)
{
  if (world->is_plc_on && effect->done < effect->n)
    put (effect, &world->plc, effect->n);
}

static void
step_now (void)
{
  World *world = world_of_steps;
  Request *request = &world->link.request;

  put (&request->effect, &world->plc, request->is_torn ?
      request->effect.done + 1 : request->effect.n);
  if (request->effect.done < request->effect.n)
    steps_left = g_rand_int_range (world->rand, 1, 9);
}

static gboolean
is_on (const World * world, FaultKind kind)
{
  return script_find (world->script, kind, world->now) != NULL;
}

static gint64
between (World * world, gint64 least, gint64 most)
{
  return least + (gint64) ((most - least) * g_rand_double (world->rand));
}

static gboolean
happens (World * world, gdouble probability)
{
  return g_rand_double (world->rand) < probability;
}

/* The PLC */

static void
count_piece (World * world, const guint16 * slots)
{
  const guint behind = world->script->cups - 1 + world->script->distance;
  const guint32 piece = world->plc_count++ - behind;
  const guint16 *slot = slots + (world->lane * SLOTS + piece % SLOTS) * 4;
  Act act = { world->now, belt_find_cup (&world->past->belt, world->now)
        - behind, -1
  };

  if (world->plc_count > behind && slot[3] == LINE_PLC_CODE_OK
      && (slot[0] | (guint32) slot[1] << 16) == piece)
    act.decision = slot[2] - 1;
  g_array_append_val (world->past->acts, act);
}

static void
act (World * world)
{
  const guint behind = world->script->cups - 1 + world->script->distance;
  const Act act = { world->now, belt_find_cup (&world->past->belt, world->now)
        - behind, world->plc.Decision.Status == 0 ? -1 : world->plc.Outlet - 1
  };

  g_array_append_val (world->past->acts, act);
}

/* The PLC's clock, less what it is since it began */
static gint64
find_setting (const World * world)
{
  gint64 sum = 0;

  for (guint i = 0; i < world->script->n_faults; i++) {
    const Fault *fault = &world->script->faults[i];

    if (fault->from > world->now)
      continue;
    if (fault->kind == FAULT_CLOCK)
      sum += fault->amount;
    else if (fault->kind == FAULT_STANDS)
      sum -= (gint64) ((MIN (world->now, fault->to) - fault->from)
          * (1 + world->script->drift));
  }
  return sum;
}

static void
scan (World * world)
{
  LineExample *plc = &world->plc;
  const gdouble ms = (gdouble) (world->now - world->plc_zero) / MS;

  world->next_scan = world->now + world->script->scan
      + (!world->script->is_even && happens (world, .2) ? TICK : 0);
  plc->LightBarrier = belt_is_cut (&world->past->belt, world->now);
  plc->Encoder = world->script->position
      + (guint32) (belt_get (&world->past->belt, world->now) * 1000);
  plc_time = world->plc_tick + (guint32) (ms * (1 + world->script->drift));
  plc_timer = plc_time;
  plc_time += (guint32) (find_setting (world) / MS);
  /* a clock of 31 bits */
  if (world->script->seed % 3 == 0)
    plc_time &= 0x7fffffff;
  world_of_steps = world;
  LineExample_scan (plc);
  steps_left = 0;
  world->past->new_runs += plc->Decision.IsNewRun;
  if (!plc->Triggers.IsNew)
    return;
  if (world->by_counting)
    count_piece (world, plc->Slots);
  else
    act (world);
}

/* Its registers may have been kept, too, and its clock begun anew. */
static void
start_plc (World * world, gboolean is_cold)
{
  LineExample *plc = &world->plc;
  const LineExample old = *plc;

  if (is_cold)
    LineExample_init (plc);
  else
    LineExample_start (plc);
  if (happens (world, .5)) {
    memcpy (plc->Ring, old.Ring, sizeof (old.Ring));
    memcpy (plc->Head, old.Head, sizeof (old.Head));
    memcpy (plc->Slots, old.Slots, sizeof (old.Slots));
  }
  if (happens (world, .5)) {
    world->plc_tick = 0;
    world->plc_zero = world->now;
  }
  if (is_cold)
    world->plc_count = 0;
  plc->Lane = world->lane;
  plc->Cups = world->script->cups;
  plc->Distance = world->script->distance;
  plc->Pitch = world->script->pitch;
  world->is_plc_on = TRUE;
  world->next_scan = world->now;
}

static void
run_plc (World * world)
{
  const gboolean is_cold = is_on (world, FAULT_PLC_COLD);

  if (is_cold || is_on (world, FAULT_PLC_RETAINED)) {
    world->is_cold = world->is_cold || is_cold;
    world->is_plc_on = FALSE;
    world->link.n_late = 0;
    return;
  }
  if (!world->is_plc_on)
    start_plc (world, world->is_cold);
  world->is_cold = FALSE;
  if (world->now >= world->next_scan)
    scan (world);
}

/* The line */

static void
tell (World * world)
{
  g_array_append_val (world->past->told, world->now);
}

static void
start_line (World * world)
{
  Line *line = &world->line;
  const guint run = line->run % 65535 + 1;

  *line = (Line) {.is_up = TRUE,.run = run,.beat_at = world->now,
    .rings = line_plc_rings_new (&world->config, "PLC", world->delay),
    .queue = line_plc_queue_new (SLOTS)
  };
  world->link.is_open = FALSE;
  world->link.cleared = world->link.failures = 0;
  world->link.retry_at = 0;
}

static void
clear_line (Line * line)
{
  line->is_up = FALSE;
  g_clear_pointer (&line->rings, line_plc_rings_free);
  g_clear_pointer (&line->queue, line_plc_queue_free);
}

/* What was on its way may still come. That it was known which triggers are the
 * PLC's, the next run knows. */
static void
stop_line (World * world)
{
  Request *request = &world->link.request;
  LinePlcCounts counts = { 0 };

  tell (world);
  line_plc_rings_count (world->line.rings, &counts);
  if (counts.agreed > 0)
    world->delay = counts.delay / MS;
  clear_line (&world->line);
  if (request->is_busy && happens (world, .5))
    finish (world, &request->effect);
  request->is_busy = FALSE;
  steps_left = 0;
}

/* Its looks, as far as there are any */
static void
note_decision (World * world, guint piece)
{
  const Belt *belt = &world->past->belt;
  Decision decision = { world->line.triggers[piece]->taken, NO_LOOKS };

  for (guint i = 0; i < world->script->cups; i++) {
    const Trigger *trigger = world->line.triggers[piece + i];
    const gint64 cup = belt_find_cup (belt, trigger->taken) - (gint64) i;

    if (trigger->is_blind)
      continue;
    if (belt_find_cup (belt, trigger->last) - (gint64) i != cup
        || (decision.cup != NO_LOOKS && decision.cup != cup))
      decision.cup = -1;
    else
      decision.cup = cup;
    if (decision.cup == -1)
      break;
  }
  g_array_append_val (world->past->decisions, decision);
}

/* In order; a piece has its number from its first trigger. */
static void
decide (World * world)
{
  Line *line = &world->line;
  const guint cups = world->script->cups;

  while (line->n_decided + cups <= line->n_triggers
      && line->decided_at[line->n_decided] <= world->now) {
    const guint first = line->n_decided++;
    LinePlcPiece piece = {.first = first,
      .arrival = line->times[first + cups - 1]
          + (gint64) (world->script->distance * SECOND / world->script->rate)
    };

    note_decision (world, first);
    piece.slot = (LinePlcSlot) {.run = line->run,.lane = world->lane,
      .piece = first,
      .outlet = world->past->decisions->len,.status = LINE_STATUS_OK
    };
    line_plc_queue_add (line->queue, &piece, world->now);
  }
}

static void
add_trigger (World * world, const Trigger * trigger)
{
  Line *line = &world->line;
  const guint n = line->n_triggers++, cups = world->script->cups;

  line->triggers[n] = trigger;
  line->times[n] = n == 0 ? trigger->time :
      MAX (trigger->time, line->times[n - 1] + 1);
  line_plc_rings_add (line->rings, 0, line->times[n]);
  if (n + 1 >= cups)
    line->decided_at[n + 1 - cups] =
        world->now + between (world, 3 * MS, 40 * MS);
}

static void
run_line (World * world)
{
  const GArray *triggers = world->past->belt.triggers;
  const gboolean is_up = !is_on (world, FAULT_RESTART);

  if (world->line.is_up && !is_up)
    stop_line (world);
  if (!world->line.is_up && is_up)
    start_line (world);
  for (; world->next_trigger < triggers->len; world->next_trigger++) {
    const Trigger *trigger =
        &g_array_index (triggers, Trigger, world->next_trigger);

    if (trigger->known > world->now)
      break;
    if (is_up)
      add_trigger (world, trigger);
  }
  if (is_up)
    decide (world);
}

/* The PLC's number leads back to the piece, or to none. */
static void
check_back (World * world, const LinePlcPiece * piece)
{
  guint64 found = 0;

  if (line_plc_rings_find_piece (world->line.rings, 0, 0,
          (guint32) piece->slot.piece, &found) == LINE_PLC_PAIRED) {
    g_assert_cmpuint (found, ==, piece->first);
    world_n_back++;
  }
}

static gboolean
find_number (World * world, LinePlcPiece * piece, LinePlcPairing * pairing)
{
  LinePlcNumbered last;

  *pairing = line_plc_rings_find (world->line.rings, 0, piece->first,
      world->script->cups, &piece->slot.piece, &last);
  if (*pairing != LINE_PLC_PAIRED)
    return FALSE;
  check_back (world, piece);
  piece->slot.epoch = last.epoch;
  piece->slot.encoder = last.encoder;
  piece->slot.time = last.plc_time;
  return TRUE;
}

static gboolean
is_ready (const LinePlcPiece * piece, gpointer user)
{
  LinePlcPiece copy = *piece;
  LinePlcPairing pairing;

  return find_number (user, &copy, &pairing) || pairing != LINE_PLC_WAITS;
}

/* As plc.c: what has arrived is not written any more. */
static void
take_piece (World * world)
{
  Line *line = &world->line;
  LinePlcPairing pairing;

  if (line->has_piece && line->piece.arrival <= world->now)
    line->has_piece = FALSE;
  if (line->has_piece)
    return;
  if (world->by_counting)
    line->has_piece = line_plc_queue_take (line->queue, world->now, NULL, NULL,
        &line->piece);
  else
    while (!line->has_piece && line_plc_queue_take (line->queue, world->now,
            is_ready, world, &line->piece))
      line->has_piece = find_number (world, &line->piece, &pairing);
}

/* Requests */

static void
go_wrong (World * world, Request * request)
{
  Link *link = &world->link;

  request->is_failing = TRUE;
  request->answer = world->now + TIMEOUT;
  if (is_on (world, FAULT_LATE) && request->effect.to
      && link->n_late < MAX_LATE) {
    link->late[link->n_late] = request->effect;
    link->late[link->n_late++].due = world->now
        + between (world, 100 * MS, 1500 * MS);
  }
  /* it may be there, and only its answer was lost */
  if (is_on (world, FAULT_SILENT) && happens (world, .7))
    request->effect.n = 0;
  else if (is_on (world, FAULT_LATE))
    request->effect.n = 0;
}

static void
ask (World * world, Deed deed)
{
  Request *request = &world->link.request;
  const gint64 most = is_on (world, FAULT_SLOW) ? 45 * MS :
      world->script->answer;
  const gboolean is_uneven = world->script->is_uneven;

  request->deed = deed;
  request->is_busy = TRUE;
  request->is_failing = FALSE;
  request->is_torn = happens (world, .3);
  request->asked = world->now;
  request->effect.done = 0;
  request->effect.due = world->now + (is_uneven ? TICK :
      between (world, TICK, most));
  request->answer = request->effect.due + (is_uneven ? most :
      between (world, TICK, most));
  if (!world->is_plc_on || is_on (world, FAULT_SILENT)
      || (is_on (world, FAULT_LATE) && happens (world, .3)))
    go_wrong (world, request);
}

static void
write_head (World * world)
{
  Effect *effect = &world->link.request.effect;

  effect->to = world->plc.Head;
  effect->n = line_plc_encode_head (&world->config.plc, world->line.beat,
      world->line.run, 0, effect->values);
  ask (world, DO_HEAD);
}

static guint
count_words (const World * world)
{
  return LANES * SLOTS * line_plc_slot_size (&world->config.plc);
}

static void
clear_slots (World * world)
{
  Effect *effect = &world->link.request.effect;

  effect->to = world->plc.Slots + world->link.cleared;
  effect->n = MIN (MOST_WORDS, count_words (world) - world->link.cleared);
  memset (effect->values, 0, sizeof (effect->values));
  ask (world, DO_CLEAR);
}

static void
read_ring (World * world)
{
  world->link.request.effect.to = NULL;
  world->link.request.effect.n = LINE_PLC_RING_REGISTERS;
  world->line.is_turn = FALSE;
  ask (world, DO_READ);
}

static void
write_piece (World * world)
{
  const LinePlcSlot *slot = &world->line.piece.slot;
  Effect *effect = &world->link.request.effect;
  const guint at = line_plc_find_register (&world->config.plc, world->lane,
      slot->piece);

  g_assert_cmpuint (at, <, count_words (world));
  effect->n = line_plc_encode (&world->config.plc, slot, effect->values);
  effect->to = world->plc.Slots + at;
  world->line.is_turn = TRUE;
  ask (world, DO_WRITE);
}

static gboolean
wants_reading (const World * world)
{
  gint64 time;

  line_plc_rings_get_next (world->line.rings, &time);
  return !world->by_counting && time <= world->now;
}

static void
work (World * world)
{
  Line *line = &world->line;
  Link *link = &world->link;
  const gboolean has_reading = wants_reading (world);

  take_piece (world);
  if (world->now >= line->beat_at) {
    line->beat++;
    line->beat_at = world->now + BEAT;
    link->has_head = FALSE;
  }
  if (world->now < link->retry_at)
    return;
  if (!link->is_open) {
    link->request.effect.n = 0;
    ask (world, DO_OPEN);
  } else if (link->cleared < count_words (world)) {
    clear_slots (world);
  } else if (!link->has_head) {
    write_head (world);
  } else if (line->has_piece && !(has_reading && line->is_turn)) {
    write_piece (world);
  } else if (has_reading) {
    read_ring (world);
  }
}

/* Answers */

/* All the same, anything, or the answer before */
static void
spoil (World * world, guint16 * values)
{
  const guint kind = g_rand_int_range (world->rand, 0, 5);

  if (kind == 4) {
    memcpy (values, world->link.last, sizeof (world->link.last));
    return;
  }
  for (guint i = 0; i < LINE_PLC_RING_REGISTERS; i++)
    values[i] = kind == 0 ? 0 : kind == 1 ? 65535 :
        g_rand_int_range (world->rand, 0, 65536);
  if (kind == 2)
    values[0] = LINE_PLC_RING_VERSION;
}

/* Whether it has told something is seen as people do: by what it prints, and by
 * its counts. */
static void
see_ring (World * world, Request * request)
{
  LinePlcRings *rings = world->line.rings;
  LinePlcCounts before = { 0 }, after = { 0 };
  LinePlcRing ring;

  if (is_on (world, FAULT_GARBAGE) && happens (world, .5))
    spoil (world, request->effect.ring);
  memcpy (world->link.last, request->effect.ring, sizeof (world->link.last));
  line_plc_rings_count (rings, &before);
  line_plc_rings_see (rings, 0, request->effect.ring, request->asked,
      world->now);
  line_plc_rings_count (rings, &after);
  g_autofree char *said = line_plc_rings_take_messages (rings);
  if (line_plc_ring_decode (request->effect.ring, &ring) == NULL) {
    g_array_append_val (world->past->read, request->asked);
    if (world->now - request->asked < SECOND / world->script->rate / 4)
      g_array_append_val (world->past->clear, request->asked);
    if ((said && strstr (said, "undecided")) || before.shifts != after.shifts
        || before.extra != after.extra || before.missed != after.missed
        || before.restarts != after.restarts)
      tell (world);
  }
}

static void
fail (World * world, const Request * request)
{
  Link *link = &world->link;

  link->is_open = FALSE;
  g_array_append_val (world->past->failed, world->now);
  if (request->deed == DO_READ)
    line_plc_rings_fail (world->line.rings, 0, world->now);
  link->retry_at = link->failures == 0 ? 0 :
      world->now + MIN (50 * MS << MIN (link->failures - 1, 10), 500 * MS);
  link->failures++;
}

static void
take_answer (World * world, Request * request)
{
  Link *link = &world->link;

  link->failures = 0;
  switch (request->deed) {
    case DO_OPEN:
      link->is_open = TRUE;
      break;
    case DO_HEAD:
      link->has_head = TRUE;
      break;
    case DO_CLEAR:
      link->cleared += request->effect.n;
      break;
    case DO_READ:
      see_ring (world, request);
      break;
    case DO_WRITE:
      world->line.has_piece = FALSE;
      break;
  }
}

/* In the middle of the next scan, if that is before the answer; or now */
static void
take_effect (World * world, Request * request)
{
  if (!world->is_plc_on)
    return;
  if (world->next_scan + TICK < request->answer && happens (world, .8))
    steps_left = g_rand_int_range (world->rand, 1, 160);
  else
    put (&request->effect, &world->plc, request->is_torn ?
        (guint) g_rand_int_range (world->rand, 0, request->effect.n + 1) :
        request->effect.n);
}

static void
run_late (World * world)
{
  Link *link = &world->link;

  for (guint i = 0; i < link->n_late; i++)
    if (world->now >= link->late[i].due) {
      finish (world, &link->late[i]);
      link->late[i--] = link->late[--link->n_late];
    }
}

static void
run_link (World * world)
{
  Request *request = &world->link.request;

  run_late (world);
  if (!world->line.is_up)
    return;
  if (!request->is_busy) {
    work (world);
  } else if (world->now >= request->answer) {
    request->is_busy = FALSE;
    finish (world, &request->effect);
    /* an answer lacks if the PLC was switched off before it gave it */
    if (request->is_failing || request->effect.done < request->effect.n)
      fail (world, request);
    else
      take_answer (world, request);
  } else if (request->effect.due > 0 && world->now >= request->effect.due) {
    request->effect.due = 0;
    take_effect (world, request);
  }
}

/* All of it */

static void
init_plc (World * world)
{
  LineExample_init (&world->plc);
  start_plc (world, TRUE);
  world->plc_tick = world->script->tick;
  world->plc_zero = 0;
  world->plc.Triggers.Next = world->script->next;
  /* cold, it will begin with 1 again */
  if (happens (world, .5))
    world->plc.Triggers.Starts = g_rand_int_range (world->rand, 0, 65536);
}

static void
init_config (World * world)
{
  const LineLaneConfig lane = {.name = (char *) "lane1" };
  const Script *script = world->script;

  world->config.plc = (LinePlcConfig) {.slots = SLOTS,.lanes = LANES,
    .layout = world->by_counting ? 1 : 2,.delay = world->script->is_known ?
        (script->latency + (script->jitter - script->scan) / 2.) / MS : NAN
  };
  world->config.lanes = g_array_new (FALSE, FALSE, sizeof (LineLaneConfig));
  g_array_append_val (world->config.lanes, lane);
}

Past *
past_new (const Script * script, gboolean by_counting)
{
  g_autofree World *world = g_new0 (World, 1);
  Past *past = g_new0 (Past, 1);

  *world = (World) {.script = script,.by_counting = by_counting,.past = past,
    .rand = g_rand_new_with_seed (script->seed + 2),
    .config = {.triggers_per_second = script->rate,.deadline_ms = 50},
    .delay = NAN
  };
  world->lane = g_rand_int_range (world->rand, 0, LANES);
  init_config (world);
  past->decisions = g_array_new (FALSE, FALSE, sizeof (Decision));
  past->acts = g_array_new (FALSE, FALSE, sizeof (Act));
  past->told = g_array_new (FALSE, FALSE, sizeof (gint64));
  past->failed = g_array_new (FALSE, FALSE, sizeof (gint64));
  past->read = g_array_new (FALSE, FALSE, sizeof (gint64));
  past->clear = g_array_new (FALSE, FALSE, sizeof (gint64));
  belt_init (&past->belt, script);
  init_plc (world);
  world->line.run = g_rand_int_range (world->rand, 0, 65536);
  for (; world->now < script->length; world->now += TICK) {
    run_line (world);
    run_plc (world);
    run_link (world);
  }
  clear_line (&world->line);
  g_array_free (world->config.lanes, TRUE);
  g_rand_free (world->rand);
  return past;
}

void
past_free (Past * past)
{
  g_array_free (past->decisions, TRUE);
  g_array_free (past->acts, TRUE);
  g_array_free (past->told, TRUE);
  g_array_free (past->read, TRUE);
  g_array_free (past->clear, TRUE);
  g_array_free (past->failed, TRUE);
  belt_clear (&past->belt);
  g_free (past);
}
