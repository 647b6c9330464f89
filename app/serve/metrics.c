/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - counters in arrays whose sizes follow from the closed lists, and their text form. */
#include "serve/metrics.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/buf.h"
#include "serve/hash.h"
#include "serve/metric_table.h"

struct serve_metric_cell {
    _Atomic uint64_t number;
};

/*
 * One metric: cells for each combination of labels, including `other`. A histogram has a cell for
 * each bound, one for larger values, and one for the sum in nanounits.
 */
struct serve_metric_family {
    const struct serve_metric_row *row;
    size_t sizes[METRIC_LABELS_MAX];    /* number of values of each label, including `other` */
    bt_str *values[METRIC_LABELS_MAX];  /* ... */
    uint16_t *slots[METRIC_LABELS_MAX]; /* hash table: index of the value plus one; 0: empty */
    size_t masks[METRIC_LABELS_MAX];
    size_t cells; /* of one combination */
    size_t combinations;
    struct serve_metric_cell *counts;
};

struct serve_metrics {
    struct serve_metric_family families[METRICS];
};

enum { LIST_FIRST = 64 };

static const double nano = 1e9;

/* ---- Making ---------------------------------------------------------------------------------- */

/* Copy a list and append `other`, on the heap; NULL when memory runs out. */
static bt_str *take_list(serve_label_list_fn *list, size_t *out_size)
{
    size_t room = LIST_FIRST;
    size_t count = 0;
    bt_str *values = calloc(room, sizeof(*values));
    bt_str value = list(0);
    if (!values) {
        return NULL;
    }
    while (value.len > 0) {
        if (count + 1 == room) {
            bt_str *more = realloc(values, 2 * room * sizeof(*values));
            if (!more) {
                free(values);
                return NULL;
            }
            values = more;
            room *= 2;
        }
        values[count++] = value;
        value = list(count);
    }
    values[count] = BT_STR("other");
    *out_size = count + 1;
    return values;
}

/* Make the hash table of the values of a label; it is at most half full. */
static bool make_slots(struct serve_metric_family *family, size_t label)
{
    const size_t count = family->sizes[label] - 1;
    size_t size = 2;
    assert(count < UINT16_MAX);
    while (size < 2 * count) {
        size *= 2;
    }
    uint16_t *slots = calloc(size, sizeof(*slots));
    for (size_t i = 0; slots && i < count; i++) {
        size_t at = hash_text(family->values[label][i]) & (size - 1);
        while (slots[at] > 0) {
            at = (at + 1) & (size - 1);
        }
        slots[at] = (uint16_t)(i + 1);
    }
    family->slots[label] = slots;
    family->masks[label] = size - 1;
    return slots != NULL;
}

static bool family_begin(struct serve_metric_family *family, const struct serve_metric_row *row)
{
    *family = (struct serve_metric_family){
        .row = row, .cells = row->bounds ? row->bound_count + 2 : 1, .combinations = 1};
    for (size_t i = 0; i < METRIC_LABELS_MAX && row->labels[i].name; i++) {
        family->values[i] = take_list(row->labels[i].list, &family->sizes[i]);
        if (!family->values[i] || !make_slots(family, i)) {
            return false;
        }
        family->combinations *= family->sizes[i];
    }
    family->counts = calloc(family->combinations * family->cells, sizeof(*family->counts));
    return family->counts != NULL;
}

struct serve_metrics *metrics_create(void)
{
    struct serve_metrics *metrics = calloc(1, sizeof(*metrics));
    for (size_t i = 0; metrics && i < METRICS; i++) {
        if (!family_begin(&metrics->families[i], &metric_rows[i])) {
            metrics_destroy(metrics);
            return NULL;
        }
    }
    return metrics;
}

void metrics_destroy(struct serve_metrics *metrics)
{
    for (size_t i = 0; metrics && i < METRICS; i++) {
        struct serve_metric_family *family = &metrics->families[i];
        for (size_t k = 0; k < METRIC_LABELS_MAX; k++) {
            free(family->values[k]);
            free(family->slots[k]);
        }
        free(family->counts);
    }
    free(metrics);
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* The index of a value of a label; that of `other` when it is not listed. */
static size_t index_of(const struct serve_metric_family *family, size_t label, bt_str value)
{
    const uint16_t *slots = family->slots[label];
    const size_t mask = family->masks[label];
    size_t at = hash_text(value) & mask;
    while (slots[at] > 0 && !bt_str_eq(family->values[label][slots[at] - 1], value)) {
        at = (at + 1) & mask;
    }
    return slots[at] > 0 ? (size_t)slots[at] - 1 : family->sizes[label] - 1;
}

static struct serve_metric_cell *cells_at(struct serve_metric_family *family,
                                          const size_t indexes[METRIC_LABELS_MAX])
{
    size_t place = 0;
    for (size_t i = 0; i < METRIC_LABELS_MAX && family->row->labels[i].name; i++) {
        const size_t last = family->sizes[i] - 1;
        place = place * family->sizes[i] + (indexes[i] < last ? indexes[i] : last);
    }
    assert(place < family->combinations);
    return &family->counts[place * family->cells];
}

static struct serve_metric_cell *cells_of(struct serve_metric_family *family,
                                          const bt_str labels[METRIC_LABELS_MAX])
{
    size_t indexes[METRIC_LABELS_MAX] = {0};
    for (size_t i = 0; i < METRIC_LABELS_MAX && family->row->labels[i].name; i++) {
        indexes[i] = index_of(family, i, labels[i]);
    }
    return cells_at(family, indexes);
}

static void add_to_cell(struct serve_metric_cell *cell, uint64_t number)
{
    atomic_fetch_add_explicit(&cell->number, number, memory_order_relaxed);
}

void metrics_add(struct serve_metrics *metrics, enum serve_metric metric,
                 const bt_str labels[METRIC_LABELS_MAX], uint64_t number)
{
    assert(!metric_rows[metric].bounds);
    add_to_cell(cells_of(&metrics->families[metric], labels), number);
}

void metrics_count(struct serve_metrics *metrics, enum serve_metric metric,
                   const bt_str labels[METRIC_LABELS_MAX])
{
    metrics_add(metrics, metric, labels, 1);
}

static void add_observation(const struct serve_metric_row *row, struct serve_metric_cell *cells,
                            double value)
{
    size_t bound = 0;
    assert(row->bounds);
    while (bound < row->bound_count && value > row->bounds[bound]) {
        bound++;
    }
    add_to_cell(&cells[bound], 1);
    add_to_cell(&cells[row->bound_count + 1], value > 0 ? (uint64_t)(value * nano) : 0);
}

void metrics_observe(struct serve_metrics *metrics, enum serve_metric metric,
                     const bt_str labels[METRIC_LABELS_MAX], double value)
{
    add_observation(&metric_rows[metric], cells_of(&metrics->families[metric], labels), value);
}

void metrics_request(struct serve_metrics *metrics, const struct serve_metric_request *request)
{
    struct serve_metric_family *requests = &metrics->families[SERVE_METRIC_HTTP_REQUESTS];
    struct serve_metric_family *times = &metrics->families[SERVE_METRIC_HTTP_SECONDS];
    const bt_str status = {(const char[]){(char)('0' + request->status / 100 % 10),
                                          (char)('0' + request->status / 10 % 10),
                                          (char)('0' + request->status % 10)},
                           3};
    const size_t indexes[METRIC_LABELS_MAX] = {request->route,
                                               request->method > 0 ? request->method - 1 : SIZE_MAX,
                                               index_of(requests, 2, status)};
    add_to_cell(cells_at(requests, indexes), 1);
    add_observation(times->row, cells_at(times, indexes), request->seconds);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static uint64_t read_cell(const struct serve_metric_cell *cell)
{
    return atomic_load_explicit(&cell->number, memory_order_relaxed);
}

static void put_value(struct bt_buf *buf, double value)
{
    bt_buf_printf(buf, " %.17g\n", value);
}

/* Put `{a="x",b="y"` without its end. */
static void put_labels(struct bt_buf *buf, const struct serve_metric_family *family, size_t place)
{
    size_t left = family->combinations;
    for (size_t i = 0; i < METRIC_LABELS_MAX && family->row->labels[i].name; i++) {
        left /= family->sizes[i];
        bt_buf_printf(buf, "%s%s=\"", i == 0 ? "{" : ",", family->row->labels[i].name);
        bt_buf_put(buf, family->values[i][place / left]);
        place %= left;
        bt_buf_put_char(buf, '"');
    }
}

static void put_counter(struct bt_buf *buf, const struct serve_metric_family *family, size_t place)
{
    const uint64_t count = read_cell(&family->counts[place]);
    const bool has_labels = family->row->labels[0].name != NULL;
    if (count == 0 && has_labels) {
        return; /* a series appears with its first event */
    }
    bt_buf_put_text(buf, family->row->name);
    put_labels(buf, family, place);
    bt_buf_put_text(buf, has_labels ? "} " : " ");
    bt_buf_put_u64(buf, count);
    bt_buf_put_char(buf, '\n');
}

static void put_histogram(struct bt_buf *buf, const struct serve_metric_family *family,
                          size_t place)
{
    const struct serve_metric_row *row = family->row;
    const struct serve_metric_cell *cells = &family->counts[place * family->cells];
    const bool has_labels = row->labels[0].name != NULL;
    uint64_t total = 0;
    for (size_t i = 0; i <= row->bound_count; i++) {
        total += read_cell(&cells[i]);
    }
    if (total == 0 && has_labels) {
        return;
    }
    total = 0;
    for (size_t i = 0; i <= row->bound_count; i++) {
        total += read_cell(&cells[i]);
        bt_buf_printf(buf, "%s_bucket", row->name);
        put_labels(buf, family, place);
        bt_buf_put_text(buf, has_labels ? ",le=\"" : "{le=\"");
        if (i < row->bound_count) {
            bt_buf_printf(buf, "%g\"} ", row->bounds[i]);
        } else {
            bt_buf_put_text(buf, "+Inf\"} ");
        }
        bt_buf_put_u64(buf, total);
        bt_buf_put_char(buf, '\n');
    }
    bt_buf_printf(buf, "%s_sum", row->name);
    put_labels(buf, family, place);
    bt_buf_put_text(buf, has_labels ? "}" : "");
    put_value(buf, (double)read_cell(&cells[row->bound_count + 1]) / nano);
    bt_buf_printf(buf, "%s_count", row->name);
    put_labels(buf, family, place);
    bt_buf_put_text(buf, has_labels ? "} " : " ");
    bt_buf_put_u64(buf, total);
    bt_buf_put_char(buf, '\n');
}

static void put_about(struct bt_buf *buf, const char *name, const char *help, const char *type)
{
    bt_buf_printf(buf, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void metrics_put(const struct serve_metrics *metrics, struct bt_buf *buf)
{
    for (size_t i = 0; i < METRICS; i++) {
        const struct serve_metric_family *family = &metrics->families[i];
        const bool is_counter = !family->row->bounds;
        put_about(buf, family->row->name, family->row->help, is_counter ? "counter" : "histogram");
        for (size_t place = 0; place < family->combinations; place++) {
            if (is_counter) {
                put_counter(buf, family, place);
            } else {
                put_histogram(buf, family, place);
            }
        }
    }
}

void metrics_put_gauge(struct bt_buf *buf, const struct serve_gauge *gauge, const char *help,
                       bool is_first)
{
    if (is_first) {
        const bool is_counter = bt_str_ends_with(bt_str_of(gauge->name), BT_STR("_total"));
        put_about(buf, gauge->name, help, is_counter ? "counter" : "gauge");
    }
    bt_buf_put_text(buf, gauge->name);
    if (gauge->label) {
        bt_buf_printf(buf, "{%s}", gauge->label);
    }
    put_value(buf, gauge->value);
}
