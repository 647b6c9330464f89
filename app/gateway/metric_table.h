/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metric_table.h - the rows of metrics, and the closed lists of their labels.
 */
#ifndef BATON_APP_GATEWAY_METRIC_TABLE_H
#define BATON_APP_GATEWAY_METRIC_TABLE_H

#include "gateway/metrics.h"

/* A closed list: the value at `index`, "" after the last. */
typedef bt_str label_list_fn(size_t index);

struct label {
    const char *name; /* NULL: there are no more */
    label_list_fn *list;
};

struct metric_row {
    const char *name;
    const char *help;
    struct label labels[METRIC_LABELS_MAX];
    const double *bounds; /* of a histogram, upwards; NULL: a counter */
    size_t bound_count;
};

extern const struct metric_row metric_rows[METRICS];

#endif
