/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "controller.h"

#include <string.h>

#include "machine.h"
#include "pieces.h"
#include "plc_link.h"
#include "plc_ring.h"

/* Microseconds: of a scan; of an answer; until an attempt to connect fails */
#define SCAN 5000
#define ANSWER 1500
#define REFUSAL 2000

/* Microseconds that a piece may come after its arrival: it was on its way, and
 * the line sees triggers a little later */
#define LATE 120000

#define REGISTERS 1024
#define SLOT 12
#define HEAD 5

/* Where commands are, their words and those of the answer; all lanes */
#define COMMAND 60
#define WORDS 7
#define VERDICT 3
#define ALL 65535

/* The status of a slot */
#define CODE_OK 1

/* A pulse comes once in so many times. */
#define SELDOM 5

struct _LinePlcLink
{
  const LinePlcConfig *config;
  gboolean is_open;
  const char *reason;
};

/* What the PLC has noted as a trigger. @pulse: of the machine; -1: a spike */
typedef struct
{
  gint64 pulse, seen_at;
} Note;

/* @open: the connection that there is
 * @first: number of the first of @notes */
static struct
{
  gboolean has_triggers;
  guint faults, epoch, cups;
  guint32 first, clock;
  GArray *notes;
  guint16 registers[REGISTERS];
  LinePlcLink *open;
  gboolean has_commands;
  ControllerAnswered answered;
  guint16 words[WORDS], verdict;
  guint n_words;
  guint64 n_good, n_beats;
  guint16 beat;
} plc;

/* Its own counting. A word of two has the low one first. */

static guint16
get_low (guint32 value)
{
  return value & 0xffff;
}

/* It looks at its inputs and its clock once a scan. */
static gint64
get_scan (void)
{
  return world_now () / SCAN * SCAN;
}

static guint32
get_clock (gint64 time)
{
  return plc.clock + (guint32) (time / 1000);
}

static void
note (gint64 pulse)
{
  const Note note = { pulse, get_scan () + SCAN };

  g_array_append_val (plc.notes, note);
}

static void
spike (gpointer data)
{
  note (-1);
}

void
controller_pulse (gint64 pulse)
{
  if (!(plc.faults & CONTROLLER_MISSES) || !world_one_in (SELDOM))
    note (pulse);
  if ((plc.faults & CONTROLLER_SPIKES) && world_one_in (SELDOM))
    world_at (world_now () + machine_draw_between (), spike, NULL);
}

/* It has lost the answer, not the command; but for what was refused: if that could
 * not be logged, the PLC alone knows it. */
static void
lose_answer (void)
{
  if (plc.verdict != 2)
    memset (plc.registers + COMMAND + WORDS, 0, VERDICT * sizeof (guint16));
}

void
controller_restart (void)
{
  world_tell ("the PLC starts anew");
  plc.epoch = 1 + plc.epoch % 65535;
  plc.first += plc.notes->len;
  g_array_set_size (plc.notes, 0);
  plc.clock = (guint32) world_random ();
  lose_answer ();
  if (plc.open)
    plc.open->is_open = FALSE;
  plc.open = NULL;
}

/* Commands */

/* 0 in the place of the counter, the other words, and the counter; a scan or more
 * from one to the next */
static void
write_word (gpointer data)
{
  const guint at = plc.n_words++;

  plc.registers[COMMAND + at % WORDS] = at == 0 ? 0 : plc.words[at % WORDS];
  if (plc.n_words <= WORDS)
    world_at (world_now () + SCAN + (gint64) world_below (20 * SCAN),
        write_word, NULL);
}

gboolean
controller_has_commands (void)
{
  return plc.has_commands;
}

void
controller_give (guint recipe, guint lane)
{
  plc.words[0] = (guint16) (plc.words[0] + 1);
  plc.words[1] = (guint16) recipe;
  plc.words[2] = (guint16) lane;
  plc.words[WORDS - 1] = 0;
  for (guint i = 0; i < WORDS - 1; i++)
    plc.words[WORDS - 1] = (guint16) (plc.words[WORDS - 1] + plc.words[i]);
  plc.verdict = 0;
  plc.n_words = 0;
  world_tell ("PLC: command %u: recipe %u", plc.words[0], recipe);
  write_word (NULL);
}

/* One answer to each command, whenever it is said. */
static void
check_verdict (const guint16 * values)
{
  if ((guint16) (values[0] + values[1]) != values[2])
    world_fail ("the PLC gets an answer with a wrong sum");
  /* that to the one before, while this is being written */
  if (values[0] != plc.words[0])
    return;
  if (plc.n_words <= WORDS)
    world_fail ("the PLC gets an answer to a command that is not there yet");
  if (plc.verdict != 0 && plc.verdict != values[1])
    world_fail ("command %u of the PLC was answered %u, and is answered %u",
        values[0], plc.verdict, values[1]);
  if (plc.verdict == 0) {
    plc.verdict = values[1];
    plc.answered (values[1] == 1);
  }
}

static void
put_long (guint16 * at, guint32 value)
{
  at[0] = get_low (value);
  at[1] = value >> 16;
}

static guint32
get_long (const guint16 * at)
{
  return at[0] | (guint32) at[1] << 16;
}

/* Those that it has seen by its last scan. */
static guint
count_seen (void)
{
  guint n = plc.notes->len;

  while (n > 0 && g_array_index (plc.notes, Note, n - 1).seen_at > get_scan ())
    n--;
  return n;
}

static void
read_ring (guint16 * values)
{
  const guint n = count_seen ();

  memset (values, 0, LINE_PLC_RING_REGISTERS * sizeof (*values));
  values[0] = LINE_PLC_RING_VERSION;
  values[1] = (guint16) plc.epoch;
  put_long (values + 2, plc.first + n);
  put_long (values + 4, get_clock (get_scan ()));
  for (guint i = 0; i < LINE_PLC_RING_TRIGGERS; i++)
    values[6 + 6 * i] = (guint16) (i + 1);
  for (guint i = n > LINE_PLC_RING_TRIGGERS ? n - LINE_PLC_RING_TRIGGERS : 0;
      i < n; i++) {
    const guint32 number = plc.first + i;
    guint16 *at = values + 6 + number % LINE_PLC_RING_TRIGGERS * 6;

    put_long (at, number);
    put_long (at + 2, 1000 * number);
    put_long (at + 4, get_clock (g_array_index (plc.notes, Note, i).seen_at));
  }
}

/* What the line writes */

static const Note *
find_note (guint32 number)
{
  return number - plc.first < plc.notes->len ? &g_array_index (plc.notes, Note,
      number - plc.first) : NULL;
}

static void
check_piece (const LinePlcConfig * config, gint64 pulse, guint outlet)
{
  const gint64 last = pulse + plc.cups - 1;

  pieces_check_outlet (pulse, outlet, "the PLC's");
  /* a line that stands still may do so with a request on its way */
  if (last < machine_count () && !pieces_are_excused () && world_now () > machine_get_time (last)
      + config->arrival_ms * 1000 + LATE)
    world_fail ("the PLC gets the piece of pulse %" G_GINT64_FORMAT " %.0f ms "
        "after its last trigger", pulse, (world_now ()
            - machine_get_time (last)) / 1e3);
}

/* A piece that is told to be good is the one that the PLC counts by that number,
 * and goes where that one belongs. */
static void
check_slot (const LinePlcConfig * config, const guint16 * slot, guint at)
{
  const guint32 number = get_long (slot + 3);
  guint16 sum = 0;

  for (guint i = 0; i < SLOT - 1; i++)
    sum += slot[i];
  if (sum != slot[SLOT - 1])
    world_fail ("the PLC gets a slot with a wrong sum");
  if (slot[6] && at != number % config->slots)
    world_fail ("the PLC gets piece %u in slot %u", number, at);
  if (slot[6] != CODE_OK)
    return;
  plc.n_good++;
  if (!plc.has_triggers) {
    pieces_check_slot (number, slot[5]);
    return;
  }
  /* of before its start: it does not look at it */
  if (slot[1] != plc.epoch)
    return;
  const Note *note = find_note (number);
  world_tell ("PLC: piece %u is pulse %" G_GINT64_FORMAT ", outlet %u", number,
      note ? note->pulse : -2, slot[5]);
  if (!note || note->pulse < 0)
    world_fail ("the PLC gets its piece %u as good, and has no such piece",
        number);
  else
    check_piece (config, note->pulse, slot[5]);
}

static void
check_head (const guint16 * head)
{
  if (head[0] == plc.beat)
    return;
  plc.beat = head[0];
  plc.n_beats++;
  if (head[0])
    pieces_check_beat ();
}

static gboolean
covers (guint first, guint n, gint register_, guint size)
{
  return register_ >= 0 && (guint) register_ >= first
      && (guint) register_ + size <= first + n;
}

/* Returns: how many pieces that are */
static guint
check_written (const LinePlcConfig * config, guint first, guint n)
{
  guint n_pieces = 0;

  if (covers (first, n, config->heartbeat, HEAD))
    check_head (plc.registers + config->heartbeat);
  if (covers (first, n, COMMAND + WORDS, VERDICT))
    check_verdict (plc.registers + COMMAND + WORDS);
  for (guint i = 0; i < config->slots; i++) {
    const guint at = config->first + i * SLOT;

    if (!covers (first, n, (gint) at, SLOT))
      continue;
    check_slot (config, plc.registers + at, i);
    n_pieces += plc.registers[at + 6] != 0;
  }
  return n_pieces;
}

/* The link */

LinePlcLink *
line_plc_link_new (const LinePlcConfig * config, GError ** error)
{
  LinePlcLink *link = g_new0 (LinePlcLink, 1);

  link->config = config;
  link->reason = "";
  return link;
}

void
line_plc_link_free (LinePlcLink * link)
{
  if (plc.open == link)
    plc.open = NULL;
  g_free (link);
}

gboolean
line_plc_link_is_open (const LinePlcLink * link)
{
  return link->is_open;
}

static LinePlcAnswer
fail (LinePlcLink * link, LinePlcAnswer answer, const char *reason)
{
  link->is_open = FALSE;
  link->reason = reason;
  return answer;
}

LinePlcAnswer
line_plc_link_open (LinePlcLink * link)
{
  if (plc.faults & CONTROLLER_OFF) {
    world_sleep_until (world_now () + REFUSAL);
    return fail (link, LINE_PLC_ANSWER_UNREACHABLE, "refused");
  }
  world_sleep_until (world_now () + (gint64) world_below (ANSWER));
  link->is_open = TRUE;
  plc.open = link;
  return LINE_PLC_ANSWER_OK;
}

/* What it does with a request; the time that it takes is over then. */
static LinePlcAnswer
take_request (LinePlcLink * link)
{
  const gint64 begin = world_now ();
  const gint64 timeout = link->config->timeout_ms * G_GINT64_CONSTANT (1000);
  gint64 end = begin + (gint64) world_below (ANSWER);

  if (plc.faults & CONTROLLER_SLOW)
    end = begin + (gint64) world_below (2 * timeout);
  if (plc.faults & CONTROLLER_SILENT)
    end = G_MAXINT64;
  world_sleep_until (MIN (end, begin + timeout));
  if (end > begin + timeout)
    return fail (link, LINE_PLC_ANSWER_SILENT, "silent");
  if ((plc.faults & CONTROLLER_OFF) || !link->is_open)
    return fail (link, LINE_PLC_ANSWER_BROKEN, "closed");
  link->reason = "exception";
  if ((plc.faults & CONTROLLER_BUSY) && world_one_in (2))
    return LINE_PLC_ANSWER_BUSY;
  return plc.faults & CONTROLLER_REFUSES ? LINE_PLC_ANSWER_REFUSED :
      LINE_PLC_ANSWER_OK;
}

/* One that takes too long may have been done all the same. */
LinePlcAnswer
line_plc_link_write (LinePlcLink * link, guint first, const guint16 * values,
    guint n)
{
  g_autofree guint16 *copy = g_memdup2 (values, n * sizeof (*values));
  const LinePlcAnswer answer = take_request (link);
  guint n_pieces = 0;

  if (answer == LINE_PLC_ANSWER_OK || (answer == LINE_PLC_ANSWER_SILENT
          && (plc.faults & CONTROLLER_SLOW) && world_one_in (2))) {
    g_assert (first + n <= REGISTERS);
    memcpy (plc.registers + first, copy, n * sizeof (*values));
    n_pieces = check_written (link->config, first, n);
  }
  if (answer == LINE_PLC_ANSWER_OK)
    pieces_acknowledge (n_pieces);
  if (answer == LINE_PLC_ANSWER_OK)
    world_sleep_until (world_now () + (gint64) world_below (ANSWER));
  return answer;
}

LinePlcAnswer
line_plc_link_read (LinePlcLink * link, guint first, guint16 * values, guint n)
{
  const LinePlcAnswer answer = take_request (link);

  if (answer != LINE_PLC_ANSWER_OK)
    return answer;
  if (first == COMMAND) {
    memcpy (values, plc.registers + first, n * sizeof (*values));
  } else {
    g_assert (n == LINE_PLC_RING_REGISTERS);
    read_ring (values);
  }
  world_sleep_until (world_now () + (gint64) world_below (ANSWER));
  return answer;
}

const char *
line_plc_link_get_reason (const LinePlcLink * link)
{
  return link->reason;
}

/* The world's side */

void
controller_set_faults (guint faults)
{
  world_tell ("PLC: faults %u", faults);
  if ((faults & CONTROLLER_OFF) && plc.open) {
    plc.open->is_open = FALSE;
    plc.open = NULL;
  }
  plc.faults = faults;
}

guint
controller_get_faults (void)
{
  return plc.faults;
}

guint64
controller_count_good (void)
{
  return plc.n_good;
}

guint64
controller_count_beats (void)
{
  return plc.n_beats;
}

void
controller_begin (gboolean has_triggers, guint cups, gboolean has_commands,
    ControllerAnswered answered)
{
  memset (&plc, 0, sizeof (plc));
  plc.has_commands = has_commands;
  plc.answered = answered;
  plc.n_words = WORDS + 1;
  plc.has_triggers = has_triggers;
  plc.cups = cups;
  plc.epoch = 1 + (guint) world_below (65535);
  plc.first = world_one_in (3) ? (guint32) - (gint32) world_below (20000) :
      (guint32) world_below (100000);
  plc.clock = (guint32) world_random ();
  plc.notes = g_array_new (FALSE, FALSE, sizeof (Note));
}

void
controller_end (void)
{
  g_clear_pointer (&plc.notes, g_array_unref);
}
