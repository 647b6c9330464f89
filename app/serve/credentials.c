/* SPDX-License-Identifier: Apache-2.0 */
/* credentials.c - the credentials file: read strictly, written as a whole. */
#include "serve/credentials.h"

#include <assert.h>
#include <stdio.h>
#include <sys/stat.h>

#include <baton/json.h>
#include <baton/schema.h>

#include "base/file.h"
#include "json/emit.h"
#include "json/options.h"
#include "ledger/logs.h"
#include "operation/scopes.h"
#include "schema/options.h"

enum { FILE_BYTES_MAX = 8 << 20 };

/* clang-format off */
static const char form[] =
    "{\"type\":\"object\",\"required\":[\"baton_tokens\",\"tokens\"],"
    "\"additionalProperties\":false,"
    "\"properties\":{\"baton_tokens\":{\"enum\":[1,2]},\"tokens\":{\"type\":\"array\",\"items\":{"
    "\"type\":\"object\",\"additionalProperties\":false,\"required\":["
    "\"name\",\"sha256\",\"spki_sha256\","
    "\"scopes\",\"agents\",\"pump_client\",\"created\",\"expires\"],\"properties\":{"
    "\"name\":{\"$ref\":\"#/$defs/name\"},"
    "\"sha256\":{\"$ref\":\"#/$defs/digest\"},\"spki_sha256\":{\"$ref\":\"#/$defs/digest\"},"
    "\"scopes\":{\"type\":\"array\",\"minItems\":1,\"uniqueItems\":true,"
    "\"items\":{\"type\":\"string\"}},"
    "\"agents\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"pump_client\":{\"type\":[\"string\",\"null\"]},"
    "\"logs\":{\"type\":\"array\",\"minItems\":1,\"uniqueItems\":true,"
    "\"items\":{\"type\":\"string\"}},"
    "\"created\":{\"type\":\"string\"},\"expires\":{\"type\":[\"string\",\"null\"]}},"
    "\"oneOf\":[{\"properties\":{\"sha256\":{\"type\":\"null\"}}},"
    "{\"properties\":{\"spki_sha256\":{\"type\":\"null\"}}}]}}},"
    "\"$defs\":{\"name\":{\"type\":\"string\",\"pattern\":\"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$\"},"
    "\"digest\":{\"type\":[\"string\",\"null\"],\"pattern\":\"^[0-9a-f]{64}$\"}}}";
/* clang-format on */

/* ---- Flags ----------------------------------------------------------------------------------- */

bool serve_credential_name_is_valid(bt_str text)
{
    static const bt_str taken[] = {BT_STR_INIT("local"), BT_STR_INIT("console"),
                                   BT_STR_INIT("witness")};
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        const bool is_word = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                             (byte >= '0' && byte <= '9');
        if (!is_word && (i == 0 || (byte != '.' && byte != '_' && byte != '-'))) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        if (bt_str_eq(text, taken[i])) {
            return false;
        }
    }
    return text.len > 0 && text.len <= 64;
}

bool serve_credential_log_is_valid(bt_str text)
{
    return bt_str_eq(text, BT_STR("*")) || bt_log_name_is_valid(text);
}

bool serve_credential_has_log(const struct serve_credential *token, bt_str log)
{
    for (size_t i = 0; i < token->log_count; i++) {
        if (bt_str_eq(token->logs[i], BT_STR("*")) || bt_str_eq(token->logs[i], log)) {
            return true;
        }
    }
    return false;
}

bool token_is_expired(const struct serve_credential *token, bt_instant now)
{
    bt_instant expires;
    return token->expires.len > 0 &&
           (bt_instant_parse(token->expires, &expires) != BT_OK || expires.seconds < now.seconds ||
            (expires.seconds == now.seconds && expires.nanos <= now.nanos));
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool judge_form(const struct bt_env *env, struct bt_arena *arena,
                       const struct bt_json_doc *document)
{
    struct bt_schema_options options = bt_schema_options_default();
    struct bt_json_read_result read = {0};
    struct bt_schema *schema = NULL;
    options.hash_seed[0] = env->hash_seed[0];
    options.hash_seed[1] = env->hash_seed[1];
    /* from: built-in text */
    if (bt_json_read(arena, bt_str_of(form), NULL, &read) != BT_OK || !read.document ||
        bt_schema_compile(read.document, &options, NULL, &schema) != BT_OK || !schema) {
        return false;
    }
    struct bt_schema_runner *runner = bt_schema_runner_with(NULL);
    const bool fits = runner && bt_schema_run(schema, runner, document) == BT_SCHEMA_VALID;
    bt_schema_runner_destroy(runner);
    bt_schema_destroy(schema);
    return fits;
}

static uint8_t parse_hex_digit(char digit)
{
    return (uint8_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

static bt_str text_of(const struct bt_json_doc *document, const bt_json_value *entry,
                      const char *name)
{
    return bt_json_text(bt_json_get(document, entry, bt_str_of(name)));
}

/* Take a list of names of one form; none without a list. False: one has another form. */
static bool take_names(struct bt_arena *arena, const bt_json_value *list, bool (*is_valid)(bt_str),
                       struct bt_str_list *out)
{
    const size_t count = list ? bt_json_count(list) : 0;
    bt_str *names = BT_NEW_ARRAY(arena, bt_str, count + 1);
    for (size_t i = 0; names && i < count; i++) {
        names[i] = bt_json_text(&bt_json_items(list)[i]);
        if (!is_valid(names[i])) {
            return false;
        }
    }
    *out = (struct bt_str_list){names, count};
    return names != NULL;
}

static bool take_lists(struct bt_arena *arena, const struct bt_json_doc *document,
                       const bt_json_value *entry, struct serve_credential *out)
{
    struct bt_str_list agents;
    struct bt_str_list logs;
    if (!take_names(arena, bt_json_get(document, entry, BT_STR("agents")), bt_entry_name_is_valid,
                    &agents) ||
        !take_names(arena, bt_json_get(document, entry, BT_STR("logs")),
                    serve_credential_log_is_valid, &logs)) {
        return false;
    }
    out->agents = agents.items;
    out->agent_count = agents.count;
    out->logs = logs.items;
    out->log_count = logs.count;
    return true;
}

/*
 * Check what the schema cannot express: words, dates, and that a principal bound to agents has no
 * scope that decides.
 */
static bool take_entry(struct bt_arena *arena, const struct bt_json_doc *document,
                       const bt_json_value *entry, struct serve_credential *out)
{
    const bt_json_value *scopes = bt_json_get(document, entry, BT_STR("scopes"));
    bt_str digest = text_of(document, entry, "sha256");
    bt_instant instant;
    *out = (struct serve_credential){
        .name = text_of(document, entry, "name"),
        .is_certificate = digest.len == 0,
        .pump_client = text_of(document, entry, "pump_client"),
        .created = text_of(document, entry, "created"),
        .expires = text_of(document, entry, "expires"),
    };
    digest = out->is_certificate ? text_of(document, entry, "spki_sha256") : digest;
    for (size_t i = 0; i < BT_SHA256_BYTES; i++) {
        out->digest[i] = (uint8_t)(parse_hex_digit(digest.ptr[2 * i]) << 4 |
                                   parse_hex_digit(digest.ptr[2 * i + 1]));
    }
    for (size_t i = 0; i < bt_json_count(scopes); i++) {
        const unsigned scope = bt_scope_find(bt_json_text(&bt_json_items(scopes)[i]));
        if (scope == 0) {
            return false;
        }
        out->scopes |= scope;
    }
    const bool is_dated =
        bt_instant_parse(out->created, &instant) == BT_OK &&
        (out->expires.len == 0 || bt_instant_parse(out->expires, &instant) == BT_OK);
    return is_dated && serve_credential_name_is_valid(out->name) &&
           take_lists(arena, document, entry, out) &&
           (out->agent_count == 0 || (out->scopes & SCOPES_DECIDING) == 0);
}

static bool is_unique(const struct serve_credential *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bt_str_eq(items[i].name, items[count].name)) {
            return false;
        }
    }
    return true;
}

static enum bt_status take_all(struct bt_env *env, struct bt_arena *arena, bt_str text,
                               struct serve_credentials *out, struct bt_error *error)
{
    const struct bt_json_options options = bt_json_options_from_env(env);
    struct bt_json_read_result read = {0};
    /* from: file */
    BT_TRY(bt_json_read(arena, text, &options, &read));
    if (!read.document || !judge_form(env, arena, read.document)) {
        return bt_error_set(error, BT_EINVAL, "it is not a file of tokens");
    }
    const bt_json_value *entries =
        bt_json_get(read.document, bt_json_root(read.document), BT_STR("tokens"));
    const size_t count = bt_json_count(entries);
    struct serve_credential *items = BT_NEW_ARRAY(arena, struct serve_credential, count + 1);
    if (!items) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    const bt_json_value *version =
        bt_json_get(read.document, bt_json_root(read.document), BT_STR("baton_tokens"));
    const bool is_first = bt_str_eq(bt_json_number_text(read.document, version), BT_STR("1"));
    for (size_t i = 0; i < count; i++) {
        if (!take_entry(arena, read.document, &bt_json_items(entries)[i], &items[i]) ||
            !is_unique(items, i) || (is_first && items[i].log_count > 0)) {
            return bt_error_set(error, BT_EINVAL, "entry %zu is invalid or repeats a name", i);
        }
    }
    *out = (struct serve_credentials){items, count};
    return BT_OK;
}

bool tokens_are_private(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && (info.st_mode & 077) == 0;
}

enum bt_status tokens_read(struct bt_env *env, struct bt_arena *arena, bt_str path,
                           struct serve_credentials *out, struct bt_error *error)
{
    assert(out);
    bt_str text;
    BT_TRY(bt_file_read(arena, path, FILE_BYTES_MAX, &text, error));
    return take_all(env, arena, text, out, error);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void put_digest(struct bt_emit *emit, const char *name, const uint8_t *digest)
{
    char hex[2 * BT_SHA256_BYTES + 1];
    bt_emit_name(emit, name);
    if (!digest) {
        bt_emit_null(emit);
        return;
    }
    for (size_t i = 0; i < BT_SHA256_BYTES; i++) {
        (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
    bt_emit_string(emit, bt_str_of(hex));
}

static bool have_logs(const struct serve_credentials *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        if (tokens->items[i].log_count > 0) {
            return true;
        }
    }
    return false;
}

void serve_credential_put_logs(struct bt_emit *emit, const struct serve_credential *token)
{
    if (token->log_count == 0) {
        return;
    }
    bt_emit_member_array(emit, "logs");
    for (size_t i = 0; i < token->log_count; i++) {
        bt_emit_string(emit, token->logs[i]);
    }
    bt_emit_end(emit);
}

void tokens_put(struct bt_buf *buf, const struct serve_credentials *tokens)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton_tokens", have_logs(tokens) ? 2 : 1);
    bt_emit_member_array(&emit, "tokens");
    for (size_t i = 0; i < tokens->count; i++) {
        const struct serve_credential *token = &tokens->items[i];
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "name", token->name);
        put_digest(&emit, "sha256", token->is_certificate ? NULL : token->digest);
        put_digest(&emit, "spki_sha256", token->is_certificate ? token->digest : NULL);
        bt_emit_name(&emit, "scopes");
        bt_scopes_emit(&emit, token->scopes);
        bt_emit_member_array(&emit, "agents");
        for (size_t k = 0; k < token->agent_count; k++) {
            bt_emit_string(&emit, token->agents[k]);
        }
        bt_emit_end(&emit);
        bt_emit_member_string_or_null(&emit, "pump_client", token->pump_client);
        serve_credential_put_logs(&emit, token);
        bt_emit_member_string(&emit, "created", token->created);
        bt_emit_member_string_or_null(&emit, "expires", token->expires);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

/* ---- Using ----------------------------------------------------------------------------------- */

enum bt_status serve_credential_generate(struct bt_env *env, char out_text[TOKEN_TEXT_BYTES],
                                         uint8_t out_digest[BT_SHA256_BYTES])
{
    uint8_t secret[32];
    struct bt_buf buf;
    if (!env->random(env->context, secret, sizeof(secret))) {
        return BT_EIO;
    }
    bt_buf_init(&buf, (size_t)2 * TOKEN_TEXT_BYTES);
    bt_buf_put_text(&buf, "bt_");
    bt_base64url_put(&buf, (bt_str){(const char *)secret, sizeof(secret)});
    enum bt_status status = buf.status;
    if (status == BT_OK) {
        assert(buf.len == TOKEN_TEXT_BYTES);
        for (size_t i = 0; i < TOKEN_TEXT_BYTES; i++) {
            out_text[i] = buf.ptr[i];
        }
        status = bt_sha256(bt_buf_str(&buf), out_digest);
    }
    bt_buf_free(&buf);
    return status;
}

const struct serve_credential *tokens_find(const struct serve_credentials *tokens, bt_str text,
                                           bt_instant now)
{
    uint8_t digest[BT_SHA256_BYTES];
    const struct serve_credential *found = NULL;
    if (bt_sha256(text, digest) != BT_OK) {
        return NULL;
    }
    for (size_t i = 0; i < tokens->count; i++) {
        const struct serve_credential *token = &tokens->items[i];
        const bool is_equal = bt_bytes_equal_constant_time(token->digest, digest, sizeof(digest));
        found = is_equal && !token->is_certificate && !token_is_expired(token, now) ? token : found;
    }
    return found;
}
