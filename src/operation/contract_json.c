/* SPDX-License-Identifier: Apache-2.0 */
/* contract_json.c - the stored contract state as JSON. */
#include "operation/contract_json.h"

#include "dialect/contract/contract.h"
#include "json/emit.h"

enum { TEMPLATE_BYTES_MAX = 1 << 20 };

/* Put a text as a JSON string; a failure to make it sticks to `buf`. */
static void put_text_member(struct bt_buf *buf, struct bt_buf *text)
{
    bt_json_put_string(buf, bt_buf_str(text));
    buf->status = buf->status == BT_OK ? text->status : buf->status;
    bt_buf_free(text);
}

void bt_emit_contract_template(struct bt_buf *buf, const struct bt_contract_template *wanted,
                               bool is_bare)
{
    struct bt_buf text;
    bt_buf_init(&text, TEMPLATE_BYTES_MAX);
    if (is_bare) {
        bt_contract_put_template(&text, wanted, true);
        bt_buf_put_char(&text, '\n');
    } else {
        bt_contract_put_block(&text, wanted);
    }
    bt_buf_put_text(buf, "{\"baton\":1,\"template\":");
    bt_contract_put_template(buf, wanted, false);
    bt_buf_put_text(buf, ",\"text\":");
    put_text_member(buf, &text);
    bt_buf_put_char(buf, '}');
}

void bt_emit_contract_guide(struct bt_buf *buf, const struct bt_contract_template *wanted)
{
    struct bt_buf text;
    bt_buf_init(&text, TEMPLATE_BYTES_MAX);
    bt_contract_put_guide(&text, wanted);
    bt_buf_put_text(buf, "{\"baton\":1,\"guide\":");
    put_text_member(buf, &text);
    bt_buf_put_text(buf, ",\"template\":");
    bt_contract_put_marked(buf, wanted, false);
    bt_buf_put_char(buf, '}');
}

void bt_emit_contract_agents(struct bt_buf *buf, const struct bt_contract_agent_list *agents)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "agents");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < agents->count; i++) {
        const struct bt_contract_agent *agent = &agents->items[i];
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "workspace", agent->workspace);
        bt_emit_member_string(&emit, "session", agent->session);
        bt_emit_member_string(&emit, "agent_id", agent->agent_id);
        bt_emit_name(&emit, "state");
        if (agent->state == BT_CONTRACT_STATUS_NONE) {
            bt_emit_null(&emit);
        } else {
            bt_emit_string(&emit, bt_contract_status_name(agent->state));
        }
        bt_emit_member_u64(&emit, "in_progress_count", agent->in_progress);
        bt_emit_member_bool(&emit, "resumed", agent->is_resumed);
        bt_emit_member_u64(&emit, "rejections", agent->rejections);
        bt_emit_name(&emit, "escalated");
        bt_emit_bool(&emit, agent->is_escalated);
        bt_emit_member_string(&emit, "updated_at", agent->updated_at);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}

static void put_version(struct bt_emit *emit, const struct bt_contract_section *section)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "contract", section->name);
    bt_emit_member_u64(emit, "version", section->version);
    bt_emit_member_string(emit, "sha256", section->sha256);
    bt_emit_name(emit, "value");
    bt_emit_raw(emit, section->value);
    bt_emit_end(emit);
}

void bt_emit_contract_sections(struct bt_buf *buf, bt_str workspace,
                               const struct bt_contract_section_list *sections, bool history)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "workspace", workspace);
    bt_emit_name(&emit, history ? "history" : "sections");
    if (history) {
        bt_emit_begin_array(&emit);
    } else {
        bt_emit_begin_object(&emit);
    }
    for (size_t i = 0; i < sections->count; i++) {
        if (history) {
            put_version(&emit, &sections->items[i]);
            continue;
        }
        bt_emit_name_str(&emit, sections->items[i].name);
        bt_emit_raw(&emit, sections->items[i].value);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}
