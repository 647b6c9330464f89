/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - metrics in the text format of Prometheus.
 *
 * Label values come from closed lists; other values become `other`, so that callers cannot create
 * time series. Every thread may count.
 */
#ifndef BATON_APP_SERVE_METRICS_H
#define BATON_APP_SERVE_METRICS_H

#include <baton/base.h>

struct serve_metrics;

/* The metrics; their rows are in metric_table.c. */
enum serve_metric {
    SERVE_METRIC_HTTP_REQUESTS = 0, /* route, method, status */
    SERVE_METRIC_HTTP_SECONDS,      /* route */
    SERVE_METRIC_HTTP_REFUSED,      /* reason */
    SERVE_METRIC_DOCUMENTS,         /* dialect, verdict */
    SERVE_METRIC_TOKENS,            /* dialect */
    SERVE_METRIC_FINDINGS,          /* code, severity */
    SERVE_METRIC_CHECK_SECONDS,     /* dialect */
    SERVE_METRIC_COMMITS,
    SERVE_METRIC_COMMIT_SECONDS,
    SERVE_METRIC_BATCH_SIZE,
    SERVE_METRIC_LEDGER_FAILURES, /* reason */
    SERVE_METRIC_DELIVERIES,      /* outcome */
    SERVE_METRIC_APPROVALS,       /* event */
    SERVE_METRIC_HOOKS,           /* host, answer */
    SERVE_METRIC_MCP_REQUESTS,    /* era, method, outcome */
    SERVE_METRIC_A2A_REQUESTS,    /* binding, operation, outcome */
    SERVE_METRIC_RELOADS,         /* outcome */
};

enum { METRICS = SERVE_METRIC_RELOADS + 1, METRIC_LABELS_MAX = 3 };

/* Make an empty set. NULL when memory runs out. Destroy it with metrics_destroy(). */
struct serve_metrics *metrics_create(void);
/* Destroy it. NULL is allowed. */
void metrics_destroy(struct serve_metrics *metrics);

/* Add to a counter. Labels by their values, in the order of the row; unused ones are "". */
void metrics_add(struct serve_metrics *metrics, enum serve_metric metric,
                 const bt_str labels[METRIC_LABELS_MAX], uint64_t number);
/* Add one. */
void metrics_count(struct serve_metrics *metrics, enum serve_metric metric,
                   const bt_str labels[METRIC_LABELS_MAX]);
/* Add a duration or size to a histogram. */
void metrics_observe(struct serve_metrics *metrics, enum serve_metric metric,
                     const bt_str labels[METRIC_LABELS_MAX], double value);
/* Count an answered request in SERVE_METRIC_HTTP_REQUESTS and SERVE_METRIC_HTTP_SECONDS. */
struct serve_metric_request {
    size_t route; /* index in the table of routes; anything beyond it: `other` */
    unsigned method;
    unsigned status;
    double seconds;
};

void metrics_request(struct serve_metrics *metrics, const struct serve_metric_request *request);
/* Put all metrics. Failures stick to the buffer. */
void metrics_put(const struct serve_metrics *metrics, struct bt_buf *buf);

/* A value that is determined when the metrics are requested. */
struct serve_gauge {
    const char *name;
    const char *label; /* `state="idle"`; NULL: none */
    double value;
};

/* Put a gauge; with `is_first` the HELP and TYPE lines of its name come first. */
void metrics_put_gauge(struct bt_buf *buf, const struct serve_gauge *gauge, const char *help,
                       bool is_first);

#endif
