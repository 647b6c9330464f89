/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console.c - serve the web console: the page at / and its assets, which are embedded in the
 * program.
 *
 * Assets are named by their digest, so that a browser caches them permanently and requests only the
 * page.
 */
#include "serve/console.h"

#include "serve/merge_list.h"
#include "serve/server.h"

/* No inline code, nothing from other origins, no frames, and no text that becomes a script. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types judge";

/* The script that runs the WebAssembly module of the playground is a worker, which has the policy
 * of its own response: the page itself may compile none. */
static const char worker_policy[] =
    "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'self'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

static const char worker_prefix[] = "/assets/judge-";
static const char module_path[] = "/assets/baton.wasm";
static const char merge_list_path[] = "/assets/o200k_base.merges";

/* All these files are the same for everybody, so that the length of a response tells nothing about
 * a secret that stands beside text of an attacker (BREACH). */
static enum bt_status serve_file(struct serve_call *x, const struct serve_console_file *file)
{
    const bool is_worker = bt_str_starts_with(file->path, bt_str_of(worker_prefix));
    unsigned offered = 0;
    for (enum serve_coding coding = CODING_IDENTITY; coding < CODING__MAX; coding++) {
        offered |= file->forms[coding].len > 0 ? 1u << coding : 0;
    }
    const enum serve_coding coding = serve_coding_choose(x->request, offered);
    BT_TRY(serve_call_respond_body(x, BT_HTTP_OK, file->type, BT_STR("")));
    x->answer->static_body = file->forms[coding];
    if (coding == CODING_IDENTITY && file->forms[coding].len == 0) {
        BT_TRY(serve_call_unpack(x, file->forms[CODING_ZSTD], file->size));
    }
    if (offered & ~(1u << CODING_IDENTITY)) {
        serve_call_add_header(x, "Vary", BT_STR("Accept-Encoding"));
    }
    serve_coding_add_header(x, coding);
    serve_call_add_header(x, "Content-Security-Policy",
                          bt_str_of(is_worker ? worker_policy : policy));
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

/* What the module needs to count tokens as this program does. */
static enum bt_status respond_merge_list(struct serve_call *x)
{
    BT_TRY(serve_call_respond_body(x, BT_HTTP_OK, "application/octet-stream", BT_STR("")));
    BT_TRY(serve_merge_list_put(&x->answer->body, x->arena, BT_ENCODING_O200K_BASE));
    serve_call_set_cache_control(x, "no-cache");
    return serve_call_set_etag(x);
}

static enum bt_status respond_asset(struct serve_call *x)
{
    if (is_enabled(x) && bt_str_eq(x->request->path, bt_str_of(merge_list_path))) {
        return respond_merge_list(x);
    }
    for (size_t i = 1; is_enabled(x) && i < console_file_count; i++) {
        if (bt_str_eq(console_files[i].path, x->request->path)) {
            /* the module alone is not named by its digest */
            const bool is_module = bt_str_eq(x->request->path, bt_str_of(module_path));
            serve_call_set_cache_control(x, is_module ? "no-cache" : "max-age=31536000, immutable");
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
