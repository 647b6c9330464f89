/* SPDX-License-Identifier: Apache-2.0 */
/* health.c - liveness, readiness, metrics, and the descriptions of problems. */
#include <dirent.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/file.h"
#include "operation/pump.h"
#include "operation/records.h"
#include "operation/rule_text.h"
#include "serve/logs.h"
#include "serve/otlp.h"
#include "serve/peers.h"
#include "serve/server.h"
#include "serve/wrap_channels.h"

/* With a larger difference, times in the ledger cannot be compared. */
enum { SKEW_MS_MAX = 30000 };

static enum bt_status respond_healthz(struct serve_call *x)
{
    return serve_call_respond_json(x, BT_HTTP_OK, BT_STR("{\"status\":\"ok\"}"));
}

/* ---- Readiness ------------------------------------------------------------------------------- */

/* True when the newest state can be read and trusted. */
static bool is_ledger_sound(struct serve_call *x)
{
    struct bt_findings *alarms = bt_findings_new(x->arena);
    struct bt_ledger_head head;
    struct bt_error error;
    return alarms && bt_ledger_head(x->service->ledger, x->arena, alarms, &head, &error) == BT_OK &&
           bt_findings_count(alarms) == 0;
}

/* True when our clock and the database's agree, if it has one. */
static bool is_clock_right(struct serve_call *x)
{
    struct bt_error error;
    uint64_t skew = 0;
    return bt_ledger_clock_skew(x->service->ledger, x->service->env, &skew, &error) != BT_OK ||
           skew <= SKEW_MS_MAX;
}

static const char *word_of(bool is_ok)
{
    return is_ok ? "ok" : "failing";
}

static enum bt_status respond_readyz(struct serve_call *x)
{
    struct serve_server *gateway = x->gateway;
    const bool has_store = !gateway->flags->has_no_store;
    const bool is_open = !has_store || x->service->ledger;
    const bool is_sound = !has_store || (is_open && is_ledger_sound(x));
    const bool is_writing = !serve_store_is_failing(gateway) &&
                            (gateway->flags->is_read_only || !serve_is_read_only(gateway));
    const bool is_right = !has_store || !is_sound || is_clock_right(x);
    bt_str checks;
    if (is_open && is_sound && is_writing && is_right && !gateway->stop.is_draining) {
        return serve_call_respond_json(
            x, BT_HTTP_OK,
            bt_peer_reports_have_alarm(peers_reports(gateway->observers.peers))
                ? BT_STR("{\"status\":\"ready\",\"peers\":\"alarm\"}")
                : BT_STR("{\"status\":\"ready\"}"));
    }
    BT_TRY(bt_arena_printf(x->arena, &checks,
                           "{\"status\":\"not-ready\",\"checks\":{\"store\":\"%s\",\"ledger\":"
                           "\"%s\",\"clock\":\"%s\",\"draining\":%s}}",
                           word_of(is_open && is_writing), word_of(is_sound), word_of(is_right),
                           gateway->stop.is_draining ? "true" : "false"));
    serve_call_add_header(x, "Retry-After", BT_STR("1"));
    return serve_call_respond_json(x, BT_HTTP_UNAVAILABLE, checks);
}

/* ---- Metrics --------------------------------------------------------------------------------- */

static void put_gauge(struct bt_buf *buf, const char *name, const char *help, double value)
{
    const struct serve_gauge gauge = {.name = name, .value = value};
    metrics_put_gauge(buf, &gauge, help, true);
}

static void put_two(struct bt_buf *buf, const struct serve_gauge gauges[2], const char *help)
{
    metrics_put_gauge(buf, &gauges[0], help, true);
    metrics_put_gauge(buf, &gauges[1], help, false);
}

static size_t count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;
    if (!folder) {
        return 0;
    }
    while (readdir(folder)) {
        count++;
    }
    (void)closedir(folder);
    /* without the descriptor of the directory itself, `.` and `..` */
    return count > 3 ? count - 3 : 0;
}

/* The resident set size, from the second number of statm. */
static double resident_bytes(struct bt_arena *arena)
{
    bt_str text;
    uint64_t pages = 0;
    struct bt_error error;
    if (bt_file_read(arena, BT_STR("/proc/self/statm"), 4096, &text, &error) != BT_OK) {
        return 0;
    }
    const size_t from = bt_str_find_byte(text, ' ', 0) + 1;
    const bt_str number = bt_str_slice(text, from, bt_str_find_byte(text, ' ', from));
    return bt_str_to_u64(number, &pages) == BT_OK ? (double)pages * (double)sysconf(_SC_PAGESIZE)
                                                  : 0;
}

static void put_process(struct serve_call *x, struct bt_buf *buf)
{
    struct rusage used = {0};
    (void)getrusage(RUSAGE_SELF, &used);
    const double seconds = (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
                           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    put_gauge(buf, "process_cpu_seconds_total", "Processor time used.", seconds);
    put_gauge(buf, "process_resident_memory_bytes", "Resident memory.", resident_bytes(x->arena));
    put_gauge(buf, "process_open_fds", "Open descriptors.", (double)count_descriptors());
    put_gauge(buf, "process_start_time_seconds", "When the process started.",
              (double)x->gateway->started.seconds);
}

static double number_in(const struct bt_json_doc *document, const char *name)
{
    const bt_json_value *value = bt_json_get(document, bt_json_root(document), bt_str_of(name));
    return value && bt_json_type(value) == BT_JSON_INTEGER ? (double)value->as.integer : 0;
}

static size_t count_pending(struct serve_call *x)
{
    struct bt_result answer;
    struct bt_call work = serve_call_begin_operation(x, &answer);
    const struct bt_approval_filter filter = {.status = BT_STR("pending"), .workspace = BT_STR("")};
    struct bt_contract_state gate;
    struct bt_approval_list approvals = {0};
    struct bt_error error;
    if (bt_op_contract_state(&work, &gate) != BT_OK ||
        bt_approvals_list(&gate, &filter, &approvals, &error) != BT_OK) {
        return 0;
    }
    return approvals.count;
}

/* The number of messages that are queued or in flight in the pump. False: no pump is running. */
static bool count_messages(struct serve_call *x, double *out)
{
    struct bt_result answer;
    struct bt_call work = serve_call_begin_operation(x, &answer);
    struct bt_control_result result;
    struct bt_json_read_result read = {0};
    const bool has_status =
        x->service->organism.len > 0 && bt_op_pump_query(&work, "status", BT_STR(""), &result) &&
        /* from: socket */
        result.error == 0 && bt_json_read(x->arena, result.result, NULL, &read) == BT_OK &&
        read.document;
    bt_buf_free(&answer.body);
    if (has_status) {
        *out = number_in(read.document, "queued") + number_in(read.document, "in_flight");
    }
    return has_status;
}

static void put_queues(struct serve_call *x, struct bt_buf *buf,
                       const struct bt_ledger_stats *figures)
{
    static const char help[] = "Items that wait and are not taken.";
    struct serve_gauge gauge = {"baton_queue_items", "queue=\"inbox\"", (double)figures->inbox};
    metrics_put_gauge(buf, &gauge, help, true);
    gauge.label = "queue=\"webhook\"";
    gauge.value = (double)figures->webhook;
    metrics_put_gauge(buf, &gauge, help, false);
    if (count_messages(x, &gauge.value)) {
        gauge.label = "queue=\"pump\"";
        metrics_put_gauge(buf, &gauge, help, false);
    }
}

static void put_peers(struct serve_call *x, struct bt_buf *buf)
{
    static const char *const labels[BT_PEER_STATES] = {[BT_PEER_OK] = "state=\"ok\"",
                                                       [BT_PEER_BEHIND] = "state=\"behind\"",
                                                       [BT_PEER_FAILING] = "state=\"failing\""};
    struct bt_result answer;
    struct bt_call work = serve_call_begin_operation(x, &answer);
    const struct bt_peer_sources sources = {.ledger = x->service->ledger,
                                            .config = x->config,
                                            .witness = bt_op_witness_folder(&work),
                                            .reports = x->service->peers};
    struct bt_peer_list peers = {0};
    struct bt_error error;
    double counts[BT_PEER_STATES] = {0};
    if (bt_config_count(x->config, "ledger.peers") == 0 ||
        bt_peers_read(x->arena, &sources, &peers, &error) != BT_OK) {
        return;
    }
    for (size_t i = 0; i < peers.count; i++) {
        counts[bt_peer_state(&peers.items[i])]++;
    }
    for (size_t i = 0; i < BT_PEER_STATES; i++) {
        const struct serve_gauge gauge = {"baton_ledger_peers", labels[i], counts[i]};
        metrics_put_gauge(buf, &gauge, "Peers that cosign the ledger.", i == 0);
    }
}

static void put_store(struct serve_call *x, struct bt_buf *buf)
{
    struct bt_ledger_stats figures;
    struct bt_error error;
    const bool is_up =
        x->service->ledger &&
        bt_ledger_read_stats(x->service->ledger, x->service->env, &figures, &error) == BT_OK;
    put_gauge(buf, "baton_store_up", "Whether the store answers.", is_up ? 1 : 0);
    if (is_up) {
        put_gauge(buf, "baton_ledger_size", "Entries in the ledger.", (double)figures.size);
        put_gauge(buf, "baton_ledger_witnessed_size",
                  "Entries below the newest checkpoint with a cosignature.",
                  (double)figures.witnessed);
        put_queues(x, buf, &figures);
        put_gauge(buf, "baton_agents_blocked", "Agents that are blocked.", (double)figures.blocked);
        put_gauge(buf, "baton_approvals_pending", "Requests for consent that wait for a person.",
                  (double)count_pending(x));
        put_peers(x, buf);
    }
}

static void put_logs(struct serve_call *x, struct bt_buf *buf)
{
    size_t known = 0;
    size_t open = 0;
    if (serve_logs_count(x, &known, &open)) {
        const struct serve_gauge logs[2] = {{"baton_logs", "state=\"known\"", (double)known},
                                            {"baton_logs", "state=\"open\"", (double)open}};
        put_two(buf, logs, "Logs below the root, and those that are open.");
    }
}

static void put_server(struct serve_call *x, struct bt_buf *buf)
{
    const struct http_counts counts = http_server_counts(x->gateway->server);
    const struct serve_gauge connections[2] = {
        {"baton_http_connections", "state=\"active\"", (double)counts.active},
        {"baton_http_connections", "state=\"idle\"", (double)counts.idle}};
    put_two(buf, connections, "Connections that are open.");
    put_gauge(buf, "baton_streams", "Open answer streams.", (double)counts.streams);
    put_gauge(buf, "baton_otlp_dropped_total", "Spans that were not exported.",
              (double)otlp_dropped(x->gateway->observers.otlp));
}

static enum bt_status respond_metrics(struct serve_call *x)
{
    struct bt_buf *buf = &x->answer->body;
    bt_buf_clear(buf);
    bt_buf_printf(buf,
                  "# HELP baton_build_info What is running.\n# TYPE baton_build_info gauge\n"
                  "baton_build_info{version=\"%s\"} 1\n",
                  bt_version());
    put_server(x, buf);
    put_store(x, buf);
    put_logs(x, buf);
    metrics_put(x->gateway->observers.metrics, buf);
    serve_wrap_put_metrics(x, buf);
    put_process(x, buf);
    x->answer->status = BT_HTTP_OK;
    serve_call_add_header(x, "Content-Type", BT_STR("text/plain; version=0.0.4; charset=utf-8"));
    return buf->status;
}

/* ---- Problems -------------------------------------------------------------------------------- */

static enum bt_status respond_rule_page(struct serve_call *x)
{
    const size_t first = bt_rules_find(x->params[0]);
    struct bt_buf text;
    if (first == bt_rules_count()) {
        return serve_call_respond_problem(x, BT_PROBLEM_NOT_FOUND);
    }
    bt_buf_init(&text, RULES_BYTES_MAX);
    bt_rule_put_group(&text, first, bt_rule_put_full);
    enum bt_status status = text.status;
    if (status == BT_OK) {
        status =
            serve_call_respond_body(x, BT_HTTP_OK, "text/plain; charset=utf-8", bt_buf_str(&text));
    }
    bt_buf_free(&text);
    serve_call_set_cache_control(x, "max-age=300");
    return status == BT_OK ? serve_call_set_etag(x) : status;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

const struct serve_route health_routes[] = {
    {.method = HTTP_GET,
     .path = "/healthz",
     .operation = "healthz",
     .flags = ROUTE_PUBLIC | ROUTE_OF_LOG,
     .run = respond_healthz,
     .summary = "whether the server is alive"},
    {.method = HTTP_GET,
     .path = "/readyz",
     .operation = "readyz",
     .flags = ROUTE_PUBLIC | ROUTE_MAY_STORE | ROUTE_OF_LOG,
     .run = respond_readyz,
     .summary = "whether the server can do its work"},
    {.method = HTTP_GET,
     .path = "/metrics",
     .operation = "metrics",
     .scopes = BT_SCOPE_OPERATE,
     .flags = ROUTE_MAY_STORE | ROUTE_PUBLIC_METRICS | ROUTE_OF_LOG,
     .run = respond_metrics,
     .gives = "text/plain",
     .summary = "figures to watch, in the text form of Prometheus"},
    {.method = HTTP_GET,
     .path = "/problems/{code}",
     .operation = "problem",
     .flags = ROUTE_PUBLIC | ROUTE_OF_LOG,
     .run = respond_rule_page,
     .gives = "text/plain",
     .summary = "what a problem means and what to do"},
    {.path = NULL},
};
