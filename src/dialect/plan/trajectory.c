/* SPDX-License-Identifier: Apache-2.0 */
/* trajectory.c - compare what happened with the plan. */
#include <assert.h>

#include "base/buf.h"
#include "dialect/plan/plan_check.h"
#include "json/emit.h"
#include "json/options.h"
#include "report/json_rules.h"
#include "report/rules.h"
#include "report/sort.h"

enum { MEMBERS_BYTES_MAX = 1 << 30 };

/* A chain of agents that was expected. */
struct plan_trajectory_chain {
    const bt_str *agents;
    size_t count;
    const size_t *last_steps; /* of the plan's chain: the last step of each agent; else NULL */
    bt_str name;              /* "plan", or the chain as given */
};

struct plan_trajectory_edge {
    const bt_json_value *value;
    const bt_json_value *sequence;
    const bt_json_value *from_value;
    const bt_json_value *payload; /* or NULL */
    bt_str from;
    bt_str to;
    bt_str mediated_by;
    size_t site; /* of its reference */
};

struct plan_trajectory_run {
    struct bt_plan_checker *plans;
    const struct bt_plan_trajectory_input *input;
    struct bt_plan_options options;
    struct bt_findings *findings;
    struct bt_arena *arena;
    const struct bt_json_doc *document; /* NULL: it could not be read */
    bool is_valid;
    struct plan_trajectory_edge *edges; /* by sequence */
    size_t edges_count;
    struct plan_trajectory_chain *chains;
    size_t chains_count;
    const struct plan_trajectory_chain *matched;
    bool is_broken;
    bool has_diverged;
    struct bt_payload_references refs;
    struct bt_plan_check plan; /* when there is one */
};

static bt_str agent_of(bt_str text)
{
    const bt_str name = bt_plan_trim(text);
    return bt_str_slice(name, bt_str_starts_with(name, BT_STR("@")) ? 1 : 0, name.len);
}

static struct bt_location location_of(const struct plan_trajectory_run *run,
                                      const bt_json_value *value)
{
    return bt_location_value(run->document, value);
}

static const bt_json_value *find_member(const struct plan_trajectory_run *run,
                                        const bt_json_value *object, const char *name)
{
    return bt_json_get(run->document, object, bt_str_of(name));
}

static const bt_json_value *edges_value(const struct plan_trajectory_run *run)
{
    return find_member(run, bt_json_root(run->document), "handoff_edges");
}

static enum bt_status read_run(struct plan_trajectory_run *run)
{
    struct bt_json_read_result read = {0};
    enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
    const struct bt_json_options options = bt_json_options_from_env(run->plans->env);
    const bt_str text = run->input->run.text;
    /* from: caller */
    BT_TRY(bt_json_read(run->arena, text, &options, &read));
    if (!read.document) {
        return bt_findings_add_json(run->findings, &read, text);
    }
    run->document = read.document;
    BT_TRY(bt_findings_add_lone(run->findings, read.document));
    BT_TRY(bt_schema_explain(run->plans->record, run->plans->runner, read.document, run->findings,
                             &answer));
    run->is_valid = answer == BT_SCHEMA_VALID;
    return BT_OK;
}

static struct plan_trajectory_edge edge_of(const struct plan_trajectory_run *run,
                                           const bt_json_value *value)
{
    const bt_json_value *mediated = find_member(run, value, "mediated_by");
    const bt_json_value *from = find_member(run, value, "from_agent");
    return (struct plan_trajectory_edge){
        .value = value,
        .sequence = find_member(run, value, "sequence"),
        .from_value = from,
        .payload = find_member(run, value, "payload_schema_id"),
        .from = agent_of(bt_json_text(from)),
        .to = agent_of(bt_json_text(find_member(run, value, "to_agent"))),
        .mediated_by = mediated ? agent_of(bt_json_text(mediated)) : BT_STR("")};
}

static int compare_sequences(const void *context, size_t a, size_t b)
{
    const struct plan_trajectory_run *run = context;
    const bt_json_value *items = bt_json_items(edges_value(run));
    return bt_json_decimal_compare(
        bt_json_number_text(run->document, find_member(run, &items[a], "sequence")),
        bt_json_number_text(run->document, find_member(run, &items[b], "sequence")));
}

static enum bt_status sort_edges(struct plan_trajectory_run *run)
{
    const bt_json_value *list = edges_value(run);
    const size_t count = bt_json_count(list);
    const size_t *order = NULL;
    run->edges = BT_NEW_ARRAY(run->arena, struct plan_trajectory_edge, count + 1);
    BT_TRY(run->edges ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_sort_indices_new(run->arena, count, compare_sequences, run, &order));
    for (size_t i = 0; i < count; i++) {
        run->edges[i] = edge_of(run, &bt_json_items(list)[order[i]]);
        run->edges[i].site = order[i];
    }
    run->edges_count = count;
    return BT_OK;
}

static enum bt_status expect_given(struct plan_trajectory_run *run, bt_str text,
                                   struct plan_trajectory_chain *out)
{
    size_t count = 1;
    for (size_t i = 0; i < text.len; i++) {
        count += text.ptr[i] == ',';
    }
    bt_str *agents = BT_NEW_ARRAY(run->arena, bt_str, count);
    BT_TRY(agents ? BT_OK : BT_ENOMEM);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t end = bt_str_find_byte(text, ',', at);
        agents[i] = agent_of(bt_str_slice(text, at, end));
        at = end + 1;
    }
    *out = (struct plan_trajectory_chain){.agents = agents, .count = count, .name = text};
    return BT_OK;
}

/* The agents of the steps in row order; a step that stays with its agent is not a handoff. */
static enum bt_status expect_planned(struct plan_trajectory_run *run,
                                     struct plan_trajectory_chain *out)
{
    const struct bt_plan_check *plan = &run->plan;
    bt_str *agents = BT_NEW_ARRAY(run->arena, bt_str, plan->steps_count + 1);
    size_t *last_steps = BT_NEW_ARRAY(run->arena, size_t, plan->steps_count + 1);
    size_t count = 0;
    BT_TRY(agents && last_steps ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < plan->steps_count; i++) {
        const bt_str cell = bt_plan_text(plan, plan->steps[i].row, BT_PLAN_COLUMN_AGENT);
        const bt_str agent = bt_plan_is_blank(cell) ? BT_STR("") : agent_of(cell);
        const bool stays = count > 0 && (agent.len == 0 || bt_str_eq(agent, agents[count - 1]));
        if (!stays) {
            agents[count++] = agent;
        }
        last_steps[count - 1] = i;
    }
    *out = (struct plan_trajectory_chain){agents, count, last_steps, BT_STR("plan")};
    return BT_OK;
}

static enum bt_status build_expected_chains(struct plan_trajectory_run *run)
{
    run->chains =
        BT_NEW_ARRAY(run->arena, struct plan_trajectory_chain, run->input->chains_count + 1);
    BT_TRY(run->chains ? BT_OK : BT_ENOMEM);
    if (run->input->plan) {
        BT_TRY(expect_planned(run, &run->chains[run->chains_count++]));
    }
    for (size_t i = 0; i < run->input->chains_count; i++) {
        BT_TRY(expect_given(run, run->input->chains[i], &run->chains[run->chains_count++]));
    }
    return BT_OK;
}

/* Whether `b` is the number after `a`; both are whole, and a is not above b. */
static bool is_next_number(const struct plan_trajectory_run *run, const bt_json_value *a,
                           const bt_json_value *b)
{
    const double end = 9007199254740992.0; /* 2^53: above it neighbours cannot be told apart */
    const double before = bt_json_to_double(a);
    const double after = bt_json_to_double(b);
    if (bt_json_type(a) == BT_JSON_INTEGER && bt_json_type(b) == BT_JSON_INTEGER) {
        return b->as.integer - 1 == a->as.integer;
    }
    (void)run;
    return after < end && after - before == 1.0;
}

static enum bt_status add_sequence_finding(struct plan_trajectory_run *run,
                                           const struct plan_trajectory_edge *edge,
                                           bool is_duplicate)
{
    return bt_add_behavior_sequence(
        run->findings, is_duplicate ? BT_SEVERITY_HARD : BT_SEVERITY_WARN,
        location_of(run, edge->sequence),
        is_duplicate ? BT_BEHAVIOR_SEQUENCE_KIND_DUPLICATE : BT_BEHAVIOR_SEQUENCE_KIND_GAP,
        bt_json_number_text(run->document, edge->sequence));
}

static enum bt_status check_sequence(struct plan_trajectory_run *run)
{
    for (size_t i = 1; i < run->edges_count; i++) {
        const struct plan_trajectory_edge *edge = &run->edges[i];
        const struct plan_trajectory_edge *before = &run->edges[i - 1];
        const bool is_duplicate =
            bt_json_decimal_compare(bt_json_number_text(run->document, before->sequence),
                                    bt_json_number_text(run->document, edge->sequence)) == 0;
        if (is_duplicate || !is_next_number(run, before->sequence, edge->sequence)) {
            BT_TRY(add_sequence_finding(run, edge, is_duplicate));
        }
    }
    return BT_OK;
}

static enum bt_status check_broken(struct plan_trajectory_run *run)
{
    const bt_json_value *root = find_member(run, bt_json_root(run->document), "root_agent");
    const bool is_rooted = root && bt_json_type(root) == BT_JSON_STRING;
    for (size_t i = 0; i < run->edges_count; i++) {
        const struct plan_trajectory_edge *edge = &run->edges[i];
        if (i == 0 && !is_rooted) {
            continue;
        }
        const bt_str wanted = i > 0 ? run->edges[i - 1].to : agent_of(bt_json_text(root));
        if (!bt_str_eq(edge->from, wanted)) {
            run->is_broken = true;
            BT_TRY(bt_add_behavior_broken_chain(run->findings, location_of(run, edge->from_value),
                                                wanted, edge->from));
        }
    }
    return BT_OK;
}

/* The agents that the run passed through: one more than edges, if there are any. */
static bt_str passed_at(const struct plan_trajectory_run *run, size_t index)
{
    return index == 0 ? run->edges[0].from : run->edges[index - 1].to;
}

static bool matches_chain(const struct plan_trajectory_run *run,
                          const struct plan_trajectory_chain *chain)
{
    const size_t passed = run->edges_count + 1;
    const bool has_extra = passed == chain->count + 1 && run->input->returns_to.len > 0 &&
                           bt_str_eq(passed_at(run, passed - 1), agent_of(run->input->returns_to));
    if (passed != chain->count && !has_extra) {
        return false;
    }
    for (size_t i = 0; i < chain->count; i++) {
        if (!bt_str_eq(passed_at(run, i), chain->agents[i])) {
            return false;
        }
    }
    return true;
}

static enum bt_status check_chains(struct plan_trajectory_run *run)
{
    size_t longest = 0;
    for (size_t i = 0; i < run->chains_count; i++) {
        longest = run->chains[i].count > longest ? run->chains[i].count : longest;
        if (run->edges_count > 0 && !run->is_broken && !run->matched &&
            matches_chain(run, &run->chains[i])) {
            run->matched = &run->chains[i];
        }
    }
    if (run->edges_count == 0) {
        return longest < 2 ? BT_OK
                           : bt_add_behavior_no_trajectory(run->findings,
                                                           location_of(run, edges_value(run)));
    }
    if (run->is_broken || run->chains_count == 0 || run->matched) {
        return BT_OK;
    }
    run->has_diverged = true;
    return bt_add_behavior_chain_divergence(run->findings, location_of(run, edges_value(run)));
}

static enum bt_status check_return(struct plan_trajectory_run *run)
{
    const bt_str wanted = agent_of(run->input->returns_to);
    if (wanted.len == 0 || run->edges_count == 0 || run->is_broken || run->has_diverged) {
        return BT_OK;
    }
    bool is_back = bt_str_eq(run->edges[run->edges_count - 1].to, wanted);
    for (size_t i = 0; i < run->edges_count; i++) {
        is_back = is_back || bt_str_eq(run->edges[i].mediated_by, wanted);
    }
    return is_back
               ? BT_OK
               : bt_add_behavior_missing_return(run->findings, location_of(run, edges_value(run)));
}

static void put_site_pointer(const void *context, size_t site, struct bt_buf *buf)
{
    bt_buf_put_text(buf, "/handoff_edges");
    bt_json_pointer_put_index(buf, site);
    bt_buf_put_text(buf, "/payload_schema_id");
    (void)context;
}

static enum bt_status check_references(struct plan_trajectory_run *run)
{
    run->refs = (struct bt_payload_references){
        .plans = run->plans,
        .findings = run->findings,
        .root = run->options.dir,
        .put_pointer = put_site_pointer,
        .context = run,
        .sites = BT_NEW_ARRAY(run->arena, struct bt_payload_reference_site, run->edges_count + 1),
        .sites_count = run->edges_count};
    BT_TRY(run->refs.sites ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < run->edges_count; i++) {
        const struct plan_trajectory_edge *edge = &run->edges[i];
        struct bt_payload_reference_site *site = &run->refs.sites[edge->site];
        const bt_json_value *where = edge->payload ? edge->payload : edge->value;
        site->text = edge->payload ? bt_json_text(edge->payload) : BT_STR("");
        site->offset = bt_json_span(run->document, where).begin;
    }
    return bt_payload_references_read(&run->refs);
}

static enum bt_status check_payloads(struct plan_trajectory_run *run)
{
    BT_TRY(check_references(run));
    const bool is_planned = run->matched && run->matched->last_steps;
    for (size_t i = 0; i < run->edges_count; i++) {
        const struct plan_trajectory_edge *edge = &run->edges[i];
        const bt_str recorded = bt_payload_references_identity(&run->refs, edge->site);
        if (recorded.len == 0) {
            BT_TRY(bt_add_payload_untyped_edge(
                run->findings, bt_plan_untyped_severity(run->plans, &run->options),
                location_of(run, edge->value), edge->from, edge->to));
            continue;
        }
        const bool has_plan = is_planned && i < run->matched->count;
        const bt_str planned =
            has_plan ? bt_plan_output_cell(&run->plan, run->matched->last_steps[i]) : BT_STR("");
        if (planned.len > 0 && !bt_str_eq(planned, recorded)) {
            BT_TRY(bt_add_payload_mismatch_edge(run->findings, location_of(run, edge->payload),
                                                planned, recorded));
        }
    }
    return BT_OK;
}

static enum bt_status put_member(const struct plan_trajectory_run *run, bt_str *out)
{
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, MEMBERS_BYTES_MAX, "trajectory");
    bt_emit_member_u64(emit, "edges", run->edges_count);
    bt_emit_member_array(emit, "agents");
    for (size_t i = 0; !run->is_broken && run->edges_count > 0 && i <= run->edges_count; i++) {
        bt_emit_string(emit, passed_at(run, i));
    }
    bt_emit_end(emit);
    bt_emit_name(emit, "matched");
    if (run->matched) {
        bt_emit_string(emit, run->matched->name);
    } else {
        bt_emit_null(emit);
    }
    return bt_object_text_finish(&text, BT_OK, run->arena, out);
}

/* Read the plan and what its cells name. False in *out_usable: its findings are the answer. */
static enum bt_status read_plan(struct plan_trajectory_run *run, struct bt_judgement *out_judged,
                                bool *out_usable)
{
    const struct bt_plan_input *input = run->input->plan;
    struct bt_findings *read = bt_findings_new(run->arena);
    struct bt_findings *aside = bt_findings_new(run->arena);
    BT_TRY(read && aside ? BT_OK : BT_ENOMEM);
    bt_plan_begin(&run->plan, run->plans, &run->options, read);
    BT_TRY(bt_plan_read(&run->plan, input->text));
    *out_usable = run->plan.is_readable;
    if (!*out_usable) {
        BT_TRY(bt_plan_finish(read, input->path, input->text, out_judged));
        return bt_plan_facts(&run->plan, NULL, 0, &out_judged->facts);
    }
    if (run->plan.at[BT_PLAN_COLUMN_AGENT] == BT_ABSENT) {
        return BT_EINVAL;
    }
    run->plan.findings = aside; /* check reports what is wrong with its references */
    return bt_plan_references(&run->plan);
}

static enum bt_status audit_run(struct plan_trajectory_run *run)
{
    BT_TRY(sort_edges(run));
    BT_TRY(build_expected_chains(run));
    BT_TRY(check_sequence(run));
    BT_TRY(check_broken(run));
    BT_TRY(check_chains(run));
    BT_TRY(check_return(run));
    return check_payloads(run);
}

enum bt_status bt_plan_compare_trajectory(struct bt_plan_checker *plans, struct bt_arena *arena,
                                          const struct bt_plan_trajectory_input *input,
                                          struct bt_plan_result *out, struct bt_judgement *out_plan)
{
    assert(plans);
    assert(input);
    assert(out);
    assert(out_plan);
    struct plan_trajectory_run run = {.plans = plans,
                                      .input = input,
                                      .options = input->run.options ? *input->run.options
                                                                    : bt_plan_options_default(),
                                      .findings = bt_findings_new(arena),
                                      .arena = arena};
    struct bt_plan_result result = {0};
    struct bt_judgement planned = {0};
    bool is_usable = true;
    BT_TRY(run.findings ? BT_OK : BT_ENOMEM);
    if (input->plan) {
        BT_TRY(read_plan(&run, &planned, &is_usable));
    }
    BT_TRY(read_run(&run));
    if (run.is_valid && is_usable) {
        BT_TRY(audit_run(&run));
        BT_TRY(put_member(&run, &result.members));
    }
    BT_TRY(bt_plan_finish(run.findings, input->run.path, input->run.text, &result.judged));
    *out = result;
    *out_plan = planned;
    return BT_OK;
}
