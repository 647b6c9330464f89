/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - figures to watch, in the text form of Prometheus.
 *
 * Labels come from closed lists; what is not in its list is `other`, so that no caller can make
 * series. Counting is for every thread.
 */
#ifndef BATON_APP_SERVE_METRICS_H
#define BATON_APP_SERVE_METRICS_H

#include <baton/base.h>

struct serve_metrics;

/* What is counted; their rows are in metric_table.c. */
enum serve_metric {
    SERVE_METRIC_HTTP_REQUESTS = 0, /* route, method, status */
    SERVE_METRIC_HTTP_SECONDS,      /* route */
    SERVE_METRIC_HTTP_REFUSED,      /* reason */
    SERVE_METRIC_DOCUMENTS,         /* dialect, verdict */
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

/* NULL when there is no memory. */
struct serve_metrics *metrics_create(void);
/* NULL is allowed. */
void metrics_destroy(struct serve_metrics *metrics);

/* Count one more. Labels by their values, in their order; those that are left are "". */
void metrics_count(struct serve_metrics *metrics, enum serve_metric metric,
                   const bt_str labels[METRIC_LABELS_MAX]);
/* Note how long something took, or how large it was. */
void metrics_observe(struct serve_metrics *metrics, enum serve_metric metric,
                     const bt_str labels[METRIC_LABELS_MAX], double value);
/* A request was answered: METRIC_HTTP_REQUESTS and METRIC_HTTP_SECONDS. */
struct serve_metric_request {
    size_t route; /* its place in the list of routes; anything beyond it: `other` */
    unsigned method;
    unsigned status;
    double seconds;
};

void metrics_request(struct serve_metrics *metrics, const struct serve_metric_request *request);
/* Put all of them. */
void metrics_put(const struct serve_metrics *metrics, struct bt_buf *buf);

/* A figure that is known only at the moment it is asked for. */
struct serve_gauge {
    const char *name;
    const char *label; /* `state="idle"`; NULL: none */
    double value;
};

/* Put a gauge; the lines about its name come before the first of a name. */
void metrics_put_gauge(struct bt_buf *buf, const struct serve_gauge *gauge, const char *help,
                       bool is_first);

#endif
