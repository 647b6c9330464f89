/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ledger.c - baton ledger, and its sub-commands that have sub-commands. */
#include "commands.h"

static const struct cli_command *const parts[] = {
    &cmd_ledger_init,
    &cmd_ledger_append,
    &cmd_ledger_tail,
    &cmd_ledger_show,
    &cmd_ledger_checkpoint,
    &cmd_ledger_prove,
    &cmd_ledger_verify,
    &cmd_ledger_verify_receipt,
    &cmd_ledger_export,
    &cmd_ledger_redact,
    &cmd_ledger_rotate,
    &cmd_ledger_witness,
    NULL,
};

static const struct cli_command *const prove_parts[] = {
    &cmd_ledger_prove_inclusion,
    &cmd_ledger_prove_consistency,
    NULL,
};

static const struct cli_flag *const flags[] = {&flag_help, NULL};

static const struct cli_example examples[] = {
    {"baton ledger init --origin ledger.example/team", "make a ledger in this folder"},
    {"baton ledger append --raw report.pdf", "record a file"},
    {"baton help ledger append", "everything about one of them"},
    {NULL, NULL},
};

const struct cli_command cmd_ledger = {
    .name = "baton ledger",
    .operands = "COMMAND",
    .summary = "record decisions so that nobody can change them unseen",
    .about = "A ledger is a tree of hashes over entries, kept in a store, whose size and root are "
             "signed with every record. Receipts, checkpoints and exported trees can be checked "
             "without the store and with tools of others (C2SP tlog-tiles).\n"
             "Tamper-evident is not tamper-proof: who holds both the signing key and the disk can "
             "write another history, which is found only by somebody who kept an older "
             "checkpoint. Keep some elsewhere.\n",
    .missing = "ledger what? name one of its commands",
    .flags = flags,
    .examples = examples,
    .parts = parts,
};

static const struct cli_example prove_examples[] = {
    {"baton ledger prove inclusion 7", "the receipt of an entry"},
    {"baton ledger prove consistency 4", "that the log grew from its first four entries"},
    {NULL, NULL},
};

const struct cli_command cmd_ledger_prove = {
    .name = "baton ledger prove",
    .operands = "COMMAND",
    .summary = "make proofs about the log",
    .about = "",
    .missing = "prove what? inclusion or consistency",
    .flags = flags,
    .examples = prove_examples,
    .parts = prove_parts,
};
