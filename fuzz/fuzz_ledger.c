/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_ledger.c - any bytes at all, read as a checkpoint, an entry, a receipt and keys.
 *
 * Promises: what is read has one spelling, so writing it gives the same bytes; an entry that the
 * walk accepts is canonical JSON; judging needs no luck: the same bytes give the same answer.
 */
#include "fuzz.h"
#include "ledger/checkpoint.h"
#include "ledger/entry.h"
#include "ledger/ledger.h"
#include "ledger/proof_api.h"
#include "ledger/receipt.h"

#define VKEY "ledger.example/team+9789251b+Ac628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibv"

static void try_checkpoint(bt_str text)
{
    static struct bt_checkpoint note;
    struct bt_buf buf;
    if (bt_checkpoint_read(text, &note)) {
        return;
    }
    bt_buf_init(&buf, FUZZ_BUF_BYTES);
    bt_checkpoint_put_text(&buf, note.origin, note.size, &note.root);
    PROMISE(bt_str_starts_with(note.text, bt_buf_str(&buf)));
    PROMISE(bt_str_starts_with(note.note, note.text));
    PROMISE(note.line_count > 0);
    for (size_t i = 0; i < note.line_count; i++) {
        PROMISE(bt_base64_decoded_size(note.lines[i].encoded) != SIZE_MAX);
    }
    bt_buf_free(&buf);
}

static void try_entry(bt_str text)
{
    struct bt_entry entry;
    struct bt_entry again;
    struct bt_entry_check_result judged;
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    bt_buf_init(&buf, FUZZ_BUF_BYTES);
    const bool is_read = bt_entry_read(text, &entry);
    PROMISE(bt_entry_check(&arena, text, &again, &judged) == BT_OK);
    PROMISE(judged.judgement != BT_ENTRY_FINE || is_read);
    if (is_read) {
        bt_entry_put(&buf, &entry);
        PROMISE(bt_str_eq(bt_buf_str(&buf), text));
        const struct bt_json_doc *document = fuzz_reread(&arena, text);
        bt_buf_clear(&buf);
        PROMISE(bt_json_write(&buf, document, bt_json_root(document), BT_JSON_FORM_CANONICAL,
                              &arena, NULL) == BT_OK);
        PROMISE(bt_str_eq(bt_buf_str(&buf), text));
    }
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void try_receipt(bt_str text)
{
    struct bt_arena arena;
    struct bt_receipt receipt;
    struct bt_receipt_error fault;
    struct bt_judgement judged;
    struct bt_buf buf;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    bt_buf_init(&buf, FUZZ_BUF_BYTES);
    PROMISE(bt_receipt_read(&arena, text, &receipt, &fault) == BT_OK);
    if (!fault.reason && receipt.form == BT_RECEIPT_TEXT) {
        bt_receipt_put_text(&buf, &receipt);
        PROMISE(bt_str_eq(bt_buf_str(&buf), text));
    }
    struct bt_verifier_keys *keys = bt_verifier_keys_new(&arena, BT_VERIFIER_KEY_LOG);
    PROMISE(keys);
    PROMISE(bt_verifier_keys_add(keys, BT_STR(VKEY), NULL) == BT_OK);
    const struct bt_receipt_judge_options options = {.keys = keys};
    PROMISE(bt_receipt_judge(&arena, BT_STR("x"), text, &options, &judged) == BT_OK);
    PROMISE((judged.verdict == BT_VERDICT_ACCEPTED) ==
            (bt_verdict_of(judged.findings, BT_SEVERITY_HARD) == BT_VERDICT_ACCEPTED));
    PROMISE(!fault.reason || judged.verdict == BT_VERDICT_REJECTED || fault.json.document);
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void try_key(bt_str text)
{
    struct bt_vkey vkey;
    struct bt_buf buf;
    if (bt_vkey_parse(text, BT_KEY_LOG, &vkey, NULL) == BT_OK) {
        bt_buf_init(&buf, FUZZ_BUF_BYTES);
        bt_vkey_put(&buf, &vkey);
        PROMISE(bt_str_eq(bt_buf_str(&buf), text));
        bt_buf_free(&buf);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    try_checkpoint(text);
    try_entry(text);
    try_receipt(text);
    try_key(text);
    return 0;
}
