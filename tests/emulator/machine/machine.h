/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The machine: decoded instructions, and warps that execute them.
 *
 * A register is an array of 32 lanes of 32 or 64 bits; registers of 16 bits
 * take 32. A predicate is a word, a bit for each lane.
 */

#include <glib.h>

#include "emulator.h"
#include "memory.h"

#define LANES 32
#define ALL_LANES 0xffffffffu
/* operands below 0 are constants */
#define CONSTANT_BIAS (1 << 30)

/* Generic addresses of shared memory, of local memory and of parameters; those
 * of global memory are the host's, which are below. */
#define SHARED_WINDOW (G_GUINT64_CONSTANT (1) << 56)
#define LOCAL_WINDOW (G_GUINT64_CONSTANT (2) << 56)
#define PARAM_WINDOW (G_GUINT64_CONSTANT (3) << 56)
#define WINDOW_OF(address) ((address) >> 56)

typedef struct _Warp Warp;
typedef struct _Block Block;
typedef struct _Run Run;
typedef struct _Instruction Instruction;

typedef void (*Execute) (Warp * warp, Instruction * i);

enum
{
  GUARD_NONE,
  GUARD_IF,
  GUARD_UNLESS,
};

struct _Instruction
{
  Execute execute;
  /* offsets of registers in bytes; predicates: index * 2 + whether negated */
  gint32 o[6];
  guint32 target;               /* of a branch, or something else */
  gint64 offset;                /* of an address */
  Region *region;               /* that was last accessed */
  guint16 guard;                /* the predicate's index */
  guint8 guard_kind;
  guint8 n;                     /* elements of a vector */
  guint8 kind;                  /* of the operation, of many */
  guint8 wide;                  /* bit k: operand k is of 64 bits */
  guint8 size;                  /* of an element in memory, bytes */
  guint8 space;
  const gchar *text;
};

/* A kernel, decoded */
typedef struct
{
  gchar *name;
  Instruction *code;
  guint n_code;
  guint8 *constants;            /* replicated for all lanes */
  gsize registers_size;
  guint n_predicates;
  gsize params_size, shared_size, local_size;
  gboolean has_dynamic;
  gsize dynamic_align;
  guint max_threads;
  GArray *params;               /* of Param */
} Kernel;

typedef struct
{
  gsize offset, size;
} Param;

typedef enum
{
  CAN_RUN,
  WAITS_FOR_LANES,
  WAITS_FOR_BLOCK,
} State;

/* Lanes of a warp at the same instruction */
typedef struct
{
  guint32 lanes, pc;
  State state;
  guint barrier;
} Fragment;

struct _Warp
{
  guint8 *base[2];              /* of registers, of constants */
  guint32 *predicates;
  guint32 mask[LANES];          /* all ones where a lane is active */
  guint32 active, pc;
  guint32 stop;                 /* other lanes run from here on */
  gboolean event;               /* another fragment may have to run */
  gboolean yields;
  guint32 live;
  Fragment fragments[LANES];    /* those that do not run now */
  guint n_fragments;
  guint index;                  /* in the block */
  guint n_slices;
  guint8 *local;
  guint32 n_barriers;           /* that it has passed, for races.c */
  Block *block;
  Run *run;
};

#define N_BARRIERS 16

typedef struct
{
  guint n_arrived;              /* threads, or whole warps */
  guint n_threads;
  guint expected;               /* 0: all that live */
  guint n_true;
  Instruction *reduction;
} Barrier;

struct _Block
{
  guint index[3];
  Warp *warps;
  guint n_warps;
  guint n_live;                 /* threads; 0: it has ended */
  Barrier barriers[N_BARRIERS];
  guint8 *shared;
  gpointer accesses;            /* to it, if they are checked */
  Run *run;
};

struct _Run
{
  const EmulatorLaunch *launch;
  Kernel *kernel;
  gsize shared_size;            /* static and dynamic */
  guint n_threads;
  Block *blocks;                /* resident */
  guint n_blocks;
  guint64 n_instructions;
  gint64 deadline;
  gboolean checks_races;
  GRand *rand;                  /* or NULL: in order */
};

/* warp.c */
void warp_set_active (Warp * warp, guint32 active);
/* Lets the active lanes wait, and another fragment run. */
void warp_block (Warp * warp, State state, guint32 pc, guint barrier);
void warp_branch (Warp * warp, guint32 taken, guint32 target);
void warp_exit (Warp * warp);
/* The lanes of the active ones that all others of their @members have joined;
 * the rest waits. 0: all wait */
guint32 warp_gather (Warp * warp, const guint32 * members);
/* Runs up to @budget instructions. Returns: whether any */
gboolean warp_run (Warp * warp, guint budget);
gboolean warp_can_run (const Warp * warp);

/* barrier.c */
void barrier_arrive (Warp * warp, guint index, guint expected,
    Instruction * reduction, guint32 values, gboolean waits);
void barrier_check (Block * block, guint index);

/* access.c: where the host finds what active lanes access; on a violation
 * the process ends */
void access_lanes (Warp * warp, Instruction * i, const guint64 * addresses,
    gsize size, gboolean is_write, guint8 ** where);

/* races.c: hazards of shared memory, if CUDASHAPES_EMULATE_RACES=1 */
gsize races_size (gsize shared_size);
void races_reset (Block * block, gsize shared_size);
void races_check_load (Warp * warp, Instruction * i, guint8 * const *where,
    gsize width);
/* Keeps what is there before a store, and checks what is different after. */
void races_keep (const Warp * warp, guint8 * const *where, gsize width,
    guint8 * before);
void races_check_store (Warp * warp, Instruction * i, guint8 * const *where,
    gsize width, const guint8 * before);
/* Those of the block's warps, a bit each, pass a barrier. */
void races_pass_barrier (Block * block, guint32 warps_passed[]);

/* report.c */
G_GNUC_PRINTF (4, 5)
G_NORETURN void fail_at (const Warp * warp, const Instruction * i, guint lane,
    const gchar * format, ...);
void report_warps (const Run * run);

/* The operand's lanes */
static inline gpointer
lanes_at (const Warp * warp, gint32 offset)
{
  return warp->base[offset < 0] + offset;
}

#define U32(operand) ((guint32 *) lanes_at (warp, i->o[operand]))
#define U64(operand) ((guint64 *) lanes_at (warp, i->o[operand]))

static inline guint32
predicate_value (const Warp * warp, gint32 operand)
{
  const guint32 value = warp->predicates[operand >> 1];

  return operand & 1 ? ~value : value;
}

static inline void
predicate_set (Warp * warp, gint32 operand, guint32 value)
{
  guint32 *to = &warp->predicates[operand >> 1];

  *to = (*to & ~warp->active) | (value & warp->active);
}
