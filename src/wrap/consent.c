/* SPDX-License-Identifier: Apache-2.0 */
/* consent.c - the payload of a request, the grant for a call, and seals. */
#include "wrap/consent.h"

#include <inttypes.h>

#include "base/buf.h"
#include "json/emit.h"
#include "json/get.h"
#include "ledger/call_key.h"
#include "wrap/canonical.h"

enum { PAYLOAD_BYTES_MAX = 4 << 20, SEAL_BYTES_MAX = 64 << 20 };

/* ---- What is asked for --------------------------------------------------------------------- */

/* What is not a text would be shown to nobody, and the server might take it for a name. */
static bool is_exact_name(const bt_json_value *name)
{
    return name && bt_json_type(name) == BT_JSON_STRING &&
           bt_utf8_check(bt_json_text(name)) == bt_json_text(name).len;
}

enum bt_status bt_wrap_call_content(struct bt_arena *arena, bt_str server,
                                    const struct bt_wrap_message *message, bt_str *out,
                                    bool *out_is_exact)
{
    const bt_json_value *arguments =
        bt_json_get(message->document, message->params, BT_STR("arguments"));
    const bt_json_value *name = bt_json_get(message->document, message->params, BT_STR("name"));
    const bt_str tool = bt_json_get_text(message->document, message->params, BT_STR("name"));
    struct bt_object_text text;
    bt_str canonical = BT_STR("{}");
    *out_is_exact = true;
    if (arguments) {
        BT_TRY(bt_wrap_canonical(arena, message->document, arguments, &canonical, out_is_exact));
    }
    *out_is_exact = *out_is_exact && is_exact_name(name);
    struct bt_emit *emit = bt_object_text_begin(&text, SEAL_BYTES_MAX, NULL);
    bt_emit_member_raw(emit, "arguments", canonical);
    bt_emit_member_string(emit, "server", server);
    bt_emit_member_string(emit, "tool", tool);
    return bt_object_text_finish(&text, BT_OK, arena, out);
}

static bt_str risk_of(bt_str class_name)
{
    return bt_str_eq(class_name, BT_STR("read"))    ? BT_STR("LOW")
           : bt_str_eq(class_name, BT_STR("write")) ? BT_STR("MEDIUM")
                                                    : BT_STR("HIGH");
}

/* Write the payload in the form of RFC 8785: the members in the order of their names. */
static enum bt_status write_payload(struct bt_arena *arena, const struct bt_wrap_consent_call *call,
                                    bt_str *out)
{
    struct bt_object_text text;
    bt_str operation;
    BT_TRY(bt_arena_printf(arena, &operation, "tools/call %.*s/%.*s", BT_STR_ARG(call->server),
                           BT_STR_ARG(call->tool)));
    struct bt_emit *emit = bt_object_text_begin(&text, PAYLOAD_BYTES_MAX, NULL);
    bt_emit_member_string(emit, "exact_content", call->content);
    bt_emit_member_string(emit, "operation", operation);
    bt_emit_member_string(emit, "risk_level", risk_of(call->class_name));
    bt_emit_member_string(emit, "rollback", BT_STR("not known to Baton"));
    bt_emit_member_string(emit, "scope", call->server);
    if (call->tool_sha256.len > 0) {
        bt_emit_member_string(emit, "tool_sha256", call->tool_sha256);
    }
    bt_emit_member_string(emit, "verification", BT_STR("the record of the call"));
    return bt_object_text_finish(&text, BT_OK, arena, out);
}

enum bt_status bt_wrap_consent_fingerprint(struct bt_arena *arena,
                                           const struct bt_wrap_consent_call *call,
                                           char out[BT_SHA256_HEX_BYTES])
{
    bt_str payload;
    BT_TRY(write_payload(arena, call, &payload));
    return bt_sha256_hex(payload, out);
}

/* ---- Grants -------------------------------------------------------------------------------- */

/* The state that the functions of decide/ work with. BT_ENOMEM. */
static enum bt_status begin_state(const struct bt_wrap_consent *consent, struct bt_arena *arena,
                                  bt_str actor, struct bt_contract_state *out)
{
    *out = (struct bt_contract_state){.ledger = consent->ledger,
                                      .contract = consent->contract,
                                      .arena = arena,
                                      .actor = actor,
                                      .alarms = bt_findings_new(arena)};
    return out->alarms ? BT_OK : BT_ENOMEM;
}

/* A ledger that cannot be trusted gives no consent. */
static enum bt_status refuse_alarms(const struct bt_contract_state *state, enum bt_status status,
                                    struct bt_error *error)
{
    return status == BT_OK && bt_findings_count(state->alarms) > 0
               ? bt_error_set(error, BT_ECORRUPT, "the ledger cannot be trusted")
               : status;
}

enum bt_status bt_wrap_consent_use(const struct bt_wrap_consent *consent, struct bt_arena *arena,
                                   const struct bt_wrap_consent_call *call,
                                   struct bt_call_grant *out, struct bt_error *error)
{
    struct bt_call_request request = {.workspace = consent->workspace,
                                      .session = call->session,
                                      .agent_id = consent->actor,
                                      .pending_seconds = consent->pending_seconds,
                                      .pending_max = consent->pending_max};
    struct bt_contract_state state;
    BT_TRY(begin_state(consent, arena, consent->actor, &state));
    BT_TRY(write_payload(arena, call, &request.payload));
    return refuse_alarms(&state, bt_call_grant_use(&state, &request, out, error), error);
}

/* Run an action of the person who decides. *out_is_done: it was not refused. */
static enum bt_status run_action(const struct bt_wrap_consent *consent, struct bt_arena *arena,
                                 const struct bt_approval_action_options *action, bool *out_is_done,
                                 struct bt_error *error)
{
    struct bt_contract_state state;
    struct bt_approval_result result = {0};
    *out_is_done = false;
    BT_TRY(begin_state(consent, arena, consent->form_actor, &state));
    BT_TRY(refuse_alarms(&state, bt_approval_run_action(&state, action, &result, error), error));
    *out_is_done = bt_findings_count(result.findings) == 0;
    return BT_OK;
}

enum bt_status bt_wrap_consent_show(const struct bt_wrap_consent *consent, struct bt_arena *arena,
                                    const struct bt_approval *approval, bool *out_is_open,
                                    struct bt_error *error)
{
    struct bt_approval_action_options action =
        bt_approval_action_options_init(BT_APPROVAL_ACTION_SHOW, approval->id);
    action.to_decide = true;
    action.fingerprint = approval->fingerprint;
    return run_action(consent, arena, &action, out_is_open, error);
}

enum bt_status bt_wrap_consent_decide(const struct bt_wrap_consent *consent, struct bt_arena *arena,
                                      const struct bt_wrap_decision *decision,
                                      struct bt_error *error)
{
    struct bt_approval_action_options action = bt_approval_action_options_init(
        decision->is_approved ? BT_APPROVAL_ACTION_GRANT : BT_APPROVAL_ACTION_DENY,
        decision->approval);
    bool is_done = false;
    action.fingerprint = decision->fingerprint;
    action.seconds = consent->grant_seconds;
    action.reason = decision->is_approved ? BT_STR("") : decision->reason;
    return run_action(consent, arena, &action, &is_done, error);
}

/* ---- Seals --------------------------------------------------------------------------------- */

/* v2.a|u.SECONDS.APPROVAL.FINGERPRINT.ROUND.STATE.MAC, where STATE is base64, or - for none */
static void put_sealed(struct bt_buf *out, const struct bt_wrap_seal *seal)
{
    bt_buf_printf(out, "v2.%c.%" PRIu64 ".%.*s.%.*s.%.*s.", seal->is_used ? 'u' : 'a',
                  seal->seconds, BT_STR_ARG(seal->approval), BT_STR_ARG(seal->fingerprint),
                  BT_STR_ARG(seal->round));
    if (seal->has_state) {
        bt_base64_put(out, seal->state);
    } else {
        bt_buf_put_char(out, '-');
    }
}

static enum bt_status make_mac(const struct bt_wrap_consent *consent, bt_str server, bt_str sealed,
                               uint8_t out[BT_SHA256_BYTES])
{
    struct bt_buf text;
    bt_buf_init(&text, SEAL_BYTES_MAX);
    bt_buf_put(&text, consent->actor);
    bt_buf_put_char(&text, '\n');
    bt_buf_put(&text, server);
    bt_buf_put_char(&text, '\n');
    bt_buf_put(&text, sealed);
    const enum bt_status status = text.status == BT_OK
                                      ? bt_hmac_sha256(consent->seal_key, bt_buf_str(&text), out)
                                      : text.status;
    bt_buf_free(&text);
    return status;
}

enum bt_status bt_wrap_seal_put(const struct bt_wrap_consent *consent,
                                const struct bt_wrap_seal *seal, struct bt_buf *out)
{
    const size_t begin = out->len;
    uint8_t mac[BT_SHA256_BYTES];
    put_sealed(out, seal);
    BT_TRY(out->status);
    BT_TRY(make_mac(consent, seal->server, bt_str_slice(bt_buf_str(out), begin, out->len), mac));
    bt_buf_put_char(out, '.');
    bt_base64url_put(out, (bt_str){(const char *)mac, sizeof(mac)});
    return out->status;
}

/* Split a text at its dots into exactly so many parts. */
static bool split_parts(bt_str text, bt_str *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t dot = bt_str_find_byte(text, '.', 0);
        if ((dot == text.len) != (i + 1 == count)) {
            return false;
        }
        parts[i] = bt_str_slice(text, 0, dot);
        text = bt_str_slice(text, dot < text.len ? dot + 1 : dot, text.len);
    }
    return true;
}

static bool mac_is_right(const struct bt_wrap_consent *consent, bt_str server, bt_str sealed,
                         bt_str given)
{
    uint8_t mac[BT_SHA256_BYTES];
    struct bt_buf expected;
    bt_buf_init(&expected, 64);
    bool is_right = make_mac(consent, server, sealed, mac) == BT_OK;
    bt_base64url_put(&expected, (bt_str){(const char *)mac, sizeof(mac)});
    is_right = is_right && expected.status == BT_OK && expected.len == given.len &&
               bt_bytes_equal_constant_time(expected.ptr, given.ptr, given.len);
    bt_buf_free(&expected);
    return is_right;
}

enum bt_status bt_wrap_consent_take_round(const struct bt_wrap_consent *consent, struct bt_env *env,
                                          struct bt_arena *arena, const struct bt_wrap_seal *seal,
                                          bool *out_is_first, struct bt_error *error)
{
    uint8_t digest[BT_SHA256_BYTES];
    struct bt_call_key key = {.principal = consent->actor,
                              .digest = {(const char *)digest, sizeof(digest)},
                              .owner =
                                  BT_STR(""), /* a round is taken, by this process or another */
                              .seconds = BT_WRAP_SEAL_SECONDS + 1};
    const struct bt_call_key_use use = {
        .ledger = consent->ledger, .env = env, .arena = arena, .alarms = bt_findings_new(arena)};
    struct bt_call_key_result found;
    BT_TRY(use.alarms ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_sha256(seal->fingerprint, digest));
    BT_TRY(bt_arena_printf(arena, &key.path, "wrap:%.*s", BT_STR_ARG(seal->server)));
    /* No key of a client has a slash. */
    BT_TRY(bt_arena_printf(arena, &key.key, "round:%.*s", BT_STR_ARG(seal->round)));
    BT_TRY(bt_call_key_take(&use, &key, &found, error));
    *out_is_first = found.outcome == BT_CALL_KEY_FIRST;
    return bt_findings_count(use.alarms) > 0
               ? bt_error_set(error, BT_ECORRUPT, "the ledger cannot be trusted")
               : BT_OK;
}

static bool decode_state(struct bt_arena *arena, bt_str text, bt_str *out)
{
    const size_t size = bt_base64_decoded_size(text);
    char *bytes = size < SIZE_MAX ? bt_arena_alloc(arena, size + 1) : NULL;
    if (!bytes) {
        return false;
    }
    bt_base64_decode(text, bytes);
    *out = (bt_str){bytes, size};
    return true;
}

bool bt_wrap_seal_read(const struct bt_wrap_consent *consent, struct bt_arena *arena, bt_str server,
                       bt_str text, struct bt_wrap_seal *out)
{
    enum { VERSION, USE, SECONDS, APPROVAL, FINGERPRINT, ROUND, STATE, MAC, PARTS };
    const bt_instant now = bt_env_now(consent->env);
    bt_str parts[PARTS];
    if (!split_parts(text, parts, PARTS) ||
        !mac_is_right(consent, server, bt_str_slice(text, 0, text.len - parts[MAC].len - 1),
                      parts[MAC])) {
        return false;
    }
    *out = (struct bt_wrap_seal){.is_used = bt_str_eq(parts[USE], BT_STR("u")),
                                 .server = server,
                                 .approval = parts[APPROVAL],
                                 .fingerprint = parts[FINGERPRINT],
                                 .round = parts[ROUND],
                                 .state = BT_STR(""),
                                 .has_state = !bt_str_eq(parts[STATE], BT_STR("-"))};
    return bt_str_to_u64(parts[SECONDS], &out->seconds) == BT_OK &&
           (int64_t)out->seconds >= now.seconds &&
           (!out->has_state || decode_state(arena, parts[STATE], &out->state));
}
