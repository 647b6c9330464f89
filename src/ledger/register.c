/* SPDX-License-Identifier: Apache-2.0 */
/* register.c - statements into a log of statements, each once, after the list of issuers. */
#include "ledger/register.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "cbor/cbor.h"
#include "ledger/cose.h"
#include "ledger/cose_labels.h"
#include "ledger/transaction.h"

enum { HEADERS_BYTES_MAX = 1024 };

/* The group of the leaves that are lists of issuers. */
static const bt_str issuers_group = BT_STR_INIT("issuers");

/* A statement on its way into the log, and what the log says about it. */
struct register_state {
    struct bt_registration *registration;
    struct bt_arena *arena;
    char id[BT_HASH_HEX_BYTES];
    bt_str leaf;
};

static enum bt_status prepare_leaf(struct register_state *state, struct bt_error *error)
{
    struct bt_merkle_hash digest;
    enum bt_status status = bt_statement_digest(state->registration->statement, &digest);
    if (status == BT_OK) {
        bt_merkle_hash_hex(&digest, state->id);
        status = bt_statement_leaf(state->arena, state->registration->statement, &state->leaf);
    }
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "%s", bt_status_text(status));
}

/* ---- What is there --------------------------------------------------------------------------- */

static bool take_registered(void *context, const struct bt_store_entry *row)
{
    struct register_state *state = context;
    state->registration->is_there = bt_str_eq(row->entry, state->leaf);
    state->registration->is_other = !state->registration->is_there;
    state->registration->seq = row->seq;
    return false;
}

static enum bt_status find_registered(struct register_state *state, struct bt_ledger *ledger,
                                      struct bt_error *error)
{
    const struct bt_store_scan scan = {.order = BT_STORE_BY_HANDOFF, .key = bt_str_of(state->id)};
    state->registration->is_there = false;
    state->registration->is_other = false;
    return bt_store_entry_scan(ledger->store, &scan, take_registered, state, error);
}

static enum bt_status check_kind(const struct bt_ledger *ledger, struct bt_error *error)
{
    return bt_ledger_has_statements(ledger)
               ? BT_OK
               : bt_error_set(error, BT_EDENIED, "the log holds decisions, and no statements");
}

enum bt_status bt_ledger_find_statement(struct bt_ledger *ledger, struct bt_arena *arena,
                                        struct bt_registration *registration,
                                        struct bt_error *error)
{
    assert(ledger);
    assert(registration);
    struct register_state state = {.registration = registration, .arena = arena};
    BT_TRY(check_kind(ledger, error));
    BT_TRY(prepare_leaf(&state, error));
    return find_registered(&state, ledger, error);
}

/* ---- The list of issuers --------------------------------------------------------------------- */

/* The list as the leaf `seq` says it. Its number makes each leaf another one, so that a list that
 * comes back is registered again. */
static enum bt_status print_list(struct bt_arena *arena, const struct bt_issuers *issuers,
                                 uint64_t seq, bt_str *out)
{
    return bt_arena_printf(arena, out, "{\"issuers\":%.*s,\"seq\":%" PRIu64 "}",
                           BT_STR_ARG(issuers->text), seq);
}

/* Whether the newest list of the log is the one in force. */
struct register_newest_list {
    struct bt_arena *arena;
    const struct bt_issuers *issuers;
    bool is_in_force;
    enum bt_status status;
};

static bool take_newest(void *context, const struct bt_store_entry *row)
{
    struct register_newest_list *newest = context;
    struct bt_signed_statement statement;
    bt_str wanted;
    newest->status = print_list(newest->arena, newest->issuers, row->seq, &wanted);
    newest->is_in_force = newest->status == BT_OK &&
                          bt_statement_read_leaf(row->entry, &statement).refusal == 0 &&
                          bt_str_eq(statement.payload, wanted);
    return false;
}

static void put_list_headers(struct bt_buf *buf, const struct bt_vkey *vkey)
{
    struct bt_merkle_hash kid;
    char subject[BT_KEY_NAME_MAX + 16];
    const bt_str name = bt_vkey_name(vkey);
    const int size = snprintf(subject, sizeof(subject), "%.*s#issuers", BT_STR_ARG(name));
    bt_cose_thumbprint(vkey, &kid);
    bt_cbor_put_head(buf, BT_CBOR_MAP, 4);
    bt_cbor_put_integer(buf, BT_COSE_ALG);
    bt_cbor_put_integer(buf, BT_COSE_EDDSA);
    bt_cbor_put_integer(buf, BT_COSE_CONTENT_TYPE);
    bt_cbor_put_string(buf, BT_CBOR_TEXT, BT_STR("application/json"));
    bt_cbor_put_integer(buf, BT_COSE_KID);
    bt_cbor_put_string(buf, BT_CBOR_BYTES, (bt_str){(const char *)kid.bytes, BT_HASH_BYTES});
    bt_cbor_put_integer(buf, BT_COSE_CLAIMS);
    bt_cbor_put_head(buf, BT_CBOR_MAP, 2);
    bt_cbor_put_integer(buf, BT_COSE_ISSUER);
    bt_cbor_put_string(buf, BT_CBOR_TEXT, name);
    bt_cbor_put_integer(buf, BT_COSE_SUBJECT);
    bt_cbor_put_string(buf, BT_CBOR_TEXT, (bt_str){subject, (size_t)size});
}

/* Sign the list by the key of the log. `signature` has room for one. */
static enum bt_status sign_list(struct bt_ledger *ledger, struct bt_signed_statement *list,
                                struct bt_arena *arena, uint8_t signature[BT_SIGNATURE_BYTES],
                                struct bt_error *error)
{
    struct bt_error why = {.status = BT_OK};
    struct bt_buf headers;
    BT_TRY(bt_ledger_lock_keys(ledger, error));
    const struct bt_signing_key *key = &ledger->signing.key;
    bt_buf_init(&headers, HEADERS_BYTES_MAX);
    put_list_headers(&headers, &key->vkey);
    enum bt_status status = bt_buf_finish(&headers, arena, &list->headers);
    if (status == BT_OK) {
        status = bt_cose_sign(key, list->headers, list->payload, signature, &why);
    }
    bt_ledger_unlock_keys(ledger);
    list->signature = (bt_str){(const char *)signature, BT_SIGNATURE_BYTES};
    return status == BT_OK ? BT_OK : bt_ledger_sign_error(status, &why, error);
}

/* Register the list in force, unless it is the newest one of the log. */
static enum bt_status add_list(struct bt_ledger_transaction *recording,
                               const struct bt_issuers *issuers, struct bt_error *error)
{
    struct register_newest_list newest = {.arena = recording->arena, .issuers = issuers};
    const struct bt_store_scan scan = {.order = BT_STORE_BY_TRACE_DOWN, .key = issuers_group};
    uint8_t signature[BT_SIGNATURE_BYTES];
    struct bt_signed_statement list = {.alg = BT_COSE_EDDSA};
    struct bt_registration about = {.statement = &list};
    struct register_state state = {.registration = &about, .arena = recording->arena};
    BT_TRY(bt_store_entry_scan(recording->ledger->store, &scan, take_newest, &newest, error));
    if (newest.status != BT_OK || newest.is_in_force) {
        return newest.status;
    }
    BT_TRY(print_list(recording->arena, issuers, recording->state.tree.size, &list.payload));
    BT_TRY(sign_list(recording->ledger, &list, recording->arena, signature, error));
    BT_TRY(prepare_leaf(&state, error));
    const struct bt_ledger_leaf leaf = {state.leaf, bt_str_of(state.id), issuers_group};
    return bt_ledger_transaction_add_leaf(recording, &leaf, error);
}

/* ---- Registration ---------------------------------------------------------------------------- */

static enum bt_status add_statement(struct bt_ledger_transaction *recording, void *context,
                                    struct bt_error *error)
{
    struct register_state *state = context;
    struct bt_registration *registration = state->registration;
    BT_TRY(find_registered(state, recording->ledger, error));
    if (registration->is_there || registration->is_other) {
        return BT_OK;
    }
    BT_TRY(add_list(recording, registration->issuers, error));
    const struct bt_ledger_leaf leaf = {state->leaf, bt_str_of(state->id), BT_STR("")};
    registration->seq = recording->state.tree.size;
    return bt_ledger_transaction_add_leaf(recording, &leaf, error);
}

enum bt_status bt_ledger_register(struct bt_ledger *ledger, struct bt_env *env,
                                  struct bt_arena *arena, struct bt_registration *registration,
                                  struct bt_findings *alarms, struct bt_error *error)
{
    assert(ledger);
    assert(registration);
    assert(registration->issuers);
    struct register_state state = {.registration = registration, .arena = arena};
    struct bt_ledger_transaction recording = {
        .ledger = ledger, .env = env, .arena = arena, .drafts.are_statements = true};
    BT_TRY(check_kind(ledger, error));
    BT_TRY(prepare_leaf(&state, error));
    return bt_ledger_transaction_run(&recording, add_statement, &state, alarms, error);
}
