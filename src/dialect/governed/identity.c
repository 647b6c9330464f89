/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity.c - are the agents that a document names those of the manifest, and do document, lock
 * and prompt file agree about them? Stage governance.
 *
 * Nothing here puts a digest into a finding: whoever sends a wrong hash must not learn the right
 * one.
 */
#include "dialect/governed/ruling.h"

/* ---- Identity -------------------------------------------------------------------------------- */

void bt_roster_put_unknown(const struct bt_roster *roster, bt_str id, struct bt_emit *emit)
{
    const size_t closest = bt_roster_closest(roster, id);
    bt_emit_member_string(emit, "reason", BT_STR("unknown_agent"));
    bt_emit_name(emit, "available_agents");
    bt_emit_array(emit);
    bt_roster_put_ids(roster, emit);
    bt_emit_end(emit);
    bt_emit_name(emit, "closest");
    if (closest == BT_NO_AGENT) {
        bt_emit_null(emit);
    } else {
        bt_emit_string(emit, roster->agents[closest].id);
    }
}

static enum bt_status say_unknown(struct bt_ruling *ruling, const struct bt_party *party)
{
    struct bt_remark remark;
    bt_party_remark(ruling, party, &remark, "INVALID_AGENT_REFERENCE", "agent_id");
    bt_buf_put_text(&remark.message, "the manifest has no agent ");
    bt_put_quoted(&remark.message, party->id);
    bt_roster_put_unknown(&ruling->roster, party->id, &remark.emit);
    return bt_remark_end(&remark, ruling->findings);
}

static enum bt_status say_type(struct bt_ruling *ruling, const struct bt_party *party,
                               bt_str expected, bt_str actual)
{
    struct bt_remark remark;
    bt_party_remark(ruling, party, &remark, "INVALID_AGENT_REFERENCE", "agent_type");
    bt_put_quoted(&remark.message, party->id);
    bt_buf_printf(&remark.message, " is %.*s %.*s, not %.*s",
                  BT_STR_ARG(expected.ptr[0] == 'd' ? BT_STR("a") : BT_STR("an")),
                  BT_STR_ARG(expected), BT_STR_ARG(actual));
    bt_emit_member_string(&remark.emit, "reason", BT_STR("agent_type_mismatch"));
    bt_emit_member_string(&remark.emit, "expected", expected);
    bt_emit_member_string(&remark.emit, "actual", actual);
    return bt_remark_end(&remark, ruling->findings);
}

static enum bt_status identify(struct bt_ruling *ruling, struct bt_party *party)
{
    const struct bt_roster *roster = &ruling->roster;
    const size_t agent = bt_roster_find(roster, party->id);
    const bt_str actual =
        bt_json_text(bt_json_get(ruling->document, party->value, BT_STR("agent_type")));
    if (agent == BT_NO_AGENT) {
        return say_unknown(ruling, party);
    }
    const bt_str expected = bt_agent_type_name(roster->agents[agent].type);
    if (!bt_str_eq(actual, expected)) {
        return say_type(ruling, party, expected, actual);
    }
    party->agent = agent;
    return BT_OK;
}

enum bt_status bt_ruling_identify(struct bt_ruling *ruling)
{
    for (size_t i = 0; i < ruling->party_count && !ruling->is_governor; i++) {
        BT_TRY(identify(ruling, &ruling->parties[i]));
    }
    return BT_OK;
}

/* ---- Integrity ------------------------------------------------------------------------------- */

static const struct fault {
    unsigned bit;
    const char *reason;
    const char *member;
    const char *text;
} faults[] = {
    {BT_LOCK_ENTRY_MISSING, "lock_entry_missing", "agent_id", "is not in the lock"},
    {BT_LOCK_ENTRY_MISMATCH, "lock_entry_mismatch", "agent_id", "differs in lock and manifest"},
    {BT_HANDOFF_HASH_MISMATCH, "handoff_hash_mismatch", "prompt_hash",
     "is given with another prompt hash than the lock has"},
    {BT_FILE_MISSING, "file_missing", "agent_id", "has no prompt file"},
    {BT_FILE_UNSAFE, "file_unsafe", "agent_id", "has a prompt file that cannot be read safely"},
    {BT_FILE_HASH_MISMATCH, "file_hash_mismatch", "agent_id",
     "has a prompt file that is not the one in the lock"},
    {BT_EMBEDDED_MISMATCH, "embedded_prompt_mismatch", "agent_id",
     "has a prompt inside the lock that is not the locked one"},
};

static void put_members(struct bt_emit *emit, unsigned differs)
{
    bt_emit_name(emit, "members");
    bt_emit_array(emit);
    for (size_t i = 0; i < BT_LOCK_MEMBERS; i++) {
        if (differs & (1U << i)) {
            bt_emit_string(emit, bt_lock_member(i));
        }
    }
    bt_emit_end(emit);
}

static enum bt_status say_fault(struct bt_ruling *ruling, const struct bt_party *party,
                                const struct fault *fault)
{
    struct bt_remark remark;
    bt_party_remark(ruling, party, &remark, "HASH_VERIFICATION_FAILURE", fault->member);
    bt_put_quoted(&remark.message, party->id);
    bt_buf_printf(&remark.message, " %s", fault->text);
    bt_emit_member_string(&remark.emit, "reason", bt_str_of(fault->reason));
    if (fault->bit == BT_LOCK_ENTRY_MISMATCH) {
        put_members(&remark.emit, ruling->roster.agents[party->agent].differs);
    }
    return bt_remark_end(&remark, ruling->findings);
}

static enum bt_status say_version(struct bt_ruling *ruling, const struct bt_party *party)
{
    static const struct fault version = {0, "version_mismatch", "agent_version",
                                         "is given with another version than the lock has"};
    return say_fault(ruling, party, &version);
}

static enum bt_status say_unavailable(struct bt_ruling *ruling, const struct bt_party *party)
{
    const bt_str detail = bt_root_fault_name(ruling->roster.lock.fault);
    struct bt_remark remark;
    bt_party_remark(ruling, party, &remark, "HASH_VERIFICATION_FAILURE", "agent_id");
    bt_put_quoted(&remark.message, party->id);
    bt_buf_printf(&remark.message, " cannot be verified, since the lock cannot be used: %.*s",
                  BT_STR_ARG(detail));
    bt_emit_member_string(&remark.emit, "reason", BT_STR("lock_unavailable"));
    bt_emit_member_string(&remark.emit, "detail", detail);
    return bt_remark_end(&remark, ruling->findings);
}

/* Whether the document says of the party what the lock says. */
static bool agrees(const struct bt_ruling *ruling, const struct bt_party *party, const char *member,
                   const char *locked_member)
{
    const struct bt_agent *agent = &ruling->roster.agents[party->agent];
    const bt_value *claimed = bt_json_get(ruling->document, party->value, bt_str_of(member));
    const bt_value *locked =
        bt_json_get(ruling->roster.lock.document, agent->locked, bt_str_of(locked_member));
    return bt_str_eq(bt_json_text(claimed), bt_json_text(locked));
}

/* Collect everything in which document, lock and file disagree. */
static enum bt_status compare(struct bt_ruling *ruling, struct bt_party *party)
{
    struct bt_agent *agent = &ruling->roster.agents[party->agent];
    BT_TRY(bt_agent_examine(&ruling->roster, agent));
    unsigned found = agent->integrity;
    if (!(found & (BT_LOCK_ENTRY_MISSING | BT_LOCK_ENTRY_MISMATCH))) {
        if (!agrees(ruling, party, "agent_version", "version")) {
            ruling->verified[party - ruling->parties] = BT_FOUND_FALSE;
            BT_TRY(say_version(ruling, party));
        }
        found |= agrees(ruling, party, "prompt_hash", "hash") ? 0 : BT_HANDOFF_HASH_MISMATCH;
    }
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (found & faults[i].bit) {
            ruling->verified[party - ruling->parties] = BT_FOUND_FALSE;
            BT_TRY(say_fault(ruling, party, &faults[i]));
        }
    }
    party->blocking = found & ~(unsigned)BT_LOCK_ENTRY_MISMATCH;
    if (ruling->options->blocks_on_root_alone) {
        party->blocking &= ~(unsigned)BT_HANDOFF_HASH_MISMATCH;
    }
    return BT_OK;
}

enum bt_status bt_ruling_compare(struct bt_ruling *ruling)
{
    const bool has_lock = ruling->roster.lock.fault == BT_ROOT_FINE;
    for (size_t i = 0; i < ruling->party_count && !ruling->is_governor; i++) {
        struct bt_party *party = &ruling->parties[i];
        if (party->agent == BT_NO_AGENT) {
            ruling->verified[i] = BT_FOUND_FALSE;
        } else if (!has_lock) {
            BT_TRY(say_unavailable(ruling, party));
        } else {
            ruling->verified[i] = BT_FOUND_TRUE;
            BT_TRY(compare(ruling, party));
        }
    }
    return BT_OK;
}

bt_str bt_blocking_reason(unsigned blocking)
{
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (blocking & faults[i].bit) {
            return bt_str_of(faults[i].reason);
        }
    }
    return BT_STR("");
}
