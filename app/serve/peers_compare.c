/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers_compare.c - the ledger against what its peers have cosigned of it, before a server starts.
 *
 * All peers are asked at once, so that the start waits for the slowest one and not for their sum.
 */
#include <assert.h>

#include "base/clock.h"
#include "ledger/proof_api.h"
#include "serve/peers.h"
#include "serve/peers_send.h"

enum { NOTE_BYTES_MAX = 64 * 1024, STATUS_OK = 200 };

/* One peer that is asked. */
struct serve_peer_question {
    struct bt_config_peer peer;
    struct http_url where;
    struct bt_buf note;
};

static enum bt_status prepare_questions(const struct bt_config *config, struct bt_arena *arena,
                                        bt_str origin, struct serve_peer_question *questions,
                                        struct serve_peer_request *requests)
{
    const size_t count = bt_config_count(config, "ledger.peers");
    const uint64_t until_ms = bt_clock_monotonic_ms() + SERVE_PEER_MS;
    char hash[BT_SHA256_HEX_BYTES];
    bt_str path;
    BT_TRY(bt_sha256_hex(origin, hash));
    BT_TRY(bt_arena_printf(arena, &path, "/%s/checkpoint", hash));
    for (size_t i = 0; i < count; i++) {
        bt_buf_init(&questions[i].note, NOTE_BYTES_MAX);
        BT_TRY(bt_config_peer(config, i, arena, &questions[i].peer));
        BT_TRY(bt_http_url_parse(arena, questions[i].peer.monitor, &questions[i].where));
        requests[i] = (struct serve_peer_request){.post = {.is_get = true,
                                                           .where = &questions[i].where,
                                                           .path = path.ptr,
                                                           .fields = BT_STR(""),
                                                           .until_ms = until_ms},
                                                  .answer = &questions[i].note};
    }
    return BT_OK;
}

/* Compare what one peer gave. A peer that has nothing of this log, or gave no answer, is fine. */
static enum bt_status judge_note(struct bt_ledger *ledger, struct bt_arena *arena,
                                 const struct serve_peer_question *question, unsigned status,
                                 struct bt_findings *alarms, struct bt_error *error)
{
    bt_str pointer;
    if (status != STATUS_OK || question->note.status != BT_OK) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(arena, &pointer, "/peer/%.*s", BT_STR_ARG(question->peer.name)));
    return bt_ledger_check_shown(ledger, arena, bt_buf_str(&question->note), pointer, alarms,
                                 error);
}

enum bt_status peers_compare(struct bt_ledger *ledger, struct bt_arena *arena,
                             const struct bt_config *config, struct bt_findings *alarms,
                             struct bt_str_list *out_silent, struct bt_error *error)
{
    const size_t count = bt_config_count(config, "ledger.peers");
    struct serve_peer_question *questions =
        BT_NEW_ARRAY(arena, struct serve_peer_question, count + 1);
    struct serve_peer_request *requests = BT_NEW_ARRAY(arena, struct serve_peer_request, count + 1);
    bt_str *silent = BT_NEW_ARRAY(arena, bt_str, count + 1);
    assert(ledger);
    if (!questions || !requests || !silent) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    enum bt_status status =
        prepare_questions(config, arena, bt_ledger_origin(ledger), questions, requests);
    if (status != BT_OK) {
        return bt_error_set(error, status, "the peers cannot be asked");
    }
    serve_peers_send(requests, count);
    *out_silent = (struct bt_str_list){silent, 0};
    for (size_t i = 0; i < count; i++) {
        if (requests[i].status == 0) {
            silent[out_silent->count++] = questions[i].peer.name;
        }
        if (status == BT_OK) {
            status = judge_note(ledger, arena, &questions[i], requests[i].status, alarms, error);
        }
        bt_buf_free(&questions[i].note);
    }
    return status;
}
