/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rules about ledgers, receipts, checkpoints and stores.
 *
 * They are violated by a store, a tree of files or a key, not by a document that could be shown
 * here; tests/cli/test_ledger_rules.py violates and satisfies each of them.
 */
#include "ledger/rules.h"

#include <assert.h>

/* clang-format off */
#define TEXT BT_STR_INIT
#define ROW(code_, dialect_, severity_, stage_, security_)                                         \
    .code = TEXT(code_), .dialect = TEXT(dialect_), .severity = (severity_),                       \
    .stage = BT_STAGE_##stage_, .security = (security_), .bad = TEXT(""), .good = TEXT("")

const struct bt_rule bt_ledger_rules[] = {
    {
        ROW("LEDGER_CHECKPOINT_SYNTAX", "ledger", BT_SEVERITY_HARD, READ, false),
        .meaning = TEXT("not a well-formed checkpoint note"),
        .explanation = TEXT(
            "A checkpoint is a C2SP signed note: origin, size and root on three lines, an "
            "empty line, then signature lines. It has one spelling only: no other line "
            "ends, no leading zeros, base64 with padding. params.reason says what is odd."),
    },
    {
        ROW("LEDGER_DOCUMENT_MISMATCH", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("stored document bytes were changed"),
        .explanation = TEXT(
            "The bytes that are kept for a digest do not have this digest, or not the size "
            "that was recorded. The entries that name the digest are still proven; the "
            "bytes are not what was judged."),
    },
    {
        ROW("LEDGER_DOCUMENT_MISSING", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("document bytes vanished without a redaction"),
        .explanation = TEXT(
            "An entry says that the bytes were kept, the store has none, and no redaction "
            "is recorded. A tree may lack documents; a store may not."),
    },
    {
        ROW("LEDGER_DOCUMENT_REDACTED", "ledger", BT_SEVERITY_INFO, RECORD, false),
        .meaning = TEXT("document bytes were deleted on purpose"),
        .explanation = TEXT(
            "A redaction entry, params.seq, says when and why. Entry, digest and proofs "
            "stay valid."),
    },
    {
        ROW("LEDGER_ENTRY_INVALID", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("an entry is not one that Baton writes"),
        .explanation = TEXT(
            "The entry breaks one of the rules E0 to E7, which params.rule names: canonical"
            " form, schema, a real time, sorted codes, members that fit the kind. The tree "
            "proves that it stands in the log, not that it means anything."),
    },
    {
        ROW("LEDGER_ENTRY_VERSION", "ledger", BT_SEVERITY_WARN, RECORD, false),
        .meaning = TEXT("entry of a newer format"),
        .explanation = TEXT(
            "The entry has a v above 1. What it says cannot be judged here; that it is in "
            "the log can."),
    },
    {
        ROW("LEDGER_FORK", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("two histories were signed"),
        .explanation = TEXT(
            "The same ledger signed another root at the same size. One of the two histories"
            " was shown to somebody and then replaced. Both checkpoints together are proof "
            "of that."),
    },
    {
        ROW("LEDGER_INCOMPLETE", "ledger", BT_SEVERITY_HARD, RECORD, false),
        .meaning = TEXT("data that the signed size promises is missing"),
        .explanation = TEXT(
            "A tile, a bundle of entries or an entry is absent, or not as long as the size "
            "needs. params.path names the file of a tree."),
    },
    {
        ROW("LEDGER_KEY_LOCAL", "ledger", BT_SEVERITY_INFO, RECORD, false),
        .meaning = TEXT("the key came from the place it vouches for"),
        .explanation = TEXT(
            "The verifier key lay beside or inside the store. This proves that the record "
            "agrees with itself; whoever can rewrite the record can rewrite the key too."),
    },
    {
        ROW("LEDGER_KEY_UNKNOWN", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("no key you trust signed this checkpoint"),
        .explanation = TEXT(
            "The origin is right, but none of the signature lines is by a known key of that"
            " name."),
    },
    {
        ROW("LEDGER_LEAF_MISMATCH", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("an entry was changed, or its hash was"),
        .explanation = TEXT(
            "The entry does not hash to the leaf hash that is stored for it. Together with "
            "LEDGER_ROOT_MISMATCH the entry was changed; without it, the hash."),
    },
    {
        ROW("LEDGER_ORIGIN_MISMATCH", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("the checkpoint belongs to another log"),
        .explanation = TEXT(
            "The first line of the checkpoint is not the name of any known log key, or not "
            "the ledger that is verified."),
    },
    {
        ROW("LEDGER_ROLLBACK", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("entries that were once signed are gone"),
        .explanation = TEXT(
            "A larger signed checkpoint of this ledger exists. An older copy was put back, "
            "or entries were cut off."),
    },
    {
        ROW("LEDGER_ROOT_MISMATCH", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("the record is not the one that was signed"),
        .explanation = TEXT(
            "The root computed from the entries differs from the root in the signed "
            "checkpoint."),
    },
    {
        ROW("LEDGER_SEQ_MISMATCH", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("an entry names another position"),
        .explanation = TEXT(
            "The entry's seq is not its index: it was written for another place."),
    },
    {
        ROW("LEDGER_SIGNATURE_INVALID", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("a trusted key's signature does not fit the text"),
        .explanation = TEXT(
            "A signature line has the name and id of a known key, and does not verify. "
            "Either the text was changed, or the line was made up."),
    },
    {
        ROW("LEDGER_TILE_MISMATCH", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("an inner hash was changed"),
        .explanation = TEXT(
            "A hash of level 1 or above is not what the level below gives."),
    },
    {
        ROW("LEDGER_TIME_REGRESSION", "ledger", BT_SEVERITY_WARN, RECORD, false),
        .meaning = TEXT("a clock ran backwards, or nodes disagree"),
        .explanation = TEXT(
            "The entry's time is more than 5 seconds before the latest time of an earlier "
            "entry. The order of entries is that of the log; times are what the deciding "
            "clocks said."),
    },
    {
        ROW("LEDGER_UNSIGNED_TAIL", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("entries were added without the key"),
        .explanation = TEXT(
            "The store holds entries beyond the newest checkpoint. Baton signs in the same "
            "transaction, so somebody else wrote them."),
    },
    {
        ROW("LEDGER_WITNESS_MISSING", "ledger", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("too few independent cosignatures"),
        .explanation = TEXT(
            "Fewer of the given witnesses have validly cosigned than were required. "
            "params.found is the most on one checkpoint."),
    },
    {
        ROW("RECEIPT_DOCUMENT_MISMATCH", "receipt", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("the receipt is for other bytes"),
        .explanation = TEXT(
            "The given document does not have the digest or size that the entry names, or "
            "the entry names none."),
    },
    {
        ROW("RECEIPT_ENTRY_MISSING", "receipt", BT_SEVERITY_HARD, RECORD, false),
        .meaning = TEXT("the receipt does not carry its entry"),
        .explanation = TEXT(
            "Without the entry there is nothing whose hash the proof could prove."),
    },
    {
        ROW("RECEIPT_PROOF_INVALID", "receipt", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("the entry is not in the signed tree at that place"),
        .explanation = TEXT(
            "The index is not below the size, or the proof does not lead from the entry to "
            "the signed root."),
    },
    {
        ROW("RECEIPT_SYNTAX", "receipt", BT_SEVERITY_HARD, READ, false),
        .meaning = TEXT("not a tlog-proof v1 text nor Baton's JSON receipt"),
        .explanation = TEXT(
            "A receipt is a C2SP tlog-proof or the closed JSON object of the same content, "
            "at most 256 KiB with at most 63 hashes. params.line is where reading stopped."),
    },
    {
        ROW("RECEIPT_VERDICT", "receipt", BT_SEVERITY_HARD, RECORD, false),
        .meaning = TEXT("it proves a refusal"),
        .explanation = TEXT(
            "The receipt is sound, and what it proves is that the document was refused. A "
            "gate that only looks at the exit code must not let it pass."),
    },
    {
        ROW("RECORD_TOO_LARGE", "raw", BT_SEVERITY_HARD, READ, false),
        .meaning = TEXT("the raw file is larger than a document may be"),
        .explanation = TEXT(
            "The refusal is recorded with the digest and size of the part up to the limit; "
            "no bytes are kept."),
    },
    {
        ROW("REPLAYED_ID", "raw", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("this handoff id was accepted before"),
        .explanation = TEXT(
            "An id is used up by its first acceptance, per dialect and in any letter case. "
            "params.first_seq is that entry; params.same_document tells a lost answer from "
            "another document under the same id."),
    },
    {
        ROW("STORE_GRANT_EXCESS", "store", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("the node may rewrite the record"),
        .explanation = TEXT(
            "The role of this node may update, delete or truncate a table that is only "
            "added to."),
    },
    {
        ROW("STORE_INTEGRITY", "store", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("the database itself is damaged"),
        .explanation = TEXT(
            "The back end's own integrity test failed; params.detail is what it said."),
    },
    {
        ROW("STORE_KEY_MODE", "store", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("others can read the signing key"),
        .explanation = TEXT(
            "The file of the private key may be read by its group or by others, or belongs "
            "to another user."),
    },
    {
        ROW("STORE_SETTING_UNSAFE", "store", BT_SEVERITY_HARD, RECORD, false),
        .meaning = TEXT("an acknowledged write could be lost"),
        .explanation = TEXT(
            "A setting that durability rests on has another value."),
    },
    {
        ROW("STORE_STATE_MISMATCH", "store", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("state and ledger tell different stories"),
        .explanation = TEXT(
            "A table of the store disagrees with the entries of the ledger; params.key "
            "names the row."),
    },
    {
        ROW("STORE_TRIGGER_MISSING", "store", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("append-only protection was removed"),
        .explanation = TEXT(
            "A trigger that refuses changes to a table is absent or was altered."),
    },
    {
        ROW("WITNESS_BAD_REQUEST", "checkpoint", BT_SEVERITY_HARD, READ, false),
        .meaning = TEXT("malformed request, or old above new"),
        .explanation = TEXT(
            "A request to a witness is `old N`, hashes, an empty line and a checkpoint, and"
            " N is at most the checkpoint's size."),
    },
    {
        ROW("WITNESS_BAD_SIGNATURE", "checkpoint", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("not signed by the log's trusted key"),
        .explanation = TEXT(
            "The checkpoint has no signature by a key that this witness trusts for the "
            "origin, or one that fails."),
    },
    {
        ROW("WITNESS_INCONSISTENT", "checkpoint", BT_SEVERITY_HARD, RECORD, true),
        .meaning = TEXT("the new tree does not extend the old one"),
        .explanation = TEXT(
            "The proof does not lead from the checkpoint that this witness holds to the new"
            " one. The request is validly signed, and kept as evidence."),
    },
    {
        ROW("WITNESS_STALE", "checkpoint", BT_SEVERITY_HARD, RECORD, false),
        .meaning = TEXT("proof starts at another size than the witness holds"),
        .explanation = TEXT(
            "The witness holds params.latest; a proof must start there."),
    },
    {
        ROW("WITNESS_UNKNOWN_ORIGIN", "checkpoint", BT_SEVERITY_HARD, RECORD, false),
        .meaning = TEXT("this witness does not know the log"),
        .explanation = TEXT(
            "The origin of the checkpoint is not among the logs that this witness trusts."),
    },
};

/* What to do about each, in the same order. */
static const bt_str hints[] = {
    TEXT("fetch it again; editors and mail programs add bytes"),
    TEXT("restore the bytes from a backup"),
    TEXT("restore the bytes from a backup"),
    TEXT("nothing needs to be done"),
    TEXT("find out who appended it; --any-entries lets logs of others pass"),
    TEXT("verify with a newer Baton"),
    TEXT("stop the ledger, keep both checkpoints, ask who holds the key"),
    TEXT("restore it from an export or a backup"),
    TEXT("pass --vkey with a key that came another way"),
    TEXT("get the vkey from the log's owner by another way"),
    TEXT("compare with an export, and keep both as evidence"),
    TEXT("use the key and the files of one log"),
    TEXT("find the newer copy; do not append to this one"),
    TEXT("compare with an export, and keep both as evidence"),
    TEXT("compare with an export, and keep both as evidence"),
    TEXT("treat it as forged"),
    TEXT("compare with an export, and keep both as evidence"),
    TEXT("synchronise the clocks"),
    TEXT("compare with an export, and keep both as evidence"),
    TEXT("submit the checkpoint to the witness"),
    TEXT("use the exact bytes that were recorded"),
    TEXT("pass the entry with --entry"),
    TEXT("treat it as forged"),
    TEXT("ask for the receipt again, unedited"),
    TEXT("pass --any-verdict if a proof of the refusal is what you want"),
    TEXT("record a digest file, or raise the limit"),
    TEXT("fetch the receipt of params.first_seq; a new handoff needs a new id"),
    TEXT("revoke the privilege"),
    TEXT("restore it from a backup; do not repair it in place"),
    TEXT("chmod 600, and consider the key lost"),
    TEXT("set the named value"),
    TEXT("the ledger is right; find out what wrote the table"),
    TEXT("find out who removed it; then store migrate restores it"),
    TEXT("make the request with ledger prove consistency"),
    TEXT("treat it as forged"),
    TEXT("evidence of a fork: stop and investigate"),
    TEXT("prove from params.latest"),
    TEXT("add the log's key with ledger witness trust"),
};
/* clang-format on */

const size_t bt_ledger_rules_count = sizeof(bt_ledger_rules) / sizeof(bt_ledger_rules[0]);

_Static_assert(sizeof(hints) / sizeof(hints[0]) ==
                   sizeof(bt_ledger_rules) / sizeof(bt_ledger_rules[0]),
               "every rule has a hint");

/* The place of a code in the table. */
static size_t find_rule_index(bt_str code)
{
    size_t i = 0;
    while (!bt_str_eq(bt_ledger_rules[i].code, code)) {
        i++;
        assert(i < bt_ledger_rules_count);
    }
    return i;
}

struct bt_finding bt_ledger_finding(const char *code)
{
    const size_t place = find_rule_index(bt_str_of(code));
    struct bt_finding finding = bt_finding_from_rule(&bt_ledger_rules[place]);
    finding.hint = hints[place];
    return finding;
}
