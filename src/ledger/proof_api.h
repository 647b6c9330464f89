/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof_api.h - proofs, receipts and exports of a ledger, and their verification by others.
 *
 * Results are as described in ledger.h. Verifying a receipt or a tree of files needs only keys,
 * neither a store nor a ledger.
 */
#ifndef BATON_SRC_LEDGER_PROOF_API_H
#define BATON_SRC_LEDGER_PROOF_API_H

#include "base/file.h"
#include "ledger/ledger.h"

/* ---- Keys ------------------------------------------------------------------------------------ */

/* A set of public keys to verify with; see bt_verifier_keys_add(). */
struct bt_verifier_keys;

enum bt_verifier_key_kind { BT_VERIFIER_KEY_LOG = 1, BT_VERIFIER_KEY_WITNESS = 4 };

/* Make an empty set, which lives in the arena. NULL when the arena is exhausted. */
BT_MUST_USE struct bt_verifier_keys *bt_verifier_keys_new(struct bt_arena *arena,
                                                          enum bt_verifier_key_kind kind);
struct bt_signature_host; /* see ed25519.h */

/* The host that verifies with the keys that are added from now on, in a core build. */
void bt_verifier_keys_set_host(struct bt_verifier_keys *keys, struct bt_signature_host *host);
/* Add a vkey. BT_EINVAL: not a vkey, or of the other kind. `error` may be NULL. */
BT_MUST_USE enum bt_status bt_verifier_keys_add(struct bt_verifier_keys *keys, bt_str vkey,
                                                struct bt_error *error);
/*
 * Add the vkeys of a text, one per line; empty lines and # comments are skipped. Statuses as for
 * bt_verifier_keys_add().
 */
BT_MUST_USE enum bt_status bt_verifier_keys_add_lines(struct bt_verifier_keys *keys, bt_str text,
                                                      struct bt_error *error);
/* The number of keys. */
size_t bt_verifier_keys_count(const struct bt_verifier_keys *keys);

/* A C2SP policy file: logs to trust, and witnesses of which enough must have cosigned. */
struct bt_witness_policy;

enum { BT_POLICY_BYTES_MAX = 64 * 1024 };

/* Read a policy file, which must name a log. BT_EINVAL: `error` has the line and what is wrong. */
BT_MUST_USE enum bt_status bt_witness_policy_read(struct bt_arena *arena, bt_str text,
                                                  struct bt_witness_policy **out,
                                                  struct bt_error *error);
/* The keys of its logs, and those of its witnesses that can be verified here. */
const struct bt_verifier_keys *bt_witness_policy_logs(const struct bt_witness_policy *policy);
const struct bt_verifier_keys *bt_witness_policy_witnesses(const struct bt_witness_policy *policy);

/* The forms of public keys. */
enum bt_public_key_format {
    BT_PUBLIC_KEYS_VKEY = 1, /* lines */
    BT_PUBLIC_KEYS_COSE,     /* a COSE Key Set */
    BT_PUBLIC_KEYS_JWK,      /* a JWK set */
    BT_PUBLIC_KEYS_PEM,      /* SubjectPublicKeyInfo */
    BT_PUBLIC_KEYS_ALL,      /* a JSON object with each key in all forms, and its state */
};

/* Put all keys that the ledger ever had, the first one first. Failures of the buffer are returned.
 */
BT_MUST_USE enum bt_status bt_ledger_put_keys(struct bt_ledger *ledger, struct bt_arena *arena,
                                              enum bt_public_key_format format, struct bt_buf *buf,
                                              struct bt_error *error);
/* Add all keys that the ledger ever had to a set. */
BT_MUST_USE enum bt_status
bt_ledger_copy_keys(struct bt_ledger *ledger, struct bt_verifier_keys *out, struct bt_error *error);
/* Put one key as COSE_Key; `kid` is its thumbprint in base64url. BT_ENOENT: there is none. */
BT_MUST_USE enum bt_status bt_ledger_put_cose_key(struct bt_ledger *ledger, bt_str kid,
                                                  struct bt_buf *buf, struct bt_error *error);

/* ---- Checkpoints ----------------------------------------------------------------------------- */

/* A signed checkpoint with its cosignatures. Hashes are hexadecimal digits. */
struct bt_ledger_checkpoint {
    uint64_t size;
    bt_str root;
    bt_str note;
    bt_str signatures; /* JSON array */
};

/*
 * Read the checkpoint signed at exactly `size`, or for BT_LEDGER_SEQ_NONE the newest. BT_ENOENT:
 * there is none.
 */
BT_MUST_USE enum bt_status bt_ledger_get_checkpoint(struct bt_ledger *ledger,
                                                    struct bt_arena *arena, uint64_t size,
                                                    struct bt_ledger_checkpoint *out,
                                                    struct bt_error *error);
/*
 * Store the signature lines in `lines` that these witnesses made for the checkpoint of `size`. With
 * findings, nothing is stored.
 */
BT_MUST_USE enum bt_status bt_ledger_add_cosignatures(struct bt_ledger *ledger, uint64_t size,
                                                      bt_str lines,
                                                      const struct bt_verifier_keys *witnesses,
                                                      struct bt_findings *findings,
                                                      struct bt_error *error);

/* The newest cosignature that a witness has made. */
struct bt_ledger_cosigned {
    uint64_t size;
    uint64_t time; /* of its signature, in seconds since 1970; 0: there is none */
};

/* Find it among those that are stored. BT_EINVAL: not the vkey of a witness. */
BT_MUST_USE enum bt_status bt_ledger_find_cosigned(struct bt_ledger *ledger, bt_str vkey,
                                                   struct bt_ledger_cosigned *out,
                                                   struct bt_error *error);

/* ---- Proving --------------------------------------------------------------------------------- */

enum bt_receipt_format {
    BT_RECEIPT_FORMAT_TEXT = 1, /* C2SP tlog-proof */
    BT_RECEIPT_FORMAT_JSON,
    BT_RECEIPT_FORMAT_DSSE, /* an in-toto statement, signed: needs a ledger open for writing */
    BT_RECEIPT_FORMAT_COSE, /* a COSE receipt, signed in the same way */
};

/* What an in-toto statement says. */
enum bt_receipt_predicate {
    BT_PREDICATE_RECEIPT = 0, /* that there is a receipt of the document */
    BT_PREDICATE_SVR,         /* a Simple Verification Result: that the handoff was accepted */
};

struct bt_receipt_request {
    uint64_t seq;
    uint64_t size; /* of the checkpoint to prove against; BT_LEDGER_SEQ_NONE: the newest */
    enum bt_receipt_format format;
    enum bt_receipt_predicate predicate; /* of BT_RECEIPT_FORMAT_DSSE */
    bool is_first; /* against the first checkpoint with the entry, as it was before cosignatures */
};

/* Everything lives in the arena of the call. */
struct bt_receipt_result {
    uint64_t size;
    bt_str entry;
    bt_str receipt;
};

/*
 * Make the receipt of an entry, or of a statement, whose only format is COSE. BT_ENOENT: no such
 * entry below that size, no checkpoint was signed there, or a statement cannot be made about the
 * entry: it has no document, or for an SVR it is not an accepted handoff.
 */
BT_MUST_USE enum bt_status bt_ledger_make_receipt(struct bt_ledger *ledger, struct bt_arena *arena,
                                                  const struct bt_receipt_request *request,
                                                  struct bt_receipt_result *out,
                                                  struct bt_error *error);

enum { BT_CERTIFICATE_BYTES_MAX = 16 << 20, BT_CERTIFICATE_ENTRIES_MAX = 10000 };

/* A redaction, by its number, by that of an entry that lost its bytes, or by the digest. */
struct bt_certificate_request {
    bool by_seq;
    uint64_t seq;
    bt_str sha256; /* hexadecimal digits, unless by_seq */
};

/*
 * Put the certificate of a redaction, one line of JSON. BT_ENOENT: no such entry, or its document
 * was not redacted. Failures of the buffer are returned.
 */
BT_MUST_USE enum bt_status bt_ledger_put_certificate(struct bt_ledger *ledger,
                                                     struct bt_arena *arena,
                                                     const struct bt_certificate_request *request,
                                                     struct bt_buf *buf, struct bt_error *error);

/* Put the receipt of an entry, as bt_ledger_make_receipt() makes it. Failures of the buffer are
 * returned. */
BT_MUST_USE enum bt_status bt_ledger_prove_inclusion(struct bt_ledger *ledger, uint64_t seq,
                                                     uint64_t size, enum bt_receipt_format format,
                                                     struct bt_buf *buf, struct bt_error *error);
struct bt_consistency_result {
    uint64_t old_size;
    uint64_t new_size;
    bt_str old_root; /* hexadecimal digits */
    bt_str new_root;
    bt_str proof; /* JSON array of hexadecimal digits */
    bt_str checkpoint;
    bt_str request; /* body of an add-checkpoint request to a witness */
};

/*
 * Prove that the log of `size` (BT_LEDGER_SEQ_NONE: the newest) extends the log of `old_size`.
 * BT_ENOENT: there is no checkpoint of that size.
 */
BT_MUST_USE enum bt_status bt_ledger_prove_consistency(struct bt_ledger *ledger,
                                                       struct bt_arena *arena, uint64_t old_size,
                                                       uint64_t size,
                                                       struct bt_consistency_result *out,
                                                       struct bt_error *error);

/* ---- Verifying ------------------------------------------------------------------------------- */

/*
 * A checkpoint that somebody kept, or a receipt of any format, which contains one: its path, for
 * messages, and its bytes.
 */
struct bt_known_checkpoint {
    bt_str path;
    bt_str note;
};

struct bt_verify_reader;

enum { BT_LEDGER_VERIFY_THREADS_MAX = 8 };

struct bt_ledger_verify_options {
    const struct bt_verifier_keys *keys;      /* NULL: those beside or in the store */
    const struct bt_verifier_keys *witnesses; /* NULL: none */
    uint64_t witnesses_required;
    const struct bt_witness_policy *policy; /* whose quorum decides; NULL: none */
    const struct bt_known_checkpoint *against;
    size_t against_count;
    size_t threads;                        /* to use for a large log; 0: only the calling one */
    bool any_entries;                      /* entries need not be Baton's */
    bool are_statements;                   /* they are statements of others; a store knows it */
    bool no_documents;                     /* do not check documents */
    bool no_head;                          /* do not compare with the head file beside the store */
    struct bt_progress progress;           /* in entries */
    const struct bt_verify_reader *reader; /* of the entries; internal to the ledger. NULL: none */
};

/*
 * Verify a whole ledger in its store. The judgement has the dialect `ledger` and lives in the
 * arena.
 */
BT_MUST_USE enum bt_status bt_ledger_verify(struct bt_ledger *ledger, struct bt_arena *arena,
                                            const struct bt_ledger_verify_options *options,
                                            struct bt_judgement *out, struct bt_error *error);
/*
 * Verify a tlog-tiles directory, without a store. The judgement has the dialect `ledger` and lives
 * in the arena. BT_ENOENT: the directory has no checkpoint.
 */
BT_MUST_USE enum bt_status bt_ledger_verify_files(bt_str folder, struct bt_arena *arena,
                                                  const struct bt_ledger_verify_options *options,
                                                  struct bt_judgement *out, struct bt_error *error);

/*
 * Read the keys in the file beside a store, without opening the store. BT_ENOENT: there is no such
 * file.
 */
BT_MUST_USE enum bt_status bt_verifier_keys_from_store(struct bt_arena *arena,
                                                       const struct bt_ledger_options *options,
                                                       struct bt_verifier_keys **out,
                                                       struct bt_error *error);

/* The document of receipts that must be for the same one. */
struct bt_receipt_document {
    bt_str sha256; /* of the first receipt that was proven; "" before */
    uint64_t size;
    bool is_other; /* one was for another document; later ones are not compared */
};

/* The signed state that a receipt leads to. */
struct bt_receipt_state {
    bool is_proven; /* a trusted key has signed it, and the entry is in it */
    bt_str origin;
    uint64_t size;
    uint8_t root[32];
    bt_str checkpoint; /* the note that the receipt carries; "": none */
};

struct bt_receipt_judge_options {
    const struct bt_verifier_keys *keys;
    bool keys_are_local; /* they come from the file beside the store */
    const struct bt_verifier_keys *witnesses;
    uint64_t witnesses_required;
    const struct bt_witness_policy *policy; /* whose quorum decides; NULL: none */
    bool has_document;
    bt_str document;
    const struct bt_file_digest *digest; /* of the document, instead of its bytes; NULL: none */
    bool has_entry;                      /* `entry` replaces the one in the receipt */
    bt_str entry;
    bool any_verdict;
    struct bt_receipt_state *state;   /* out; NULL: not wanted */
    struct bt_receipt_document *same; /* set by the first receipt, compared by others; NULL: none */
};

/*
 * Verify a receipt offline. `path` is its name in messages. The judgement has the dialect `receipt`
 * and lives in the arena.
 */
BT_MUST_USE enum bt_status bt_receipt_judge(struct bt_arena *arena, bt_str path, bt_str receipt,
                                            const struct bt_receipt_judge_options *options,
                                            struct bt_judgement *out);

/*
 * Compare a ledger with a state that a receipt proves with a key of this ledger, after reading its
 * newest checkpoint again. A finding in `alarms`, at /receipt: entries that were once signed are
 * gone or others.
 */
BT_MUST_USE enum bt_status bt_ledger_check_receipt_state(struct bt_ledger *ledger,
                                                         struct bt_arena *arena,
                                                         const struct bt_receipt_state *shown,
                                                         struct bt_findings *alarms,
                                                         struct bt_error *error);

/* ---- Exporting ------------------------------------------------------------------------------- */

struct bt_ledger_export_options {
    const char *folder;
    bool with_documents;
    struct bt_progress progress; /* in files, documents excluded */
};

struct bt_ledger_export_result {
    uint64_t size;
    bt_str root;
    uint64_t files;     /* needed for that size, the checkpoint included */
    uint64_t documents; /* written */
};

/*
 * Write the log as static tlog-tiles files into a new or empty directory, or extend an earlier
 * export. Findings in `alarms`: the directory holds another history. BT_EDENIED: it holds something
 * else.
 */
BT_MUST_USE enum bt_status
bt_ledger_export_options(struct bt_ledger *ledger, struct bt_arena *arena,
                         const struct bt_ledger_export_options *wanted, struct bt_findings *alarms,
                         struct bt_ledger_export_result *out, struct bt_error *error);

/*
 * Put a tile or an entry bundle, full or partial; `path` is the part of its name after `tile/`.
 * BT_ENOENT: not a valid path, or the log is shorter. Findings in `alarms`: the stored data cannot
 * be trusted. Failures of the buffer are returned.
 */
BT_MUST_USE enum bt_status bt_ledger_put_tile(struct bt_ledger *ledger, struct bt_arena *arena,
                                              bt_str path, struct bt_findings *alarms,
                                              struct bt_buf *buf, struct bt_error *error);

#endif
