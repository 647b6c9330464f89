/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner.c - the public functions of running, and the bounds of a run.
 */
#include <assert.h>
#include <string.h>

#include "base/keyed_hash.h"
#include "base/sized.h"
#include "schema/machine.h"
#include "schema/options.h"

enum {
    STACK_FIRST = 256,  /* entries */
    FUEL_SLICE = 65536, /* units between two looks at the clock */
};

struct bt_schema_limits bt_schema_limits_default(void)
{
    return (struct bt_schema_limits){
        .size = sizeof(struct bt_schema_limits),
        .work_max = 100000000,
        .time_ns = UINT64_C(2000000000),
        .memory_bytes = UINT64_C(48) << 20,
        .findings_max = 1000,
    };
}

/* Complete the limits of a caller. BT_EINVAL: the size is wrong. */
static enum bt_status read_limits(const struct bt_schema_limits *given,
                                  struct bt_schema_limits *out)
{
    const struct bt_schema_limits usual = bt_schema_limits_default();
    BT_TRY(bt_sized_read(given, BT_SIZED_FIRST(struct bt_schema_limits), out));
    out->work_max = out->work_max > 0 ? out->work_max : usual.work_max;
    out->time_ns = out->time_ns > 0 ? out->time_ns : usual.time_ns;
    out->memory_bytes = out->memory_bytes > 0 ? out->memory_bytes : usual.memory_bytes;
    out->findings_max = out->findings_max > 0 ? out->findings_max : usual.findings_max;
    return BT_OK;
}

static void set_limits(struct bt_schema_machine *run, const struct bt_schema_limits *limits)
{
    run->limits = *limits;
    run->fuel.first = (int64_t)(limits->work_max < FUEL_SLICE ? limits->work_max : FUEL_SLICE);
    run->fuel.beyond = limits->work_max - (uint64_t)run->fuel.first;
}

enum bt_status bt_schema_runner_create(const struct bt_schema_limits *limits,
                                       struct bt_schema_runner **out)
{
    assert(out);
    struct bt_schema_limits known;
    struct bt_arena arena;
    BT_TRY(read_limits(limits, &known));
    bt_arena_init(&arena, known.memory_bytes);
    struct bt_schema_runner *runner = BT_NEW(&arena, struct bt_schema_runner);
    if (!runner) {
        return BT_ENOMEM;
    }
    struct bt_schema_machine *run = &runner->run;
    set_limits(run, &known);
    run->arena = arena;
    bt_arena_init(&run->scratch, run->limits.memory_bytes);
    bt_regex_matcher_init(&run->matcher, NULL);
    *out = runner;
    return BT_OK;
}

enum bt_status bt_schema_runner_set_limits(struct bt_schema_runner *runner,
                                           const struct bt_schema_limits *limits)
{
    assert(runner);
    struct bt_schema_limits known;
    BT_TRY(read_limits(limits, &known));
    known.memory_bytes = runner->run.limits.memory_bytes;
    set_limits(&runner->run, &known);
    return BT_OK;
}

void bt_schema_runner_destroy(struct bt_schema_runner *runner)
{
    if (!runner) {
        return;
    }
    bt_regex_matcher_free(&runner->run.matcher);
    bt_arena_free(&runner->run.scratch);
    struct bt_arena arena = runner->run.arena; /* the runner lies in it itself */
    bt_arena_free(&arena);
}

/* Time is measured from the first look at the clock: a small document never looks. */
static bool is_late(struct bt_schema_machine *run)
{
    const uint64_t now = run->limits.clock(run->limits.clock_context);
    if (run->deadline_ns == 0) {
        run->deadline_ns = now + run->limits.time_ns;
    }
    return now > run->deadline_ns;
}

bool bt_schema_run_check_budget(struct bt_schema_machine *run)
{
    const struct bt_schema_limits *limits = &run->limits;
    const uint64_t debt = (uint64_t)-run->fuel.slice;
    if (debt > run->fuel.left) {
        run->spent = BT_SCHEMA_LIMIT_WORK;
        run->fuel.left = 0;
        run->fuel.slice = 0;
        return false;
    }
    if (limits->clock && is_late(run)) {
        run->spent = BT_SCHEMA_LIMIT_TIME;
        return false;
    }
    const uint64_t left = run->fuel.left - debt;
    const uint64_t slice = left < FUEL_SLICE ? left : FUEL_SLICE;
    run->fuel.slice = (int64_t)slice;
    run->fuel.left = left - slice;
    return true;
}

enum bt_schema_result bt_schema_run_out_of_memory(struct bt_schema_machine *run)
{
    const bool system_refused = run->arena.system_refused || run->scratch.system_refused;
    return bt_run_stop(run, system_refused ? BT_SCHEMA_LIMIT_SYSTEM : BT_SCHEMA_LIMIT_MEMORY);
}

uint32_t bt_schema_machine_rehash(const struct bt_schema_machine *run,
                                  const struct bt_json_member *member)
{
    return bt_hash_bytes(run->schema->seed, member->name, member->name_size);
}

struct bt_schema_stack_entry *bt_schema_machine_grow(struct bt_schema_machine *run)
{
    const size_t capacity = run->capacity > 0 ? 2 * run->capacity : STACK_FIRST;
    struct bt_schema_stack_entry *stack = bt_arena_alloc(&run->arena, capacity * sizeof(*stack));
    if (!stack) {
        (void)bt_schema_run_out_of_memory(run);
        return NULL;
    }
    if (run->top > 0) {
        memcpy(stack, run->stack, run->top * sizeof(*stack));
    }
    run->stack = stack;
    run->capacity = capacity;
    return &run->stack[run->top++];
}

/* Room for the schema's registers, all free. */
static bool clear_registers(struct bt_schema_machine *run)
{
    const size_t count = run->schema->registers_count;
    if (count > run->registers_capacity) {
        run->registers = BT_NEW_ARRAY(&run->arena, struct bt_schema_register, count);
        run->registers_capacity = run->registers ? count : 0;
        if (!run->registers) {
            (void)bt_schema_run_out_of_memory(run);
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        run->registers[i] = (struct bt_schema_register){0};
    }
    return true;
}

/* What every run needs, and leaves need no more. */
static void begin_run(struct bt_schema_machine *run, const struct bt_schema *schema,
                      const struct bt_json_doc *document)
{
    run->schema = schema;
    run->document = document;
    run->same_seed = document->seed[0] == schema->seed[0] && document->seed[1] == schema->seed[1];
    run->source = (uintptr_t)document->source.ptr;
    run->source_reach = run->same_seed && document->source.len > 16 ? document->source.len - 16 : 0;
    run->spent = BT_SCHEMA_LIMIT_NONE;
    run->fuel.slice = run->fuel.first;
    run->fuel.left = run->fuel.beyond;
    run->deadline_ns = 0;
}

/* What the machine needs as well. */
static bool prepare_machine(struct bt_schema_machine *run)
{
    run->top = 0;
    run->marks.top = 0;
    run->marks.begin = 0;
    run->scope.current = 0;
    run->scope.count = 0;
    run->scope.open = 0;
    bt_schema_memo_reset(run, run->document->nodes);
    return run->schema->registers_count == 0 || clear_registers(run);
}

bool bt_schema_machine_begin(struct bt_schema_machine *run, const struct bt_schema *schema,
                             const struct bt_json_doc *document)
{
    begin_run(run, schema, document);
    return prepare_machine(run);
}

static __attribute__((noinline)) enum bt_schema_result run_machine(struct bt_schema_machine *run)
{
    return prepare_machine(run)
               ? bt_schema_machine_run(run, bt_use_block(&run->schema->entry), &run->document->root)
               : BT_SCHEMA_UNDECIDED;
}

enum bt_schema_result bt_schema_run(const struct bt_schema *schema, struct bt_schema_runner *runner,
                                    const struct bt_json_doc *document)
{
    assert(schema);
    assert(runner);
    assert(document);
    struct bt_schema_machine *run = &runner->run;
    begin_run(run, schema, document);
    const struct bt_schema_block_ref *entry = &schema->entry;
    const bt_json_value *root = &document->root;
    return entry->kind == BT_USE_BLOCK ? run_machine(run) : bt_use_run(run, entry, root);
}

enum bt_schema_limit_kind bt_schema_limit_reached(const struct bt_schema_runner *runner)
{
    assert(runner);
    return runner->run.spent;
}

uint64_t bt_schema_work_used(const struct bt_schema_runner *runner)
{
    assert(runner);
    const struct bt_schema_machine *run = &runner->run;
    return run->limits.work_max - run->fuel.left -
           (run->fuel.slice > 0 ? (uint64_t)run->fuel.slice : 0);
}
