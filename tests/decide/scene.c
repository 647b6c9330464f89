/* SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#include "engine/submit.h"
#include "test.h"

enum { ARENA_BYTES = 64 << 20, MESSAGE_BYTES_MAX = 1 << 20 };

static const bt_str writable[] = {{"services", 8}};

void scene_open(struct scene *scene)
{
    *scene = (struct scene){.input = {.writable = writable, .writable_count = 1}};
    made_open(&scene->made);
    scene->ledger = made_ledger(&scene->made, true);
    bt_arena_init(&scene->arena, ARENA_BYTES);
    scene_clock(scene, 0);
    assert_int_equal(bt_contract_checker_create(&scene->made.env, &scene->contract), BT_OK);
}

void scene_close(struct scene *scene)
{
    bt_contract_checker_destroy(scene->contract);
    bt_ledger_close(scene->ledger);
    bt_arena_free(&scene->arena);
    assert_true(made_verifies(&scene->made));
    made_close(&scene->made);
}

void scene_clock(struct scene *scene, int64_t seconds)
{
    const bt_instant now = {.seconds = SCENE_NOW + seconds};
    bt_env_pin_clock(&scene->made.env, &now);
}

static void ready(struct scene *scene)
{
    bt_arena_reset(&scene->arena);
    scene->gate = (struct bt_contract_state){.ledger = scene->ledger,
                                             .contract = scene->contract,
                                             .arena = &scene->arena,
                                             .actor = BT_STR("cli"),
                                             .alarms = bt_findings_new(&scene->arena)};
}

static void put_message(struct bt_buf *buf, const struct scene_report *report)
{
    const char *agent = report->agent ? report->agent : SCENE_AGENT;
    if (!report->status) {
        bt_buf_put_text(buf, "done");
        return;
    }
    bt_buf_printf(buf,
                  "```agent_contract_handoff\n{\"agent_status\":{\"plan_status\":\"%s\","
                  "\"agent_id\":\"%s\",\"pending_steps\":[],\"next_action\":\"go\"},"
                  "\"evidence_report\":{\"patterns_checked\":[],\"files_checked\":[],"
                  "\"commands_run\":[],\"key_outputs\":[],\"verbatim_outputs\":[],"
                  "\"cross_layer_impacts\":[],\"open_gaps\":[\"x\"],"
                  "\"verification\":{\"result\":\"pass\"}}%s}\n```\n",
                  report->status, agent, report->more ? report->more : "");
}

enum bt_status scene_submit(struct scene *scene, const struct scene_report *report,
                            struct scene_decision *out)
{
    struct bt_buf message;
    bt_buf_init(&message, MESSAGE_BYTES_MAX);
    put_message(&message, report);
    const struct bt_contract_options options = {.input = &scene->input,
                                                .strict_transitions = report->is_strict,
                                                .rejects_off_list = report->is_strict,
                                                .runtime_agent_id = bt_str_of(report->host_id)};
    const struct bt_contract_document document = {BT_STR("m"), bt_buf_str(&message), &options};
    struct bt_contract_submission contract = {
        .state = &scene->gate,
        .document = &document,
        .workspace = BT_STR("w"),
        .session = bt_str_of(report->session ? report->session : "s"),
        .max_rejections = report->limit ? report->limit : 3};
    ready(scene);
    const struct bt_deliver deliver = {.ledger = scene->gate.ledger,
                                       .env = &scene->made.env,
                                       .arena = &scene->arena,
                                       .alarms = scene->gate.alarms};
    struct bt_submission submission;
    struct bt_submission *item = &submission;
    *out = (struct scene_decision){.judged = {.path = BT_STR("m"), .dialect = BT_DIALECT_CONTRACT}};
    bt_submission_init(item, &scene->arena, &out->judged, scene->gate.actor, document.text,
                       UINT64_MAX);
    item->mode = report->mode;
    item->decision = &contract;
    const enum bt_status status =
        deliver.alarms ? bt_submit(&deliver, &item, 1, &scene->error) : BT_ENOMEM;
    out->outcome = contract.out.outcome;
    out->agent_id = contract.out.agent_id;
    out->attempt = contract.out.attempt;
    out->prompt = contract.out.prompt;
    out->is_recorded = item->durability == BT_DURABILITY_DURABLE;
    bt_buf_free(&message);
    return status;
}

struct scene_decision scene_decide(struct scene *scene, const struct scene_report *report)
{
    struct scene_decision decision;
    assert_int_equal(scene_submit(scene, report, &decision), BT_OK);
    assert_int_equal(bt_findings_count(scene->gate.alarms), 0);
    return decision;
}

bool scene_says(const struct scene_decision *decision, const char *code)
{
    for (size_t i = 0; i < bt_findings_count(decision->judged.findings); i++) {
        const struct bt_finding *finding = bt_findings_at(decision->judged.findings, i);
        if (bt_str_eq(finding->rule->code, bt_str_of(code))) {
            return true;
        }
    }
    return false;
}

struct bt_contract_agent_list scene_states(struct scene *scene)
{
    const struct bt_contract_agent_filter all = {BT_STR(""), BT_STR(""), BT_STR("")};
    struct bt_contract_agent_list states;
    ready(scene);
    assert_int_equal(bt_contract_agents_list(&scene->gate, &all, &states, &scene->error), BT_OK);
    return states;
}

uint64_t scene_size(struct scene *scene)
{
    struct bt_ledger_head head;
    ready(scene);
    assert_int_equal(
        bt_ledger_head(scene->ledger, &scene->arena, scene->gate.alarms, &head, &scene->error),
        BT_OK);
    return head.size;
}
