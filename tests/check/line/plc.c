/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is written to a PLC, and the queue before it, without a PLC. Register
 * numbers and codes are those of the manual, written by hand. */

#include <math.h>
#include <string.h>

#include <jansson.h>

#include "checks.h"
#include "plc.h"
#include "plc_batch.h"
#include "plc_command.h"
#include "plc_queue.h"
#include "plc_registers.h"
#include "plc_ring.h"
#include "plc_weights.h"
#include "report.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LinePlcQueue, line_plc_queue_free)

CHECK (registers)
{
  const LinePlcConfig old = {.first = 100,.slots = 16,.layout = 1,
    .lanes = 3
  };
  const LinePlcConfig plc = {.first = 100,.slots = 16,.layout = 2,.lanes = 3 };

  g_assert_cmpuint (line_plc_find_register (&old, 0, 0), ==, 100);
  g_assert_cmpuint (line_plc_find_register (&old, 0, 15), ==, 160);
  g_assert_cmpuint (line_plc_find_register (&old, 0, 16), ==, 100);
  g_assert_cmpuint (line_plc_find_register (&old, 1, 17), ==, 168);
  g_assert_cmpuint (line_plc_find_register (&old, 2,
          G_GUINT64_CONSTANT (0x100000003)), ==, 240);
  g_assert_cmpuint (line_plc_find_register (&plc, 0, 15), ==, 640);
  g_assert_cmpuint (line_plc_find_register (&plc, 1, 17), ==, 148);
  g_assert_cmpuint (line_plc_count_blocks (&old), ==, 3);
  g_assert_cmpuint (line_plc_block_first (&old, 2), ==, 228);
  g_assert_cmpuint (line_plc_block_size (&old), ==, 64);
  g_assert_cmpuint (line_plc_count_blocks (&plc), ==, 1);
  g_assert_cmpuint (line_plc_block_first (&plc, 0), ==, 100);
  g_assert_cmpuint (line_plc_block_size (&plc), ==, 576);
}

static const struct
{
  LineStatus status;
  guint16 code;
} codes[] = {
  {LINE_STATUS_OK, 1}, {LINE_STATUS_PARTIAL, 2}, {LINE_STATUS_LATE, 3},
  {LINE_STATUS_UNDECIDED, 4},
};

CHECK (codes)
{
  const LinePlcConfig old = {.layout = 1 }, plc = {.layout = 2 };
  guint16 values[LINE_PLC_SLOT];

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++) {
    const LinePlcSlot slot = {7, 6, 2, 65536 * 3 + 5, 8, codes[i].status,
      65536 * 9 + 1, 65536 * 4 + 2
    };
    const guint16 expected[] = { 7, 6, 2, 5, 3, 8, codes[i].code, 1, 9, 2, 4,
      7 + 6 + 2 + 5 + 3 + 8 + codes[i].code + 1 + 9 + 2 + 4
    };

    g_assert_cmpuint (line_plc_encode (&old, &slot, values), ==, 4);
    g_assert_cmpmem (values, 8, expected + 3, 8);
    g_assert_cmpuint (line_plc_encode (&plc, &slot, values), ==, 12);
    g_assert_cmpmem (values, 24, expected, 24);
  }
}

/* Words and their sum go on from 65535 with 0. */
CHECK (limits)
{
  const LinePlcConfig plc = {.layout = 2 };
  const LinePlcSlot slot = {65535, 0, 0, G_GUINT64_CONSTANT (0x7fffeffff), 65535,
    LINE_STATUS_OK, 0xffffffff, 0
  };
  const guint16 expected[] = { 0xffff, 0, 0, 0xffff, 0xfffe, 0xffff, 1,
    0xffff, 0xffff, 0, 0, 0xfffa
  };
  guint16 values[LINE_PLC_SLOT];

  line_plc_encode (&plc, &slot, values);
  g_assert_cmpmem (values, 24, expected, 24);
}

CHECK (head)
{
  const LinePlcConfig old = {.layout = 1 }, plc = {.layout = 2 };
  const guint16 expected[] = { 9, 4, 2, 5, 1 };
  guint16 values[LINE_PLC_HEAD];

  g_assert_cmpuint (line_plc_encode_head (&old, 9, 4, 65541, values), ==, 1);
  g_assert_cmpuint (values[0], ==, 9);
  g_assert_cmpuint (line_plc_encode_head (&plc, 9, 4, 65541, values), ==, 5);
  g_assert_cmpmem (values, 10, expected, 10);
  /* nobody writes 0 but who ends */
  line_plc_encode_head (&old, 65535, 4, 0, values);
  g_assert_cmpuint (values[0], ==, 65535);
  line_plc_encode_head (&old, 65536, 4, 0, values);
  g_assert_cmpuint (values[0], ==, 1);
  line_plc_encode_head (&old, 0, 4, 0, values);
  g_assert_cmpuint (values[0], ==, 0);
}

CHECK (delays)
{
  static const gint64 ms[] = { 0, 50, 100, 200, 400, 500, 500 };

  for (guint i = 0; i < G_N_ELEMENTS (ms); i++)
    g_assert_cmpint (line_plc_get_delay (i), ==, 1000 * ms[i]);
  g_assert_cmpint (line_plc_get_delay (G_MAXUINT), ==, 500 * 1000);
}

/* A PLC that has had @next triggers at every 100 of its milliseconds, as the
 * manual says. */
static void
fill_ring (guint16 * values, guint32 next, guint n)
{
  const guint32 now = next * 100;

  memset (values, 0, 2 * LINE_PLC_RING_REGISTERS);
  values[0] = 1;
  values[1] = 5;
  values[2] = next & 0xffff;
  values[3] = next >> 16;
  values[4] = now & 0xffff;
  values[5] = now >> 16;
  for (guint32 i = next - n; i != next; i++) {
    guint16 *at = values + 6 + i % 16 * 6;

    at[0] = i & 0xffff;
    at[1] = i >> 16;
    at[2] = (i * 7) & 0xffff;
    at[3] = (i * 7) >> 16;
    at[4] = (i * 100) & 0xffff;
    at[5] = (i * 100) >> 16;
  }
}

CHECK (ring)
{
  static const struct
  {
    guint32 next;
    guint n;
  } cases[] = { {0, 0}, {3, 3}, {16, 16}, {70000, 16}, {70000, 5}, {4, 16} };
  guint16 values[LINE_PLC_RING_REGISTERS];
  LinePlcRing ring;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    fill_ring (values, cases[i].next, cases[i].n);
    g_assert_null (line_plc_ring_decode (values, &ring));
    g_assert_cmpuint (ring.epoch, ==, 5);
    g_assert_cmpuint (ring.next, ==, cases[i].next);
    g_assert_cmpuint (ring.now, ==, cases[i].next * 100);
    g_assert_cmpuint (ring.n, ==, cases[i].n);
    for (guint k = 0; k < ring.n; k++) {
      const guint32 number = cases[i].next - cases[i].n + k;

      g_assert_cmpuint (ring.triggers[k].number, ==, number);
      g_assert_cmpuint (ring.triggers[k].encoder, ==, number * 7);
      g_assert_cmpuint (ring.triggers[k].time, ==, number * 100);
    }
  }
}

CHECK (wrong_ring)
{
  guint16 values[LINE_PLC_RING_REGISTERS];
  LinePlcRing ring;

  fill_ring (values, 20, 16);
  values[0] = 2;
  g_assert_nonnull (line_plc_ring_decode (values, &ring));
  values[0] = 1;
  values[1] = 0;
  g_assert_nonnull (line_plc_ring_decode (values, &ring));
  values[1] = 5;
  /* number 18, at the time of number 21 */
  values[6 + 2 * 6 + 4] = 2100;
  g_assert_nonnull (line_plc_ring_decode (values, &ring));
  values[6 + 2 * 6 + 4] = 1800;
  /* half written: number 20 is there, and not counted */
  values[6 + 4 * 6] = 20;
  g_assert_null (line_plc_ring_decode (values, &ring));
  g_assert_cmpuint (ring.n, ==, 15);
}

static void
add (LinePlcQueue * queue, guint64 number, gint64 now, gboolean has_room)
{
  /* each arrives 100 after it was decided */
  const LinePlcPiece piece = {.first = number,.arrival = now + 100 };

  g_assert_cmpint (line_plc_queue_add (queue, &piece, now), ==, has_room);
}

static void
take (LinePlcQueue * queue, gint64 now, guint64 number)
{
  LinePlcPiece piece;

  g_assert_true (line_plc_queue_take (queue, now, NULL, NULL, &piece));
  g_assert_cmpuint (piece.first, ==, number);
}

/* Pieces whose number has this bit */
static gboolean
has_bit (const LinePlcPiece * piece, gpointer bit)
{
  return piece->first & GPOINTER_TO_UINT (bit);
}

/* Who is not ready does not hold up those behind; order is kept. */
CHECK (waiting)
{
  g_autoptr (LinePlcQueue) queue = line_plc_queue_new (8);
  LinePlcPiece piece;

  for (guint64 i = 0; i < 5; i++) {
    add (queue, 100 + i, i, TRUE);
    take (queue, i, 100 + i);
  }
  for (guint64 i = 0; i < 8; i++)
    add (queue, i, 10 * i, TRUE);
  add (queue, 8, 80, FALSE);
  for (guint64 i = 1; i < 8; i += 2) {
    g_assert_true (line_plc_queue_take (queue, 50, has_bit,
            GUINT_TO_POINTER (1), &piece));
    g_assert_cmpuint (piece.first, ==, i);
  }
  g_assert_false (line_plc_queue_take (queue, 50, has_bit,
          GUINT_TO_POINTER (1), &piece));
  g_assert_cmpuint (line_plc_queue_get_length (queue), ==, 4);
  g_assert_true (line_plc_queue_take (queue, 100, has_bit,
          GUINT_TO_POINTER (4), &piece));
  g_assert_cmpuint (piece.first, ==, 4);
  g_assert_cmpuint (line_plc_queue_get_late (queue), ==, 1);
  take (queue, 100, 2);
  take (queue, 100, 6);
  g_assert_cmpuint (line_plc_queue_get_length (queue), ==, 0);
}

CHECK (queue)
{
  g_autoptr (LinePlcQueue) queue = line_plc_queue_new (3);
  LinePlcPiece piece;

  g_assert_false (line_plc_queue_take (queue, 0, NULL, NULL, &piece));
  for (guint64 i = 0; i < 10; i++) {
    add (queue, 2 * i, 0, TRUE);
    add (queue, 2 * i + 1, 0, TRUE);
    take (queue, 0, 2 * i);
    take (queue, 99, 2 * i + 1);
  }
  g_assert_cmpuint (line_plc_queue_get_late (queue), ==, 0);
  /* full: the new one finds no room */
  add (queue, 20, 0, TRUE);
  add (queue, 21, 10, TRUE);
  add (queue, 22, 20, TRUE);
  add (queue, 23, 99, FALSE);
  g_assert_cmpuint (line_plc_queue_get_dropped (queue), ==, 1);
  g_assert_cmpuint (line_plc_queue_get_length (queue), ==, 3);
  /* but those that have arrived make room */
  add (queue, 24, 110, TRUE);
  g_assert_cmpuint (line_plc_queue_get_late (queue), ==, 2);
  g_assert_cmpuint (line_plc_queue_get_dropped (queue), ==, 1);
  take (queue, 119, 22);
  take (queue, 209, 24);
  /* at its arrival a piece is of no use any more */
  add (queue, 25, 300, TRUE);
  add (queue, 26, 301, TRUE);
  take (queue, 400, 26);
  g_assert_cmpuint (line_plc_queue_get_late (queue), ==, 3);
  add (queue, 27, 500, TRUE);
  g_assert_false (line_plc_queue_take (queue, 600, NULL, NULL, &piece));
  g_assert_cmpuint (line_plc_queue_get_late (queue), ==, 4);
  g_assert_cmpuint (line_plc_queue_get_length (queue), ==, 0);
}

static LinePlcPiece
make_piece (guint lane, guint64 piece, gint64 arrival)
{
  return (LinePlcPiece) {.lane = lane,.slot = {.lane = lane,.piece = piece,
      .status = LINE_STATUS_OK},.arrival = arrival};
}

/* Whether it was added. */
static gboolean
try_to_add (const LinePlcConfig * plc, LinePlcBatch * batch, guint lane,
    guint64 number)
{
  const LinePlcPiece piece = make_piece (lane, number, 100 + lane);
  const gboolean fits = line_plc_batch_fits (plc, batch, &piece);

  if (fits)
    line_plc_batch_add (plc, batch, &piece);
  return fits;
}

/* Lanes 0 to 11, slots 0 to 3, from register 1000 on */
CHECK (batch)
{
  const LinePlcConfig plc = {.first = 1000,.slots = 4,.layout = 2,.lanes = 12 };
  guint16 values[LINE_PLC_LINK_MAX];
  LinePlcBatch batch = { 0 };

  g_assert_true (try_to_add (&plc, &batch, 5, 41));
  g_assert_false (try_to_add (&plc, &batch, 7, 41));
  g_assert_false (try_to_add (&plc, &batch, 5, 41));
  g_assert_false (try_to_add (&plc, &batch, 6, 42));
  g_assert_true (try_to_add (&plc, &batch, 6, 41));
  g_assert_true (try_to_add (&plc, &batch, 4, 41));
  g_assert_true (try_to_add (&plc, &batch, 7, 41));
  g_assert_cmpuint (batch.first, ==, 1000 + 12 * (12 + 4));
  g_assert_cmpuint (line_plc_batch_encode (&plc, &batch, batch.n, values), ==,
      48);
  for (guint i = 0; i < 4; i++) {
    g_assert_cmpuint (values[12 * i + 2], ==, 4 + i);
    g_assert_cmpuint (values[12 * i + 3], ==, 41);
  }
  g_assert_cmpuint (line_plc_batch_encode (&plc, &batch, 1, values), ==, 12);
  /* 123 registers hold ten */
  for (guint lane = 8; lane < 12; lane++)
    g_assert_true (try_to_add (&plc, &batch, lane, 41));
  g_assert_true (try_to_add (&plc, &batch, 0, 42));
  g_assert_true (try_to_add (&plc, &batch, 3, 41));
  g_assert_false (try_to_add (&plc, &batch, 1, 42));
  g_assert_cmpuint (batch.n, ==, 10);
  g_assert_cmpuint (line_plc_batch_remove_late (&plc, &batch, 104), ==, 2);
  g_assert_cmpuint (batch.first, ==, 1000 + 12 * (12 + 5));
  g_assert_cmpuint (batch.pieces[0].lane, ==, 5);
  line_plc_batch_remove (&plc, &batch, 8);
  g_assert_cmpuint (batch.n, ==, 0);
}

/* In the old layout lanes are apart: the PLC may have one, and not the next. */
CHECK (old_batch)
{
  const LinePlcConfig plc = {.first = 0,.slots = 40,.layout = 1,.lanes = 2 };
  LinePlcBatch batch = { 0 };

  for (guint64 piece = 10; piece < 40; piece++)
    g_assert_true (try_to_add (&plc, &batch, 0, piece));
  g_assert_false (try_to_add (&plc, &batch, 0, 9));
  line_plc_batch_remove (&plc, &batch, 1);
  g_assert_false (try_to_add (&plc, &batch, 1, 0));
  g_assert_false (try_to_add (&plc, &batch, 0, 40));
  g_assert_true (try_to_add (&plc, &batch, 0, 10));
}

static LineConfig *
parse (const char *plc, GError ** error)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (LINE_FILES "/line1.ini", &text, NULL,
          NULL));
  g_autofree char *both = g_strconcat (text, plc, NULL);
  return line_config_parse ("line1.ini", both, strlen (both), error);
}

CHECK (settings)
{
  GError *error = NULL;
  g_autoptr (LineConfig) config = parse ("", &error);

  g_assert_no_error (error);
  g_assert_null (config->plc.address);
  line_config_free (config);
  config = parse ("[plc]\naddress=plc1\nregister=0\narrival-ms=800\n", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (config->plc.address, ==, "plc1");
  g_assert_cmpuint (config->plc.port, ==, 502);
  g_assert_cmpuint (config->plc.unit, ==, 1);
  g_assert_cmpuint (config->plc.first, ==, 0);
  g_assert_cmpuint (config->plc.slots, ==, 16);
  g_assert_cmpuint (config->plc.timeout_ms, ==, 100);
  g_assert_cmpint (config->plc.heartbeat, ==, -1);
}

/* What is only just possible */
CHECK (edges)
{
  static const char *const cases[] = {
    "unit=247\n", "unit=255\n", "unit=0\n", "heartbeat=5\n",
    "heartbeat=202\n", "triggers=300\ntriggers-step=0\n",
    "triggers=300\ntriggers-step=102\ntriggers-delay-ms=-1000\n",
    "triggers=65434\n", "slots=6\n", "command=0\n", "command=202\n",
    "weights=202\nweights-slots=2\n", "weights=65452\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = g_strconcat ("[plc]\naddress=a\nregister=10\n"
        "arrival-ms=500\n", cases[i], NULL);
    GError *error = NULL;
    g_autoptr (LineConfig) config = parse (text, &error);

    if (error)
      g_error ("%s: %s", cases[i], error->message);
    g_assert_true (isnan (config->plc.delay) == (i != 6));
    if (i == 6) {
      g_assert_cmpint (config->plc.step, ==, 102);
      g_assert_cmpfloat (config->plc.delay, ==, -1000);
    }
  }
}

/* As a PLC writes it, by the manual: all but its sum is in @words. */
static LineCommand *
see (LinePlcCommands * commands, const guint16 * words, guint wrong,
    const guint16 * answer)
{
  guint16 values[10] = { 0 };
  char *message;

  memcpy (values, words, 12);
  for (guint i = 0; i < 6; i++)
    values[6] += words[i];
  values[6] += wrong;
  if (answer)
    memcpy (values + 7, answer, 6);
  LineCommand *command = line_plc_commands_see (commands, values, NULL,
      &message);
  g_free (message);
  return command;
}

#define COMMANDS "[line]\nname=test\nrecipe=a\noutput=b\ndeadline-ms=50\n" \
    "recipes=c\n[geometry]\ncolumns=200\nrows=100\nmm-per-pixel=1\n" \
    "cups=2\ncup-first=0\ncup-pitch=100\ntilt=0\n[lane x]\n" \
    "source=simulate\n[lane y]\nsource=simulate\n[plc]\naddress=a\n" \
    "register=100\narrival-ms=500\ncommand=10\nrecipes=1:early;700:late\n"

static const struct
{
  guint16 words[6];
  const char *recipe, *lane, *wrong;
  gint64 from;
} commands[] = {
  {{1, 1, 65535}, "early", NULL, NULL, -1},
  {{2, 700, 1}, "late", "y", NULL, -1},
  {{3, 0, 0, 1, 7, 1}, NULL, "x", NULL, 65543},
  /* before the run's first piece, by 32 bits */
  {{4, 0, 0, 1, 0xffff, 0xffff}, NULL, "x", NULL, G_GINT64_CONSTANT
        (0x1ffffffff)},
  {{5, 2, 0}, NULL, "x", "no number 2", -1},
  {{6, 1, 2}, "early", NULL, "no lane 2: lanes are 0 to 1", -1},
  {{7, 1, 0, 2}, "early", "x", "not 2", -1},
};

CHECK (commands)
{
  GError *error = NULL;
  g_autoptr (LineConfig) config = line_config_parse ("test", COMMANDS,
      strlen (COMMANDS), &error);
  g_assert_no_error (error);

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++) {
    const LineRun run = {.first = i == 3 ? G_GUINT64_CONSTANT (0x200000000) :
          0
    };
    LinePlcCommands *taker = line_plc_commands_new (config, &run, NULL);
    LineCommand *command = see (taker, commands[i].words, 0, NULL);

    g_assert_nonnull (command);
    g_assert_cmpstr (command->recipe, ==, commands[i].recipe);
    g_assert_cmpstr (command->lane, ==, commands[i].lane);
    g_assert_true (!command->wrong == !commands[i].wrong
        && (!command->wrong || strstr (command->wrong, commands[i].wrong)));
    g_assert_cmpint (line_command_get_from (command, 0), ==,
        commands[i].from);
    line_command_free (command);
    line_plc_commands_free (taker);
  }
}

/* What is no command, and what is none any more */
CHECK (old_commands)
{
  static const guint16 words[] = { 9, 1, 65535, 0, 0, 0 };
  static const guint16 next[] = { 10, 1, 65535, 0, 0, 0 }, none[6] = { 0 };
  static const guint16 done[] = { 9, 1, 10 }, half[] = { 9, 1, 9 },
      other[] = { 8, 1, 9 };
  const LineRun run = { 0 };
  guint16 answer[3];
  GError *error = NULL;
  g_autoptr (LineConfig) config = line_config_parse ("test", COMMANDS,
      strlen (COMMANDS), &error);
  json_auto_t *last = json_pack ("{s:[iiiiiii],s:i}", "words", 9, 1, 65535, 0,
      0, 0, 9, "answer", 2);
  LinePlcCommands *taker = line_plc_commands_new (config, &run, NULL);

  /* half written, or garbage; then it is there, once */
  for (guint i = 0; i < 9; i++)
    g_assert_null (see (taker, words, 1 + i, NULL));
  LineCommand *command = see (taker, words, 0, half);
  g_assert_nonnull (command);
  line_command_free (command);
  g_assert_null (see (taker, words, 0, NULL));
  /* an answer to another command changes nothing */
  line_plc_commands_answer (taker, 8, LINE_PLC_VERDICT_DONE);
  g_assert_false (line_plc_commands_get_answer (taker, answer));
  line_plc_commands_answer (taker, 9, LINE_PLC_VERDICT_DONE);
  g_assert_true (line_plc_commands_get_answer (taker, answer));
  g_assert_cmpmem (answer, 6, done, 6);
  line_plc_commands_wrote (taker);
  g_assert_false (line_plc_commands_get_answer (taker, answer));
  /* the PLC has lost it */
  g_assert_null (see (taker, words, 0, other));
  g_assert_true (line_plc_commands_get_answer (taker, answer));
  /* withdrawn, and given once more */
  g_assert_null (see (taker, none, 0, NULL));
  command = see (taker, words, 0, NULL);
  g_assert_nonnull (command);
  line_command_free (command);
  line_plc_commands_free (taker);

  /* an earlier run has answered it: by the PLC, by the log */
  taker = line_plc_commands_new (config, &run, NULL);
  g_assert_null (see (taker, words, 0, done));
  g_assert_false (line_plc_commands_get_answer (taker, answer));
  command = see (taker, next, 0, done);
  g_assert_nonnull (command);
  line_command_free (command);
  line_plc_commands_free (taker);
  taker = line_plc_commands_new (config, &run, last);
  g_assert_null (see (taker, words, 0, NULL));
  g_assert_true (line_plc_commands_get_answer (taker, answer));
  g_assert_cmpuint (answer[1], ==, 2);
  line_plc_commands_free (taker);
  /* given while no line was there */
  taker = line_plc_commands_new (config, &run, last);
  command = see (taker, next, 0, other);
  g_assert_nonnull (command);
  line_command_free (command);
  line_plc_commands_free (taker);
}

/* Weight @number of a PLC, in @values, by the manual */
static void
put_weight (guint16 * values, guint32 number, guint32 piece, guint lane,
    guint tenths)
{
  guint16 *at = values + 4 + 5 * (number % 4);

  at[0] = piece & 0xffff;
  at[1] = piece >> 16;
  at[2] = (guint16) lane;
  at[3] = (guint16) tenths;
  at[4] = (guint16) (number + at[0] + at[1] + lane + tenths);
  values[2] = (number + 1) & 0xffff;
  values[3] = (number + 1) >> 16;
}

CHECK (weights)
{
  const LinePlcConfig plc = {.lanes = 3,.n_weights = 4,.most_g = 500 };
  const guint32 first = 0xfffffffe;
  guint16 values[24] = { 2, 7, first & 0xffff, first >> 16 };
  LinePlcWeight found[LINE_PLC_MOST_WEIGHTS];
  LinePlcWeights weights = { 0 };

  /* not written yet, of no epoch; then what is there is old */
  g_assert_cmpuint (line_plc_weights_see (&weights, &plc, values, found), ==,
      0);
  values[0] = 1;
  values[1] = 0;
  put_weight (values, first, 1, 0, 10);
  g_assert_cmpuint (line_plc_weights_see (&weights, &plc, values, found), ==,
      0);
  values[1] = 7;
  g_assert_cmpuint (line_plc_weights_see (&weights, &plc, values, found), ==,
      0);
  /* each once, beyond the last number, too */
  put_weight (values, first + 1, 70000, 2, 5000);
  put_weight (values, first + 2, 70001, 1, 0);
  g_assert_cmpuint (line_plc_weights_see (&weights, &plc, values, found), ==,
      2);
  g_assert_cmpuint (found[0].piece, ==, 70000);
  g_assert_cmpuint (found[0].lane, ==, 2);
  g_assert_cmpuint (found[0].tenths, ==, 5000);
  g_assert_cmpuint (found[1].piece, ==, 70001);
  g_assert_cmpuint (line_plc_weights_see (&weights, &plc, values, found), ==,
      0);
  /* too much, none, less than nothing, of no lane */
  put_weight (values, first + 3, 1, 0, 5001);
  put_weight (values, first + 4, 1, 0, 65535);
  put_weight (values, first + 5, 1, 0, (guint16) - 7);
  put_weight (values, first + 6, 1, 3, 10);
  g_assert_cmpuint (line_plc_weights_see (&weights, &plc, values, found), ==,
      0);
  g_assert_cmpuint (weights.refused, ==, 4);
  g_assert_cmpuint (weights.missed, ==, 0);
  /* six of which four are there, one of them half written */
  for (guint i = 7; i < 13; i++)
    put_weight (values, first + i, i, 0, 10);
  values[4 + 5 * ((first + 10) % 4) + 4]++;
  g_assert_cmpuint (line_plc_weights_see (&weights, &plc, values, found), ==,
      3);
  g_assert_cmpuint (weights.missed, ==, 3);
  g_assert_cmpuint (found[0].piece, ==, 9);
  g_assert_cmpuint (found[2].piece, ==, 12);
  /* the PLC begins anew */
  values[1] = 8;
  put_weight (values, 0, 5, 0, 10);
  g_assert_cmpuint (line_plc_weights_see (&weights, &plc, values, found), ==,
      0);
  put_weight (values, 1, 6, 0, 10);
  g_assert_cmpuint (line_plc_weights_see (&weights, &plc, values, found), ==,
      1);
  g_assert_cmpuint (weights.missed, ==, 3);
}

/* Twice in the time in which they are overwritten */
CHECK (weights_period)
{
  const LinePlcConfig plc = {.lanes = 2,.n_weights = 16 };

  g_assert_cmpint (line_plc_weights_get_period (&plc, 10), ==, 400000);
  g_assert_cmpint (line_plc_weights_get_period (&plc, 1), ==, 1000000);
}

/* The group is in line 25; deadline-ms is 50, of ten pieces a second. */
CHECK (mistakes)
{
  static const struct
  {
    const char *plc, *message;
  } cases[] = {
    {"register=0\narrival-ms=500\n", "29: [plc] lacks the key \"address\""},
    {"address=a\narrival-ms=500\n", "29: [plc] lacks the key \"register\""},
    {"address=a\nregister=0\n", "29: [plc] lacks the key \"arrival-ms\""},
    {"address=a\nregister=0\narrival-ms=50\n",
        "32: pieces arrive after 50 ms, and are decided 50 ms after"},
    {"address=a\nregister=0\narrival-ms=500\nslots=5\n",
        "33: 5 slots, at 10 pieces a second, are used again before a piece "
          "arrives, after 500 ms: at least 6 slots"},
    {"address=a\nregister=65473\narrival-ms=500\nlayout=1\n",
        "31: 1 lanes of 16 slots of 4 registers from 65473 on go beyond"},
    {"address=a\nregister=65361\narrival-ms=500\n",
        "31: 1 lanes of 16 slots of 12 registers from 65361 on go beyond"},
    {"address=a\nregister=10\narrival-ms=500\nheartbeat=73\nlayout=1\n",
        "33: registers 73 to 73 are also those of \"register\", 10 to 73"},
    {"address=a\nregister=10\narrival-ms=500\nheartbeat=201\n",
        "33: registers 201 to 205 are also those of \"register\", 10 to 201"},
    {"address=a\nregister=200\narrival-ms=500\ntriggers=99\n",
        "33: registers 99 to 200 are also those of \"register\", 200 to 391"},
    {"address=a\nregister=0\narrival-ms=500\ntriggers=65435\n",
        "33: registers 65435 to 65536 go beyond register 65535"},
    {"address=a\nregister=0\narrival-ms=500\ntriggers=300\nlayout=1\n",
        "33: layout=1 has no room for what a PLC notes of its triggers"},
    {"address=a\nregister=0\narrival-ms=500\ntriggers=300\n"
          "triggers-step=101\n", "34: a lane's triggers take 102 registers"},
    {"address=a\nregister=0\narrival-ms=500\ntriggers-step=102\n",
        "33: unknown key \"triggers-step\""},
    {"address=a\nregister=10\narrival-ms=500\nunit=250\n",
        "33: \"unit\" is 0 to 247, or 255"},
    {"address=a\nregister=10\narrival-ms=500\nadress=b\n",
        "33: unknown key \"adress\""},
    {"address=a\nregister=10\narrival-ms=500\nport=0\n",
        "33: \"port\" is 0, and must be a number from 1 to 65535"},
    {"address=a b\nregister=0\narrival-ms=500\n",
        "30: \"address\" must be a host"},
    {"address=\nregister=0\narrival-ms=500\n",
        "30: \"address\" has no value"},
    {"address=a\nregister=10\narrival-ms=500\nunit=248\n",
        "33: \"unit\" is 0 to 247, or 255"},
    {"address=a\nregister=10\narrival-ms=500\nheartbeat=6\n",
        "33: registers 6 to 10 are also those of \"register\", 10 to 201"},
    {"address=a\nregister=0\narrival-ms=500\ntriggers=300\n"
          "triggers-delay-ms=1000.5\n", "34: \"triggers-delay-ms\" is 1000.5"},
    {"address=a\nregister=10\narrival-ms=500\ncommand=1\n",
        "33: registers 1 to 10 are also those of \"register\", 10 to 201"},
    {"address=a\nregister=10\narrival-ms=500\nrecipes=1:a\n",
        "33: \"recipes\" needs \"command\""},
    {"address=a\nregister=10\narrival-ms=500\ncommand=0\nrecipes=1:a\n",
        "34: \"recipes\" needs recipes=FOLDER in [line]"},
    {"address=a\nregister=10\narrival-ms=500\ncommand=0\nrecipes=1:a;1:b\n",
        "34: number 1 is there twice"},
    {"address=a\nregister=10\narrival-ms=500\ncommand=0\nrecipes=0:a\n",
        "34: \"0:a\" is no NUMBER:NAME"},
    {"address=a\nregister=10\narrival-ms=500\ncommand=0\nrecipes=7\n",
        "34: \"7\" is no NUMBER:NAME"},
    {"address=a\nregister=84\narrival-ms=500\nweights=1\n",
        "33: registers 1 to 84 are also those of \"register\", 84 to 275"},
    {"address=a\nregister=0\narrival-ms=500\nweights=65453\n",
        "33: registers 65453 to 65536 go beyond register 65535"},
    {"address=a\nregister=0\narrival-ms=500\nweights=300\n"
          "weights-slots=2\ntimeout-ms=101\n",
        "33: 2 weights, at 10 pieces a second in 1 lanes, are overwritten after "
          "200 ms, and two answers may take 202 ms"},
    {"address=a\nregister=0\narrival-ms=500\nweights-slots=8\n",
        "33: unknown key \"weights-slots\""},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = g_strconcat ("[plc]\n", cases[i].plc, NULL);
    g_autoptr (GError) error = NULL;

    g_assert_null (parse (text, &error));
    if (!strstr (error->message, cases[i].message))
      g_error ("\"%s\" lacks \"%s\"", error->message, cases[i].message);
  }
}

/* All three forms, against figures made by hand */
CHECK (report)
{
  const LinePlcCounts counts = {.is_used = TRUE,.is_answering = TRUE,
    .written = 90,.late = 4,.dropped = 3,.refused = 2,.unnumbered = 1,.errors = 11,
    .reconnects = 5,.p50 = 1500.4,.p90 = 2000,.p99 = 3000,.max = 4000,
    .sum = 135000,.below = {0, 10, 80, 90, 90, 90, 90, 90, 90},
    .since = g_get_monotonic_time () - 7 * G_USEC_PER_SEC,.has_triggers = TRUE,
    .lanes = 4,.agreed = 3,.shifts = 7,.restarts = 8,.extra = 9,.missed = 10,
    .delay = -1234567
  };
  static const char *const metrics[] = {
    "pieces_total{result=\"written\"} 90", "pieces_total{result=\"late\"} 4",
    "pieces_total{result=\"dropped\"} 3", "pieces_total{result=\"refused\"} 2",
    "pieces_total{result=\"unnumbered\"} 1", "errors_total 11",
    "reconnects_total 5", "answering 1", "seconds_bucket{le=\"0.001\"} 10",
    "seconds_bucket{le=\"0.002\"} 80", "seconds_bucket{le=\"+Inf\"} 90",
    "seconds_sum 0.135000", "seconds_count 90", "lanes_agreed 3",
    "resynchronised_total 7", "restarts_total 8",
    "triggers_total{only=\"line\"} 9", "triggers_total{only=\"plc\"} 10",
    "trigger_delay_seconds -0.001235",
  };
  GError *error = NULL;
  g_autoptr (LineConfig) config = parse ("", &error);
  g_autoptr (LineReport) report = line_report_new (config);
  g_autofree char *text = line_report_to_json (report);
  json_auto_t *json = json_loads (text, 0, NULL);

  g_assert_true (json_is_null (json_object_get (json, "plc")));
  json_decref (json);
  g_free (text);
  text = line_report_to_metrics (report);
  g_assert_null (strstr (text, "plc"));
  g_free (text);

  line_report_plc (report, &counts);
  text = line_report_to_json (report);
  json = json_loads (text, 0, NULL);
  json_t *plc = json_object_get (json, "plc");
  json_auto_t *expected =
      json_pack ("{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:b,s:{s:f,s:f,s:f,s:f},s:"
      "{s:i,s:i,s:i,s:i,s:i,s:i,s:f}}", "written", 90, "late", 4, "dropped", 3,
      "refused", 2, "unnumbered", 1, "errors", 11, "reconnects", 5, "answering",
      1, "latency_us", "p50", 1500.0, "p90", 2000.0, "p99", 3000.0, "max",
      4000.0, "triggers", "lanes", 4, "agreed", 3, "resynchronised", 7,
      "restarts", 8, "extra", 9, "missed", 10, "delay_ms", -1.23);
  g_assert_nonnull (expected);
  g_assert_cmpfloat (json_number_value (json_object_get (plc, "state_s")), >=,
      7);
  json_object_del (plc, "state_s");
  g_assert_true (json_equal (plc, expected));
  g_free (text);
  text = line_report_to_text (report);
  g_assert_nonnull (strstr (text, "PLC: 90 pieces written, acknowledged after "
          "1.50 ms (p50), 3.00 (p99), 4.00 (max)\n  not there before they "
          "arrived: 4 late, 3 dropped, 2 refused, 1 unnumbered; 11 errors, 5 "
          "reconnects: messages above say why\n  its triggers are those of 3 of "
          "4 lanes; resynchronised 7 times, 8 restarts; 9 extra, 10 missed\n"));
  g_free (text);
  text = line_report_to_metrics (report);
  for (guint i = 0; i < G_N_ELEMENTS (metrics); i++) {
    char *line = g_strdup_printf ("\nfruit_line_plc_%s\n", metrics[i]);

    if (!strstr (text, line))
      g_error ("%s is not in %s", line, text);
    g_free (line);
  }
}

GLIB_CHECKS ("/plc")
