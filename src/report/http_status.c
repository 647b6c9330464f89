/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_status.c - why a document was refused -> the status that a web client is told.
 */
#include <assert.h>

#include <baton/report.h>

static const struct {
    bt_str code;
    unsigned status;
} rows[] = {
    {BT_STR_INIT("AGENT_BINDING_MISMATCH"), 403},
    {BT_STR_INIT("AGENT_BLOCKED"), 403},
    {BT_STR_INIT("AGENT_ID_MISMATCH"), 403},
    {BT_STR_INIT("BOUNDARIES_UNUSABLE"), 503},
    {BT_STR_INIT("CSV_TOO_LARGE"), 413},
    {BT_STR_INIT("HASH_VERIFICATION_FAILURE"), 403},
    {BT_STR_INIT("INVALID_AGENT_REFERENCE"), 403},
    {BT_STR_INIT("JSON_TOO_LARGE"), 413},
    {BT_STR_INIT("MANIFEST_UNUSABLE"), 503},
    {BT_STR_INIT("RECORD_TOO_LARGE"), 413},
    {BT_STR_INIT("REPLAYED_ID"), 409},
    {BT_STR_INIT("XML_TOO_LARGE"), 413},
};

/* Whether the params, which are compact, say so. */
static bool has_reason(const struct bt_finding *finding, bt_str reason)
{
    for (size_t at = 0; at + reason.len <= finding->params.len; at++) {
        if (bt_str_starts_with(bt_str_slice(finding->params, at, finding->params.len), reason)) {
            return true;
        }
    }
    return false;
}

unsigned bt_finding_http_status(const struct bt_finding *finding)
{
    assert(finding);
    const bt_str code = finding->rule->code;
    if (has_reason(finding, BT_STR("\"reason\":\"lock_unavailable\""))) {
        return 503;
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(rows[i].code, code)) {
            return rows[i].status;
        }
    }
    const bool is_no_object = bt_str_eq(code, BT_STR("SCHEMA_TYPE")) && finding->pointer.len == 0;
    return finding->rule->stage == BT_STAGE_READ || is_no_object ? 400 : 422;
}
