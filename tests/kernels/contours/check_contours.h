/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Between the parts of check-contours: cases, conformance data, benchmark. */

#include "check_images.h"
#include "contours/contours.h"
#include "contours_oracle.h"
#include "../lib/device.h"

G_BEGIN_DECLS

/* Executor of a plan, and memory of its result. */
typedef struct
{
  const char *name;
  CsExecutor *executor;
  Device device;                /* not open for the CPU */
} Backend;

Backend *backend_new_cpu (guint n_threads);
/* %NULL without a device. */
Backend *backend_new_cuda (void);
void backend_free (Backend * backend);

static inline gboolean
is_cuda (const Backend * backend)
{
  return backend->device.stream != NULL;
}

/* Memory for results that grows and is kept: as an application's pool. Filled
 * with garbage at first, and by memory_pool_poison(). */
typedef struct
{
  gboolean cuda, pageable;      /* not page-locked, though @cuda */
  void *host, *device;
  gsize host_size, device_size;
  guint n_allocs;
} MemoryPool;

void *memory_pool_alloc (void *pool, gsize size, gboolean host);
void memory_pool_poison (MemoryPool * pool);
void memory_pool_clear (MemoryPool * pool);

/* With a plan of its own. */
gboolean backend_run (const Backend * backend, const CsContoursParams * params,
    const CsContoursInput * input, MemoryPool * pool,
    CsContoursOutput * output, GError ** error);

/* An image that owns its memory, and a view of it. */
typedef struct
{
  CsImage image;
  void *block;                  /* all its bytes */
  gsize size, offset;           /* of the first sample */
} OwnImage;

/* Copies the bytes to memory of kind @memory. */
void own_image_copy (const OwnImage * from, CsMemory memory, OwnImage * to);
void own_image_clear (OwnImage * image);

/* The input in memory of kind @memory; views of @image and @mask. */
void move_input (const CsContoursInput * input, CsMemory memory,
    OwnImage * image, OwnImage * mask, CsContoursInput * moved);

/* Whether @output, in memory of a @cuda backend or not, is what the oracle has;
 * otherwise prints what is not. */
gboolean same_result (const char *name, const CsContoursParams * params,
    const OracleResult * expected, const CsContoursOutput * output,
    gboolean cuda);

/* A plan of one backend, for all frames of a case. */
typedef struct
{
  CsContours *plan;
  MemoryPool pool;
} Runner;

/* Whether there is a plan; otherwise says why. */
gboolean runner_open (Runner * runner, const Backend * backend,
    const CsContoursParams * params, const char *name);
void runner_close (Runner * runner);

/* Runs the plan on @input in memory of kind @memory, and compares. */
gboolean run_and_compare (const char *name, const Backend * backend,
    Runner * runner, const CsContoursParams * params,
    const CsContoursInput * input, CsMemory memory, gboolean want_host,
    const OracleResult * expected);

/* Runs every case of contours.json that has its input, and compares. Fails when
 * there is no such file. */
gboolean check_conformance (const char *path, Backend ** backends,
    guint n_backends);

/* All 3 x 3 images of three values, by digest. */
void check_exhaustive (Backend ** backends, guint n_backends);

/* Areas compared with numbers of pixels. */
void check_areas (Backend ** backends, guint n_backends);

/* Iso-bands compared with cells that are cut one by one. */
void check_bands (Backend ** backends, guint n_backends, guint n_cases);

/* Images at once compared with one after the other. */
void check_batches (Backend ** backends, guint n_backends);

/* Measures and holes from their definitions. */
void check_measures (Backend ** backends, guint n_backends);

/* Many contours, many levels, levels of any samples; and @pageable results, which
 * the GPU does not reach: the runtime's answer is an error, as sanitizers say. */
void check_many (Backend ** backends, guint n_backends, gboolean pageable);

/* The parents in all small images of a few values. */
void check_parents (Backend ** backends, guint n_backends);

/* Plans with the same parameters on some backends, for many inputs that are
 * compared with the oracle. The first is %NULL, having said why, when a plan
 * cannot be made; @params and @backends stay the caller's. */
typedef struct _Checker Checker;
Checker *checker_new (const char *name, const CsContoursParams * params,
    Backend ** backends, guint n_backends);
gboolean checker_check (Checker * checker, const char *name,
    const CsContoursInput * input);
void checker_free (Checker * checker);

/* That the cases before have taken all ways: of CUDA, but for @pageable results,
 * and @of_cpu. */
void check_taken (Backend ** backends, guint n_backends, gboolean of_cpu,
    gboolean pageable);

void bench_list (void);

/* @only: part of the names of the rows to run, or %NULL; @save: a folder for
 * the images, or %NULL */
void bench_run (const char *only, gboolean cpu, Backend * cuda,
    gboolean cadence, const char *save);

G_END_DECLS
