/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conflicts.c - what keys say about each other.
 */
#include "config/config_internal.h"

#include <string.h>

/* A key that asks for others. */
struct config_conflict {
    const char *key; /* where it is said */
    const char *params;
    const char *message;
};

static bool is_given(const struct bt_config *config, const char *key)
{
    return bt_config_has(config, key);
}

static enum bt_status add_conflict_finding(const struct bt_config *config,
                                           struct bt_findings *findings,
                                           const struct config_conflict *conflict)
{
    const struct bt_yaml_node *node = config->given[bt_config_row(bt_str_of(conflict->key))];
    struct bt_config_finding fault = {"CONFIG_CONFLICT", BT_STR(""),
                                      config->is_merged ? 0 : node->offset,
                                      bt_str_of(conflict->params)};
    BT_TRY(
        bt_config_pointer(bt_findings_arena(findings), bt_str_of(conflict->key), &fault.pointer));
    return bt_config_add_finding(findings, &fault, "%s", conflict->message);
}

static enum bt_status judge_tls(const struct bt_config *config, struct bt_findings *findings)
{
    const bool has_cert = is_given(config, "tls.cert");
    const bool has_key = is_given(config, "tls.key");
    if (has_cert != has_key) {
        const struct config_conflict half = {has_cert ? "tls.cert" : "tls.key",
                                             "{\"keys\":[\"tls.cert\",\"tls.key\"]}",
                                             "a certificate and its key come together"};
        BT_TRY(add_conflict_finding(config, findings, &half));
    }
    if (is_given(config, "tls.client_ca") && !(has_cert && has_key)) {
        static const struct config_conflict lonely = {
            "tls.client_ca", "{\"keys\":[\"tls.client_ca\",\"tls.cert\",\"tls.key\"]}",
            "certificates of clients can be asked for only with TLS"};
        BT_TRY(add_conflict_finding(config, findings, &lonely));
    }
    if (bt_config_bool(config, "tls.require_client_cert") && !is_given(config, "tls.client_ca")) {
        static const struct config_conflict blind = {
            "tls.require_client_cert", "{\"keys\":[\"tls.require_client_cert\",\"tls.client_ca\"]}",
            "there is nothing to verify the certificates of clients with"};
        BT_TRY(add_conflict_finding(config, findings, &blind));
    }
    return BT_OK;
}

static enum bt_status judge_access(const struct bt_config *config, struct bt_findings *findings)
{
    if (bt_config_allows_any_name(config) && is_given(config, "auth.anonymous") &&
        bt_config_count(config, "auth.anonymous") > 0) {
        static const struct config_conflict strangers = {
            "auth.anonymous", "{\"keys\":[\"auth.anonymous\",\"listen\"]}",
            "strangers would be let in by the listener that is not local"};
        BT_TRY(add_conflict_finding(config, findings, &strangers));
    }
    if (is_given(config, "limits.document_bytes") &&
        bt_config_u64(config, "limits.document_bytes") >
            bt_config_u64(config, "limits.body_bytes")) {
        static const struct config_conflict larger = {
            "limits.document_bytes", "{\"keys\":[\"limits.document_bytes\",\"limits.body_bytes\"]}",
            "a document of this size would not fit into a request"};
        BT_TRY(add_conflict_finding(config, findings, &larger));
    }
    return BT_OK;
}

/* A warning only: flags can add what lacks. */
static enum bt_status judge_protection(const struct bt_config *config, struct bt_findings *findings)
{
    const bool has_identity = is_given(config, "tokens") || is_given(config, "tls.client_ca");
    const bool has_transport = (is_given(config, "tls.cert") && is_given(config, "tls.key")) ||
                               bt_config_bool(config, "plain_http");
    if (!bt_config_allows_any_name(config) || (has_identity && has_transport)) {
        return BT_OK;
    }
    const struct bt_config_finding fault = {
        "CONFIG_UNPROTECTED", BT_STR("/listen"),
        config->is_merged ? 0 : config->given[bt_config_row(BT_STR("listen"))]->offset,
        has_identity    ? BT_STR("{\"missing\":[\"transport\"]}")
        : has_transport ? BT_STR("{\"missing\":[\"identity\"]}")
                        : BT_STR("{\"missing\":[\"identity\",\"transport\"]}")};
    return bt_config_add_finding(
        findings, &fault,
        "other machines can reach this listener, and the file does not protect "
        "it: baton serve refuses unless flags do");
}

enum bt_status bt_config_conflicts(const struct bt_config *config, struct bt_findings *findings)
{
    BT_TRY(judge_tls(config, findings));
    BT_TRY(judge_access(config, findings));
    return judge_protection(config, findings);
}
