/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_hook.c - one call of a hook from the start of its process to its end, beside interpreters
 * that start and do nothing.
 *
 *     bench_hook FOLDER         make hook.db there, a SQLite store with 20,000 agents
 *     bench_hook FOLDER BATON   measure with it: contracts of 8 KiB
 *
 * Every call is about another agent, whose second report is accepted: the message is read and
 * judged, state and ledger are changed in one transaction, and the answer comes after it is
 * durable. The programs take turns, so that a busy moment counts against all of them.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decide/contract_state.h"
#include "engine/submit.h"
#include "measure.h"

enum {
    AGENTS = 20000,
    ROUNDS = 101,
    EVENT_BYTES_MAX = 1 << 20,
    CONTRACT_BYTES = 8 << 10,
    PATH_BYTES = 4096,
    WORDS_MAX = 10,
};

extern char **environ;

/* ---- Messages -------------------------------------------------------------------------------- */

/* A message with a contract of so many bytes. */
static void put_message(struct bt_buf *buf, const char *status, size_t agent, size_t bytes)
{
    static const char *const lists[] = {"patterns_checked", "files_checked",       "commands_run",
                                        "verbatim_outputs", "cross_layer_impacts", "open_gaps"};
    const size_t begin = buf->len;
    bt_buf_put_text(buf, "Report.\n\n```agent_contract_handoff\n");
    bt_buf_printf(buf,
                  "{\"agent_status\":{\"plan_status\":\"%s\",\"agent_id\":\"a%016zx\","
                  "\"pending_steps\":[],\"next_action\":\"go on\"},\"evidence_report\":{",
                  status, agent);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        bt_buf_printf(buf, "\"%s\":[],", lists[i]);
    }
    bt_buf_put_text(buf, "\"verification\":{\"result\":\"pass\"},\"key_outputs\":[\"first\"");
    for (size_t i = 0; buf->len - begin < bytes; i++) {
        bt_buf_printf(buf, ",\"output %zu of agent %zu, as it was seen\"", i, agent);
    }
    bt_buf_put_text(buf, "]}}\n```\n");
}

static void put_event(struct bt_buf *buf, size_t agent)
{
    struct bt_buf message;
    bt_buf_init(&message, EVENT_BYTES_MAX);
    put_message(&message, "COMPLETE", agent, CONTRACT_BYTES);
    bt_buf_printf(buf,
                  "{\"session_id\":\"s\",\"hook_event_name\":\"SubagentStop\",\"agent_id\":"
                  "\"a%016zx\",\"last_assistant_message\":",
                  agent);
    bt_json_put_string(buf, bt_buf_str(&message));
    bt_buf_put_text(buf, "}\n");
    bt_buf_free(&message);
}

/* ---- The store ------------------------------------------------------------------------------- */

static void submit(struct bt_contract_state *gate, struct bt_env *env, size_t agent)
{
    struct bt_buf message;
    struct bt_error error;
    char id[BT_AGENT_ID_BYTES_MAX + 1];
    (void)snprintf(id, sizeof(id), "a%016zx", agent);
    bt_buf_init(&message, EVENT_BYTES_MAX);
    put_message(&message, "IN_PROGRESS", agent, 0);
    const struct bt_contract_options options = {.runtime_agent_id = bt_str_of(id)};
    const struct bt_contract_document document = {BT_STR("x"), bt_buf_str(&message), &options};
    struct bt_contract_submission contract = {.state = gate,
                                              .document = &document,
                                              .workspace = BT_STR("bench"),
                                              .session = BT_STR("s"),
                                              .max_rejections = 3};
    struct bt_judgement judged = {.path = document.path, .dialect = BT_DIALECT_CONTRACT};
    const struct bt_deliver deliver = {
        .ledger = gate->ledger, .env = env, .arena = gate->arena, .alarms = gate->alarms};
    struct bt_submission submission;
    struct bt_submission *item = &submission;
    bt_submission_init(item, gate->arena, &judged, gate->actor, document.text, UINT64_MAX);
    item->decision = &contract;
    if (bt_submit(&deliver, &item, 1, &error) != BT_OK ||
        contract.out.outcome != BT_CONTRACT_OUTCOME_ACCEPTED) {
        fail("submit", error.text);
    }
    bt_buf_free(&message);
}

/* The state of every agent, through the gate, as hooks would have left it. */
static void fill(const char *store)
{
    struct bt_env env;
    struct bt_arena arena;
    struct bt_contract_state gate = {.actor = BT_STR("hook/claude"), .arena = &arena};
    const struct bt_ledger_options options = {.store = store};
    bt_arena_init(&arena, (size_t)1 << 30);
    if (bt_env_init(&env) != BT_OK || bt_contract_checker_create(&env, &gate.contract) != BT_OK) {
        fail("env", "no randomness");
    }
    gate.ledger = make_ledger(&env, &arena, &options, NULL);
    for (size_t i = 0; i < AGENTS; i++) {
        bt_arena_reset(&arena);
        gate.alarms = bt_findings_new(&arena);
        submit(&gate, &env, i);
    }
    bt_ledger_close(gate.ledger);
    bt_contract_checker_destroy(gate.contract);
    bt_arena_free(&arena);
}

/* ---- Programs -------------------------------------------------------------------------------- */

struct program {
    const char *name;
    const char *words[WORDS_MAX];
    double ms[ROUNDS];
};

/* Run it with the event on its standard input, and its answer in a file. */
static double run(struct program *program, const char *event, const char *answer)
{
    posix_spawn_file_actions_t files;
    char *words[WORDS_MAX] = {NULL};
    pid_t pid = 0;
    int status = 0;
    for (size_t i = 0; program->words[i]; i++) {
        words[i] = strdup(program->words[i]); /* which wants them writable */
    }
    if (posix_spawn_file_actions_init(&files) != 0 ||
        posix_spawn_file_actions_addopen(&files, 0, event, O_RDONLY, 0) != 0 ||
        posix_spawn_file_actions_addopen(&files, 1, answer, O_WRONLY | O_CREAT | O_TRUNC, 0600) !=
            0) {
        fail(program->name, "cannot be prepared");
    }
    const double begin = now_s();
    if (posix_spawnp(&pid, words[0], &files, NULL, words, environ) != 0 ||
        waitpid(pid, &status, 0) != pid || status != 0) {
        fail(program->name, "does not run");
    }
    const double end = now_s();
    (void)posix_spawn_file_actions_destroy(&files);
    for (size_t i = 0; i < WORDS_MAX; i++) {
        free(words[i]);
    }
    return (end - begin) * 1e3;
}

static void write_event(const char *path, size_t agent)
{
    struct bt_buf event;
    bt_buf_init(&event, EVENT_BYTES_MAX);
    put_event(&event, agent);
    FILE *file = fopen(path, "w");
    if (!file || fwrite(event.ptr, 1, event.len, file) != event.len || fclose(file) != 0) {
        fail(path, "cannot be written");
    }
    bt_buf_free(&event);
}

/* A hook that let the turn end by accident has not done its work. */
static void check_answer(const char *path)
{
    char text[8] = "";
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof(text), file) || strcmp(text, "{}\n") != 0) {
        fail("hook", "the report was not accepted");
    }
    (void)fclose(file);
}

static int compare(const void *a, const void *b)
{
    const double difference = *(const double *)a - *(const double *)b;
    return difference < 0 ? -1 : difference > 0;
}

static void measure(struct program *programs, size_t count, size_t hook, const char *folder)
{
    char event[PATH_BYTES];
    char answer[PATH_BYTES];
    (void)snprintf(event, sizeof(event), "%s/event.json", folder);
    (void)snprintf(answer, sizeof(answer), "%s/answer", folder);
    for (size_t i = 0; i < ROUNDS; i++) {
        write_event(event, (i * 7919) % AGENTS);
        for (size_t j = 0; j < count; j++) {
            programs[j].ms[i] = run(&programs[j], event, answer);
            if (j == hook) {
                check_answer(answer);
            }
        }
    }
    (void)printf("%-20s %10s %10s %10s   ms, %d runs each, contract of %d KiB, %d agents\n", "",
                 "fastest", "median", "9 of 10", ROUNDS, CONTRACT_BYTES >> 10, AGENTS);
    for (size_t j = 0; j < count; j++) {
        qsort(programs[j].ms, ROUNDS, sizeof(double), compare);
        (void)printf("%-20s %10.2f %10.2f %10.2f\n", programs[j].name, programs[j].ms[0],
                     programs[j].ms[ROUNDS / 2], programs[j].ms[ROUNDS * 9 / 10]);
    }
}

int main(int argc, char **argv)
{
    char store[PATH_BYTES];
    if (argc < 2 || argc > 3) {
        fail("usage", "bench_hook FOLDER [BATON]");
    }
    (void)snprintf(store, sizeof(store), "%s/hook.db", argv[1]);
    if (argc == 2) {
        fill(store);
        return 0;
    }
    struct program programs[] = {
        {"true", {"true", NULL}, {0}},
        {"baton hook codex",
         {argv[2], "hook", "codex", "--store", store, "--workspace", "bench", NULL},
         {0}},
        {"python3 -c pass", {"/usr/bin/python3", "-c", "pass", NULL}, {0}},
        {"node -e 0", {"node", "-e", "0", NULL}, {0}},
    };
    measure(programs, sizeof(programs) / sizeof(programs[0]), 1, argv[1]);
    return 0;
}
