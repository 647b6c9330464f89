/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity.c - check that the agents named by a document are in the manifest, and that document,
 * lock and prompt file agree about them. Stage governance.
 *
 * No finding here contains a digest: a sender of a wrong hash must not learn the right one. The
 * agent that was probably meant is a suggestion, never applied. The distance is Levenshtein's, in
 * bytes, of the wrong id without white space at its ends, in lower case and with `_` read as `-`.
 * An id that is more than two changes away is not suggested, so ids whose lengths differ by more
 * than two need not be compared.
 */
#include "dialect/governed/governed_check.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "dialect/governed/governed_root.h"

enum { AGENTS_SHOWN = 20, AGENTS_BYTES_MAX = 1 << 16 };

/* Write the ids of the first agents, and how many there are besides. */
static enum bt_status write_agents(const struct bt_governed_root *governed_root, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, AGENTS_BYTES_MAX);
    for (size_t i = 0; i < governed_root->count && i < AGENTS_SHOWN; i++) {
        bt_buf_put_text(&buf, i == 0 ? "" : ", ");
        bt_buf_put(&buf, governed_root->agents[i].id);
    }
    if (governed_root->count > AGENTS_SHOWN) {
        bt_buf_printf(&buf, " and %zu more", governed_root->count - AGENTS_SHOWN);
    }
    return bt_buf_finish(&buf, governed_root->arena, out);
}

enum bt_status bt_governed_root_add_unknown_finding(const struct bt_governed_root *governed_root,
                                                    struct bt_findings *findings,
                                                    struct bt_location at, bt_str role, bt_str id)
{
    const size_t closest = bt_governed_root_nearest_id(governed_root, id);
    struct bt_str_list available;
    bt_str shown;
    BT_TRY(write_agents(governed_root, &shown));
    BT_TRY(bt_governed_root_ids(governed_root, NULL, governed_root->count, &available));
    return bt_add_invalid_agent_reference(
        findings, at, role, id, BT_STR("unknown_agent"), available,
        closest == BT_NO_AGENT ? BT_STR_ABSENT : governed_root->agents[closest].id, shown);
}

static enum bt_status add_type_mismatch_finding(struct bt_governed_check *check,
                                                const struct bt_governed_party *party,
                                                bt_str expected, bt_str actual)
{
    return bt_add_invalid_agent_reference_type(
        check->findings, bt_governed_party_locate(check, party, "agent_type"),
        bt_str_of(party->role), party->id, BT_STR("agent_type_mismatch"), expected, actual,
        expected.ptr[0] == 'd' ? BT_STR("a") : BT_STR("an"));
}

static enum bt_status identify_party(struct bt_governed_check *check,
                                     struct bt_governed_party *party)
{
    const struct bt_governed_root *governed_root = &check->governed_root;
    const size_t agent = bt_governed_root_find(governed_root, party->id);
    const bt_str actual =
        bt_json_text(bt_json_get(check->document, party->value, BT_STR("agent_type")));
    if (agent == BT_NO_AGENT) {
        return bt_governed_root_add_unknown_finding(
            governed_root, check->findings, bt_governed_party_locate(check, party, "agent_id"),
            bt_str_of(party->role), party->id);
    }
    const bt_str expected = bt_governed_agent_type_name(governed_root->agents[agent].type);
    if (!bt_str_eq(actual, expected)) {
        return add_type_mismatch_finding(check, party, expected, actual);
    }
    party->agent = agent;
    return BT_OK;
}

enum bt_status bt_governed_check_identify(struct bt_governed_check *check)
{
    for (size_t i = 0; i < check->party_count && !check->is_governor; i++) {
        BT_TRY(identify_party(check, &check->parties[i]));
    }
    return BT_OK;
}

static const struct governed_identity_error {
    unsigned bit;
    enum bt_hash_verification_failure_reason reason;
    const char *reason_name;
    const char *member;
} faults[] = {
    {BT_LOCK_ENTRY_MISSING, BT_HASH_VERIFICATION_FAILURE_REASON_LOCK_ENTRY_MISSING,
     "lock_entry_missing", "agent_id"},
    {BT_LOCK_ENTRY_MISMATCH, BT_HASH_VERIFICATION_FAILURE_REASON_LOCK_ENTRY_MISMATCH,
     "lock_entry_mismatch", "agent_id"},
    {BT_HANDOFF_HASH_MISMATCH, BT_HASH_VERIFICATION_FAILURE_REASON_HANDOFF_HASH_MISMATCH,
     "handoff_hash_mismatch", "prompt_hash"},
    {BT_FILE_MISSING, BT_HASH_VERIFICATION_FAILURE_REASON_FILE_MISSING, "file_missing", "agent_id"},
    {BT_FILE_UNSAFE, BT_HASH_VERIFICATION_FAILURE_REASON_FILE_UNSAFE, "file_unsafe", "agent_id"},
    {BT_FILE_HASH_MISMATCH, BT_HASH_VERIFICATION_FAILURE_REASON_FILE_HASH_MISMATCH,
     "file_hash_mismatch", "agent_id"},
    {BT_EMBEDDED_MISMATCH, BT_HASH_VERIFICATION_FAILURE_REASON_EMBEDDED_PROMPT_MISMATCH,
     "embedded_prompt_mismatch", "agent_id"},
};

static enum bt_status add_integrity_finding(struct bt_governed_check *check,
                                            const struct bt_governed_party *party,
                                            enum bt_hash_verification_failure_reason reason,
                                            const char *member)
{
    bt_str names[BT_LOCK_MEMBERS];
    struct bt_str_list members = {NULL, 0};
    if (reason == BT_HASH_VERIFICATION_FAILURE_REASON_LOCK_ENTRY_MISMATCH) {
        members.items = names;
        for (size_t i = 0; i < BT_LOCK_MEMBERS; i++) {
            if (check->governed_root.agents[party->agent].lock_state.differs & (1U << i)) {
                names[members.count++] = bt_governed_lock_member(i);
            }
        }
    }
    return bt_add_hash_verification_failure(
        check->findings, bt_governed_party_locate(check, party, member), bt_str_of(party->role),
        party->id, reason, members, BT_STR_ABSENT);
}

static enum bt_status add_lock_unavailable_finding(struct bt_governed_check *check,
                                                   const struct bt_governed_party *party)
{
    return bt_add_hash_verification_failure(
        check->findings, bt_governed_party_locate(check, party, "agent_id"), bt_str_of(party->role),
        party->id, BT_HASH_VERIFICATION_FAILURE_REASON_LOCK_UNAVAILABLE,
        (struct bt_str_list){NULL, 0},
        bt_governed_file_error_name(check->governed_root.lock.fault));
}

/* Whether the document says of the party what the lock says. */
static bool matches_lock(const struct bt_governed_check *check,
                         const struct bt_governed_party *party, const char *member,
                         const char *locked_member)
{
    const struct bt_governed_agent *agent = &check->governed_root.agents[party->agent];
    const bt_json_value *claimed = bt_json_get(check->document, party->value, bt_str_of(member));
    const bt_json_value *locked =
        bt_json_get(check->governed_root.lock.document, agent->locked, bt_str_of(locked_member));
    return bt_str_eq(bt_json_text(claimed), bt_json_text(locked));
}

/* Collect everything in which document, lock and file disagree. */
static enum bt_status check_party_integrity(struct bt_governed_check *check,
                                            struct bt_governed_party *party)
{
    struct bt_governed_agent *agent = &check->governed_root.agents[party->agent];
    BT_TRY(bt_governed_agent_check_integrity(&check->governed_root, agent));
    unsigned found = agent->lock_state.faults;
    if (!(found & (BT_LOCK_ENTRY_MISSING | BT_LOCK_ENTRY_MISMATCH))) {
        if (!matches_lock(check, party, "agent_version", "version")) {
            check->verified[party - check->parties] = BT_GOVERNED_FACT_FALSE;
            BT_TRY(add_integrity_finding(check, party,
                                         BT_HASH_VERIFICATION_FAILURE_REASON_VERSION_MISMATCH,
                                         "agent_version"));
        }
        found |= matches_lock(check, party, "prompt_hash", "hash") ? 0 : BT_HANDOFF_HASH_MISMATCH;
    }
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (found & faults[i].bit) {
            check->verified[party - check->parties] = BT_GOVERNED_FACT_FALSE;
            BT_TRY(add_integrity_finding(check, party, faults[i].reason, faults[i].member));
        }
    }
    party->blocking = found & ~(unsigned)BT_LOCK_ENTRY_MISMATCH;
    return BT_OK;
}

enum bt_status bt_governed_check_compare(struct bt_governed_check *check)
{
    const bool has_lock = check->governed_root.lock.fault == BT_ROOT_FINE;
    for (size_t i = 0; i < check->party_count && !check->is_governor; i++) {
        struct bt_governed_party *party = &check->parties[i];
        if (party->agent == BT_NO_AGENT) {
            check->verified[i] = BT_GOVERNED_FACT_FALSE;
        } else if (!has_lock) {
            BT_TRY(add_lock_unavailable_finding(check, party));
        } else {
            check->verified[i] = BT_GOVERNED_FACT_TRUE;
            BT_TRY(check_party_integrity(check, party));
        }
    }
    return BT_OK;
}

bt_str bt_governed_block_reason(unsigned blocking)
{
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (blocking & faults[i].bit) {
            return bt_str_of(faults[i].reason_name);
        }
    }
    return BT_STR("");
}

enum { LENGTH_MAX = 130, DISTANCE_MAX = 2 };

static char fold_byte(char byte)
{
    return byte == '_' ? '-' : bt_ascii_lower(byte);
}

static size_t get_minimum(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t measure_distance(bt_str wrong, bt_str id)
{
    size_t rows[2][LENGTH_MAX + 1];
    for (size_t k = 0; k <= id.len; k++) {
        rows[0][k] = k;
    }
    for (size_t i = 1; i <= wrong.len; i++) {
        const size_t *above = rows[(i + 1) % 2];
        size_t *row = rows[i % 2];
        row[0] = i;
        for (size_t k = 1; k <= id.len; k++) {
            const size_t replaced = above[k - 1] + (fold_byte(wrong.ptr[i - 1]) != id.ptr[k - 1]);
            row[k] = get_minimum(replaced, get_minimum(above[k], row[k - 1]) + 1);
        }
    }
    return rows[wrong.len % 2][id.len];
}

size_t bt_governed_root_nearest_id(const struct bt_governed_root *governed_root, bt_str id)
{
    const bt_str wrong = bt_ascii_trim(id, bt_ascii_is_space);
    size_t best = BT_NO_AGENT;
    size_t best_distance = DISTANCE_MAX + 1;
    for (size_t i = 0; i < governed_root->count && wrong.len <= LENGTH_MAX; i++) {
        const bt_str other = governed_root->agents[i].id;
        if (other.len > LENGTH_MAX || other.len > wrong.len + DISTANCE_MAX ||
            wrong.len > other.len + DISTANCE_MAX) {
            continue;
        }
        const size_t changes = measure_distance(wrong, other);
        if (changes < best_distance) {
            best = i;
            best_distance = changes;
        }
    }
    return best;
}
