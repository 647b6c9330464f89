/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console.c - serve the web console: the page at / and its assets, which are embedded in the
 * program.
 *
 * Assets are named by their digest, so that a browser caches them permanently and requests only the
 * page.
 */
#include "serve/console.h"

#include "serve/server.h"

/* No inline code, nothing from other origins, no frames, and no text that becomes a script. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'";

static enum bt_status serve_file(struct serve_call *x, const struct serve_console_file *file)
{
    BT_TRY(serve_call_respond_body(x, BT_HTTP_OK, file->type, BT_STR("")));
    x->answer->static_body = file->bytes;
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
