/* SPDX-License-Identifier: Apache-2.0 */
/* metric_table.h - the rows of the metrics, and the closed lists of their label values. */
#ifndef BATON_APP_SERVE_METRIC_TABLE_H
#define BATON_APP_SERVE_METRIC_TABLE_H

#include "serve/metrics.h"

/* A closed list: the value at `index`, "" after the last. */
typedef bt_str serve_label_list_fn(size_t index);

struct serve_metric_label {
    const char *name; /* NULL: no more labels */
    serve_label_list_fn *list;
};

struct serve_metric_row {
    const char *name;
    const char *help;
    struct serve_metric_label labels[METRIC_LABELS_MAX];
    const double *bounds; /* of a histogram, ascending; NULL: a counter */
    size_t bound_count;
};

extern const struct serve_metric_row metric_rows[METRICS];

#endif
