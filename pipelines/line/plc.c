/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc.h"

#include <string.h>

#include "histogram.h"
#include "plc_batch.h"
#include "plc_command.h"
#include "plc_queue.h"
#include "plc_registers.h"
#include "plc_rings.h"
#include "plc_weights.h"
#include "publish/clock.h"
#include "publish/lock.h"
#include "publish/message.h"

/* Microseconds: from a second failure to the next try, doubled until it is the
 * longest; of a round without work; of the last tries at the end */
#define FIRST_DELAY (50 * 1000)
#define LONGEST_DELAY (500 * 1000)
#define ROUND G_USEC_PER_SEC
/* A connection that has lasted so long is a good one. */
#define GOOD G_USEC_PER_SEC
#define LAST_TRIES (2 * G_USEC_PER_SEC)
/* From one reading of commands to the next, and after a failure */
#define COMMANDS (G_USEC_PER_SEC / 4)
#define COMMANDS_RETRY G_USEC_PER_SEC
/* Readings that a weight waits for its piece's trigger */
#define MOST_TRIES 20

/* Registers that the PLC has or has not: a block of pieces, the head, its triggers.
 * @cleared: registers in which nothing of an earlier run is any more */
typedef struct
{
  char *name;
  gboolean is_refused;
  guint cleared;
  LineMessageLimit limit;
} Target;

/* With the lock: @queue, @rings, @commands, @weights, @beats, @is_ending, @end, @counts, @latencies.
 * All else is the thread's own. @rings: NULL if the PLC notes no triggers.
 * @commands: NULL if it gives none; @commands_at: when they are looked at next.
 * @lots: NULL if it notes no @weights, which are read @weights_at; @pending: of
 * pieces whose triggers are not known yet.
 * @state: what the last request or connection came to; -1 before. @batch: pieces
 * that are written next, one by one if @is_single. @is_turn: of the rings, after
 * pieces */
struct _LinePlc
{
  const LinePlcConfig *config;
  char *name;
  guint n_blocks, cups[LINE_MAX_LANES];
  LineRun run;
  LineEventQueue *events;
  GMutex lock;
  GCond changed;
  GThread *thread;
  LinePlcQueue *queue;
  LinePlcRings *rings;
  LineCommander *commander;
  LinePlcCommands *commands;
  LineLots *lots;
  LinePlcWeights weights;
  LinePlcWeight pending[LINE_PLC_MOST_WEIGHTS];
  guint n_pending;
  gint64 weights_period;
  guint64 beats;
  gboolean is_ending;
  gint64 end;
  LinePlcCounts counts;
  LineHistogram *latencies;

  LinePlcLink *link;
  Target *targets;
  gint state;
  guint n_targets, connections, failures, to_clear;
  gint64 retry_at, opened_at, commands_at, weights_at;
  LineMessageLimit limits[LINE_PLC_N_ANSWERS];
  guint64 beats_written;
  LinePlcBatch batch;
  gboolean is_single, is_turn;
};

/* Messages; without the lock, for they may take their time */

static void
print_state (LinePlc * plc, LinePlcAnswer answer)
{
  const char *reason = line_plc_link_get_reason (plc->link);

  if (plc->state == (gint) answer)
    return;
  plc->state = answer;
  if (!line_message_may (&plc->limits[answer], g_get_monotonic_time ()))
    return;
  if (answer == LINE_PLC_ANSWER_OK)
    g_printerr ("%s: answers\n", plc->name);
  else if (answer == LINE_PLC_ANSWER_SILENT)
    g_printerr ("%s: no answer within %u ms; trying again\n", plc->name,
        plc->config->timeout_ms);
  else if (answer == LINE_PLC_ANSWER_UNREACHABLE)
    g_printerr ("%s: cannot be reached: %s; trying again\n", plc->name, reason);
  else
    g_printerr ("%s: the connection broke: %s; trying again\n", plc->name,
        reason);
}

static void
print_refused (LinePlc * plc, Target * target, gboolean is_refused)
{
  if (target->is_refused == is_refused)
    return;
  target->is_refused = is_refused;
  if (!line_message_may (&target->limit, g_get_monotonic_time ()))
    return;
  if (is_refused)
    g_printerr ("%s: refuses %s: %s; it must have them as holding registers, "
        "or [plc] must name others\n", plc->name, target->name,
        line_plc_link_get_reason (plc->link));
  else
    g_printerr ("%s: takes %s again\n", plc->name, target->name);
}

static void
report_answer (LinePlc * plc, Target * target, LinePlcAnswer answer)
{
  const gboolean is_refused = answer == LINE_PLC_ANSWER_REFUSED
      || answer == LINE_PLC_ANSWER_BUSY;

  /* an exception is an answer, too */
  print_state (plc, is_refused ? LINE_PLC_ANSWER_OK : answer);
  if (is_refused || answer == LINE_PLC_ANSWER_OK)
    print_refused (plc, target, is_refused);
}

/* Requests; with the lock, which is given up meanwhile */

gint64
line_plc_get_delay (guint failures)
{
  return failures == 0 ? 0 : MIN ((gint64) FIRST_DELAY << MIN (failures - 1,
          10), LONGEST_DELAY);
}

static void
delay (LinePlc * plc)
{
  plc->retry_at = g_get_monotonic_time () + line_plc_get_delay (plc->failures);
  plc->failures++;
}

static void
note (LinePlc * plc, LinePlcAnswer answer)
{
  const gboolean is_answering = answer < LINE_PLC_ANSWER_UNREACHABLE;

  if (is_answering != plc->counts.is_answering)
    plc->counts.since = g_get_monotonic_time ();
  plc->counts.is_answering = is_answering;
  plc->counts.errors += answer != LINE_PLC_ANSWER_OK;
  if (answer >= LINE_PLC_ANSWER_BUSY) {
    delay (plc);
    return;
  }
  plc->retry_at = 0;
  if (g_get_monotonic_time () - plc->opened_at >= GOOD)
    plc->failures = 0;
}

static LinePlcAnswer
write_registers (LinePlc * plc, Target * target, guint first,
    const guint16 * values, guint n)
{
  g_mutex_unlock (&plc->lock);
  LinePlcAnswer answer = line_plc_link_write (plc->link, first, values, n);
  report_answer (plc, target, answer);
  g_mutex_lock (&plc->lock);
  note (plc, answer);
  return answer;
}

/* That there is a connection says nothing: the PLC answers when it answers. */
static void
open_link (LinePlc * plc)
{
  g_mutex_unlock (&plc->lock);
  LinePlcAnswer answer = line_plc_link_open (plc->link);
  if (answer != LINE_PLC_ANSWER_OK)
    print_state (plc, answer);
  g_mutex_lock (&plc->lock);
  if (answer != LINE_PLC_ANSWER_OK) {
    note (plc, answer);
    return;
  }
  plc->opened_at = g_get_monotonic_time ();
  plc->counts.reconnects += plc->connections > 0;
  plc->connections++;
  plc->to_clear = 0;
}

/* What an earlier run has left must not be taken for a piece of this one. */
static LinePlcAnswer
clear_block (LinePlc * plc, guint block)
{
  static const guint16 zeros[LINE_PLC_LINK_MAX];
  const guint first = line_plc_block_first (plc->config, block);
  const guint size = line_plc_block_size (plc->config);
  Target *target = &plc->targets[block];
  LinePlcAnswer answer = LINE_PLC_ANSWER_OK;

  while (target->cleared < size && answer == LINE_PLC_ANSWER_OK) {
    const guint n = MIN (LINE_PLC_LINK_MAX, size - target->cleared);

    answer = write_registers (plc, target, first + target->cleared, zeros, n);
    target->cleared += answer == LINE_PLC_ANSWER_OK ? n : 0;
  }
  return answer;
}

/* A block that is refused is tried again with each of its pieces, and with the next
 * connection. */
static void
clear_next (LinePlc * plc)
{
  const LinePlcAnswer answer = clear_block (plc, plc->to_clear);

  if (answer == LINE_PLC_ANSWER_OK || answer == LINE_PLC_ANSWER_REFUSED)
    plc->to_clear++;
}

static LinePlcAnswer
write_beat (LinePlc * plc, guint64 beats)
{
  guint16 values[LINE_PLC_HEAD];
  const guint n = line_plc_encode_head (plc->config, beats,
      plc->run.id, plc->run.first, values);

  return write_registers (plc, &plc->targets[plc->n_blocks],
      plc->config->heartbeat, values, n);
}

static void
count_piece (LinePlc * plc, const LinePlcPiece * piece, LinePlcAnswer answer)
{
  if (answer == LINE_PLC_ANSWER_REFUSED) {
    plc->counts.refused++;
  } else if (line_clock_now () < piece->arrival) {
    plc->counts.written++;
    line_histogram_add (plc->latencies,
        g_get_monotonic_time () - piece->decided);
  } else {
    plc->counts.late++;
  }
}

/* If several are refused at once, one of them may be the reason. */
static void
write_pieces (LinePlc * plc)
{
  LinePlcBatch *batch = &plc->batch;
  const guint block = line_plc_find_block (plc->config, batch->pieces[0].lane);
  const guint n = plc->is_single ? 1 : batch->n;
  LinePlcAnswer answer = clear_block (plc, block);
  guint16 values[LINE_PLC_LINK_MAX];

  plc->is_turn = TRUE;
  if (answer == LINE_PLC_ANSWER_OK) {
    const guint n_values =
        line_plc_batch_encode (plc->config, batch, n, values);

    answer = write_registers (plc, &plc->targets[block], batch->first, values,
        n_values);
  }
  plc->is_single = plc->is_single || answer == LINE_PLC_ANSWER_REFUSED;
  if (answer != LINE_PLC_ANSWER_OK && (answer != LINE_PLC_ANSWER_REFUSED
          || n > 1))
    return;
  for (guint i = 0; i < n; i++)
    count_piece (plc, &batch->pieces[i], answer);
  line_plc_batch_remove (plc->config, batch, n);
}

/* The PLC's triggers */

/* Tells the deciders, and whoever reads messages; without the lock. */
static void
pass_on (LinePlc * plc)
{
  char *messages = line_plc_rings_take_messages (plc->rings);
  LineEvent event;

  if (messages) {
    g_mutex_unlock (&plc->lock);
    g_printerr ("%s", messages);
    g_free (messages);
    g_mutex_lock (&plc->lock);
  }
  while (line_plc_rings_take_event (plc->rings, &event)) {
    g_mutex_unlock (&plc->lock);
    line_event_queue_post (plc->events, &event);
    g_mutex_lock (&plc->lock);
  }
}

static void
read_ring (LinePlc * plc, guint ring)
{
  Target *target = &plc->targets[plc->n_blocks + 1 + ring];
  guint16 values[LINE_PLC_RING_REGISTERS];
  const gint64 asked = line_clock_now ();

  plc->is_turn = FALSE;
  g_mutex_unlock (&plc->lock);
  LinePlcAnswer answer = line_plc_link_read (plc->link,
      line_plc_rings_get_register (plc->rings, ring), values,
      LINE_PLC_RING_REGISTERS);
  gint64 answered = line_clock_now ();
  report_answer (plc, target, answer);
  g_mutex_lock (&plc->lock);
  note (plc, answer);
  if (answer == LINE_PLC_ANSWER_OK)
    line_plc_rings_see (plc->rings, ring, values, asked, answered);
  else
    line_plc_rings_fail (plc->rings, ring, answered);
}

/* The PLC's commands */

static Target *
get_command_target (LinePlc * plc)
{
  return &plc->targets[plc->n_targets - 2];
}

/* In the commander's thread */
static void
answered (guint64 id, const char *why, const char *in_force, gpointer user,
    guint64 counter)
{
  LinePlc *plc = user;
  LINE_LOCK (&plc->lock);

  line_plc_commands_answer (plc->commands, (guint) counter,
      why ? LINE_PLC_VERDICT_REFUSED : LINE_PLC_VERDICT_DONE);
  g_cond_signal (&plc->changed);
}

/* Without the lock, which who answers takes */
static void
ask (LinePlc * plc, LineCommand * command, char *message)
{
  const guint counter = command ? command->words[0] : 0;

  if (message)
    g_printerr ("%s: %s", plc->name, message);
  g_free (message);
  if (!command || line_commander_ask (plc->commander, "PLC", command, answered,
          plc, counter))
    return;
  g_printerr ("%s: too many commands wait: its command %u is not carried out\n",
      plc->name, counter);
  LINE_LOCK (&plc->lock);
  line_plc_commands_answer (plc->commands, counter, LINE_PLC_VERDICT_BUSY);
}

static void
read_command (LinePlc * plc)
{
  guint16 values[LINE_PLC_COMMAND_REGISTERS];
  LineCommand *command = NULL;
  char *message = NULL;

  g_mutex_unlock (&plc->lock);
  LinePlcAnswer answer = line_plc_link_read (plc->link, plc->config->command,
      values, LINE_PLC_COMMAND_REGISTERS);
  report_answer (plc, get_command_target (plc), answer);
  g_mutex_lock (&plc->lock);
  note (plc, answer);
  plc->commands_at = g_get_monotonic_time () + (answer == LINE_PLC_ANSWER_OK ?
      COMMANDS : COMMANDS_RETRY);
  if (answer == LINE_PLC_ANSWER_OK)
    command = line_plc_commands_see (plc->commands, values, plc->rings,
        &message);
  /* nobody fills the log's disk */
  if (command)
    plc->commands_at += COMMANDS_RETRY;
  if (!command && !message)
    return;
  g_mutex_unlock (&plc->lock);
  ask (plc, command, message);
  g_mutex_lock (&plc->lock);
}

/* Weights */

/* Returns: whether it is known which piece it is of; else it waits, or is given
 * up */
static gboolean
find_piece (LinePlc * plc, LinePlcWeight * weight, guint64 * piece)
{
  const LinePlcPairing pairing = line_plc_rings_find_piece (plc->rings,
      weight->lane, plc->run.first, weight->piece, piece);

  if (pairing == LINE_PLC_PAIRED)
    return TRUE;
  if (pairing != LINE_PLC_ALONE && weight->n_tries++ < MOST_TRIES
      && plc->n_pending < LINE_PLC_MOST_WEIGHTS)
    plc->pending[plc->n_pending++] = *weight;
  else
    plc->counts.weights_strange++;
  return FALSE;
}

/* With the lock, which is given up meanwhile */
static void
take_weights (LinePlc * plc, const guint16 * values)
{
  LinePlcWeight found[2 * LINE_PLC_MOST_WEIGHTS];
  guint64 pieces[2 * LINE_PLC_MOST_WEIGHTS];
  guint n = plc->n_pending, n_known = 0, n_taken = 0;

  memcpy (found, plc->pending, n * sizeof (*found));
  plc->n_pending = 0;
  n += line_plc_weights_see (&plc->weights, plc->config, values, found + n);
  for (guint i = 0; i < n; i++)
    if (find_piece (plc, &found[i], &pieces[n_known]))
      found[n_known++] = found[i];
  g_mutex_unlock (&plc->lock);
  for (guint i = 0; i < n_known; i++)
    n_taken += line_lots_weigh (plc->lots, found[i].lane, pieces[i],
        found[i].tenths);
  g_mutex_lock (&plc->lock);
  plc->counts.weights += n_taken;
  plc->counts.weights_strange += n_known - n_taken;
  plc->counts.weights_missed = plc->weights.missed;
  plc->counts.weights_refused = plc->weights.refused;
}

static void
read_weights (LinePlc * plc)
{
  guint16 values[LINE_PLC_LINK_MAX];

  g_mutex_unlock (&plc->lock);
  LinePlcAnswer answer = line_plc_link_read (plc->link, plc->config->weights,
      values, line_plc_weights_get_size (plc->config));
  report_answer (plc, &plc->targets[plc->n_targets - 1], answer);
  g_mutex_lock (&plc->lock);
  note (plc, answer);
  plc->weights_at = g_get_monotonic_time ()
      + (answer == LINE_PLC_ANSWER_REFUSED ? COMMANDS_RETRY :
      plc->weights_period);
  if (answer == LINE_PLC_ANSWER_OK)
    take_weights (plc, values);
}

/* What is refused is tried again after the next reading. */
static void
write_verdict (LinePlc * plc, const guint16 * values)
{
  const LinePlcAnswer answer = write_registers (plc, get_command_target (plc),
      plc->config->command + LINE_PLC_COMMAND, values, LINE_PLC_VERDICT);

  if (answer == LINE_PLC_ANSWER_OK || answer == LINE_PLC_ANSWER_REFUSED)
    line_plc_commands_wrote (plc->commands);
}

/* Puts the PLC's number of the piece into its slot, if it is known. */
static gboolean
find_number (LinePlc * plc, LinePlcPiece * piece, LinePlcPairing * pairing)
{
  LinePlcNumbered last;

  *pairing = line_plc_rings_find (plc->rings, piece->lane, piece->first,
      plc->cups[piece->lane], &piece->slot.piece, &last);
  if (*pairing != LINE_PLC_PAIRED)
    return FALSE;
  piece->slot.epoch = last.epoch;
  piece->slot.encoder = last.encoder;
  piece->slot.time = last.plc_time;
  return TRUE;
}

/* Whether the piece's number at the PLC is known, or known never to come; and
 * its slot is beside those of the batch. */
static gboolean
is_next (const LinePlcPiece * piece, gpointer user)
{
  LinePlc *plc = user;
  LinePlcPiece copy = *piece;
  LinePlcPairing pairing = LINE_PLC_PAIRED;

  if (plc->rings && !find_number (plc, &copy, &pairing))
    return pairing != LINE_PLC_WAITS;
  return line_plc_batch_fits (plc->config, &plc->batch, &copy);
}

/* Thread; with the lock */

/* A piece that has arrived is not written any more, also if the thread was held
 * up. */
static void
take_pieces (LinePlc * plc)
{
  const gint64 now = line_clock_now ();
  LinePlcPairing pairing;
  LinePlcPiece piece;

  plc->counts.late +=
      line_plc_batch_remove_late (plc->config, &plc->batch, now);
  plc->is_single = plc->is_single && plc->batch.n > 0;
  while (!plc->is_single && line_plc_queue_take (plc->queue, now, is_next, plc,
          &piece)) {
    if (!plc->rings || find_number (plc, &piece, &pairing))
      line_plc_batch_add (plc->config, &plc->batch, &piece);
    else if (pairing == LINE_PLC_ALONE)
      plc->counts.unnumbered++;
    else
      plc->counts.late++;
  }
}

/* Returns: when the PLC's triggers are to be read next, of @ring */
static gint64
find_reading (const LinePlc * plc, guint * ring)
{
  gint64 time = G_MAXINT64;

  if (plc->rings)
    *ring = line_plc_rings_get_next (plc->rings, &time);
  return time;
}

static void
beat (LinePlc * plc)
{
  const guint64 beats = plc->beats;
  const LinePlcAnswer answer = write_beat (plc, beats);

  if (answer == LINE_PLC_ANSWER_OK || answer == LINE_PLC_ANSWER_REFUSED)
    plc->beats_written = beats;
}

/* Returns: FALSE if there is nothing to do now */
static gboolean
work (LinePlc * plc)
{
  guint ring = 0;
  const gboolean has_reading = find_reading (plc, &ring) <= line_clock_now ();
  guint16 verdict[LINE_PLC_VERDICT];

  if (g_get_monotonic_time () < plc->retry_at)
    return FALSE;
  if (!line_plc_link_is_open (plc->link))
    open_link (plc);
  else if (plc->to_clear < plc->n_blocks)
    clear_next (plc);
  else if (plc->config->heartbeat >= 0 && plc->beats != plc->beats_written)
    beat (plc);
  else if (plc->batch.n > 0 && !(has_reading && plc->is_turn))
    write_pieces (plc);
  else if (has_reading)
    read_ring (plc, ring);
  else if (plc->lots && g_get_monotonic_time () >= plc->weights_at)
    read_weights (plc);
  else if (plc->commands && line_plc_commands_get_answer (plc->commands,
          verdict))
    write_verdict (plc, verdict);
  else if (plc->commands && g_get_monotonic_time () >= plc->commands_at)
    read_command (plc);
  else
    return FALSE;
  return TRUE;
}

static void
wait_for_work (LinePlc * plc)
{
  const gint64 now = g_get_monotonic_time ();
  guint ring;
  const gint64 reading = find_reading (plc, &ring);
  gint64 until = now + ROUND;

  if (plc->retry_at > now)
    until = MIN (until, plc->retry_at);
  else if (reading < G_MAXINT64)
    until = MIN (until, line_clock_to_monotonic (reading + 999));
  if (plc->batch.n > 0)
    until = MIN (until,
        line_clock_to_monotonic (plc->batch.pieces[0].arrival + 999));
  if (plc->lots && plc->retry_at <= now)
    until = MIN (until, plc->weights_at);
  if (plc->commands && plc->retry_at <= now)
    until = MIN (until, plc->commands_at);
  if (plc->is_ending)
    until = MIN (until, plc->end);
  g_cond_wait_until (&plc->changed, &plc->lock, until);
}

static gpointer
serve (gpointer data)
{
  LinePlc *plc = data;
  LINE_LOCK (&plc->lock);

  while (!(plc->is_ending && ((plc->batch.n == 0
                  && line_plc_queue_get_length (plc->queue) == 0)
              || g_get_monotonic_time () >= plc->end))) {
    take_pieces (plc);
    if (!work (plc))
      wait_for_work (plc);
    if (plc->rings)
      pass_on (plc);
  }
  plc->counts.late += plc->batch.n + line_plc_queue_get_length (plc->queue);
  if (plc->config->heartbeat >= 0 && line_plc_link_is_open (plc->link))
    write_beat (plc, 0);
  return NULL;
}

/* Object */

gboolean
line_plc_check (const LineConfig * config, GError ** error)
{
  LinePlcLink *link = line_plc_link_new (&config->plc, error);

  if (link)
    line_plc_link_free (link);
  return link != NULL;
}

static void
name_targets (LinePlc * plc, const LineConfig * config)
{
  const guint n_rings = plc->rings ? line_plc_rings_get_count (plc->rings) : 0;

  plc->n_targets = plc->n_blocks + 3 + n_rings;
  plc->targets = g_new0 (Target, plc->n_targets);
  for (guint i = 0; i < plc->n_blocks; i++) {
    const guint first = line_plc_block_first (plc->config, i);

    plc->targets[i].name = g_strdup_printf ("registers %u to %u, of %s", first,
        first + line_plc_block_size (plc->config) - 1, plc->n_blocks > 1 ?
        g_array_index (config->lanes, LineLaneConfig, i).name : "the pieces");
  }
  plc->targets[plc->n_blocks].name = g_strdup_printf ("register %d, of the "
      "heartbeat", plc->config->heartbeat);
  for (guint i = 0; i < n_rings; i++) {
    const guint first = line_plc_rings_get_register (plc->rings, i);

    plc->targets[plc->n_blocks + 1 + i].name = g_strdup_printf ("registers %u to "
        "%u, of its triggers", first, first + LINE_PLC_RING_REGISTERS - 1);
  }
  get_command_target (plc)->name = g_strdup_printf ("registers %d to %d, of its "
      "commands", plc->config->command,
      plc->config->command + LINE_PLC_COMMAND_REGISTERS - 1);
  plc->targets[plc->n_targets - 1].name = g_strdup_printf ("registers %d to %d, "
      "of weights", plc->config->weights, plc->config->weights
      + (gint) line_plc_weights_get_size (plc->config) - 1);
}

LinePlc *
line_plc_new (const LineConfig * config, const LineRun * run,
    LineEventQueue * events, LineCommander * commander, LineLots * lots,
    GError ** error)
{
  LinePlcLink *link = line_plc_link_new (&config->plc, error);

  if (!link)
    return NULL;
  LinePlc *plc = g_new0 (LinePlc, 1);
  g_mutex_init (&plc->lock);
  g_cond_init (&plc->changed);
  plc->config = &config->plc;
  plc->name = g_strdup_printf ("PLC %s:%u", config->plc.address,
      config->plc.port);
  plc->n_blocks = line_plc_count_blocks (&config->plc);
  for (guint i = 0; i < config->lanes->len; i++)
    plc->cups[i] = line_config_get_lane (config, i)->geometry->cups;
  plc->run = *run;
  plc->events = events;
  plc->link = link;
  plc->state = -1;
  plc->counts.is_used = TRUE;
  plc->counts.since = g_get_monotonic_time ();
  plc->queue = line_plc_queue_new (config->lanes->len * config->plc.slots);
  plc->latencies = line_histogram_new ();
  if (config->plc.triggers >= 0)
    plc->rings = line_plc_rings_new (config, plc->name, run->delay / 1e6);
  plc->commander = commander;
  if (config->plc.command >= 0 && commander)
    plc->commands = line_plc_commands_new (config, &plc->run,
        line_commander_get_plc (commander));
  if (config->plc.weights >= 0 && lots)
    plc->lots = lots;
  plc->counts.has_weights = plc->lots != NULL;
  plc->weights_period = line_plc_weights_get_period (plc->config,
      config->triggers_per_second);
  name_targets (plc, config);
  plc->thread = g_thread_try_new ("line-plc", serve, plc, error);
  if (!plc->thread)
    g_clear_pointer (&plc, line_plc_free);
  return plc;
}

void
line_plc_close (LinePlc * plc)
{
  g_mutex_lock (&plc->lock);
  plc->is_ending = TRUE;
  plc->end = g_get_monotonic_time () + LAST_TRIES;
  g_cond_signal (&plc->changed);
  g_mutex_unlock (&plc->lock);
  if (plc->thread)
    g_thread_join (plc->thread);
  plc->thread = NULL;
}

void
line_plc_free (LinePlc * plc)
{
  line_plc_close (plc);
  line_plc_link_free (plc->link);
  line_plc_queue_free (plc->queue);
  line_histogram_free (plc->latencies);
  g_clear_pointer (&plc->rings, line_plc_rings_free);
  g_clear_pointer (&plc->commands, line_plc_commands_free);
  for (guint i = 0; i < plc->n_targets; i++)
    g_free (plc->targets[i].name);
  g_free (plc->targets);
  g_free (plc->name);
  g_cond_clear (&plc->changed);
  g_mutex_clear (&plc->lock);
  g_free (plc);
}

void
line_plc_trigger (LinePlc * plc, guint lane, gint64 time)
{
  if (!plc->rings)
    return;
  LINE_LOCK (&plc->lock);
  line_plc_rings_add (plc->rings, lane, time);
  g_cond_signal (&plc->changed);
}

void
line_plc_send (LinePlc * plc, guint lane, const LineDecision * decision)
{
  const gint64 time = decision->piece->trigger_time;
  const LinePlcPiece piece = {.lane = lane,
    .slot = {plc->run.id, 0, lane, line_decision_get_number (decision),
          decision->outcome->outlet, decision->outcome->status, 0,
        (guint32) (time / 1000000)},
    .first = decision->piece->piece,.decided = g_get_monotonic_time (),
    .arrival = time + (gint64) plc->config->arrival_ms * 1000000
  };
  LINE_LOCK (&plc->lock);

  line_plc_queue_add (plc->queue, &piece, line_clock_now ());
  g_cond_signal (&plc->changed);
}

void
line_plc_beat (LinePlc * plc)
{
  LINE_LOCK (&plc->lock);

  plc->beats++;
  g_cond_signal (&plc->changed);
}

void
line_plc_get_counts (LinePlc * plc, LinePlcCounts * counts)
{
  const LineHistogram *latencies = plc->latencies;
  LINE_LOCK (&plc->lock);

  *counts = plc->counts;
  counts->late += line_plc_queue_get_late (plc->queue);
  counts->dropped += line_plc_queue_get_dropped (plc->queue);
  if (plc->rings)
    line_plc_rings_count (plc->rings, counts);
  counts->p50 = line_histogram_get_quantile (latencies, 0.5);
  counts->p90 = line_histogram_get_quantile (latencies, 0.9);
  counts->p99 = line_histogram_get_quantile (latencies, 0.99);
  counts->max = line_histogram_get_max (latencies);
  counts->sum = line_histogram_get_sum (latencies);
  for (guint i = 0; i < LINE_PLC_N_BOUNDS; i++)
    counts->below[i] = line_histogram_get_below (latencies, line_plc_bounds[i]);
}
