/* SPDX-License-Identifier: Apache-2.0 */
/* cosignatures.c - checkpoints of the store with the cosignatures added to them. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include <baton/json.h>

#include "json/emit.h"
#include "ledger/ledger_internal.h"

static bool put_line(void *context, const struct bt_store_cosignature *line)
{
    struct bt_buf *note = context;
    bt_buf_put(note, line->line);
    bt_buf_put_char(note, '\n');
    return true;
}

static bool is_cosignature(const struct bt_note_signature *line)
{
    return bt_base64_decoded_size(line->encoded) == BT_KEY_ID_BYTES + BT_COSIGNATURE_BYTES;
}

/* The time that a cosignature carries before its signature. */
static uint64_t time_of(const struct bt_note_signature *line)
{
    uint8_t bytes[BT_KEY_ID_BYTES + BT_COSIGNATURE_BYTES];
    uint64_t time = 0;
    bt_base64_decode(line->encoded, bytes);
    for (size_t i = 0; i < 8; i++) {
        time = time << 8 | bytes[BT_KEY_ID_BYTES + i];
    }
    return time;
}

static void put_signature(struct bt_emit *emit, const struct bt_note_signature *line, bool is_log)
{
    struct bt_vkey vkey = {0};
    char id[2 * BT_KEY_ID_BYTES + 1];
    memcpy(vkey.id, line->id, BT_KEY_ID_BYTES);
    bt_vkey_id_hex(&vkey, id);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "name", line->name);
    bt_emit_member_string(emit, "key_id", bt_str_of(id));
    bt_emit_member_string(emit, "type", is_log ? BT_STR("log") : BT_STR("witness"));
    if (!is_log && is_cosignature(line)) {
        bt_emit_member_u64(emit, "time", time_of(line));
    }
    bt_emit_end(emit);
}

static enum bt_status put_signatures(struct bt_arena *arena, const struct bt_checkpoint *note,
                                     bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < note->line_count; i++) {
        put_signature(&emit, &note->lines[i], bt_str_eq(note->lines[i].name, note->origin));
    }
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, arena, out);
}

/* The note and the lines added to it. */
static enum bt_status whole_note(struct bt_ledger *ledger, struct bt_arena *arena,
                                 const struct bt_store_checkpoint *row, bt_str *out,
                                 struct bt_error *error)
{
    struct bt_buf note;
    bt_buf_init(&note, BT_NOTE_BYTES_MAX);
    bt_buf_put(&note, row->note);
    enum bt_status status =
        bt_store_cosignature_scan(ledger->store, row->size, put_line, &note, error);
    if (status == BT_OK) {
        status = bt_buf_copy(&note, arena, out);
    }
    bt_buf_free(&note);
    return status;
}

enum bt_status bt_ledger_get_checkpoint(struct bt_ledger *ledger, struct bt_arena *arena,
                                        uint64_t size, struct bt_ledger_checkpoint *out,
                                        struct bt_error *error)
{
    assert(ledger);
    assert(out);
    struct bt_store_checkpoint row;
    struct bt_ledger_checkpoint found = {0};
    struct bt_checkpoint *note = BT_NEW(arena, struct bt_checkpoint);
    if (!note) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_store_checkpoint_get(ledger->store, arena, size, &row, error));
    BT_TRY(whole_note(ledger, arena, &row, &found.note, error));
    const char *reason = bt_checkpoint_read(found.note, note);
    if (reason) {
        return bt_error_set(error, BT_ECORRUPT, "the stored checkpoint is damaged: %s", reason);
    }
    found.size = note->size;
    BT_TRY(bt_ledger_hex(arena, &note->root, &found.root));
    BT_TRY(put_signatures(arena, note, &found.signatures));
    *out = found;
    return BT_OK;
}

/* Cosignature lines submitted for a checkpoint. */
struct cosignature_add_state {
    struct bt_ledger *ledger;
    const struct bt_checkpoint *note;
    const struct bt_verifier_keys *witnesses;
    struct bt_findings *findings;
    size_t kept;
    struct bt_error *error;
};

/* Store a line that one of the witnesses made, the first of each. */
static enum bt_status bring_line(struct cosignature_add_state *bringing,
                                 const struct bt_note_signature *line)
{
    for (size_t i = 0; i < bringing->witnesses->keys.count; i++) {
        const struct bt_vkey *witness = &bringing->witnesses->keys.items[i];
        struct bt_checkpoint_cosigner cosigned;
        const enum bt_status status =
            bt_cosignature_judge(bringing->note, line, witness, &cosigned);
        if (status == BT_ENOENT) {
            continue;
        }
        BT_TRY(status);
        if (!cosigned.valid) {
            return bt_ledger_add_cosignature_finding(bringing->findings, witness);
        }
        bringing->kept++;
        const struct bt_store_cosignature row = {bringing->note->size,
                                                 line->name,
                                                 {(const char *)line->id, BT_KEY_ID_BYTES},
                                                 line->line};
        return bt_store_cosignature_put(bringing->ledger->store, &row, bringing->error);
    }
    return BT_OK;
}

static enum bt_status bring_lines(struct cosignature_add_state *bringing, bt_str lines)
{
    const struct bt_location at = bt_ledger_part(BT_STR("/checkpoint"));
    for (size_t from = 0; from < lines.len;) {
        const size_t end = bt_str_find_byte(lines, '\n', from);
        struct bt_note_signature line;
        const char *reason = bt_note_signature_read(bt_str_slice(lines, from, end), &line);
        if (reason) {
            return bt_add_ledger_checkpoint_syntax(bringing->findings, at, bt_str_of(reason));
        }
        BT_TRY(bring_line(bringing, &line));
        from = end + 1;
    }
    if (bringing->kept == 0 && bt_findings_count(bringing->findings) == 0) {
        return bt_add_ledger_witness_missing(bringing->findings, at, 1, 0);
    }
    return BT_OK;
}

enum bt_status bt_ledger_add_cosignatures(struct bt_ledger *ledger, uint64_t size, bt_str lines,
                                          const struct bt_verifier_keys *witnesses,
                                          struct bt_findings *findings, struct bt_error *error)
{
    assert(ledger);
    assert(witnesses);
    struct bt_store_checkpoint row;
    struct bt_arena *arena = bt_findings_arena(findings);
    struct bt_checkpoint *note = BT_NEW(arena, struct bt_checkpoint);
    struct bt_ledger_state *state = BT_NEW(arena, struct bt_ledger_state);
    if (!note || !state) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_store_begin(ledger->store, error));
    enum bt_status status = bt_ledger_state(ledger, arena, findings, state, error);
    if (status == BT_OK && bt_findings_count(findings) == 0) {
        status = bt_ledger_check_head_file(ledger, arena, state, findings, error);
    }
    if (status == BT_OK) {
        status = bt_store_checkpoint_get(ledger->store, arena, size, &row, error);
    }
    const char *reason = status == BT_OK ? bt_checkpoint_read(row.note, note) : NULL;
    if (reason) {
        status = bt_error_set(error, BT_ECORRUPT, "the stored checkpoint is damaged: %s", reason);
    }
    struct cosignature_add_state bringing = {.ledger = ledger,
                                             .note = note,
                                             .witnesses = witnesses,
                                             .findings = findings,
                                             .error = error};
    if (status == BT_OK && bt_findings_count(findings) == 0) {
        status = bring_lines(&bringing, lines);
    }
    if (status == BT_OK && bt_findings_count(findings) == 0) {
        return bt_store_commit(ledger->store, error);
    }
    bt_store_rollback(ledger->store);
    return status;
}

static bool take_last(void *context, const struct bt_store_cosignature *row)
{
    struct bt_ledger_cosigned *out = context;
    struct bt_note_signature line;
    if (!bt_note_signature_read(row->line, &line) && is_cosignature(&line) &&
        time_of(&line) <= BT_INSTANT_SECONDS_MAX) {
        *out = (struct bt_ledger_cosigned){row->size, time_of(&line)};
    }
    return false;
}

enum bt_status bt_ledger_find_cosigned(struct bt_ledger *ledger, bt_str vkey,
                                       struct bt_ledger_cosigned *out, struct bt_error *error)
{
    assert(ledger);
    assert(out);
    struct bt_vkey key;
    BT_TRY(bt_vkey_parse(vkey, BT_KEY_WITNESS, &key, error));
    *out = (struct bt_ledger_cosigned){0};
    return bt_store_cosignature_last(ledger->store, bt_vkey_name(&key),
                                     (bt_str){(const char *)key.id, BT_KEY_ID_BYTES}, take_last,
                                     out, error);
}
