/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conflicts.c - keys that contradict each other.
 */
#include "config/config_internal.h"

#include "report/rules.h"

/* The offset of a key that is given; a merged configuration is not one text. */
static size_t offset_of(const struct bt_config *config, bt_str key)
{
    return config->is_merged ? 0 : config->given[bt_config_row(key)]->offset;
}

/* Add a finding about keys that contradict each other, at one of them. */
static enum bt_status add_conflict_finding(const struct bt_config *config,
                                           struct bt_findings *findings,
                                           enum bt_config_conflict_kind kind,
                                           struct bt_str_list keys, bt_str at)
{
    bt_str pointer;
    BT_TRY(bt_config_pointer(bt_findings_arena(findings), at, &pointer));
    return bt_add_config_conflict(findings, bt_location_pointer(pointer, offset_of(config, at)),
                                  keys, kind);
}

static enum bt_status judge_tls(const struct bt_config *config, struct bt_findings *findings)
{
    static const bt_str pair[] = {BT_STR_INIT("tls.cert"), BT_STR_INIT("tls.key")};
    static const bt_str authority[] = {BT_STR_INIT("tls.client_ca"), BT_STR_INIT("tls.cert"),
                                       BT_STR_INIT("tls.key")};
    static const bt_str required[] = {BT_STR_INIT("tls.require_client_cert"),
                                      BT_STR_INIT("tls.client_ca")};
    const bool has_cert = bt_config_has(config, "tls.cert");
    const bool has_key = bt_config_has(config, "tls.key");
    if (has_cert != has_key) {
        BT_TRY(add_conflict_finding(config, findings, BT_CONFIG_CONFLICT_KIND_TLS_PAIR,
                                    (struct bt_str_list){pair, 2}, pair[has_cert ? 0 : 1]));
    }
    if (bt_config_has(config, "tls.client_ca") && !(has_cert && has_key)) {
        BT_TRY(add_conflict_finding(config, findings, BT_CONFIG_CONFLICT_KIND_CLIENT_CA,
                                    (struct bt_str_list){authority, 3}, authority[0]));
    }
    return bt_config_bool(config, "tls.require_client_cert") &&
                   !bt_config_has(config, "tls.client_ca")
               ? add_conflict_finding(config, findings, BT_CONFIG_CONFLICT_KIND_CLIENT_CERT,
                                      (struct bt_str_list){required, 2}, required[0])
               : BT_OK;
}

static enum bt_status judge_access(const struct bt_config *config, struct bt_findings *findings)
{
    static const bt_str anonymous[] = {BT_STR_INIT("auth.anonymous"), BT_STR_INIT("listen")};
    static const bt_str document[] = {BT_STR_INIT("limits.document_bytes"),
                                      BT_STR_INIT("limits.body_bytes")};
    if (bt_config_allows_any_name(config) && bt_config_has(config, "auth.anonymous") &&
        bt_config_count(config, "auth.anonymous") > 0) {
        BT_TRY(add_conflict_finding(config, findings, BT_CONFIG_CONFLICT_KIND_ANONYMOUS,
                                    (struct bt_str_list){anonymous, 2}, anonymous[0]));
    }
    return bt_config_has(config, "limits.document_bytes") &&
                   bt_config_u64(config, "limits.document_bytes") >
                       bt_config_u64(config, "limits.body_bytes")
               ? add_conflict_finding(config, findings, BT_CONFIG_CONFLICT_KIND_DOCUMENT,
                                      (struct bt_str_list){document, 2}, document[0])
               : BT_OK;
}

/* A warning only: flags can add what is missing. */
static enum bt_status judge_protection(const struct bt_config *config, struct bt_findings *findings)
{
    static const bt_str parts[] = {BT_STR_INIT("identity"), BT_STR_INIT("transport")};
    const bool has_identity =
        bt_config_has(config, "tokens") || bt_config_has(config, "tls.client_ca");
    const bool has_transport =
        (bt_config_has(config, "tls.cert") && bt_config_has(config, "tls.key")) ||
        bt_config_bool(config, "plain_http");
    if (!bt_config_allows_any_name(config) || (has_identity && has_transport)) {
        return BT_OK;
    }
    const struct bt_str_list missing = {has_identity ? &parts[1] : parts,
                                        has_identity || has_transport ? 1 : 2};
    return bt_add_config_unprotected(
        findings, bt_location_pointer(BT_STR("/listen"), offset_of(config, BT_STR("listen"))),
        missing);
}

enum bt_status bt_config_conflicts(const struct bt_config *config, struct bt_findings *findings)
{
    BT_TRY(judge_tls(config, findings));
    BT_TRY(judge_access(config, findings));
#ifndef BT_PROFILE_CORE
    BT_TRY(bt_config_judge_peers(config, findings));
#endif
    return judge_protection(config, findings);
}
