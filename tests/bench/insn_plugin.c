/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A plugin of QEMU's user mode: counts the instructions that a program executes,
 * in one thread, and says so at its end, for tests/instructions. Declarations
 * are those of qemu-plugin.h, version 1, which Debian does not ship. */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

struct qemu_plugin_tb;

typedef void (*TbFunc) (uint64_t id, struct qemu_plugin_tb * tb);
typedef void (*ExitFunc) (uint64_t id, void *user_data);

enum
{
  ADD_U64,
};

void qemu_plugin_register_vcpu_tb_trans_cb (uint64_t id, TbFunc func);
void qemu_plugin_register_atexit_cb (uint64_t id, ExitFunc func,
    void *user_data);
size_t qemu_plugin_tb_n_insns (const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_exec_inline (struct qemu_plugin_tb *tb,
    int op, void *count, uint64_t n);

#define EXPORT __attribute__ ((visibility ("default")))

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install (uint64_t id, const void *info, int argc,
    char **argv);

static uint64_t n_executed;

static void
translated (uint64_t id, struct qemu_plugin_tb *tb)
{
  qemu_plugin_register_vcpu_tb_exec_inline (tb, ADD_U64, &n_executed,
      qemu_plugin_tb_n_insns (tb));
}

static void
at_exit (uint64_t id, void *user_data)
{
  fprintf (stderr, "Collected : %" PRIu64 "\n", n_executed);
}

int
qemu_plugin_install (uint64_t id, const void *info, int argc, char **argv)
{
  qemu_plugin_register_vcpu_tb_trans_cb (id, translated);
  qemu_plugin_register_atexit_cb (id, at_exit, NULL);
  return 0;
}
