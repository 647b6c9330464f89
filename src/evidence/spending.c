/* SPDX-License-Identifier: Apache-2.0 */
/* spending.c - usage and limits as rows of the store. */
#include "evidence/spending.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/file.h"
#include "decide/contract_decide.h"
#include "evidence/turn.h"
#include "json/emit.h"
#include "store/rows.h"

enum { NUMBERS = 4, ID_DIGITS = 16 };

/* ---- Texts ----------------------------------------------------------------------------------- */

static void put_numbers(struct bt_emit *emit, const struct bt_token_usage *usage)
{
    bt_emit_begin_array(emit);
    bt_emit_u64(emit, usage->input);
    bt_emit_u64(emit, usage->output);
    bt_emit_u64(emit, usage->cache_read);
    bt_emit_u64(emit, usage->cache_write);
    bt_emit_end(emit);
}

static struct bt_token_usage read_numbers(const bt_json_value *list)
{
    uint64_t numbers[NUMBERS] = {0};
    const bt_json_value *items = list ? bt_json_items(list) : NULL;
    const size_t count = items ? bt_json_count(list) : 0;
    for (size_t i = 0; items && i < count && i < NUMBERS; i++) {
        const bool is_count = bt_json_type(&items[i]) == BT_JSON_INTEGER;
        numbers[i] = is_count && items[i].as.integer >= 0 ? (uint64_t)items[i].as.integer : 0;
    }
    return (struct bt_token_usage){numbers[0], numbers[1], numbers[2], numbers[3]};
}

/* Read what is kept into an agent; *out_total is the last running total. */
static enum bt_status read_counters(struct bt_arena *arena, bt_str text, struct bt_usage_agent *out,
                                    struct bt_token_usage *out_total)
{
    struct bt_json_read_result read = {0};
    *out = (struct bt_usage_agent){.agent = BT_STR("-")};
    *out_total = (struct bt_token_usage){0};
    if (text.len == 0) {
        return BT_OK;
    }
    /* from: store */
    BT_TRY(bt_json_read(arena, text, NULL, &read));
    if (!read.document) {
        return BT_OK; /* it is counted from the start */
    }
    const bt_json_value *root = bt_json_root(read.document);
    const bt_json_value *models = bt_json_get(read.document, root, BT_STR("models"));
    const bt_json_value *total = bt_json_get(read.document, root, BT_STR("total"));
    const bt_json_value *uncertain = bt_json_get(read.document, root, BT_STR("uncertain"));
    out->is_uncertain = uncertain && bt_json_type(uncertain) == BT_JSON_TRUE;
    *out_total = read_numbers(total);
    for (size_t i = 0; models && i < bt_json_count(models); i++) {
        const struct bt_json_member *member = &bt_json_members(models)[i];
        const struct bt_usage_model model = {bt_json_name(member), read_numbers(&member->value)};
        BT_TRY(bt_vec_push(arena, &out->models, model));
    }
    return BT_OK;
}

/* The next number of a text of numbers; false at its end. */
static bool take_number(bt_str text, size_t *at, unsigned base, uint64_t *out)
{
    const size_t begin = *at;
    *out = 0;
    while (*at < text.len && bt_ascii_hex_value(text.ptr[*at]) >= 0 &&
           (base == 16 || bt_ascii_is_digit(text.ptr[*at]))) {
        *out = *out * base + (unsigned)bt_ascii_hex_value(text.ptr[(*at)++]);
    }
    const bool is_one = *at > begin && *at < text.len;
    (*at)++; /* what separates them */
    return is_one;
}

/* Read the remembered answers: ID,MODEL,INPUT,OUTPUT,READ,WRITE; and so on. */
static enum bt_status read_messages(struct bt_usage *usage, bt_str text)
{
    for (size_t at = 0; at < text.len;) {
        struct bt_usage_message message = {0};
        uint64_t model = 0;
        struct bt_map_entry *entry = NULL;
        if (!take_number(text, &at, 16, &message.id) || !take_number(text, &at, 10, &model) ||
            !take_number(text, &at, 10, &message.count.input) ||
            !take_number(text, &at, 10, &message.count.output) ||
            !take_number(text, &at, 10, &message.count.cache_read) ||
            !take_number(text, &at, 10, &message.count.cache_write) ||
            model >= usage->agents.items[0].models.count ||
            usage->messages.count >= BT_USAGE_MESSAGES_MAX) {
            return BT_OK;
        }
        message.model = (uint32_t)model;
        BT_TRY(bt_vec_push(usage->arena, &usage->messages, message));
        BT_TRY(bt_map_add(&usage->ids, bt_map_number(message.id), &entry));
        entry->value.number = usage->messages.count;
    }
    return BT_OK;
}

static void put_messages(struct bt_buf *buf, const struct bt_usage *usage)
{
    const size_t count = usage->messages.count;
    for (size_t i = 0; i < count; i++) {
        const struct bt_usage_message *message =
            &usage->messages.items[(usage->oldest + i) % count];
        bt_buf_printf(buf, "%016" PRIx64 ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ";",
                      message->id, (unsigned)message->model, message->count.input,
                      message->count.output, message->count.cache_read, message->count.cache_write);
    }
}

/* ---- Counting -------------------------------------------------------------------------------- */

enum bt_status bt_spending_begin(struct bt_spending *spending, struct bt_arena *arena,
                                 const struct bt_env *env, const struct bt_evidence_spent *kept)
{
    struct bt_map_entry *entry = NULL;
    struct bt_usage_agent agent;
    struct bt_token_usage total;
    *spending = (struct bt_spending){.parent = BT_STR("")};
    bt_usage_init(&spending->usage, arena, env->hash_seed);
    spending->usage.file = 1;
    BT_TRY(read_counters(arena, kept->counters, &agent, &total));
    BT_TRY(read_counters(arena, kept->counters, &spending->before, &total));
    agent.is_uncertain = false; /* what is read now tells */
    BT_TRY(bt_vec_push(arena, &spending->usage.agents, agent));
    BT_TRY(bt_map_add(&spending->usage.names, (struct bt_map_key){BT_STR("-"), 1}, &entry));
    entry->value.number = 1;
    spending->usage.total = total;
    return read_messages(&spending->usage, kept->message_ids);
}

void bt_spending_free(struct bt_spending *spending)
{
    bt_usage_free(&spending->usage);
}

/* The file of a thread beside another file of the host; "" when there is none. */
static enum bt_status find_rollout(struct bt_arena *arena, bt_str path, bt_str thread, bt_str *out)
{
    const bt_str folder = bt_str_slice(path, 0, path.len - bt_str_after_last(path, '/').len);
    struct bt_dir *dir = NULL;
    const bt_str *names = NULL;
    size_t count = 0;
    bt_str ending;
    *out = BT_STR("");
    BT_TRY(bt_arena_printf(arena, &ending, "-%.*s.jsonl", BT_STR_ARG(thread)));
    if (bt_dir_open(folder.len > 0 ? folder : BT_STR("."), &dir, NULL) != BT_OK) {
        return BT_OK;
    }
    enum bt_status status = bt_dir_list(dir, arena, &names, &count, NULL);
    bt_dir_close(dir);
    for (size_t i = 0; status == BT_OK && i < count && out->len == 0; i++) {
        if (bt_str_ends_with(names[i], ending)) {
            status =
                bt_arena_printf(arena, out, "%.*s%.*s", BT_STR_ARG(folder), BT_STR_ARG(names[i]));
        }
    }
    return status;
}

/* Read the totals of the parent, once they are needed. A parent that cannot be read leaves the
 * usage uncertain. */
static void read_parent(struct bt_spending *spending, const struct bt_evidence_follow *follow)
{
    const struct bt_transcript_state *child = bt_transcript_state(follow->reader);
    const struct bt_transcript_options options = {.hash_seed = follow->env->hash_seed,
                                                  .owned_only = true,
                                                  .deadline_ms = follow->source.deadline_ms};
    struct bt_transcript_reader *reader = NULL;
    bt_str parent;
    spending->is_parent_tried = true;
    if (find_rollout(spending->usage.arena, follow->source.path, child->parent, &parent) != BT_OK) {
        return;
    }
    parent = parent.len > 0 ? parent : spending->parent;
    if (parent.len == 0 || bt_str_eq(parent, follow->source.path) ||
        bt_transcript_open(parent, &options, &reader, NULL) != BT_OK) {
        return;
    }
    if (bt_usage_read_parent(&spending->usage, reader) != BT_OK) {
        spending->usage.has_parent = false;
    }
    bt_transcript_close(reader);
}

enum bt_status bt_spending_add(struct bt_spending *spending,
                               const struct bt_evidence_follow *follow,
                               const struct bt_transcript_event *event)
{
    struct bt_usage *usage = &spending->usage;
    if (event->kind != BT_TRANSCRIPT_USAGE ||
        !bt_evidence_index_wants(&follow->index, event->agent)) {
        return BT_OK;
    }
    struct bt_transcript_event own = *event;
    const struct bt_transcript_state *state = bt_transcript_state(follow->reader);
    own.agent = BT_STR("-");
    if (event->as.usage.is_total && follow->is_resumed && spending->before.models.count > 0) {
        usage->has_own_total = true;
    }
    if (event->as.usage.is_total && !follow->is_resumed && !spending->is_recounted) {
        spending->is_recounted = true;
        usage->total = (struct bt_token_usage){0};
        for (size_t i = 0; i < usage->agents.items[0].models.count; i++) {
            usage->agents.items[0].models.items[i].count = (struct bt_token_usage){0};
        }
    }
    if (event->as.usage.is_total && bt_usage_needs_parent(usage, state) &&
        !spending->is_parent_tried) {
        read_parent(spending, follow);
    }
    return bt_usage_add(usage, state, &own);
}

static uint64_t larger_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Usage only grows, also when a file was read from its start again. */
static void keep_larger(struct bt_spending *spending)
{
    struct bt_usage_agent *now = &spending->usage.agents.items[0];
    for (size_t i = 0; i < spending->before.models.count && i < now->models.count; i++) {
        const struct bt_token_usage *before = &spending->before.models.items[i].count;
        struct bt_token_usage *count = &now->models.items[i].count;
        count->input = larger_of(count->input, before->input);
        count->output = larger_of(count->output, before->output);
        count->cache_read = larger_of(count->cache_read, before->cache_read);
        count->cache_write = larger_of(count->cache_write, before->cache_write);
    }
}

enum bt_status bt_spending_write(struct bt_spending *spending, struct bt_evidence_spent *out)
{
    struct bt_usage *usage = &spending->usage;
    struct bt_arena *arena = usage->arena;
    struct bt_buf buf;
    struct bt_emit emit;
    keep_larger(spending);
    const struct bt_usage_agent *agent = &usage->agents.items[0];
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_object(&emit, "models");
    for (size_t i = 0; i < agent->models.count; i++) {
        bt_emit_name_str(&emit, agent->models.items[i].model);
        put_numbers(&emit, &agent->models.items[i].count);
    }
    bt_emit_end(&emit);
    bt_emit_name(&emit, "total");
    put_numbers(&emit, &usage->total);
    bt_emit_member_bool(&emit, "uncertain", agent->is_uncertain);
    bt_emit_end(&emit);
    BT_TRY(bt_buf_finish(&buf, arena, &out->counters));
    bt_buf_init(&buf, SIZE_MAX);
    put_messages(&buf, usage);
    return bt_buf_finish(&buf, arena, &out->message_ids);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

enum { WORKSPACE = 0, SESSION, AGENT_ID, KEYS, COUNTERS = 10 };
enum { LIMIT_TOKENS = KEYS, LIMIT_COST, LIMIT_SEQ, LIMIT_COLUMNS };

struct spending_scan {
    struct bt_arena *arena;
    const struct bt_evidence_key *filter;
    BT_VEC(struct bt_spending_agent) found;
    enum bt_status status;
};

static enum bt_status take_row(struct spending_scan *scan, const struct bt_store_cell *cells)
{
    struct bt_spending_agent agent;
    struct bt_token_usage total;
    bt_str counters;
    if (cells[COUNTERS].text.len == 0 ||
        (scan->filter->agent_id.len > 0 &&
         !bt_str_eq(scan->filter->agent_id, cells[AGENT_ID].text))) {
        return BT_OK;
    }
    BT_TRY(bt_arena_copy(scan->arena, cells[SESSION].text, &agent.session));
    BT_TRY(bt_arena_copy(scan->arena, cells[AGENT_ID].text, &agent.agent_id));
    BT_TRY(bt_arena_copy(scan->arena, cells[COUNTERS].text, &counters));
    BT_TRY(read_counters(scan->arena, counters, &agent.usage, &total));
    agent.usage.agent = agent.agent_id;
    return bt_vec_push(scan->arena, &scan->found, agent);
}

static bool see_row(void *context, const struct bt_store_cell *cells)
{
    struct spending_scan *scan = context;
    scan->status = take_row(scan, cells);
    return scan->status == BT_OK;
}

enum bt_status bt_spending_list(struct bt_ledger *ledger, struct bt_arena *arena,
                                const struct bt_evidence_key *filter, struct bt_spending_list *out,
                                struct bt_error *error)
{
    const struct bt_store_cell key[] = {bt_store_cell_text(filter->workspace),
                                        bt_store_cell_text(filter->session)};
    const struct bt_store_row_range range = {BT_TABLE_TRANSCRIPT, key,
                                             filter->session.len > 0 ? 2 : 1};
    struct spending_scan scan = {.arena = arena, .filter = filter};
    BT_TRY(bt_store_row_scan(ledger->store, &range, see_row, &scan, error));
    BT_TRY(scan.status);
    *out = (struct bt_spending_list){scan.found.items, scan.found.count};
    return BT_OK;
}

static void put_key(const struct bt_evidence_key *key, struct bt_store_cell *cells)
{
    cells[WORKSPACE] = bt_store_cell_text(key->workspace);
    cells[SESSION] = bt_store_cell_text(key->session);
    cells[AGENT_ID] = bt_store_cell_text(key->agent_id);
}

/* Read the limit of a row. A cost that is not a number is not the same as no limit. */
static enum bt_status read_limit(const struct bt_store_cell *row, struct bt_config_limit *out)
{
    struct bt_config_limit limit = {.tokens = (uint64_t)row[LIMIT_TOKENS].number};
    const bt_str cost = row[LIMIT_COST].text;
    if (cost.len > 0 && bt_micros_parse(cost, &limit.cost) != BT_OK) {
        return BT_ECORRUPT;
    }
    *out = limit;
    return BT_OK;
}

/* What a limit that cannot be read gives. */
static enum bt_status report_limit(enum bt_status status, struct bt_error *error)
{
    return status == BT_ECORRUPT
               ? bt_error_set(error, status, "a limit in the store is damaged; set it again")
               : status;
}

struct limit_scan {
    struct bt_arena *arena;
    BT_VEC(struct bt_spending_limit) found;
    enum bt_status status;
};

static enum bt_status take_limit(struct limit_scan *scan, const struct bt_store_cell *cells)
{
    struct bt_spending_limit limit;
    BT_TRY(read_limit(cells, &limit.limit));
    BT_TRY(bt_arena_copy(scan->arena, cells[SESSION].text, &limit.session));
    BT_TRY(bt_arena_copy(scan->arena, cells[AGENT_ID].text, &limit.agent_id));
    return bt_vec_push(scan->arena, &scan->found, limit);
}

static bool see_limit(void *context, const struct bt_store_cell *cells)
{
    struct limit_scan *scan = context;
    scan->status = take_limit(scan, cells);
    return scan->status == BT_OK;
}

enum bt_status bt_spending_list_limits(struct bt_ledger *ledger, struct bt_arena *arena,
                                       const struct bt_evidence_key *filter,
                                       struct bt_spending_limits *out, struct bt_error *error)
{
    const struct bt_store_cell key[] = {bt_store_cell_text(filter->workspace),
                                        bt_store_cell_text(filter->session)};
    const struct bt_store_row_range range = {BT_TABLE_BUDGET, key, filter->session.len > 0 ? 2 : 1};
    struct limit_scan scan = {.arena = arena};
    BT_TRY(bt_store_row_scan(ledger->store, &range, see_limit, &scan, error));
    BT_TRY(report_limit(scan.status, error));
    *out = (struct bt_spending_limits){scan.found.items, scan.found.count};
    return BT_OK;
}

enum bt_status bt_spending_load_limit(struct bt_ledger *ledger, struct bt_arena *arena,
                                      const struct bt_evidence_key *key,
                                      struct bt_config_limit *out, struct bt_error *error)
{
    struct bt_store_cell cells[KEYS];
    const struct bt_store_cell *row = NULL;
    put_key(key, cells);
    const struct bt_store_row_range range = {BT_TABLE_BUDGET, cells, KEYS};
    const enum bt_status status = bt_store_row_get(ledger->store, arena, &range, &row, error);
    if (status != BT_OK) {
        return status == BT_ENOENT ? BT_OK : status;
    }
    return report_limit(read_limit(row, out), error);
}

/* ---- The record ------------------------------------------------------------------------------ */

/* What an entry about a budget says. */
struct spending_record {
    bool is_session;
    bool is_cost;
    bool is_set; /* a person set the limit; nothing else is known */
    bt_str used;
    bt_str limit;
};

/* Members in the order of RFC 8785; every value is of plain ASCII. */
static enum bt_status add_record(const struct bt_contract_state *state,
                                 struct bt_ledger_transaction *transaction,
                                 const struct bt_evidence_key *key,
                                 const struct spending_record *record, uint64_t *out_seq,
                                 struct bt_error *error)
{
    struct bt_evidence_entry made = {.parent = BT_SEQ_ABSENT, .reason = "budget"};
    BT_TRY(bt_contract_agent_ref(
        transaction->arena, key->agent_id.len > 0 ? key->agent_id : BT_AGENT_NOBODY, &made.agent));
    BT_TRY(bt_arena_printf(
        transaction->arena, &made.document,
        "{\"baton_budget\":1,\"limit\":%.*s,\"scope\":\"%s\"%s,\"unit\":\"%s\",\"used\":%.*s}",
        BT_STR_ARG(record->limit), record->is_session ? "session" : "agent",
        record->is_set ? ",\"set\":true" : "", record->is_cost ? "cost" : "tokens",
        BT_STR_ARG(record->used)));
    return bt_evidence_add_entry(state, transaction, &made, out_seq, error);
}

/* A limit that is being set. */
struct spending_set {
    const struct bt_contract_state *state;
    const struct bt_evidence_key *key;
    struct bt_config_limit limit;
};

static enum bt_status set_limit(struct bt_ledger_transaction *transaction, void *context,
                                struct bt_error *error)
{
    const struct spending_set *set = context;
    const bool is_cost = set->limit.tokens == 0;
    struct spending_record record = {.is_session = set->key->agent_id.len == 0,
                                     .is_cost = is_cost,
                                     .is_set = true,
                                     .used = BT_STR("null")};
    struct bt_store_cell cells[LIMIT_COLUMNS];
    bt_str cost = {NULL, 0};
    uint64_t seq = 0;
    BT_TRY(bt_micros_write_json(transaction->arena, is_cost,
                                is_cost ? set->limit.cost : set->limit.tokens, &record.limit));
    BT_TRY(add_record(set->state, transaction, set->key, &record, &seq, error));
    if (is_cost) {
        cost = bt_str_slice(record.limit, 1, record.limit.len - 1);
    }
    put_key(set->key, cells);
    cells[LIMIT_TOKENS] = is_cost ? bt_store_cell_null() : bt_store_cell_number(set->limit.tokens);
    cells[LIMIT_COST] = bt_store_cell_text(cost);
    cells[LIMIT_SEQ] = bt_store_cell_number(seq);
    return bt_store_row_put(transaction->ledger->store, BT_TABLE_BUDGET, cells, error);
}

enum bt_status bt_spending_set_limit(const struct bt_contract_state *state,
                                     const struct bt_evidence_key *key,
                                     struct bt_config_limit limit, struct bt_error *error)
{
    struct bt_ledger_transaction transaction = {
        .ledger = state->ledger, .env = state->contract->env, .arena = state->arena};
    struct spending_set set = {state, key, limit};
    return bt_ledger_transaction_run(&transaction, set_limit, &set, state->alarms, error);
}

/* What is kept of a transcript, with a denial. */
struct spending_change {
    const struct bt_contract_state *state;
    const struct bt_evidence_key *key;
    const struct bt_evidence_kept *before;
    const struct bt_evidence_kept *after;
    const struct bt_spending_denial *denial;
};

static enum bt_status change_row(struct bt_ledger_transaction *transaction, void *context,
                                 struct bt_error *error)
{
    const struct spending_change *change = context;
    const struct bt_budget_share *share = change->denial->share;
    struct spending_record record;
    bool is_put = false;
    uint64_t seq = 0;
    BT_TRY(bt_evidence_kept_put(transaction, change->key, change->before, change->after, &is_put,
                                error));
    if (!is_put || !share) {
        return BT_OK;
    }
    record = (struct spending_record){.is_session = share->scope == BT_BUDGET_SESSION,
                                      .is_cost = share->is_cost};
    BT_TRY(bt_micros_write_json(transaction->arena, share->is_cost,
                                share->is_cost ? bt_budget_cost_micros(share->used.cost)
                                               : share->used.tokens,
                                &record.used));
    BT_TRY(bt_micros_write_json(transaction->arena, share->is_cost,
                                share->is_cost ? share->limit.cost : share->limit.tokens,
                                &record.limit));
    return add_record(change->state, transaction, change->key, &record, &seq, error);
}

enum bt_status bt_spending_keep(const struct bt_contract_state *state,
                                const struct bt_evidence_key *key,
                                const struct bt_evidence_kept *before,
                                const struct bt_evidence_kept *after,
                                const struct bt_spending_denial *denial, struct bt_error *error)
{
    struct bt_ledger_transaction transaction = {
        .ledger = state->ledger, .env = state->contract->env, .arena = state->arena};
    struct spending_change change = {state, key, before, after, denial};
    return denial->share
               ? bt_ledger_transaction_run(&transaction, change_row, &change, state->alarms, error)
               : bt_ledger_transaction_mark(&transaction, change_row, &change, state->alarms,
                                            error);
}
