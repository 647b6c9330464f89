/* SPDX-License-Identifier: Apache-2.0 */
/* upstream_flags.c - what --upstream, --header-env, --bearer-env and --upstream-ca say. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/output.h"
#include "http/chars.h"
#include "wrap/policy.h"
#include "wrap/server_flags.h"
#include "wrap/server_name.h"
#include "wrap/upstream.h"

enum { FIELDS_BYTES_MAX = 32768, SECOND_MS = 1000 };

/* ---- Header fields --------------------------------------------------------------------------- */

/* Fields that are ours to set. */
static bool is_own_field(bt_str name)
{
    static const char *const own[] = {"accept",
                                      "connection",
                                      "content-length",
                                      "content-type",
                                      "host",
                                      "last-event-id",
                                      "mcp-method",
                                      "mcp-name",
                                      "mcp-protocol-version",
                                      "mcp-session-id",
                                      "transfer-encoding"};
    for (size_t i = 0; i < BT_COUNT_OF(own); i++) {
        if (strlen(own[i]) == name.len && strncasecmp(own[i], name.ptr, name.len) == 0) {
            return true;
        }
    }
    return false;
}

/* Put a field whose value is in the environment. False after an error message, which does not show
 * the value. */
static bool put_field(struct bt_buf *buf, bt_str name, const char *variable)
{
    const char *value = getenv(variable);
    const bool is_bearer = name.len == 0;
    if (!value || value[0] == '\0') {
        return cli_refuse("the variable %s is not set: it has the value of %s%.*s", variable,
                          is_bearer ? "the token" : "the header ", BT_STR_ARG(name));
    }
    if (!bt_http_field_value_is_valid(bt_str_of(value))) {
        return cli_refuse("the value of the variable %s cannot be sent as a header: it has control "
                          "characters",
                          variable);
    }
    if (is_bearer) {
        bt_buf_put_text(buf, "Authorization: Bearer ");
    } else {
        bt_buf_printf(buf, "%.*s: ", BT_STR_ARG(name));
    }
    bt_buf_put_text(buf, value);
    bt_buf_put_text(buf, "\r\n");
    return true;
}

/* Put the fields of the flags. False after an error message. */
static bool put_fields(struct cli_run *run, const struct bt_wrap_server_settings *settings,
                       struct bt_buf *buf)
{
    const struct cli_options *options = run->options;
    const char *bearer = cli_given(options, &flag_bearer_env);
    struct bt_str_list given;
    bearer = !bearer && settings->bearer_env.len > 0 ? settings->bearer_env.ptr : bearer;
    for (size_t i = 0; i < settings->headers_env.count; i++) {
        const bt_str name = settings->headers_env.names[i];
        if (!http_is_token_text(name) || is_own_field(name)) {
            return cli_refuse("the header %.*s of headers_env cannot be set", BT_STR_ARG(name));
        }
        if (!put_field(buf, name, settings->headers_env.texts[i].ptr)) {
            return false;
        }
    }
    if (!cli_given_list(options, &flag_header_env, &run->arena, &given)) {
        return false;
    }
    for (size_t i = 0; i < given.count; i++) {
        const bt_str word = given.items[i];
        const size_t equals = bt_str_find_byte(word, '=', 0);
        const bt_str name = bt_str_slice(word, 0, equals);
        if (equals + 1 >= word.len || !http_is_token_text(name)) {
            return cli_refuse_usage(options, "--header-env wants NAME=VARIABLE, such as "
                                             "X-Key=MY_KEY");
        }
        if (is_own_field(name)) {
            return cli_refuse_usage(options, "the header %.*s is set by Baton itself",
                                    BT_STR_ARG(name));
        }
        if (!put_field(buf, name, word.ptr + equals + 1)) {
            return false;
        }
    }
    return !bearer || put_field(buf, BT_STR(""), bearer);
}

static bool take_fields(struct cli_run *run, const struct bt_wrap_server_settings *settings,
                        bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, FIELDS_BYTES_MAX);
    if (!put_fields(run, settings, &buf)) {
        bt_buf_free(&buf);
        return false;
    }
    const enum bt_status status = bt_buf_finish(&buf, &run->arena, out);
    return status == BT_OK || cli_refuse("the headers are longer than %d bytes", FIELDS_BYTES_MAX);
}

/* ---- The URL --------------------------------------------------------------------------------- */

/* Everything behind the host, without a fragment. */
static enum bt_status take_path(struct bt_arena *arena, bt_str url, bt_str *out)
{
    const size_t host = bt_str_find(url, BT_STR("://")) + 3;
    const size_t slash = bt_str_find_byte(url, '/', host);
    const size_t query = bt_str_find_byte(url, '?', host);
    const size_t begin = slash < query ? slash : query;
    const size_t end = bt_str_find_byte(url, '#', host);
    const bt_str path = begin < end ? bt_str_slice(url, begin, end) : BT_STR("");
    return bt_arena_printf(arena, out, "%s%.*s", bt_str_starts_with(path, BT_STR("/")) ? "" : "/",
                           BT_STR_ARG(path));
}

/* Check the URL. False after an error message. */
static bool take_url(struct cli_run *run, bt_str url, struct wrap_upstream *out)
{
    const struct cli_options *options = run->options;
    const enum bt_status status = bt_http_url_parse(&run->arena, url, &out->where);
    if (status == BT_ENOMEM || take_path(&run->arena, url, &out->path) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (status != BT_OK) {
        return cli_refuse_usage(options, "--upstream wants a URL of http or https");
    }
    const size_t user = bt_str_find_byte(url, '@', 0);
    if (user < bt_str_find_byte(url, '/', bt_str_find(url, BT_STR("://")) + 3)) {
        return cli_refuse_usage(options,
                                "a user in the URL is not sent: use --header-env or --bearer-env");
    }
    return out->where.is_tls || wrap_host_is_local(out->where.host) ||
           cli_refuse_usage(options,
                            "http is for this machine only: use https for %.*s, so that nobody "
                            "on the way reads or changes messages",
                            BT_STR_ARG(out->where.host));
}

/* Check that TLS can be used. False after an error message. */
static bool check_tls(struct cli_run *run, const struct bt_wrap_server_settings *settings,
                      struct wrap_upstream *out)
{
    struct bt_tls_context *tls = NULL;
    const char *given = cli_given(run->options, &flag_upstream_ca);
    out->authorities = !given && settings->ca.len > 0 ? settings->ca.ptr : given;
    if (out->authorities && !out->where.is_tls) {
        return cli_refuse_usage(run->options, "--upstream-ca is for https");
    }
    const enum bt_status status = wrap_upstream_make_tls(out, &tls, &run->error);
    bt_tls_context_destroy(tls);
    return status == BT_OK || cli_refuse("%s", run->error.text);
}

bool wrap_take_upstream(struct cli_run *run, struct wrap_server *server)
{
    const struct bt_wrap_server_settings *settings = &server->settings;
    const char *url =
        settings->url.len > 0 ? settings->url.ptr : cli_given(run->options, &flag_upstream);
    struct wrap_upstream *upstream = BT_NEW_ARRAY(&run->arena, struct wrap_upstream, 1);
    bt_str *words = BT_NEW_ARRAY(&run->arena, bt_str, 1);
    char **argv = BT_NEW_ARRAY(&run->arena, char *, 2);
    char *name = bt_arena_alloc(&run->arena, strlen(url) + 1);
    if (!upstream || !words || !argv || !name) {
        return cli_refuse_status(BT_ENOMEM);
    }
    words[0] = bt_str_of(url);
    memcpy(name, url, strlen(url) + 1);
    argv[0] = name;
    *upstream = (struct wrap_upstream){.env = &run->env, .stop_fd = -1};
    if (!take_url(run, words[0], upstream) || !take_fields(run, settings, &upstream->fields) ||
        bt_wrap_name_clean(&run->arena, upstream->where.host, &server->name) != BT_OK ||
        !check_tls(run, settings, upstream)) {
        return false;
    }
    server->words = (struct bt_str_list){words, 1};
    server->program = BT_STR("");
    server->is_upstream = true;
    server->start =
        (struct bt_server_command){.argv = argv, .serve = wrap_upstream_serve, .served = upstream};
    return true;
}

bool wrap_limit_upstream(struct cli_run *run, const struct wrap_server *server)
{
    struct wrap_upstream *upstream = (struct wrap_upstream *)(uintptr_t)server->start.served;
    struct bt_wrap_policy policy;
    const enum bt_status status =
        bt_wrap_policy_read(&run->arena, run->options->config, server->name, &policy);
    if (status != BT_OK) {
        return cli_refuse_status(status);
    }
    upstream->idle_ms = policy.upstream_idle_s * SECOND_MS;
    upstream->message_bytes = policy.limits.message_bytes;
    return true;
}
