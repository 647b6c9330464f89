/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - load one complete configuration: the file, the credentials, the certificates.
 *
 * It is used as a whole or not at all, at the start and at each reload.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/find.h"
#include "config/load.h"
#include "serve/otlp.h"
#include "serve/server.h"
#include "serve/webhooks.h"

enum { SETTINGS_BYTES_MAX = 64 << 20, SECOND_MS = 1000 };

/* ---- Listeners ------------------------------------------------------------------------------- */

size_t settings_listen_count(const struct serve_flags *flags, const struct bt_config *config)
{
    return flags->listen_count > 0 ? flags->listen_count : bt_config_count(config, "listen");
}

bt_str settings_listen_at(const struct serve_flags *flags, const struct bt_config *config,
                          size_t index)
{
    return flags->listen_count > 0 ? bt_str_of(flags->listen[index])
                                   : bt_config_item(config, "listen", index);
}

static bool has_foreign_listener(const struct serve_flags *flags, const struct bt_config *config)
{
    for (size_t i = 0; i < settings_listen_count(flags, config); i++) {
        struct bt_listen_address at;
        if (bt_listen_address_parse(settings_listen_at(flags, config, i), &at) == BT_OK &&
            !at.is_local) {
            return true;
        }
    }
    return false;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Add the findings of the first file that has any, else those of the merged configuration. */
static enum bt_status add_config_findings(const struct config_load_loaded *loaded,
                                          struct bt_findings *findings)
{
    const struct bt_findings *found = loaded->conflicts;
    bt_str text = BT_STR("");
    for (size_t i = loaded->count; i > 0; i--) {
        if (bt_findings_count(loaded->files[i - 1].findings) > 0) {
            found = loaded->files[i - 1].findings;
            text = loaded->files[i - 1].text;
        }
    }
    for (size_t i = 0; i < bt_findings_count(found); i++) {
        BT_TRY(bt_findings_add(findings, bt_findings_at(found, i)));
    }
    return bt_findings_finish(findings, text);
}

static enum bt_status read_config(struct serve_settings *settings, const struct serve_flags *flags,
                                  struct bt_findings *findings, struct bt_error *error)
{
    const struct config_load_options load_options = {.use = BT_CONFIG_JUDGES,
                                                     .is_server = true,
                                                     .without_files = flags->without_config,
                                                     .file = flags->config,
                                                     .root = flags->root};
    struct config_load_loaded loaded;
    BT_TRY(config_load(&settings->arena, &load_options, &loaded, error));
    BT_TRY(add_config_findings(&loaded, findings));
    settings->config = loaded.config;
    /* A file that only lies in the current folder may have come with somebody else's project. */
    settings->may_wrap = flags->config || getenv("BATON_CONFIG") || loaded.count == 0 ||
                         !bt_str_eq(loaded.files[0].path, BT_STR(CONFIG_PROJECT_NAME));
    return settings->config ? BT_OK
                            : bt_error_set(error, BT_EINVAL, "the configuration has mistakes");
}

/* The path that a flag or else a key gives; NULL when neither does. */
static enum bt_status path_of(struct serve_settings *settings, const char *flag, const char *key,
                              const char **out)
{
    bt_str path = BT_STR("");
    *out = flag;
    if (!flag) {
        BT_TRY(bt_config_path(settings->config, key, &settings->arena, &path));
        *out = path.len > 0 ? path.ptr : NULL;
    }
    return BT_OK;
}

static enum bt_status read_tokens(struct bt_env *env, struct serve_settings *settings,
                                  const struct serve_flags *flags, struct bt_error *error)
{
    const char *path = NULL;
    struct bt_error inner;
    BT_TRY(path_of(settings, flags->tokens, "tokens", &path));
    if (!path) {
        return BT_OK;
    }
    const enum bt_status status =
        tokens_read(env, &settings->arena, bt_str_of(path), &settings->tokens, &inner);
    if (status != BT_OK) {
        return bt_error_set(error, status, "cannot use the tokens %s: %s", path, inner.text);
    }
    if (!tokens_are_private(path)) {
        return bt_error_set(
            error, BT_EDENIED,
            "other accounts can read the token file %s; make it private with chmod 600", path);
    }
    settings->has_tokens = true;
    return BT_OK;
}

static bool others_may_read(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && (info.st_mode & 077) != 0;
}

static enum bt_status read_certificates(struct serve_settings *settings,
                                        const struct serve_flags *flags, struct bt_error *error)
{
    struct bt_tls_options options = {
        .is_http = true,
        .needs_client = bt_config_bool(settings->config, "tls.require_client_cert")};
    BT_TRY(path_of(settings, flags->tls_cert, "tls.cert", &options.cert));
    BT_TRY(path_of(settings, flags->tls_key, "tls.key", &options.key));
    BT_TRY(path_of(settings, flags->client_ca, "tls.client_ca", &options.client_ca));
    if (!options.cert != !options.key) {
        return bt_error_set(error, BT_EINVAL,
                            "--tls-cert and --tls-key come together or not at all");
    }
    if (options.client_ca && !options.cert) {
        return bt_error_set(error, BT_EINVAL, "--client-ca needs --tls-cert and --tls-key");
    }
    settings->has_client_ca = options.client_ca != NULL;
    settings->has_tls = options.cert != NULL;
    settings->key_path = options.key;
    settings->tls_options = options;
    return BT_OK;
}

static enum bt_status open_certificates(struct serve_settings *settings, struct bt_error *error)
{
    if (!settings->has_tls) {
        return BT_OK;
    }
    if (others_may_read(settings->key_path)) {
        return bt_error_set(
            error, BT_EDENIED,
            "other accounts can read the key file %s; make it private with chmod 600",
            settings->key_path);
    }
    return bt_tls_server_create(&settings->tls_options, &settings->tls, error);
}

/* ---- Meaning --------------------------------------------------------------------------------- */

/* Refuse to serve other machines without authentication, or tokens without TLS. */
static enum bt_status judge_protection(const struct serve_settings *settings,
                                       const struct serve_flags *flags, struct bt_error *error)
{
    if (!has_foreign_listener(flags, settings->config)) {
        return BT_OK;
    }
    bool has_tokens = flags->tokens || bt_config_has(settings->config, "tokens");
    if (!has_tokens && !settings->has_client_ca) {
        return bt_error_set(error, BT_EINVAL,
                            "a listener for other machines needs --tokens or --client-ca");
    }
    if (!settings->has_tls && !flags->plain_http &&
        !bt_config_bool(settings->config, "plain_http")) {
        return bt_error_set(error, BT_EINVAL,
                            "a listener for other machines needs --tls-cert and --tls-key, or "
                            "--plain-http when a proxy ends TLS");
    }
    if (flags->has_fixtures) {
        return bt_error_set(
            error, BT_EINVAL,
            "--conformance-fixtures is only for listeners that other machines cannot reach");
    }
    return BT_OK;
}

static void take_limits(struct serve_settings *settings)
{
    const struct bt_config *config = settings->config;
    settings->limits = (struct http_limits){
        .target_bytes = (size_t)bt_config_u64(config, "limits.target_bytes"),
        .header_bytes = (size_t)bt_config_u64(config, "limits.header_bytes"),
        .header_count = (size_t)bt_config_u64(config, "limits.header_count"),
        .body_bytes = bt_config_u64(config, "limits.body_bytes"),
        .header_ms = bt_config_u64(config, "limits.header_timeout_s") * SECOND_MS,
        .body_ms = bt_config_u64(config, "limits.body_timeout_s") * SECOND_MS,
        .write_ms = bt_config_u64(config, "limits.write_timeout_s") * SECOND_MS,
        .idle_ms = bt_config_u64(config, "limits.idle_timeout_s") * SECOND_MS,
        .body_memory_bytes = bt_config_u64(config, "limits.body_memory_bytes"),
        .connections = (size_t)bt_config_u64(config, "limits.connections"),
        .connections_per_address = (size_t)bt_config_u64(config, "limits.connections_per_address"),
        .in_flight = (size_t)bt_config_u64(config, "limits.in_flight"),
    };
    settings->reading = bt_config_limits(config);
}

static void take_anonymous(struct serve_settings *settings, const struct serve_flags *flags)
{
    const struct bt_config *config = settings->config;
    const bool is_given = bt_config_has(config, "auth.anonymous");
    if (!is_given) {
        /* With named callers, anonymous ones have no scopes unless auth.anonymous grants them. */
        const bool has_names = settings->has_tokens || settings->has_client_ca;
        settings->anonymous =
            has_names || has_foreign_listener(flags, config) ? 0 : BT_SCOPE_CHECK | BT_SCOPE_SUBMIT;
        return;
    }
    for (size_t i = 0; i < bt_config_count(config, "auth.anonymous"); i++) {
        settings->anonymous |= bt_scope_find(bt_config_item(config, "auth.anonymous", i));
    }
}

/* ---- Run ------------------------------------------------------------------------------------- */

static enum bt_status read_settings(struct bt_env *env, const struct serve_flags *flags,
                                    struct bt_findings *findings, struct serve_settings *settings,
                                    struct bt_error *error)
{
    struct serve_otlp_collector collector; /* only checks that these can be read */
    struct serve_webhook_list webhooks;
    BT_TRY(read_config(settings, flags, findings, error));
    BT_TRY(read_certificates(settings, flags, error));
    BT_TRY(judge_protection(settings, flags, error));
    BT_TRY(read_tokens(env, settings, flags, error));
    BT_TRY(open_certificates(settings, error));
    BT_TRY(collector_read(&settings->arena, settings->config, &collector, error));
    BT_TRY(webhooks_read(&settings->arena, settings->config, &webhooks, error));
    BT_TRY(serve_log_settings_read(&settings->arena, settings->config, &settings->logs, error));
    settings->keys = bt_worker_settings_from_config(settings->config);
    settings->log_keys = settings->keys;
    settings->log_keys.has_webhooks = false; /* nobody sends from there: it waits in the inbox */
    take_limits(settings);
    take_anonymous(settings, flags);
    settings->root = bt_str_of(flags->root);
    settings->organism = bt_str_of(flags->organism);
    if (!flags->organism && bt_config_has(settings->config, "pump.organism")) {
        BT_TRY(bt_config_path(settings->config, "pump.organism", &settings->arena,
                              &settings->organism));
    }
    const struct bt_worker service = {
        .config = settings->config, .keys = &settings->keys, .root = settings->root};
    return bt_op_policy(&settings->arena, &service, NULL, &settings->policy);
}

enum bt_status settings_load(struct bt_env *env, const struct serve_flags *flags,
                             struct bt_findings *findings, struct serve_settings **out,
                             struct bt_error *error)
{
    struct serve_settings *settings = calloc(1, sizeof(*settings));
    if (!settings) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    atomic_init(&settings->users, 1);
    bt_arena_init(&settings->arena, SETTINGS_BYTES_MAX);
    const enum bt_status status = read_settings(env, flags, findings, settings, error);
    if (status != BT_OK) {
        serve_settings_release(settings);
        return status;
    }
    *out = settings;
    return BT_OK;
}

void serve_settings_release(struct serve_settings *settings)
{
    const size_t before = atomic_fetch_sub(&settings->users, 1);
    assert(before > 0);
    if (before == 1) {
        bt_tls_context_destroy(settings->tls);
        bt_arena_free(&settings->arena);
        free(settings);
    }
}

/* ---- Restarts -------------------------------------------------------------------------------- */

static bool same_list(const struct bt_config *a, const struct bt_config *b, const char *key)
{
    const size_t count = bt_config_count(a, key);
    for (size_t i = 0; count == bt_config_count(b, key) && i < count; i++) {
        if (!bt_str_eq(bt_config_item(a, key, i), bt_config_item(b, key, i))) {
            return false;
        }
    }
    return count == bt_config_count(b, key);
}

bool serve_settings_need_restart(const struct serve_settings *before,
                                 const struct serve_settings *after, const char **out_key)
{
    static const char *const texts[] = {"store",          "ledger.memory", "ledger.agent",
                                        "ledger.witness", "pump.organism", "logs.root",
                                        "logs.keys",      "logs.default"};
    const struct bt_config *a = before->config;
    const struct bt_config *b = after->config;
    *out_key = NULL;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (!bt_str_eq(bt_config_text(a, texts[i]), bt_config_text(b, texts[i]))) {
            *out_key = texts[i];
        }
    }
    if (!same_list(a, b, "listen")) {
        *out_key = "listen";
    } else if (bt_config_bool(a, "plain_http") != bt_config_bool(b, "plain_http")) {
        *out_key = "plain_http";
    }
    return *out_key != NULL;
}
