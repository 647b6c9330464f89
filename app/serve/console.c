/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console.c - serve the web console: the page at / and its assets, which are embedded in the
 * program.
 *
 * Assets are named by their digest, so that a browser caches them permanently and requests only the
 * page.
 */
#include "serve/console.h"

#include "base/ascii.h"

#include "serve/server.h"

/* No inline code, nothing from other origins, no frames, and no text that becomes a script. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'";

/* One item of Accept-Encoding (RFC 9110 section 12.5.3): "gzip", unless its weight is 0. */
static bool is_gzip(bt_str item)
{
    const size_t mark = bt_str_find_byte(item, ';', 0);
    return bt_ascii_equal_nocase(bt_ascii_trim(bt_str_slice(item, 0, mark), bt_ascii_is_blank),
                                 BT_STR("gzip")) &&
           serve_weight_of(bt_str_slice(item, mark + 1, item.len)) > 0;
}

static bool accepts_gzip(const struct http_request *request)
{
    for (size_t i = 0; i < request->field_count; i++) {
        const bt_str list = request->fields[i].value;
        for (size_t from = 0;
             from < list.len && bt_str_eq(request->fields[i].name, BT_STR("accept-encoding"));) {
            const size_t end = bt_str_find_byte(list, ',', from);
            if (is_gzip(bt_str_slice(list, from, end))) {
                return true;
            }
            from = end + 1;
        }
    }
    return false;
}

/* Only these files are compressed: they are the same for everybody, so that the length of a
 * response tells nothing about a secret that stands beside text of an attacker (BREACH). */
static enum bt_status serve_file(struct serve_call *x, const struct serve_console_file *file)
{
    BT_TRY(serve_call_respond_body(x, BT_HTTP_OK, file->type, BT_STR("")));
    const bool is_compressed = file->gzip.len > 0 && accepts_gzip(x->request);
    x->answer->static_body = is_compressed ? file->gzip : file->bytes;
    if (file->gzip.len > 0) {
        serve_call_add_header(x, "Vary", BT_STR("Accept-Encoding"));
    }
    if (is_compressed) {
        serve_call_add_header(x, "Content-Encoding", BT_STR("gzip"));
    }
    serve_call_add_header(x, "Content-Security-Policy", bt_str_of(policy));
    return serve_call_set_etag(x);
}

static bool is_enabled(const struct serve_call *x)
{
    return bt_config_bool(x->config, "console.enabled");
}

static enum bt_status respond_page(struct serve_call *x)
{
    if (!is_enabled(x)) {
        return serve_call_respond_problem(x, BT_PROBLEM_NOT_FOUND);
    }
    serve_call_set_cache_control(x, "no-cache");
    return serve_file(x, &console_files[0]);
}

static enum bt_status respond_asset(struct serve_call *x)
{
    for (size_t i = 1; is_enabled(x) && i < console_file_count; i++) {
        if (bt_str_eq(console_files[i].path, x->request->path)) {
            serve_call_set_cache_control(x, "max-age=31536000, immutable");
            return serve_file(x, &console_files[i]);
        }
    }
    return serve_call_respond_problem(x, BT_PROBLEM_NOT_FOUND);
}

const struct serve_route console_routes[] = {
    {.method = HTTP_GET,
     .path = "/",
     .operation = "console",
     .flags = ROUTE_PUBLIC,
     .run = respond_page,
     .gives = "text/html",
     .summary = "the web console"},
    {.method = HTTP_GET,
     .path = "/assets/{name}",
     .operation = "consoleAsset",
     .flags = ROUTE_PUBLIC | ROUTE_ANY_ACCEPT,
     .run = respond_asset,
     .summary = "a file of the web console"},
    {.path = NULL},
};
