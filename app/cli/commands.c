/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - the table of commands, with those that only have sub-commands. */
#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "help.h"
#include "output.h"

const struct cli_command cmd_plan = {
    .name = "baton plan",
    .operands = "COMMAND",
    .summary = "work with plans in CSV and their payload schemas",
    .about = "A plan is a CSV file with one row for each step. What a step gives and what the next "
             "one takes are named by payload schemas, JSON Schemas below schemas/handoff-payloads "
             "of the root. `baton check` judges a plan as a whole.\n",
    .missing = "plan what? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES(
        {"baton plan audit work.steps.csv", "show what each step hands to the next"},
        {"baton plan waves work.steps.csv", "see which steps can run at the same time"},
        {"baton plan status set work.steps.csv 3 done", "change one status and nothing else"}),
    .parts = CLI_PARTS(&cmd_plan_audit, &cmd_plan_validate, &cmd_plan_schema, &cmd_plan_waves,
                       &cmd_plan_status, &cmd_plan_trajectory),
};

const struct cli_command cmd_contract = {
    .name = "baton contract",
    .operands = "COMMAND",
    .summary = "work with the blocks that end the turns of agents",
    .about = "A subagent ends its turn with a fenced block called agent_contract_handoff. `baton "
             "check --as contract` judges it; these commands decide whether the turn may end and "
             "remember it, make blank blocks, say how to repair bad ones, and merge what they "
             "update.\n",
    .missing = "contract what? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES(
        {"baton contract submit --store .baton/store.db message.md", "may this turn end?"},
        {"baton contract template --status COMPLETE", "a blank block to fill in"},
        {"baton contract repair-prompt message.md", "what to tell an agent about its bad block"},
        {"baton help contract merge", "everything about one of them"}),
    .parts = CLI_PARTS(&cmd_contract_submit, &cmd_contract_state, &cmd_contract_sections,
                       &cmd_contract_input, &cmd_contract_template, &cmd_contract_repair_prompt,
                       &cmd_contract_merge, &cmd_contract_normalize),
};

const struct cli_command cmd_govern = {
    .name = "baton govern",
    .operands = "COMMAND",
    .summary = "decide governed handoffs, and look after their catalogue",
    .about = "A catalogue is a folder with a manifest of agents, the prompts of each, a lock with "
             "their digests, and lists of who works with whom. `baton check --as governed --root "
             "DIR` judges a handoff by it; these commands decide handoffs and responses against a "
             "store, and look after the catalogue itself.\n",
    .missing = "govern what? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES(
        {"baton govern submit handoff.json --root prompts --store .baton/store.db", "may it go?"},
        {"baton govern verify-root --root prompts", "is everything in the catalogue sound?"},
        {"baton govern path domain-01-content domain-09-technical --root prompts",
         "may one reach the other?"},
        {"baton help govern lock update", "everything about one of them"}),
    .parts = CLI_PARTS(&cmd_govern_submit, &cmd_govern_respond, &cmd_govern_dispatch,
                       &cmd_govern_blocked, &cmd_govern_unblock, &cmd_govern_verify_root,
                       &cmd_govern_lock, &cmd_govern_boundaries, &cmd_govern_path),
};

const struct cli_command cmd_pump = {
    .name = "baton pump",
    .operands = "COMMAND",
    .summary = "work with the organism of an XML pump",
    .about = "An organism is one YAML file that names every capability, the payload it takes, what "
             "it may answer and whom it may call. `baton check` judges the messages that are sent "
             "to one.\n",
    .missing = "pump what? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples =
        CLI_EXAMPLES({"baton pump check organism.yaml", "judge an organism and load its handlers"},
                     {"baton pump prompt researcher", "show what an agent is told"}),
    .parts = CLI_PARTS(&cmd_pump_check, &cmd_pump_run, &cmd_pump_send, &cmd_pump_ctl,
                       &cmd_pump_schema, &cmd_pump_example, &cmd_pump_prompt),
};

const struct cli_command cmd_trace = {
    .name = "baton trace",
    .operands = "COMMAND",
    .summary = "log what happens to handoffs, and look at it",
    .about = "A log is JSON Lines, one event per line, by custom trace.jsonl in the session "
             "folder. Any number of processes may append to it at once.\n",
    .missing = "trace what? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES(
        {"baton trace add trace.jsonl --event transmitted --for h.json",
         "log that h.json was sent"},
        {"baton trace show trace.jsonl", "see what happened, and how long it took"},
        {"baton trace show --view chain --render svg trace.jsonl > trace.svg", "draw it"}),
    .parts = CLI_PARTS(&cmd_trace_add, &cmd_trace_show, &cmd_trace_parent),
};

const struct cli_command cmd_registry = {
    .name = "baton registry",
    .operands = "COMMAND",
    .summary = "look after a catalogue of skills and its registry",
    .about = "A skill is a folder with a SKILL.md whose front matter says whose work it takes and "
             "to whom it hands its own. A registry is one file that lists skills and adds what "
             "their front matter does not say.\n",
    .missing = "registry what? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples =
        CLI_EXAMPLES({"baton registry lint --skills skills", "find what is wrong with the skills"},
                     {"baton registry sync --skills skills --registry registry.yaml",
                      "write down who is there"}),
    .parts = CLI_PARTS(&cmd_registry_lint, &cmd_registry_sync),
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
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES(
        {"baton ledger init --origin ledger.example/team", "make a ledger in this folder"},
        {"baton ledger append --raw report.pdf", "record a file"},
        {"baton help ledger append", "everything about one of them"}),
    .parts = CLI_PARTS(&cmd_ledger_init, &cmd_ledger_append, &cmd_ledger_tail, &cmd_ledger_show,
                       &cmd_ledger_checkpoint, &cmd_ledger_prove, &cmd_ledger_verify,
                       &cmd_ledger_verify_receipt, &cmd_ledger_export, &cmd_ledger_redact,
                       &cmd_ledger_rotate, &cmd_ledger_witness),
};

const struct cli_command cmd_ledger_prove = {
    .name = "baton ledger prove",
    .operands = "COMMAND",
    .summary = "make proofs about the log",
    .about = "",
    .missing = "prove what? inclusion or consistency",
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES(
        {"baton ledger prove inclusion 7", "the receipt of an entry"},
        {"baton ledger prove consistency 4", "that the log grew from its first four entries"}),
    .parts = CLI_PARTS(&cmd_ledger_prove_inclusion, &cmd_ledger_prove_consistency),
};

const struct cli_command cmd_json = {
    .name = "baton json",
    .operands = "COMMAND",
    .summary = "format, query, compare and patch JSON",
    .about = "Small tools around Baton's own JSON reader and writers. The order of members and the "
             "spelling of numbers are kept unless a command says otherwise. A text that cannot be "
             "read is reported as baton check reports it.\n",
    .missing = "json what? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES({"baton json fmt handoff.json", "lay a document out for reading"},
                             {"baton json get /handoff/target handoff.json", "print one value"},
                             {"baton help json patch", "everything about one of them"}),
    .parts = CLI_PARTS(&cmd_json_fmt, &cmd_json_min, &cmd_json_canon, &cmd_json_stringify,
                       &cmd_json_get, &cmd_json_diff, &cmd_json_patch),
};

const struct cli_command cmd_schema = {
    .name = "baton schema",
    .operands = "COMMAND",
    .summary = "judge documents by JSON Schemas, and schemas themselves",
    .about = "JSON Schema, drafts 3, 4, 6, 7, 2019-09, 2020-12 and v1. A schema says with $schema "
             "which it is written in; without, it is taken for 2020-12. Nothing is ever fetched: "
             "references lead to parts of the schema, to files beneath --root, or to the "
             "meta-schemas of the drafts, which are part of the program.\n",
    .missing = "schema what? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES(
        {"baton schema validate order.schema.json order.json", "judge a document by a schema"},
        {"baton schema check order.schema.json", "find what is wrong with a schema itself"},
        {"baton help schema validate", "everything about one of them"}),
    .parts = CLI_PARTS(&cmd_schema_validate, &cmd_schema_check, &cmd_schema_bundle,
                       &cmd_schema_strip, &cmd_schema_compat, &cmd_schema_print, &cmd_schema_bench),
};

/* In the order of the help text. */
/* clang-format off */
static const struct cli_heading headings[] = {
    {&cmd_check, "Judge and mend"},
    {&cmd_plan, "For one kind of handoff"},
    {&cmd_trace, "Who did it, and who can"},
    {&cmd_ledger, "Record"},
    {&cmd_serve, "Serve"},
    {&cmd_explain, "Look up, and work with JSON"},
    {&cmd_help, "About baton"},
    {NULL, NULL},
};
/* clang-format on */

static int run_baton(const struct cli_options *options);

const struct cli_command cli_baton = {
    .name = "baton",
    .operands = "COMMAND",
    .summary = "check handoffs between agents",
    .about = "Baton judges the documents that agents hand to each other and says, in terms of one "
             "stable list of rules, what is wrong with them.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_version, &flag_help),
    .examples =
        CLI_EXAMPLES({"baton check handoffs/", "judge every handoff below a folder"},
                     {"baton explain JSON_DUPLICATE_KEY", "say what a code means and what to do"},
                     {"baton help check", "everything about one command"}),
    .parts = CLI_PARTS(&cmd_check, &cmd_repair, &cmd_compress, &cmd_seal, &cmd_new, &cmd_write,
                       &cmd_convert, &cmd_tokens, &cmd_plan, &cmd_contract, &cmd_approvals,
                       &cmd_hook, &cmd_govern, &cmd_pump, &cmd_handler_host, &cmd_trace,
                       &cmd_discover, &cmd_registry, &cmd_ledger, &cmd_store, &cmd_serve,
                       &cmd_token, &cmd_mcp, &cmd_config, &cmd_explain, &cmd_rules, &cmd_json,
                       &cmd_schema, &cmd_help, &cmd_version, &cmd_completion, &cmd_man),
    .headings = headings,
    .run = run_baton,
};

/* Without a command the usage goes to standard error. */
static int run_baton(const struct cli_options *options)
{
    struct bt_buf buf;
    bt_buf_init(&buf, HELP_BYTES_MAX);
    if (options->version) {
        bt_buf_printf(&buf, "baton %s\n", bt_version());
        return cli_print_buf(&buf);
    }
    cli_put_usage(&buf);
    (void)cli_write(STDERR_FILENO, bt_buf_str(&buf));
    bt_buf_free(&buf);
    return CLI_FAILED;
}

const char *cli_command_word(const struct cli_command *command)
{
    assert(command);
    const char *blank = strrchr(command->name, ' ');
    return blank ? blank + 1 : command->name;
}

const struct cli_command *cli_command_part(const struct cli_command *command, const char *word)
{
    assert(command);
    assert(word);
    for (const struct cli_command *const *part = command->parts; part && *part; part++) {
        if (strcmp(cli_command_word(*part), word) == 0) {
            return *part;
        }
    }
    return NULL;
}

/* The sub-commands that are still to be listed, one list for each level. */
enum { LEVELS_MAX = 4 };

const struct cli_command *cli_command_at(size_t index)
{
    const struct cli_command *const *next[LEVELS_MAX] = {cli_baton.parts};
    const struct cli_command *command = &cli_baton;
    size_t depth = 1;
    for (size_t i = 0; i < index; i++) {
        while (depth > 0 && !*next[depth - 1]) {
            depth--;
        }
        if (depth == 0) {
            return NULL;
        }
        command = *next[depth - 1]++;
        if (command->parts) {
            assert(depth < LEVELS_MAX);
            next[depth++] = command->parts;
        }
    }
    return command;
}
