/* SPDX-License-Identifier: Apache-2.0 */
/*
 * consent.h - calls that a person must approve: what exactly is asked for, its grant, and the seal
 * that ties a question to the repeated call of a modern client.
 */
#ifndef BATON_SRC_WRAP_CONSENT_H
#define BATON_SRC_WRAP_CONSENT_H

#include "decide/call_grants.h"
#include "wrap/message.h"
#include "wrap/record.h"

enum { BT_WRAP_CONTENT_BYTES_MAX = 256 << 10, BT_WRAP_SEAL_SECONDS = 600 };

/* Where consent is kept. Its ledger is used on the caller's thread, unlike that of a recorder. */
struct bt_wrap_consent {
    struct bt_ledger *ledger;             /* open for writing */
    struct bt_contract_checker *contract; /* made for the same environment */
    const struct bt_env *env;
    bt_str workspace;
    bt_str actor;      /* also the id of the agent that asks */
    bt_str form_actor; /* who decides in a form of the client */
    uint64_t pending_seconds;
    uint64_t grant_seconds;
    uint64_t pending_max;
    bool prompts_client;
    uint8_t seal_key[BT_SHA256_BYTES];
};

/* A call whose consent is wanted. */
struct bt_wrap_consent_call {
    bt_str server;
    bt_str tool;
    bt_str session;
    bt_str class_name;
    bt_str tool_sha256; /* of the definition; "": unknown */
    bt_str content;     /* its exact content, see below */
};

/*
 * The exact content of a call: the canonical form of its arguments, server and tool, in the arena.
 * *out_is_exact is false when it has none; then the text has its numbers as they were written.
 * BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_call_content(struct bt_arena *arena, bt_str server,
                                                const struct bt_wrap_message *message, bt_str *out,
                                                bool *out_is_exact);

/* The fingerprint of the request for a call. BT_ENOMEM, BT_EIO. */
BT_MUST_USE enum bt_status bt_wrap_consent_fingerprint(struct bt_arena *arena,
                                                       const struct bt_wrap_consent_call *call,
                                                       char out[BT_SHA256_HEX_BYTES]);

/*
 * Use up the grant for a call, or find or make the request. With findings in `alarms` the ledger
 * cannot be trusted. Results are in the arena. BT_EIO: the store failed.
 */
BT_MUST_USE enum bt_status bt_wrap_consent_use(const struct bt_wrap_consent *consent,
                                               struct bt_arena *arena,
                                               const struct bt_wrap_consent_call *call,
                                               struct bt_call_grant *out, struct bt_error *error);
/* Record that a request was shown to a person. *out_is_open: it may be decided. */
BT_MUST_USE enum bt_status bt_wrap_consent_show(const struct bt_wrap_consent *consent,
                                                struct bt_arena *arena,
                                                const struct bt_approval *approval,
                                                bool *out_is_open, struct bt_error *error);

/* A decision of a person in a form of the client. */
struct bt_wrap_decision {
    bt_str approval;
    bt_str fingerprint;
    bool is_approved;
    bt_str reason;
};

/* Record a decision; one that is refused changes nothing. */
BT_MUST_USE enum bt_status bt_wrap_consent_decide(const struct bt_wrap_consent *consent,
                                                  struct bt_arena *arena,
                                                  const struct bt_wrap_decision *decision,
                                                  struct bt_error *error);

/* ---- Seals --------------------------------------------------------------------------------- */

/* What a seal is about. */
struct bt_wrap_seal {
    bool is_used; /* the approval was used: the server itself asks something */
    bt_str server;
    bt_str approval;
    bt_str fingerprint;
    bt_str round;     /* the answer of the server that asks: SESSION/CALL; "": none does */
    bt_str state;     /* the server's own, when it has one */
    bool has_state;   /* ... */
    uint64_t seconds; /* since 1970, at which it expires */
};

/* Put the text of a seal. BT_EIO: libcrypto failed. */
BT_MUST_USE enum bt_status bt_wrap_seal_put(const struct bt_wrap_consent *consent,
                                            const struct bt_wrap_seal *seal, struct bt_buf *out);
/*
 * Take the round of a seal, durably: the answer to a question of the server is passed on once, in
 * all sessions together. *out_is_first: it was not taken before. BT_EIO: the store failed.
 */
BT_MUST_USE enum bt_status bt_wrap_consent_take_round(const struct bt_wrap_consent *consent,
                                                      struct bt_env *env, struct bt_arena *arena,
                                                      const struct bt_wrap_seal *seal,
                                                      bool *out_is_first, struct bt_error *error);
/*
 * Read a seal that was put here, for the same server, and that has not expired. False: it is none.
 * Its texts are in the arena.
 */
BT_MUST_USE bool bt_wrap_seal_read(const struct bt_wrap_consent *consent, struct bt_arena *arena,
                                   bt_str server, bt_str text, struct bt_wrap_seal *out);

#endif
