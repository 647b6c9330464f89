/* SPDX-License-Identifier: Apache-2.0 */
/* metric_table.c - the metrics, one row each, and the closed lists of their label values. */
#include "serve/metric_table.h"

#include <baton/check.h>

#include "serve/server.h"

/* ---- Lists ----------------------------------------------------------------------------------- */

static bt_str word_at(const char *words, size_t index)
{
    const bt_str text = bt_str_of(words);
    size_t from = 0;
    for (size_t i = 0; i < index && from < text.len; i++) {
        from = bt_str_find_byte(text, ' ', from) + 1;
    }
    return bt_str_slice(text, from, bt_str_find_byte(text, ' ', from));
}

/* A list of words as a function for a row. */
#define WORDS(name, words)                                                                         \
    static bt_str name(size_t index)                                                               \
    {                                                                                              \
        return word_at(words, index);                                                              \
    }

WORDS(get_status_label,
      "200 201 202 204 304 400 401 403 404 405 406 408 409 410 413 414 415 417 421 422 "
      "429 431 500 501 503 505")
WORDS(get_refusal_label, "parse timeout body host origin auth scope rate overload")
WORDS(get_verdict_label, "accepted rejected recorded")
WORDS(get_severity_label, "HARD WARN INFO")
WORDS(get_failure_label, "busy io full deadline unknown")
WORDS(get_delivery_outcome_label, "delivered failed dead cancelled security")
WORDS(get_approval_event_label,
      "REQUESTED SHOWN APPROVED REJECTED REVOKED EXPIRED CONSUMED REFUSED")
WORDS(get_host_label, "claude codex gemini copilot cursor generic")
WORDS(get_hook_answer_label, "allow block silent failed")
WORDS(get_era_label, "modern legacy")
WORDS(get_mcp_method_label, "initialize ping server/discover tools/list tools/call resources/list "
                            "resources/templates/list resources/read resources/subscribe "
                            "resources/unsubscribe prompts/list prompts/get completion/complete "
                            "logging/setLevel subscriptions/listen notification")
WORDS(get_outcome_label, "ok error refused")
WORDS(get_binding_label, "jsonrpc http")
WORDS(get_a2a_operation_label, "send stream get list cancel subscribe")
WORDS(get_reload_outcome_label, "done refused")

static bt_str get_route_label(size_t index)
{
    return serve_route_path_at(index);
}

static bt_str get_method_label(size_t index)
{
    return index < HTTP_OPTIONS ? http_method_name((enum http_method)(index + 1)) : BT_STR("");
}

static bt_str get_dialect_label(size_t index)
{
    return index + 1 < BT_DIALECT__CHECKABLE_MAX ? bt_dialect_name((enum bt_dialect_id)(index + 1))
                                                 : BT_STR("");
}

static bt_str get_code_label(size_t index)
{
    return index < bt_rules_count() ? bt_rules_at(index)->code : BT_STR("");
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const double seconds[] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                 0.025,  0.05,    0.1,    0.25,  0.5,    1,     2.5};
static const double sizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};

#define SECONDS .bounds = seconds, .bound_count = sizeof(seconds) / sizeof(seconds[0])
#define SIZES .bounds = sizes, .bound_count = sizeof(sizes) / sizeof(sizes[0])

const struct serve_metric_row metric_rows[METRICS] = {
    [SERVE_METRIC_HTTP_REQUESTS] = {.name = "baton_http_requests_total",
                                    .help = "Requests that were answered.",
                                    .labels = {{"route", get_route_label},
                                               {"method", get_method_label},
                                               {"status", get_status_label}}},
    [SERVE_METRIC_HTTP_SECONDS] =
        {.name = "baton_http_request_seconds",
         .help = "Time from the first byte of a request to the end of its answer.",
         .labels = {{"route", get_route_label}},
         SECONDS},
    [SERVE_METRIC_HTTP_REFUSED] = {.name = "baton_http_refused_total",
                                   .help = "Requests that reached no handler.",
                                   .labels = {{"reason", get_refusal_label}}},
    [SERVE_METRIC_DOCUMENTS] = {.name = "baton_documents_total",
                                .help = "Documents that were judged.",
                                .labels = {{"dialect", get_dialect_label},
                                           {"verdict", get_verdict_label}}},
    [SERVE_METRIC_TOKENS] = {.name = "baton_document_tokens_total",
                             .help = "Tokens of documents that were judged.",
                             .labels = {{"dialect", get_dialect_label}}},
    [SERVE_METRIC_FINDINGS] = {.name = "baton_findings_total",
                               .help = "Findings about documents.",
                               .labels = {{"code", get_code_label},
                                          {"severity", get_severity_label}}},
    [SERVE_METRIC_CHECK_SECONDS] = {.name = "baton_check_seconds",
                                    .help = "Time to judge a document.",
                                    .labels = {{"dialect", get_dialect_label}},
                                    SECONDS},
    [SERVE_METRIC_COMMITS] = {.name = "baton_ledger_commits_total",
                              .help = "Decisions that became durable.",
                              .labels = {{NULL, NULL}}},
    [SERVE_METRIC_COMMIT_SECONDS] = {.name = "baton_ledger_commit_seconds",
                                     .help = "Time from a decision to its being durable.",
                                     .labels = {{NULL, NULL}},
                                     SECONDS},
    [SERVE_METRIC_BATCH_SIZE] = {.name = "baton_ledger_batch_size",
                                 .help = "Submissions that became durable in one commit.",
                                 .labels = {{NULL, NULL}},
                                 SIZES},
    [SERVE_METRIC_LEDGER_FAILURES] = {.name = "baton_ledger_failures_total",
                                      .help = "Decisions that could not be recorded.",
                                      .labels = {{"reason", get_failure_label}}},
    [SERVE_METRIC_DELIVERIES] = {.name = "baton_deliveries_total",
                                 .help = "Ends of deliveries from inboxes.",
                                 .labels = {{"outcome", get_delivery_outcome_label}}},
    [SERVE_METRIC_APPROVALS] = {.name = "baton_approvals_total",
                                .help = "What happened to requests for consent.",
                                .labels = {{"event", get_approval_event_label}}},
    [SERVE_METRIC_HOOKS] = {.name = "baton_hooks_total",
                            .help = "Events of agent hosts that were answered.",
                            .labels = {{"host", get_host_label},
                                       {"answer", get_hook_answer_label}}},
    [SERVE_METRIC_MCP_REQUESTS] = {.name = "baton_mcp_requests_total",
                                   .help = "Messages of MCP that were answered.",
                                   .labels = {{"era", get_era_label},
                                              {"method", get_mcp_method_label},
                                              {"outcome", get_outcome_label}}},
    [SERVE_METRIC_A2A_REQUESTS] = {.name = "baton_a2a_requests_total",
                                   .help = "Operations of A2A that were answered.",
                                   .labels = {{"binding", get_binding_label},
                                              {"operation", get_a2a_operation_label},
                                              {"outcome", get_outcome_label}}},
    [SERVE_METRIC_RELOADS] = {.name = "baton_reloads_total",
                              .help = "How often the configuration was read again.",
                              .labels = {{"outcome", get_reload_outcome_label}}},
};
