/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload.c - the payload of an update: live state, references to other repositories, credentials.
 *
 * What describes the current state of a running system is found by names and values. That is a
 * heuristic: it warns.
 */
#include "dialect/contract/contract_check.h"

#include <assert.h>

#include "base/str.h"
#include "base/uninitialized.h"
#include "json/walk.h"

/* No output shows the string. */
static enum bt_status redact_value(struct bt_contract_check *check, const bt_json_value *value)
{
    const struct bt_json_span span = bt_json_span(check->document, value);
    return bt_contract_check_redact(check, span.begin + 1, span.end - 1);
}

static enum bt_status add_reference_finding(struct bt_contract_check *check,
                                            const bt_json_value *value,
                                            const struct bt_repo_address *address)
{
    const bool secret = (address->dropped & BT_REPO_ADDRESS_REMOVED_CREDENTIALS) != 0;
    BT_TRY(bt_add_cross_repo_ref(check->findings, secret, bt_contract_locate(check, value),
                                 address->canonical, secret));
    if (secret) {
        BT_TRY(redact_value(check, value));
    }
    return bt_contract_check_add_string_edit(check, BT_CODE_CROSS_REPO_REF, value,
                                             address->canonical);
}

static enum bt_status add_credential_finding(struct bt_contract_check *check,
                                             const bt_json_value *value)
{
    BT_TRY(redact_value(check, value));
    return bt_add_credential_in_payload(check->findings, bt_contract_locate(check, value));
}

static enum bt_status check_string(struct bt_contract_check *check, const bt_json_value *value)
{
    const bt_str text = bt_json_text(value);
    const struct bt_arena_mark before = bt_arena_mark(check->arena);
    struct bt_repo_address address;
    BT_TRY(bt_repo_reference_parse(check->arena, text, &address));
    if (address.valid && !bt_str_eq(address.canonical, text)) {
        return add_reference_finding(check, value, &address);
    }
    bt_arena_rewind(check->arena, before);
    size_t begin = 0;
    size_t end = 0;
    const bool secret = !address.valid && bt_contract_next_secret(text, 0, &begin, &end);
    return secret ? add_credential_finding(check, value) : BT_OK;
}

static enum bt_status check_value(struct bt_contract_check *check, bt_str name,
                                  const bt_json_value *value, bool seeks_live_state)
{
    if (seeks_live_state && bt_contract_is_live_state(name, value)) {
        BT_TRY(bt_add_live_state(check->findings, bt_contract_locate(check, value)));
    }
    return bt_json_type(value) == BT_JSON_STRING ? check_string(check, value) : BT_OK;
}

enum bt_status bt_contract_check_payload(struct bt_contract_check *check,
                                         const bt_json_value *payload, bool seeks_live_state)
{
    BT_UNCLEARED struct bt_json_walk walk;
    struct bt_json_walk_value walked;
    bt_json_walk_begin(&walk, payload);
    while (bt_json_walk_next(&walk, &walked)) {
        BT_TRY(check_value(check, walked.member ? bt_json_name(walked.member) : BT_STR(""),
                           walked.value, seeks_live_state));
    }
    return BT_OK;
}

/* Names in lower case and without _ - . and blanks. */
static const char *const names[] = {
    "podcount",
    "podstatus",
    "pods",
    "runningpods",
    "readyreplicas",
    "availablereplicas",
    "instancestatus",
    "instancestate",
    "runtimestatus",
    "currentstatus",
    "healthstatus",
    "uptime",
    "lastseen",
    "vpcid",
    "vpcids",
    "subnetid",
    "subnetids",
    "ip",
    "ips",
    "ipaddress",
    "ipaddresses",
    "publicip",
    "privateip",
    "externalip",
    "clusterip",
    "loadbalancerdns",
    "loadbalancerhostname",
    "lbdns",
    "oidcproviderarn",
    "oidcissuer",
    "iambindings",
};

/* Words that such a name contains. */
static const char *const name_parts[] = {
    "iambinding",  "iammember", "oidcbinding", "oidcsubject", "workloadidentitybinding",
    "assumedrole",
};

/* A name that ends in one of these, with one of the values below. */
static const char *const state_names[] = {"status", "state", "phase", "health"};
static const char *const state_values[] = {
    "running",    "pending",     "provisioning",     "ready",    "notready",
    "healthy",    "unhealthy",   "degraded",         "stopping", "stopped",
    "terminated", "terminating", "crashloopbackoff", "evicted",  "bound",
    "unbound",    "online",      "offline",          "up",       "down",
};

/* The first character at or after `at` that counts: not _ or -, not a blank, and in a name not a
 * full stop. */
static size_t skip_marks(bt_str text, size_t at, bool is_name)
{
    while (at < text.len) {
        uint32_t character = 0;
        const size_t bytes = bt_utf8_decode(text, at, &character);
        if (character != '_' && character != '-' && !(is_name && character == '.') &&
            !bt_str_is_blank(bt_str_slice(text, at, at + bytes))) {
            break;
        }
        at += bytes;
    }
    return at;
}

/* Where the text goes on after `word`, which stands at `at` in any case and with marks in it;
 * SIZE_MAX: it does not. */
static size_t match_word(bt_str text, size_t at, const char *word, bool is_name)
{
    for (; *word != '\0'; word++) {
        at = skip_marks(text, at, is_name);
        if (at == text.len || bt_ascii_lower(text.ptr[at]) != *word) {
            return SIZE_MAX;
        }
        at++;
    }
    return skip_marks(text, at, is_name);
}

static bool is_word(bt_str text, const char *word, bool is_name)
{
    return match_word(text, 0, word, is_name) == text.len;
}

/* Linear in the text: it is tried only where a character counts. */
static bool contains_word(bt_str name, const char *word, bool at_end)
{
    for (size_t at = skip_marks(name, 0, true); at < name.len;) {
        uint32_t character = 0;
        const size_t end = match_word(name, at, word, true);
        if (end != SIZE_MAX && (!at_end || end == name.len)) {
            return true;
        }
        at = skip_marks(name, at + bt_utf8_decode(name, at, &character), true);
    }
    return false;
}

static bool is_live_name(bt_str name)
{
    bool is_live = false;
    for (size_t i = 0; !is_live && i < BT_COUNT_OF(names); i++) {
        is_live = is_word(name, names[i], true);
    }
    for (size_t i = 0; !is_live && i < BT_COUNT_OF(name_parts); i++) {
        is_live = contains_word(name, name_parts[i], false);
    }
    return is_live;
}

static bool is_live_status(bt_str name, bt_str text)
{
    bool is_status = false;
    bool is_live = false;
    for (size_t i = 0; !is_live && i < BT_COUNT_OF(state_values); i++) {
        is_live = text.len > 0 && is_word(text, state_values[i], false);
    }
    for (size_t i = 0; is_live && !is_status && i < BT_COUNT_OF(state_names); i++) {
        is_status = contains_word(name, state_names[i], true);
    }
    return is_status;
}

/* A number of at most `digits_max` digits at *at, up to `max`; false when there is none. */
static bool take_number(bt_str text, size_t *at, size_t digits_max, unsigned *out)
{
    const size_t from = *at;
    *out = 0;
    while (*at < text.len && *at - from < digits_max && bt_ascii_is_digit(text.ptr[*at])) {
        *out = *out * 10 + (unsigned)(text.ptr[(*at)++] - '0');
    }
    return *at > from;
}

/* An IPv4 address with an optional port; neither a loopback address nor 0.0.0.0. */
static bool is_live_address(bt_str text)
{
    enum { OCTETS = 4, OCTET_MAX = 255, LOOPBACK = 127, PORT_MAX = 65535 };
    unsigned octets[OCTETS];
    size_t at = 0;
    for (size_t i = 0; i < OCTETS; i++) {
        if (i > 0 && (at == text.len || text.ptr[at++] != '.')) {
            return false;
        }
        if (!take_number(text, &at, 3, &octets[i]) || octets[i] > OCTET_MAX) {
            return false;
        }
    }
    if (at < text.len && text.ptr[at] == ':') {
        unsigned port = 0;
        at++;
        if (!take_number(text, &at, 5, &port) || port > PORT_MAX) {
            return false;
        }
    }
    const bool none = octets[0] == 0 && octets[1] == 0 && octets[2] == 0 && octets[3] == 0;
    return at == text.len && octets[0] != LOOPBACK && !none;
}

static bool is_resource_id(bt_str text)
{
    static const bt_str prefixes[] = {
        BT_STR_INIT("vpc-"), BT_STR_INIT("subnet-"), BT_STR_INIT("sg-"),
        BT_STR_INIT("i-"),   BT_STR_INIT("eni-"),
    };
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        const bt_str rest = bt_str_slice(text, prefixes[i].len, text.len);
        if (bt_str_starts_with(text, prefixes[i]) && (rest.len == 8 || rest.len == 17) &&
            bt_ascii_all(rest, bt_ascii_is_lower_hex)) {
            return true;
        }
    }
    return false;
}

/* An ARN that begins with `prefix`, digits and `rest`. */
static bool is_arn(bt_str text, bt_str prefix, bt_str rest)
{
    size_t at = prefix.len;
    if (!bt_str_starts_with(text, prefix)) {
        return false;
    }
    while (at < text.len && bt_ascii_is_digit(text.ptr[at])) {
        at++;
    }
    return at > prefix.len && bt_str_starts_with(bt_str_slice(text, at, text.len), rest);
}

/* ^serviceAccount:[^ ]+\.svc\.id\.goog\[[^ ]+\]$ */
static bool is_bound_account(bt_str text)
{
    const bt_str prefix = BT_STR("serviceAccount:");
    const bt_str domain = BT_STR(".svc.id.goog[");
    const bt_str rest = bt_str_slice(text, prefix.len, text.len);
    if (!bt_str_starts_with(text, prefix) || !bt_str_ends_with(text, BT_STR("]")) ||
        bt_str_find_byte(text, ' ', 0) < text.len || rest.len == 0) {
        return false;
    }
    const size_t at = bt_str_find(bt_str_slice(rest, 1, rest.len), domain);
    return at + domain.len + 1 < rest.len - 1;
}

static bool is_identity(bt_str text)
{
    return is_arn(text, BT_STR("arn:aws:iam::"), BT_STR(":oidc-provider/")) ||
           is_arn(text, BT_STR("arn:aws:sts::"), BT_STR(":assumed-role/")) ||
           bt_str_starts_with(text, BT_STR("principal://iam.")) ||
           bt_str_starts_with(text, BT_STR("principalSet://iam.")) || is_bound_account(text);
}

bool bt_contract_is_live_state(bt_str name, const bt_json_value *value)
{
    const bt_str text = bt_json_text(value);
    return is_live_name(name) || is_live_address(text) || is_resource_id(text) ||
           (bt_str_ends_with(text, BT_STR(".amazonaws.com")) &&
            bt_str_find(text, BT_STR(".elb.")) < text.len) ||
           bt_str_ends_with(text, BT_STR(".cloudapp.azure.com")) || is_identity(text) ||
           is_live_status(name, text);
}
