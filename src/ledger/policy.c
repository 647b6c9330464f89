/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c - policy files read. Whatever breaks the format is refused with its line. */
#include "ledger/policy.h"

#include <assert.h>
#include <string.h>

#include "base/vec.h"

enum { FIELDS_MAX = 512, LOGS_MAX = 256 };

/* A file while it is read. */
struct policy_reading {
    struct bt_arena *arena;
    struct bt_witness_policy *policy;
    size_t count;
    bt_str fields[FIELDS_MAX];
    struct bt_error error;
};

static enum bt_status refuse_line(struct policy_reading *in, const char *why)
{
    return bt_error_set(&in->error, BT_EINVAL, "%s", why);
}

/* Split a line at spaces and tabs. */
static enum bt_status split_line(struct policy_reading *in, bt_str line)
{
    in->count = 0;
    for (size_t at = 0; at < line.len;) {
        size_t end = at;
        while (end < line.len && line.ptr[end] != ' ' && line.ptr[end] != '\t') {
            const unsigned char byte = (unsigned char)line.ptr[end++];
            if (byte < 0x20 || byte == 0x7f) {
                return refuse_line(in, "there is a control character");
            }
        }
        if (end > at && in->count == FIELDS_MAX) {
            return refuse_line(in, "there are too many words");
        }
        if (end > at) {
            in->fields[in->count++] = bt_str_slice(line, at, end);
        }
        at = end + 1;
    }
    return BT_OK;
}

/* Whether a key of the list has the same bytes, under any name. */
static bool has_key(const struct bt_verifier_keys *keys, const uint8_t key[BT_KEY_BYTES])
{
    for (size_t i = 0; i < keys->keys.count; i++) {
        if (memcmp(keys->keys.items[i].key, key, BT_KEY_BYTES) == 0) {
            return true;
        }
    }
    return false;
}

static enum bt_status add_log(struct policy_reading *in)
{
    struct bt_vkey vkey;
    struct bt_verifier_keys *logs = in->policy->logs;
    if (in->count < 2 || in->count > 3) {
        return refuse_line(in, "it is not: log VKEY [URL]");
    }
    BT_TRY(bt_vkey_parse(in->fields[1], BT_KEY_LOG, &vkey, &in->error));
    if (has_key(logs, vkey.key)) {
        return refuse_line(in, "this log is listed before");
    }
    return logs->keys.count < LOGS_MAX ? bt_verifier_keys_add(logs, in->fields[1], &in->error)
                                       : refuse_line(in, "there are more than 256 logs");
}

static bool find_node(const struct bt_witness_policy *policy, bt_str name, size_t *out)
{
    for (size_t i = 0; i < policy->count; i++) {
        if (bt_str_eq(policy->items[i].name, name)) {
            *out = i;
            return true;
        }
    }
    return false;
}

/* Add a witness or a group with a new name. */
static enum bt_status add_node(struct policy_reading *in, struct bt_policy_node node)
{
    struct bt_witness_policy *policy = in->policy;
    size_t index = 0;
    size_t *count = node.is_group ? &policy->group_count : &policy->witness_count;
    if (find_node(policy, node.name, &index) || bt_str_eq(node.name, BT_STR("none"))) {
        return refuse_line(in, "the name is taken");
    }
    if (++*count > BT_POLICY_NODES_MAX) {
        return refuse_line(in, "there are more than 256 of these");
    }
    return bt_vec_push_max(in->arena, policy, (size_t)2 * BT_POLICY_NODES_MAX, node);
}

/* Read the type of a vkey whose id fits it; false: it is not a vkey. Its key may be of any length.
 */
static bool read_type(struct bt_arena *arena, bt_str text, bt_str *out_name, unsigned *out)
{
    const size_t first = bt_str_find_byte(text, '+', 0);
    const size_t second = bt_str_find_byte(text, '+', first + 1);
    const bt_str encoded = bt_str_slice(text, second + 1, text.len);
    const size_t size = bt_base64_decoded_size(encoded);
    struct bt_merkle_hash hash;
    char hex[BT_HASH_HEX_BYTES];
    if (first == 0 || second >= text.len || size == SIZE_MAX || size < 2) {
        return false;
    }
    char *bytes = bt_arena_alloc(arena, first + 1 + size);
    if (!bytes) {
        return false;
    }
    memcpy(bytes, text.ptr, first);
    bytes[first] = '\n';
    bt_base64_decode(encoded, bytes + first + 1);
    bt_merkle_hash_plain((bt_str){bytes, first + 1 + size}, &hash);
    bt_merkle_hash_hex(&hash, hex);
    *out_name = bt_str_slice(text, 0, first);
    *out = (unsigned char)bytes[first + 1];
    return bt_str_eq(bt_str_slice(text, first + 1, second),
                     bt_str_slice(bt_str_of(hex), 0, (size_t)2 * BT_KEY_ID_BYTES));
}

static enum bt_status add_witness(struct policy_reading *in)
{
    struct bt_vkey vkey;
    struct bt_policy_node node = {.name = in->count > 1 ? in->fields[1] : BT_STR(""),
                                  .key_name = BT_STR("")};
    if (in->count < 3 || in->count > 4) {
        return refuse_line(in, "it is not: witness NAME VKEY [URL]");
    }
    if (!read_type(in->arena, in->fields[2], &node.key_name, &node.type)) {
        return refuse_line(in, "its key is not a vkey, or the id does not fit the key");
    }
    if (node.type != BT_KEY_WITNESS && node.type != BT_KEY_LOG) {
        return add_node(in, node);
    }
    node.type = 0;
    BT_TRY(bt_vkey_parse(in->fields[2], BT_KEY_WITNESS, &vkey, &in->error));
    if (has_key(in->policy->witnesses, vkey.key)) {
        return refuse_line(in, "this witness is listed before");
    }
    memcpy(node.key, vkey.key, BT_KEY_BYTES);
    BT_TRY(bt_verifier_keys_add(in->policy->witnesses, in->fields[2], &in->error));
    return add_node(in, node);
}

/* Read any, all or a number from 1 to the number of members. */
static bool read_threshold(bt_str word, size_t members, size_t *out)
{
    uint64_t number = 0;
    if (bt_str_eq(word, BT_STR("any")) || bt_str_eq(word, BT_STR("all"))) {
        *out = bt_str_eq(word, BT_STR("any")) ? 1 : members;
        return true;
    }
    if (bt_str_to_u64(word, &number) != BT_OK || number == 0 || number > members ||
        word.ptr[0] == '0') {
        return false;
    }
    *out = (size_t)number;
    return true;
}

static enum bt_status add_group(struct policy_reading *in)
{
    struct bt_policy_node node = {.is_group = true, .key_name = BT_STR("")};
    if (in->count < 4) {
        return refuse_line(in, "it is not: group NAME any|all|K MEMBER...");
    }
    node.name = in->fields[1];
    node.member_count = in->count - 3;
    if (!read_threshold(in->fields[2], node.member_count, &node.threshold)) {
        return refuse_line(
            in, "its threshold is not any, all or a number from 1 to that of its members");
    }
    node.members = BT_NEW_ARRAY(in->arena, size_t, node.member_count);
    if (!node.members) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < node.member_count; i++) {
        if (!find_node(in->policy, in->fields[3 + i], &node.members[i])) {
            return refuse_line(in, "a member is not defined above");
        }
        struct bt_policy_node *member = &in->policy->items[node.members[i]];
        if (member->is_member) {
            return refuse_line(in, "a member is in a group before");
        }
        member->is_member = true;
    }
    return add_node(in, node);
}

static enum bt_status set_quorum(struct policy_reading *in)
{
    struct bt_witness_policy *policy = in->policy;
    if (in->count != 2 || policy->has_quorum) {
        return refuse_line(in, policy->has_quorum ? "there is a quorum before"
                                                  : "it is not: quorum NAME");
    }
    policy->has_quorum = true;
    policy->needs_none = bt_str_eq(in->fields[1], BT_STR("none"));
    return policy->needs_none || find_node(policy, in->fields[1], &policy->quorum)
               ? BT_OK
               : refuse_line(in, "the quorum is not defined above");
}

static enum bt_status read_line(struct policy_reading *in, bt_str line)
{
    static const struct {
        bt_str word;
        enum bt_status (*read)(struct policy_reading *in);
    } rows[] = {{BT_STR_INIT("log"), add_log},
                {BT_STR_INIT("witness"), add_witness},
                {BT_STR_INIT("group"), add_group},
                {BT_STR_INIT("quorum"), set_quorum}};
    BT_TRY(split_line(in, line));
    if (in->count == 0 || in->fields[0].ptr[0] == '#') {
        return BT_OK;
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(in->fields[0], rows[i].word)) {
            return rows[i].read(in);
        }
    }
    return refuse_line(in, "it does not begin with log, witness, group or quorum");
}

/* Read all lines; `out_line` is that of the error. */
static enum bt_status read_lines(struct policy_reading *in, bt_str text, size_t *out_line)
{
    *out_line = 0;
    for (size_t from = 0; from < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', from);
        ++*out_line;
        if (end == text.len) {
            return refuse_line(in, "it does not end with a line feed");
        }
        BT_TRY(read_line(in, bt_str_slice(text, from, end)));
        from = end + 1;
    }
    if (!in->policy->has_quorum) {
        return refuse_line(in, "the quorum line is missing");
    }
    return in->policy->logs->keys.count > 0 ? BT_OK : refuse_line(in, "a log line is missing");
}

enum bt_status bt_witness_policy_read(struct bt_arena *arena, bt_str text,
                                      struct bt_witness_policy **out, struct bt_error *error)
{
    assert(arena);
    assert(out);
    struct policy_reading *in = BT_NEW(arena, struct policy_reading);
    struct bt_witness_policy *policy = BT_NEW(arena, struct bt_witness_policy);
    struct bt_merkle_hash hash;
    size_t line = 0;
    if (!in || !policy) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    policy->logs = bt_verifier_keys_new(arena, BT_VERIFIER_KEY_LOG);
    policy->witnesses = bt_verifier_keys_new(arena, BT_VERIFIER_KEY_WITNESS);
    if (!policy->logs || !policy->witnesses) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    if (text.len > BT_POLICY_BYTES_MAX) {
        return bt_error_set(error, BT_EINVAL, "it is longer than 64 KiB");
    }
    in->arena = arena;
    in->policy = policy;
    bt_merkle_hash_plain(text, &hash);
    bt_merkle_hash_hex(&hash, policy->sha256);
    const enum bt_status status = read_lines(in, text, &line);
    if (status != BT_OK) {
        return bt_error_set(error, status, "line %zu: %s", line,
                            status == BT_EINVAL ? in->error.text : bt_status_text(status));
    }
    *out = policy;
    return BT_OK;
}

const struct bt_verifier_keys *bt_witness_policy_logs(const struct bt_witness_policy *policy)
{
    return policy->logs;
}

const struct bt_verifier_keys *bt_witness_policy_witnesses(const struct bt_witness_policy *policy)
{
    return policy->witnesses;
}
