/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open.c - a pump is opened and closed: store, state, hosts.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hex.h"
#include "pump/organism_change.h"
#include "sandbox/account.h"
#include "store/files.h"

enum {
    MEMORY_BYTES_MAX = 64 << 20,
    TURN_BYTES_MAX = 256 << 20,
    TURN_BYTES_KEPT = 64 << 10, /* memory that a turn keeps, enough for most turns */
    CORE_BYTES_MAX = 1 << 30,
    NEWCOMERS_MAX = 1024, /* listeners, and clients, that may be added while it runs */
    ORIGIN_BYTES = 16,
    EVENT_NUMBER_BITS = 16, /* event numbers begin with the time, so that they grow over restarts */
};

enum bt_status bt_pump_make_folders(const char *path, mode_t mode, struct bt_error *error)
{
    char text[PATH_MAX];
    const size_t size = strlen(path);
    if (size >= sizeof(text)) {
        return bt_error_set(error, BT_EINVAL, "%s: the path is too long", path);
    }
    memcpy(text, path, size + 1);
    for (size_t i = 1; i <= size; i++) {
        if (text[i] != '/' && text[i] != '\0') {
            continue;
        }
        text[i] = '\0';
        if (mkdir(text, i < size ? 0755 : mode) != 0 && errno != EEXIST) {
            return bt_error_errno(error, "cannot make", text);
        }
        if (i < size) {
            text[i] = '/';
        }
    }
    return BT_OK;
}

/* The absolute path of a path in the organism file. */
static enum bt_status place_of(struct bt_pump *pump, bt_str name, bt_str *out)
{
    return bt_arena_printf(&pump->memory, out, "%.*s/%.*s", BT_STR_ARG(pump->launch.context.root),
                           BT_STR_ARG(name));
}

/* The folder that version control is told to leave alone: the one named .baton that the store lies
 * in, else the store's own. */
static bt_str ignored_folder(bt_str store)
{
    size_t from = 0;
    for (size_t i = 0; i <= store.len; i++) {
        if (i < store.len && store.ptr[i] != '/') {
            continue;
        }
        if (bt_str_eq(bt_str_slice(store, from, i), BT_STR(".baton"))) {
            return bt_str_slice(store, 0, i);
        }
        from = i + 1;
    }
    return store;
}

/* Version control must not take messages and keys. A folder that somebody else made and that is
 * not called .baton is not ours to change. */
static enum bt_status put_gitignore(struct bt_pump *pump, bool is_made, struct bt_error *error)
{
    const struct bt_store_file_mode public = {.mode = 0644};
    const bt_str store = pump->organism->store;
    const bt_str ignored = ignored_folder(store);
    bt_str folder;
    bt_str file;
    const bool is_baton =
        bt_str_eq(ignored, BT_STR(".baton")) || bt_str_ends_with(ignored, BT_STR("/.baton"));
    if (!is_baton && !is_made) {
        return BT_OK;
    }
    BT_TRY(place_of(pump, ignored, &folder));
    BT_TRY(bt_arena_printf(&pump->memory, &file, "%s/.gitignore", folder.ptr));
    return access(file.ptr, F_OK) == 0
               ? BT_OK
               : bt_store_write_file(file.ptr, BT_STR("*\n"), public, error);
}

/* A store that is made on the way has a unique name: organisms may share theirs. */
static enum bt_status origin_of(struct bt_pump *pump, bt_str *out)
{
    uint8_t name[ORIGIN_BYTES];
    char text[2 * ORIGIN_BYTES + 1] = "";
    if (!pump->env->random(pump->env->context, name, sizeof(name))) {
        return BT_EIO;
    }
    bt_hex_put(name, sizeof(name), text);
    return bt_arena_printf(&pump->memory, out, "baton.local/%s", text);
}

/* Allow one pump per store: a second one would repeat every call. */
static enum bt_status lock_store(struct bt_pump *pump, bool read_only, struct bt_error *error)
{
    bt_str folder;
    bt_str file;
    BT_TRY(place_of(pump, pump->organism->store, &folder));
    if (!read_only) {
        const bool is_made = access(folder.ptr, F_OK) != 0;
        BT_TRY(bt_pump_make_folders(folder.ptr, 0700, error));
        BT_TRY(put_gitignore(pump, is_made, error));
    }
    BT_TRY(bt_arena_printf(&pump->memory, &file, "%s/lock", folder.ptr));
    pump->storage.lock_fd = open(file.ptr, O_RDWR | O_CLOEXEC | (read_only ? 0 : O_CREAT), 0600);
    if (pump->storage.lock_fd < 0 && read_only && errno == ENOENT) {
        return BT_OK; /* the store was never used */
    }
    const struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (pump->storage.lock_fd >= 0 && fcntl(pump->storage.lock_fd, F_SETLK, &whole) == 0) {
        return BT_OK;
    }
    return errno == EAGAIN || errno == EACCES
               ? bt_error_set(error, BT_EDENIED, "%s: a pump is running here", folder.ptr)
               : bt_error_errno(error, NULL, file.ptr);
}

static enum bt_status open_ledger(struct bt_pump *pump, const struct bt_pump_options *options,
                                  struct bt_error *error)
{
    bt_str folder;
    bt_str file;
    struct bt_ledger_init_result made;
    BT_TRY(place_of(pump, pump->organism->store, &folder));
    BT_TRY(bt_arena_printf(&pump->memory, &file, "%s/store.db", folder.ptr));
    const struct bt_ledger_options where = {.store = options->store ? options->store : file.ptr,
                                            .agent = options->agent,
                                            .memory = options->memory};
    const enum bt_status status = bt_ledger_open(&where, true, &pump->storage.ledger, error);
    if (status == BT_ENOENT && options->read_only) {
        return BT_OK;
    }
    if (status != BT_ENOENT) {
        return status;
    }
    struct bt_ledger_init_options plan = {.origin = BT_STR("")};
    BT_TRY(origin_of(pump, &plan.origin));
    BT_TRY(bt_ledger_init(pump->env, &pump->memory, &where, &plan, &made, error));
    return bt_ledger_open(&where, true, &pump->storage.ledger, error);
}

enum bt_status bt_pump_make_core(struct bt_pump *pump)
{
    const struct bt_organism *organism = pump->organism;
    struct bt_pump_core *core = &pump->core;
    uint32_t number;
    core->listeners_max =
        (uint32_t)(organism->listeners_count + organism->gateways_count) + NEWCOMERS_MAX;
    core->clients_max = (uint32_t)organism->clients_count + NEWCOMERS_MAX;
    core->listeners =
        BT_NEW_ARRAY(&pump->memory, struct bt_pump_core_listener, core->listeners_max);
    core->clients = BT_NEW_ARRAY(&pump->memory, struct bt_pump_core_client, core->clients_max);
    pump->hosting.slots = BT_NEW_ARRAY(&pump->memory, struct bt_pump_slot, core->listeners_max);
    if (!core->listeners || !core->clients || !pump->hosting.slots) {
        return BT_ENOMEM;
    }
    core->env = pump->env;
    core->driver = bt_pump_driver(pump);
    for (size_t i = 0; i < organism->listeners_count; i++) {
        BT_TRY(bt_pump_new_number(pump, organism->listeners[i].takes.name, &number));
        bt_pump_set_listener(pump, &organism->listeners[i], pump->generation);
    }
    for (size_t i = 0; i < organism->gateways_count; i++) {
        BT_TRY(bt_pump_new_number(pump, organism->gateways[i].name, &number));
        bt_pump_set_gateway(pump, &organism->gateways[i], pump->generation);
    }
    BT_TRY(bt_pump_set_organism(pump));
    bt_pump_core_begin(core, CORE_BYTES_MAX);
    return BT_OK;
}

enum bt_status bt_pump_open_context(struct bt_arena *arena, const struct bt_organism *organism,
                                    const struct bt_host_launch_options *hosts,
                                    struct bt_host_launch_context *out, struct bt_error *error)
{
    const bt_str folder = organism->folder;
    char text[PATH_MAX];
    char real[PATH_MAX];
    (void)snprintf(text, sizeof(text), "%.*s", BT_STR_ARG(folder.len > 0 ? folder : BT_STR(".")));
    if (!realpath(text, real)) {
        return bt_error_errno(error, NULL, text);
    }
    *out =
        (struct bt_host_launch_context){.root_fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                                        .search_path = hosts->search_path,
                                        .baton = hosts->baton,
                                        .python = organism->hosting.interpreter};
    BT_TRY(bt_arena_copy(arena, bt_str_of(real), &out->root));
    BT_TRY(bt_sandbox_switch_account(out, organism->hosting.user, error));
    bt_sandbox_detect_support(&out->use);
    return out->root_fd < 0 ? bt_error_errno(error, NULL, real) : BT_OK;
}

static enum bt_status open_context(struct bt_pump *pump, const struct bt_pump_options *options,
                                   struct bt_error *error)
{
    struct bt_host_launch_context *context = &pump->launch.context;
    BT_TRY(bt_pump_open_context(&pump->memory, pump->organism, options->hosts, context, error));
    context->use.seccomp = context->use.seccomp && !options->without_seccomp;
    context->use.landlock = options->without_landlock ? 0 : context->use.landlock;
    return BT_OK;
}

static enum bt_status open_all(struct bt_pump *pump, const struct bt_pump_options *options,
                               struct bt_error *error)
{
    uint64_t passed = 0;
    bool more = false;
    bt_str folder;
    BT_TRY(bt_pump_make_core(pump));
    BT_TRY(open_context(pump, options, error));
    BT_TRY(lock_store(pump, options->read_only, error));
    BT_TRY(open_ledger(pump, options, error));
    if (!pump->storage.ledger) {
        return BT_OK;
    }
    BT_TRY(
        bt_pump_store_open(&pump->storage.rows, &pump->core, pump->storage.ledger, &pump->memory));
    pump->storage.rows.items = pump->storage.items;
    pump->storage.rows.files_at_once = !options->observer.delivery;
    BT_TRY(bt_pump_store_load(&pump->storage.rows, &passed, error));
    if (!options->read_only) { /* before the first message of a day */
        BT_TRY(bt_pump_store_prune(&pump->storage.rows, pump->organism->limits.history_days, &more,
                                   error));
    }
    if (options->without_hosts) {
        return BT_OK;
    }
    BT_TRY(bt_pump_write_schemas(pump, error));
    BT_TRY(place_of(pump, pump->organism->store, &folder));
    BT_TRY(bt_pump_open_work(pump, folder, error));
    BT_TRY(bt_pump_start_hosts(pump, error));
    BT_TRY(bt_pump_start_heartbeat(pump, options->heartbeat_s, error));
    pump->run.state = BT_PUMP_RUNNING;
    return BT_OK;
}

enum bt_status bt_pump_open(struct bt_env *env, const struct bt_organism *organism,
                            const struct bt_pump_options *options, struct bt_pump **out,
                            struct bt_error *error)
{
    assert(organism);
    assert(options);
    assert(out);
    struct bt_arena memory;
    struct bt_error own = {.text = ""};
    bt_arena_init(&memory, MEMORY_BYTES_MAX);
    struct bt_pump *pump = BT_NEW(&memory, struct bt_pump);
    if (!pump) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    pump->memory = memory;
    pump->env = env;
    pump->organism = organism;
    pump->first.organism = organism;
    pump->generation = &pump->first;
    pump->launch.options = *options->hosts;
    pump->observer = options->observer;
    pump->run.started_ms = bt_clock_monotonic_ms();
    pump->last_event = (uint64_t)bt_env_now(env).seconds << EVENT_NUMBER_BITS;
    pump->launch.context.root_fd = -1;
    pump->storage.lock_fd = -1;
    bt_arena_init(&pump->arena, TURN_BYTES_MAX);
    bt_buf_init(&pump->handover.envelope, SIZE_MAX);
    const bool has_room = bt_arena_alloc(&pump->arena, TURN_BYTES_KEPT) != NULL;
    bt_arena_reset(&pump->arena);
    const enum bt_status status = has_room ? open_all(pump, options, &own) : BT_ENOMEM;
    if (status != BT_OK) {
        bt_pump_close(pump);
        return bt_error_set(error, status, "%s", own.text[0] ? own.text : bt_status_text(status));
    }
    pump->storage.can_write = !options->read_only;
    *out = pump;
    return BT_OK;
}

/* Say what the ledger could not remember, or had forgotten. */
static void log_ledger_notes(const struct bt_pump *pump)
{
    char text[PATH_MAX + 128];
    bt_str path;
    if (bt_ledger_misses_head(pump->storage.ledger, &path)) {
        (void)snprintf(text, sizeof(text), "note: the head file %s was missing: find out why",
                       path.ptr);
        bt_pump_log(pump, BT_STR(""), bt_str_of(text));
    }
    if (bt_ledger_memory_has_failed(pump->storage.ledger, &path)) {
        (void)snprintf(text, sizeof(text),
                       "note: the size of the ledger is not remembered in %s, which cannot be "
                       "written",
                       path.ptr);
        bt_pump_log(pump, BT_STR(""), bt_str_of(text));
    }
}

void bt_pump_close(struct bt_pump *pump)
{
    if (!pump) {
        return;
    }
    if (pump->endpoint.context) {
        pump->endpoint.close(pump->endpoint.context);
    }
    bt_pump_abort_change(pump);
    if (pump->hosting.pool) {
        bt_pump_stop_hosts(pump);
        bt_host_pool_close(pump->hosting.pool);
    }
    if (pump->storage.can_write) {
        struct bt_error error;
        bt_pump_core_flush_charges(&pump->core);
        /* Nothing that cannot be written now was acknowledged. */
        pump->storage.can_write = bt_pump_commit(pump, &error) == BT_OK;
    }
    if (pump->storage.can_write) {
        bt_pump_stop_heartbeat(pump);
    }
    if (pump->storage.ledger) {
        log_ledger_notes(pump);
    }
    bt_pump_forget_slots(pump);
    while (pump->generation && pump->generation != &pump->first) {
        struct bt_pump_generation *generation = pump->generation;
        pump->generation = generation->older;
        bt_pump_generation_free(generation);
    }
    bt_pump_store_close(&pump->storage.rows);
    bt_pump_core_end(&pump->core);
    bt_ledger_close(pump->storage.ledger);
    if (pump->launch.context.root_fd >= 0) {
        (void)close(pump->launch.context.root_fd);
    }
    if (pump->storage.lock_fd >= 0) {
        (void)close(pump->storage.lock_fd);
    }
    bt_arena_free(&pump->arena);
    bt_buf_free(&pump->handover.envelope);
    struct bt_arena memory = pump->memory; /* the pump itself lies in it */
    bt_arena_free(&memory);
}
