/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - what a run works with: the stack of obligations, marks, registers, memo and fuel.
 *
 *     stack:  [choice][marks][obligation][obligation]   <- top
 *
 * An obligation is a block that a value has yet to pass. The other entries are there to be met on
 * the way down: when everything above a choice is discharged, its branch has passed; when something
 * fails, entries are dropped down to the next choice, whose branch has then failed.
 */
#ifndef BATON_SRC_SCHEMA_RUN_H
#define BATON_SRC_SCHEMA_RUN_H

#include <baton/regex.h>

#include "json/doc.h"
#include "regex/matcher.h"
#include "schema/program.h"

enum bt_schema_stack_entry_kind {
    BT_ENTRY_BASE = 0, /* the bottom of a run */
    BT_ENTRY_RUN,      /* the value has to pass the block */
    BT_ENTRY_ITEMS,    /* so have `count` values from this one on, 16 bytes apart ... */
    BT_ENTRY_MEMBERS,  /* ... or 32 */
    BT_ENTRY_CHOICE,   /* an alternative whose branch `index` is being tried */
    BT_ENTRY_MARKS,    /* marks end here */
    BT_ENTRY_SCOPE,    /* a resource is left here */
    BT_ENTRY_MEMO,     /* the answer for (at, value) is known here */
};

struct bt_schema_stack_entry {
    const struct bt_schema_instr *at;
    const bt_json_value *value;
    uint8_t kind; /* enum bt_schema_stack_entry_kind */
    uint32_t index;
    uint32_t count;
    uint32_t extra;
};

_Static_assert(sizeof(struct bt_schema_stack_entry) == 16 + 2 * sizeof(void *),
               "an entry of the stack is 32 bytes where pointers have 64 bits");

/* One set of marks: a bit for each child of one value. */
struct bt_schema_evaluated {
    uint64_t *words;
    size_t capacity; /* in words, of the memory behind all sets */
    size_t top;      /* where the newest set ends */
    size_t begin;    /* ... and begins */
};

/* Answers of blocks that were asked about a value before. */
struct bt_schema_memo_slot {
    const struct bt_schema_instr *at;
    const bt_json_value *value;
    uint32_t scope;
    uint16_t generation; /* of the memo that it belongs to; in another the slot is free */
    uint16_t answer;     /* enum bt_schema_result */
};

struct bt_schema_memo {
    struct bt_schema_memo_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
    uint16_t generation; /* of the present run: never 0 */
    uint64_t lookups;
    uint64_t lookups_before_start; /* so many questions are answered afresh; see memo.c */
    bool is_on;
};

struct bt_schema_register {
    const struct bt_schema_dynamic_target *candidate; /* NULL: not bound */
    uint32_t owner;                                   /* depth of the scope that bound it */
};

/* The work that a run may still do: what is left of a slice, and what there is beyond it. */
struct bt_schema_fuel {
    int64_t first;   /* the slice that a run begins with ... */
    uint64_t beyond; /* ... and what there is beyond it */
    int64_t slice;   /* left of the present slice ... */
    uint64_t left;   /* ... and beyond it */
};

struct bt_schema_scopes {
    uint32_t current; /* names the present bindings: equal scopes, equal bindings */
    uint32_t count;   /* given out so far */
    uint32_t open;    /* entries of kind BT_ENTRY_SCOPE on the stack */
};

/* One run, and the memory that runs share. */
struct bt_schema_machine {
    const struct bt_schema *schema;
    const struct bt_json_doc *document;
    uintptr_t source;    /* the document's, and ... */
    size_t source_reach; /* ... how many of its bytes have 16 bytes of it behind them; 0 when its
                            name hashes are not those of the schema */
    bool same_seed;      /* the document's name hashes are those of the schema */

    struct bt_schema_fuel fuel;
    uint64_t deadline_ns;
    enum bt_schema_limit_kind spent;

    struct bt_schema_stack_entry *stack;
    size_t top; /* entries in use */
    size_t capacity;

    struct bt_schema_evaluated marks;
    struct bt_schema_memo memo;
    struct bt_schema_register *registers;
    size_t registers_capacity;
    struct bt_schema_scopes scope;

    struct bt_schema_limits limits;
    struct bt_arena arena;   /* of the stacks above, kept from run to run */
    struct bt_arena scratch; /* of comparisons */
    struct bt_regex_matcher matcher;
};

struct bt_schema_runner {
    struct bt_schema_machine run;
};

/* Set `why` and be the answer. */
static inline enum bt_schema_result bt_run_stop(struct bt_schema_machine *run,
                                                enum bt_schema_limit_kind why)
{
    run->spent = why;
    return BT_SCHEMA_UNDECIDED;
}

/* End the run because memory was requested and there was none. */
enum bt_schema_result bt_schema_run_out_of_memory(struct bt_schema_machine *run);

/* Begin another slice of fuel. False when fuel or time is spent. */
bool bt_schema_run_check_budget(struct bt_schema_machine *run);

/* Take work from the slice. False when it is not enough: bt_schema_run_check_budget() comes
 * next. */
static inline bool bt_schema_run_use_work(struct bt_schema_machine *run, uint64_t units)
{
    run->fuel.slice -= (int64_t)units; /* documents are below 2^30 bytes, so units are too */
    return __builtin_expect(run->fuel.slice >= 0, 1);
}

/* Pay for work. False when the run must end: answer BT_SCHEMA_UNDECIDED. */
static inline bool bt_schema_run_charge(struct bt_schema_machine *run, uint64_t units)
{
    return bt_schema_run_use_work(run, units) || bt_schema_run_check_budget(run);
}

/* Room for one more entry, or NULL and run->spent says why. */
struct bt_schema_stack_entry *bt_schema_machine_grow(struct bt_schema_machine *run);

/* The next entry, to be filled in, or NULL. */
static inline struct bt_schema_stack_entry *bt_run_push(struct bt_schema_machine *run)
{
    return run->top < run->capacity ? &run->stack[run->top++] : bt_schema_machine_grow(run);
}

/* The schema's hash of a name, where the document has another. */
uint32_t bt_schema_machine_rehash(const struct bt_schema_machine *run,
                                  const struct bt_json_member *member);

/* The hash that the schema has for a member's name. */
static inline uint32_t bt_run_hash(const struct bt_schema_machine *run,
                                   const struct bt_json_member *member)
{
    return run->same_seed ? member->name_hash : bt_schema_machine_rehash(run, member);
}

/* The member of an object with this name, or NULL. */
static inline const struct bt_json_member *bt_run_member(const struct bt_schema_machine *run,
                                                         const bt_json_value *object, bt_str name,
                                                         uint32_t hash)
{
    for (uint32_t i = 0; i < object->size; i++) {
        const struct bt_json_member *member = &object->as.members[i];
        if (bt_run_hash(run, member) == hash && bt_str_eq(bt_json_name(member), name)) {
            return member;
        }
    }
    return NULL;
}

#endif
