/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* plc.st alone: what it notes can be read between any two of its statements, and it
 * takes a decision only if all of it is right. Numbers are those of the manual. */

#include <string.h>

#include "checks.h"
#include "plc_command.h"
#include "plc_ring.h"
#include "plc_weights.h"

static guint32 plc_time;
static void see_step (void);

#define ST_STEP() see_step ()
#define ST_TIME() plc_time
#define ST_TIMER() plc_time

#include "plc_st.h"

#define CUPS 3
#define DISTANCE 4
#define PITCH 1000
#define LANE 1

/* What the PLC is to have noted, and what it is about to */
static guint16 ring[LINE_PLC_RING_REGISTERS];
static guint32 before, noted_at;
static gboolean is_watched;
static guint n_seen, n_refused;

/* What gives commands, and who reads them; how many new ones there were */
static FB_LineRecipe *giver;
static LinePlcCommands *taker;
static guint n_taken;

/* A reading is no command, the one before, or the new one. */
static void
see_command (void)
{
  char *message;
  g_autoptr (LineCommand) command = line_plc_commands_see (taker,
      giver->Command, NULL, &message);

  g_free (message);
  if (!command)
    return;
  n_taken++;
  g_assert_cmpuint (command->words[0], ==, giver->Counter);
  g_assert_cmpuint (command->words[1], ==, giver->Recipe);
  g_assert_cmpuint (command->words[2], ==, giver->Lane);
  g_assert_cmpuint (command->words[3], ==, giver->HasFrom);
  g_assert_cmpuint (command->words[4], ==, giver->From & 0xffff);
  g_assert_cmpuint (command->words[5], ==, giver->From >> 16);
}

/* What notes weights, and who reads them; those that there were */
static FB_LineWeights *scale;
static LinePlcWeights scale_taker;
static guint n_weighed;

/* Each weight comes once, in order. */
static void
see_weights (void)
{
  const LinePlcConfig plc = {.lanes = 2,.n_weights = 16,.most_g = 1000 };
  LinePlcWeight found[LINE_PLC_MOST_WEIGHTS];
  const guint n = line_plc_weights_see (&scale_taker, &plc, scale->Weights,
      found);

  for (guint i = 0; i < n; i++, n_weighed++) {
    g_assert_cmpuint (found[i].piece, ==, 0xfff0 + n_weighed);
    g_assert_cmpuint (found[i].lane, ==, n_weighed % 2);
    g_assert_cmpuint (found[i].tenths, ==, n_weighed % 5000);
  }
}

/* Any reading is refused, or has the triggers before this scan's, or that one,
 * too; of the right times. */
static void
see_step (void)
{
  LinePlcRing values;

  if (giver)
    see_command ();
  if (scale)
    see_weights ();
  if (!is_watched)
    return;
  if (line_plc_ring_decode (ring, &values) != NULL) {
    n_refused++;
    return;
  }
  n_seen++;
  g_assert_true (values.next == before || values.next == before + 1);
  g_assert_cmpint ((gint32) (plc_time - noted_at), >=, 0);
  g_assert_cmpuint (values.n, >=, MIN (15, values.next - before));
  for (guint i = 0; i < values.n; i++) {
    const LinePlcTrigger *trigger = &values.triggers[i];

    g_assert_cmpuint (trigger->number, ==, values.next - values.n + i);
    g_assert_cmpuint (trigger->encoder, ==, trigger->number * PITCH);
    g_assert_cmpint ((gint32) (values.now - trigger->time), >=, 0);
    g_assert_cmpint ((gint32) (values.now - trigger->time), <=, 20 * 40);
  }
}

static void
scan (FB_LineTriggers * triggers, gboolean is_cut)
{
  plc_time += 10;
  triggers->Trigger = is_cut;
  triggers->Tick = plc_time;
  triggers->Encoder = (triggers->Next) * PITCH;
  before = triggers->Next;
  FB_LineTriggers_scan (triggers);
}

static void
note (FB_LineTriggers * triggers)
{
  noted_at = plc_time;
  scan (triggers, TRUE);
  for (guint i = 0; i < 3; i++)
    scan (triggers, FALSE);
}

/* At all carries: of the number, and of the clock. */
CHECK (ring)
{
  static const guint32 firsts[] = { 0, 1, 65500, 0xffffffc0u, 131060 };

  for (guint i = 0; i < G_N_ELEMENTS (firsts); i++) {
    FB_LineTriggers triggers = { 0 };
    LinePlcRing values;

    triggers.Ring = ring;
    memset (ring, 255, sizeof (ring));
    FB_LineTriggers_init (&triggers);
    triggers.Next = firsts[i];
    plc_time = 0x7ffffc00u;
    is_watched = FALSE;
    scan (&triggers, FALSE);
    n_seen = n_refused = 0;
    is_watched = TRUE;
    /* its clock goes through a carry in 65 s */
    for (guint k = 0; k < 2000; k++)
      note (&triggers);
    g_assert_null (line_plc_ring_decode (ring, &values));
    g_assert_cmpuint (values.n, ==, 16);
    g_assert_cmpuint (values.next, ==, firsts[i] + 2000);
    g_assert_cmpuint (n_refused, >, 0);
    g_assert_cmpuint (n_refused, <, n_seen / 100);
  }
  is_watched = FALSE;
}

/* Another epoch with each start, 1 after 65535; nothing of before is there; the
 * count goes on if it is kept. */
CHECK (start)
{
  FB_LineTriggers triggers = { 0 };
  LinePlcRing values;

  triggers.Ring = ring;
  FB_LineTriggers_init (&triggers);
  triggers.Starts = 65534;
  for (guint i = 0; i < 3; i++) {
    scan (&triggers, TRUE);
    g_assert_null (line_plc_ring_decode (ring, &values));
    g_assert_cmpuint (values.epoch, ==, i == 0 ? 65535 : i);
    g_assert_cmpuint (values.n, ==, 0);
    g_assert_cmpuint (values.next, ==, i);
    scan (&triggers, FALSE);
    note (&triggers);
    g_assert_null (line_plc_ring_decode (ring, &values));
    g_assert_cmpuint (values.n, ==, 1);
    FB_LineTriggers_start (&triggers);
  }
  /* a tick of 31 bits */
  plc_time = 0x7ffffff4u;
  scan (&triggers, FALSE);
  plc_time = 0xfffffffcu;
  noted_at = triggers.Clock;
  scan (&triggers, FALSE);
  g_assert_cmpuint (triggers.Clock - noted_at, ==, 8);
  triggers.SetNext = TRUE;
  triggers.First = 7;
  scan (&triggers, FALSE);
  g_assert_cmpuint (triggers.Next, ==, 7);
}

/* A lane that has had enough triggers, and the decision of the piece that comes
 * next */
typedef struct
{
  FB_LinePiece piece;
  guint16 head[5], slots[LINE_LAST_WORD + 1];
  guint32 number;
} Lane;

static void
scan_piece (Lane * lane, gboolean is_new)
{
  plc_time += 10;
  lane->piece.IsNew = is_new;
  if (is_new) {
    lane->piece.Number = lane->number;
    lane->piece.Position = lane->number * PITCH;
    lane->piece.Clock = lane->number * 100;
    lane->number++;
  }
  FB_LinePiece_scan (&lane->piece);
}

static guint16 *
find_slot (Lane * lane, guint32 piece)
{
  return lane->slots + ((piece % 16) * LINE_LANES + LANE) * 12;
}

static void
write_slot (Lane * lane, guint32 piece, guint status)
{
  const guint32 last = piece + CUPS - 1;
  guint16 *slot = find_slot (lane, piece);
  const guint16 values[] = { 5, 9, LANE, piece & 0xffff, piece >> 16, 77,
    status,
    (last * PITCH) & 0xffff, (last * PITCH) >> 16, (last * 100) & 0xffff,
    (last * 100) >> 16
  };

  memcpy (slot, values, sizeof (values));
  slot[11] = 0;
  for (guint i = 0; i < 11; i++)
    slot[11] += slot[i];
}

static Lane *
lane_new (guint32 first, guint n, guint status)
{
  Lane *lane = g_new0 (Lane, 1);

  lane->piece.Head = lane->head;
  lane->piece.Slots = lane->slots;
  FB_LinePiece_init (&lane->piece);
  lane->piece.Lane = LANE;
  lane->piece.Epoch = 9;
  lane->piece.Cups = CUPS;
  lane->piece.Distance = DISTANCE;
  lane->piece.Pitch = PITCH;
  lane->piece.NoDecision = 3;
  lane->head[0] = 1;
  lane->head[1] = 5;
  lane->head[2] = 2;
  lane->head[3] = 4;
  lane->head[4] = 1;
  lane->number = first;
  for (guint i = 0; i < n; i++)
    scan_piece (lane, TRUE);
  write_slot (lane, lane->number - DISTANCE - CUPS + 1, status);
  return lane;
}

static void
expect_piece (Lane * lane, guint outlet, guint status)
{
  scan_piece (lane, TRUE);
  g_assert_cmpuint (lane->piece.Piece, ==, lane->number - DISTANCE - CUPS);
  g_assert_cmpuint (lane->piece.Outlet, ==, outlet);
  g_assert_cmpuint (lane->piece.Status, ==, status);
  g_free (lane);
}

CHECK (right)
{
  static const guint32 firsts[] = { 0, 65530, 0xfffffff8u };

  for (guint i = 0; i < G_N_ELEMENTS (firsts); i++) {
    expect_piece (lane_new (firsts[i], 6, 1), 77, 1);
    expect_piece (lane_new (firsts[i], 9, 2), 77, 2);
    expect_piece (lane_new (firsts[i], 9, 3), 3, 3);
    expect_piece (lane_new (firsts[i], 9, 4), 3, 4);
    /* a trigger too few since the start */
    expect_piece (lane_new (firsts[i], 5, 1), 3, 0);
  }
}

/* Any word of a slot that is another one, its sum kept right or not; all are of
 * use. */
CHECK (slots)
{
  for (guint i = 0; i < 11; i++)
    for (guint is_summed = 0; is_summed < 2; is_summed++) {
      Lane *lane = lane_new (100, 9, 1);
      guint16 *slot = find_slot (lane, 109 - DISTANCE - CUPS + 1);

      slot[i]++;
      slot[11] += is_summed;
      if (is_summed && (i == 5 || i == 6))
        expect_piece (lane, i == 5 ? 78 : 77, i == 5 ? 1 : 2);
      else
        expect_piece (lane, 3, 0);
    }
  for (guint i = 0; i < 11; i++) {
    Lane *lane = lane_new (100, 9, 1);
    guint16 *slot = find_slot (lane, 109 - DISTANCE - CUPS + 1);

    /* without triggers, what the PLC has noted is not there */
    lane->piece.IsNumbered = FALSE;
    slot[i]++;
    slot[11]++;
    if (i == 1 || i > 6)
      expect_piece (lane, 77, 1);
    else
      g_free (lane);
  }
}

CHECK (head)
{
  Lane *lane = lane_new (100, 9, 1);

  g_assert_cmpuint (lane->piece.First, ==, 65540);
  lane->head[0] = 0;
  expect_piece (lane, 3, 0);
  lane = lane_new (100, 9, 1);
  lane->head[2] = 1;
  expect_piece (lane, 3, 0);
  lane = lane_new (100, 9, 1);
  lane->head[1] = 6;
  scan_piece (lane, FALSE);
  g_assert_true (lane->piece.IsNewRun);
  scan_piece (lane, FALSE);
  g_assert_false (lane->piece.IsNewRun);
  expect_piece (lane, 3, 0);
  /* nothing of the line for 3 s, and then again */
  lane = lane_new (100, 9, 1);
  for (guint i = 0; i < 200; i++)
    scan_piece (lane, FALSE);
  g_assert_true (lane->piece.IsAlive);
  for (guint i = 0; i < 150; i++)
    scan_piece (lane, FALSE);
  g_assert_false (lane->piece.IsAlive);
  expect_piece (lane, 3, 0);
  lane = lane_new (100, 9, 1);
  for (guint i = 0; i < 350; i++)
    scan_piece (lane, FALSE);
  lane->head[0] = 2;
  expect_piece (lane, 77, 1);
}

/* A trigger that the PLC has missed, or that it takes for two, between the piece's
 * first one and the outlets */
CHECK (encoder)
{
  for (guint i = 0; i < 2; i++)
    for (guint behind = 0; behind < 8; behind++) {
      g_autofree Lane *lane = lane_new (100, 9, 1);

      /* as if it had been when the encoder was a cup further, or less far */
      for (guint k = 0; k < behind; k++)
        scan_piece (lane, TRUE);
      lane->piece.LastPosition += i ? PITCH / 2 : -PITCH;
      scan_piece (lane, TRUE);
      for (guint k = 0; k < DISTANCE + CUPS; k++) {
        write_slot (lane, lane->number - DISTANCE - CUPS + 1, 1);
        scan_piece (lane, TRUE);
        g_assert_cmpuint (lane->piece.Outlet, ==,
            k == DISTANCE + CUPS - 1 || k == DISTANCE + CUPS - 2 ? 77 : 3);
      }
    }
}

static void
give (guint16 recipe, guint16 lane, gboolean has_from, guint32 from)
{
  giver->Recipe = recipe;
  giver->Lane = lane;
  giver->HasFrom = has_from;
  giver->From = from;
  giver->Give = TRUE;
  FB_LineRecipe_scan (giver);
  g_assert_cmpuint (giver->Answer, ==, 0);
  giver->Give = FALSE;
  FB_LineRecipe_scan (giver);
}

/* The line takes each command once, whenever it reads; also that with the same
 * sum as the one before. */
CHECK (recipe)
{
  const LineConfig config = {.lanes = g_array_new (FALSE, TRUE,
        sizeof (LineLaneConfig)),.plc.recipes = g_array_new (FALSE, TRUE,
        sizeof (LinePlcRecipe))
  };
  const LineRun run = {.id = 3 };
  FB_LineRecipe block = { 0 };
  guint16 registers[LINE_PLC_COMMAND_REGISTERS] = { 0 };

  giver = &block;
  block.Command = registers;
  FB_LineRecipe_init (&block);
  taker = line_plc_commands_new (&config, &run, NULL);
  n_taken = 0;
  block.Counter = 65533;
  for (guint i = 0; i < 6; i++) {
    give (1 + i, 65535 - i, i > 2, 0xffffffff - i);
    g_assert_cmpuint (n_taken, ==, i + 1);
    g_assert_cmpuint (registers[0], ==, i < 2 ? 65534 + i : i - 1);
    line_plc_commands_answer (taker, registers[0], LINE_PLC_VERDICT_REFUSED);
    g_assert_true (line_plc_commands_get_answer (taker, registers + 7));
    FB_LineRecipe_scan (&block);
    g_assert_cmpuint (block.Answer, ==, 2);
    /* half of it is none */
    registers[9]++;
    FB_LineRecipe_scan (&block);
    g_assert_cmpuint (block.Answer, ==, 0);
  }
  giver = NULL;
  line_plc_commands_free (taker);
  g_array_unref (config.plc.recipes);
  g_array_unref (config.lanes);
}

/* The line has each weight once, whenever it reads; at all carries. */
CHECK (weights)
{
  FB_LineWeights block = { 0 };
  guint16 registers[84];

  memset (registers, 255, sizeof (registers));
  block.Weights = registers;
  FB_LineWeights_init (&block);
  block.Epoch = 3;
  block.Next = 0xffffff00;
  FB_LineWeights_scan (&block);
  scale = &block;
  see_weights ();
  for (guint i = 0; i < 70000; i++) {
    block.IsNew = TRUE;
    block.Piece = 0xfff0 + i;
    block.Lane = i % 2;
    block.Tenths = i % 5000;
    FB_LineWeights_scan (&block);
    block.IsNew = FALSE;
    FB_LineWeights_scan (&block);
    g_assert_cmpuint (n_weighed, ==, i + 1);
  }
  g_assert_cmpuint (scale_taker.missed, ==, 0);
  scale = NULL;
}

GLIB_CHECKS ("/plc-program")
