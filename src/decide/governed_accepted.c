/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed_accepted.c - accepted handoffs, stored so that their responses can be compared with
 * them.
 */
#include <assert.h>

#include "decide/governed_decide.h"
#include "store/rows.h"

/* Columns of governed_handoff. */
enum { HANDOFF_ID = 0, SEQ, TARGET, REQUEST_TYPE, TIMESTAMP, CLOSED_SEQ, UPDATED_SEQ, COLUMNS };

enum bt_status bt_governed_accepted_row_get(const struct bt_governed_decision_state *deciding,
                                            struct bt_arena *arena, bt_str id,
                                            struct bt_governed_accepted_row *out)
{
    const struct bt_store_cell key = bt_store_cell_text(id);
    const struct bt_store_row_range scan = {BT_TABLE_GOVERNED_HANDOFF, &key, 1};
    const struct bt_store_cell *cells = NULL;
    *out = (struct bt_governed_accepted_row){.closed_seq = BT_STORE_NONE};
    if (id.len == 0) {
        return BT_OK;
    }
    const enum bt_status status = bt_store_row_get(deciding->store, arena, &scan, &cells, NULL);
    if (status != BT_OK) {
        return status == BT_ENOENT
                   ? BT_OK
                   : bt_error_set(deciding->error, status, "cannot look up the handoff");
    }
    *out = (struct bt_governed_accepted_row){
        .is_known = true,
        .seq = (uint64_t)cells[SEQ].number,
        .target = cells[TARGET].text,
        .request_type = cells[REQUEST_TYPE].text,
        .timestamp = cells[TIMESTAMP].text,
        .closed_seq = cells[CLOSED_SEQ].type == BT_STORE_CELL_NULL
                          ? BT_STORE_NONE
                          : (uint64_t)cells[CLOSED_SEQ].number,
    };
    return BT_OK;
}

enum bt_status bt_governed_accepted_row_put(const struct bt_governed_decision_state *deciding,
                                            bt_str id,
                                            const struct bt_governed_accepted_row *linked,
                                            uint64_t updated_seq)
{
    const struct bt_store_cell cells[COLUMNS] = {
        [HANDOFF_ID] = bt_store_cell_text(id),
        [SEQ] = bt_store_cell_number(linked->seq),
        [TARGET] = bt_store_cell_text(linked->target),
        [REQUEST_TYPE] = bt_store_cell_text(linked->request_type),
        [TIMESTAMP] = bt_store_cell_text(linked->timestamp),
        [CLOSED_SEQ] = bt_store_cell_number(linked->closed_seq),
        [UPDATED_SEQ] = bt_store_cell_number(updated_seq),
    };
    return bt_store_row_put(deciding->store, BT_TABLE_GOVERNED_HANDOFF, cells, deciding->error);
}

enum bt_status bt_governed_get_response_state(const struct bt_governed_state *govern,
                                              bt_str handoff_id,
                                              struct bt_governed_response_state *out,
                                              struct bt_error *error)
{
    assert(govern);
    assert(out);
    const struct bt_store_cell key = bt_store_cell_text(handoff_id);
    const struct bt_store_row_range scan = {BT_TABLE_GOVERNED_HANDOFF, &key, 1};
    const struct bt_store_cell *cells = NULL;
    BT_TRY(bt_store_row_get(govern->ledger->store, govern->arena, &scan, &cells, error));
    const uint64_t seq = (uint64_t)cells[SEQ].number;
    const uint64_t last = (uint64_t)cells[UPDATED_SEQ].number;
    *out = (struct bt_governed_response_state){.seq = seq,
                                               .last_seq = last == seq ? BT_LEDGER_SEQ_NONE : last,
                                               .is_closed =
                                                   cells[CLOSED_SEQ].type != BT_STORE_CELL_NULL};
    return BT_OK;
}
