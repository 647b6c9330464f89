/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - figures to watch, in the text form of Prometheus.
 *
 * Labels come from closed lists; what is not in its list is `other`, so that no caller can make
 * series. Counting is for every thread.
 */
#ifndef BATON_APP_GATEWAY_METRICS_H
#define BATON_APP_GATEWAY_METRICS_H

#include <baton/base.h>

struct metrics;

/* What is counted; their rows are in metric_table.c. */
enum metric {
    METRIC_HTTP_REQUESTS = 0, /* route, method, status */
    METRIC_HTTP_SECONDS,      /* route */
    METRIC_HTTP_REFUSED,      /* reason */
    METRIC_DOCUMENTS,         /* dialect, verdict */
    METRIC_FINDINGS,          /* code, severity */
    METRIC_CHECK_SECONDS,     /* dialect */
    METRIC_COMMITS,
    METRIC_COMMIT_SECONDS,
    METRIC_BATCH_SIZE,
    METRIC_LEDGER_FAILURES, /* reason */
    METRIC_DELIVERIES,      /* outcome */
    METRIC_APPROVALS,       /* event */
    METRIC_HOOKS,           /* host, answer */
    METRIC_MCP_REQUESTS,    /* era, method, outcome */
    METRIC_A2A_REQUESTS,    /* binding, operation, outcome */
    METRIC_RELOADS,         /* outcome */
};

enum { METRICS = METRIC_RELOADS + 1, METRIC_LABELS_MAX = 3 };

/* NULL when there is no memory. */
struct metrics *metrics_create(void);
/* NULL is allowed. */
void metrics_destroy(struct metrics *metrics);

/* Count one more. Labels by their values, in their order; those that are left are "". */
void metrics_count(struct metrics *metrics, enum metric metric,
                   const bt_str labels[METRIC_LABELS_MAX]);
/* Note how long something took, or how large it was. */
void metrics_observe(struct metrics *metrics, enum metric metric,
                     const bt_str labels[METRIC_LABELS_MAX], double value);
/* A request was answered: METRIC_HTTP_REQUESTS and METRIC_HTTP_SECONDS. */
struct metric_request {
    size_t route; /* its place in the list of routes; anything beyond it: `other` */
    unsigned method;
    unsigned status;
    double seconds;
};

void metrics_request(struct metrics *metrics, const struct metric_request *request);
/* Put all of them. */
void metrics_put(const struct metrics *metrics, struct bt_buf *buf);

/* A figure that is known only at the moment it is asked for. */
struct gauge {
    const char *name;
    const char *label; /* `state="idle"`; NULL: none */
    double value;
};

/* Put a gauge; the lines about its name come before the first of a name. */
void metrics_put_gauge(struct bt_buf *buf, const struct gauge *gauge, const char *help,
                       bool is_first);

#endif
