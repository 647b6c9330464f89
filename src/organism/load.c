/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - the group of checks that starts the hosts: compare their handlers' HELLO with the file.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/str.h"
#include "organism/organism.h"
#include "sandbox/account.h"
#include "sandbox/handler_probe.h"

/* The value of a variable of the pump's environment; ptr NULL: it has none. */
static bt_str find_variable(const struct bt_host_launch_options *hosts, bt_str name)
{
    for (char *const *entry = hosts->environment; entry && *entry; entry++) {
        const bt_str text = bt_str_of(*entry);
        if (bt_str_starts_with(text, name) && text.len > name.len && text.ptr[name.len] == '=') {
            return bt_str_slice(text, name.len + 1, text.len);
        }
    }
    return (bt_str){NULL, 0};
}

static enum bt_status build_variables(struct bt_arena *arena,
                                      const struct bt_host_launch_options *hosts,
                                      const struct bt_organism_listener *listener,
                                      struct bt_host_spec *out)
{
    const size_t literal = listener->access.env ? listener->access.env->count : 0;
    struct bt_host_variable *made =
        BT_NEW_ARRAY(arena, struct bt_host_variable, literal + listener->access.env_from.count);
    size_t count = 0;
    BT_TRY(made ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < listener->access.env_from.count; i++) {
        const bt_str name = listener->access.env_from.items[i];
        const bt_str value = find_variable(hosts, name);
        if (value.ptr) {
            made[count++] = (struct bt_host_variable){name, value};
        }
    }
    for (size_t i = 0; i < literal; i++) {
        const struct bt_yaml_entry *entry = &listener->access.env->entries[i];
        if (bt_yaml_type_of(&entry->value) != BT_YAML_TYPE_NULL) {
            made[count++] = (struct bt_host_variable){entry->key, entry->value.text};
        }
    }
    out->variables = made;
    out->variable_count = count;
    return BT_OK;
}

bool bt_organism_listener_runs_python(const struct bt_organism *organism,
                                      const struct bt_organism_listener *listener)
{
    return listener->host == BT_HOST_PYTHON ||
           (listener->host == BT_HOST_COMMAND &&
            bt_str_eq(listener->command.items[0], organism->hosting.python));
}

enum bt_status bt_organism_listener_spec(struct bt_arena *arena,
                                         const struct bt_host_launch_options *hosts,
                                         const struct bt_organism_listener *listener,
                                         struct bt_host_spec *out)
{
    *out = (struct bt_host_spec){.kind = listener->host,
                                 .handler = listener->handler,
                                 .command = listener->command.items,
                                 .command_count = listener->command.count,
                                 .stdio = listener->uses_stdio,
                                 .payload_class = listener->payload_class,
                                 .result_class = listener->result_class,
                                 .readable = listener->access.read.items,
                                 .readable_count = listener->access.read.count,
                                 .allow_net = listener->access.may_net,
                                 .allow_exec = listener->access.may_exec,
                                 .memory_mb = (uint32_t)listener->limits.memory_mb};
    return build_variables(arena, hosts, listener, out);
}

static bt_str absent_if_empty(bt_str text)
{
    return text.len > 0 ? text : BT_STR_ABSENT;
}

static enum bt_status add_class_finding(struct bt_organism_reader *reader,
                                        const struct bt_organism_listener *listener,
                                        const char *key, bt_str reason)
{
    return bt_add_pump_payload_class(reader->findings,
                                     bt_organism_locate_key(reader, listener->node, key),
                                     absent_if_empty(reason));
}

static const char *code_key(const struct bt_organism_listener *listener)
{
    return listener->handler.len > 0 ? "handler" : "command";
}

static const char *class_key(const struct bt_organism_listener *listener, const char *key)
{
    return bt_organism_node_get(listener->node, key) ? key : code_key(listener);
}

/* When a host sent no HELLO, add the last line that it printed. */
static enum bt_status add_load_finding(struct bt_organism_reader *reader, struct bt_location at,
                                       const struct bt_handler_probe_result *result)
{
    bt_str reason = result->reason;
    const bt_str printed = bt_str_trim(result->printed);
    if (!result->hello.document && printed.len > 0) {
        BT_TRY(bt_arena_printf(reader->arena, &reason, "%.*s; it printed: %.*s",
                               BT_STR_ARG(result->reason),
                               BT_STR_ARG(bt_str_after_last(printed, '\n'))));
    }
    return bt_add_pump_handler_load(reader->findings, at, absent_if_empty(reason));
}

static enum bt_status add_hello_finding(struct bt_organism_reader *reader,
                                        const struct bt_organism_listener *listener,
                                        const struct bt_handler_probe_result *result)
{
    const struct bt_location at =
        bt_organism_locate_key(reader, listener->node, code_key(listener));
    switch (result->problem) {
    case BT_HELLO_SYNC:
        return bt_add_pump_handler_sync(reader->findings, at);
    case BT_HELLO_SIGNATURE:
        return bt_add_pump_handler_signature(reader->findings, at, absent_if_empty(result->reason));
    case BT_HELLO_PAYLOAD:
        return add_class_finding(reader, listener, class_key(listener, "payload_class"),
                                 result->reason);
    case BT_HELLO_RESULT:
        return add_class_finding(reader, listener, class_key(listener, "result_class"),
                                 result->reason);
    case BT_HELLO_FINE:
    case BT_HELLO_IMPORT:
    case BT_HELLO_MISSING:
        break;
    }
    return add_load_finding(reader, at, result);
}

/* The type of a class that the file names and the host describes. */
static enum bt_status class_type(struct bt_organism_reader *reader,
                                 const struct bt_organism_listener *listener, const char *key,
                                 const struct bt_host_hello_class *described,
                                 const struct bt_payload_type **out)
{
    const bt_str name = bt_organism_listener_class_name(bt_organism_node_text(listener->node, key));
    if (!bt_str_eq(described->name, name)) {
        return add_class_finding(reader, listener, key,
                                 described->name.len > 0
                                     ? BT_STR("the host describes another class")
                                     : BT_STR("the host does not describe it"));
    }
    BT_TRY(bt_payload_type_from_hello(reader, described, out));
    return *out ? BT_OK
                : add_class_finding(reader, listener, key,
                                    BT_STR("a field has a type that is not supported"));
}

static enum bt_status compare_fields(struct bt_organism_reader *reader,
                                     const struct bt_organism_listener *listener,
                                     const struct bt_host_hello_class *described)
{
    const struct bt_payload_type *type = NULL;
    if (described->name.len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_payload_type_from_hello(reader, described, &type));
    if (type && bt_str_eq(described->name, listener->takes.type_name) &&
        bt_payload_type_equal(type, listener->takes.type)) {
        return BT_OK;
    }
    return bt_add_pump_payload_mismatch(reader->findings,
                                        bt_organism_locate_key(reader, listener->node, "fields"));
}

/* Take the payload that the host describes; a host that does not say leaves the type unknown. */
static enum bt_status take_description(struct bt_organism_reader *reader,
                                       struct bt_organism_listener *listener,
                                       const struct bt_host_hello_class *described)
{
    struct bt_organism_capability *takes = &listener->takes;
    takes->type_name = described->name.len > 0 ? described->name : BT_STR("payload");
    BT_TRY(bt_organism_tag(reader->arena, takes->name, takes->type_name, &takes->tag));
    if (described->name.len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_payload_type_from_hello(reader, described, &takes->type));
    return takes->type ? BT_OK
                       : add_class_finding(reader, listener, code_key(listener),
                                           BT_STR("a field has a type that is not supported"));
}

static enum bt_status take_result(struct bt_organism_reader *reader,
                                  struct bt_organism_listener *listener,
                                  const struct bt_handler_probe_result *result)
{
    struct bt_organism_capability *takes = &listener->takes;
    if (!result->loaded) {
        return add_hello_finding(reader, listener, result);
    }
    if (listener->payload_class.len > 0) {
        BT_TRY(class_type(reader, listener, "payload_class", &result->hello.payload, &takes->type));
    } else if (bt_organism_node_get(listener->node, "fields")) {
        BT_TRY(compare_fields(reader, listener, &result->hello.payload));
    } else if (takes->type_name.len == 0) {
        BT_TRY(take_description(reader, listener, &result->hello.payload));
    }
    if (listener->result_class.len == 0) {
        return BT_OK;
    }
    struct bt_organism_listener_reply *replies =
        BT_NEW_ARRAY(reader->arena, struct bt_organism_listener_reply, takes->replies_count);
    BT_TRY(replies ? BT_OK : BT_ENOMEM);
    memcpy(replies, takes->replies, takes->replies_count * sizeof(replies[0]));
    BT_TRY(class_type(reader, listener, "result_class", &result->hello.result, &replies[0].type));
    takes->replies = replies;
    return BT_OK;
}

/* The listeners whose handlers are loaded, how their hosts are started, and the results. */
struct bt_organism_loading {
    struct bt_host_spec *specs;
    size_t *listeners; /* by spec */
    size_t count;
    bool needs_python;
    struct bt_host_python python;
    struct bt_host_launch_context context;
    struct bt_handler_probe_result *results;
    struct bt_handler_probe_run *hosts; /* NULL: no host is started */
};

static bool has_class(const struct bt_organism_listener *listener)
{
    return listener->payload_class.len > 0 || listener->result_class.len > 0;
}

/* Whether the caller needs this one: it is named, or the one that is may call it. */
static bool is_wanted(const struct bt_organism_reader *reader,
                      const struct bt_organism_listener *listener)
{
    const bt_str only = reader->options->only_listener;
    const struct bt_organism_listener *named =
        only.len > 0 ? bt_organism_listener(reader->organism, only) : NULL;
    return only.len == 0 || named == listener ||
           (named && has_class(listener) &&
            (bt_organism_name_list_has(&named->peers, listener->takes.name) ||
             bt_organism_name_list_has(&named->peers, listener->group)));
}

/* Use the HELLO of a host that runs already. */
static enum bt_status take_known(struct bt_organism_reader *reader, size_t index, bt_str text)
{
    struct bt_organism_listener *listener = &reader->organism->listeners[index];
    struct bt_handler_probe_result result = {.loaded = true};
    const char *reason = "";
    BT_TRY(bt_arena_copy(reader->arena, text, &text));
    BT_TRY(bt_host_hello_read(reader->arena, text, &result.hello, &reason));
    return take_result(reader, listener, &result);
}

static enum bt_status collect_host_specs(struct bt_organism_reader *reader,
                                         struct bt_organism_loading *loading)
{
    const struct bt_organism *organism = reader->organism;
    const struct bt_organism_running_hosts *known = reader->known;
    loading->specs = BT_NEW_ARRAY(reader->arena, struct bt_host_spec, organism->listeners_count);
    loading->listeners = BT_NEW_ARRAY(reader->arena, size_t, organism->listeners_count);
    BT_TRY(loading->specs && loading->listeners ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < organism->listeners_count; i++) {
        const struct bt_organism_listener *listener = &organism->listeners[i];
        bt_str hello = BT_STR("");
        if (!is_wanted(reader, listener)) {
            continue;
        }
        const bool runs = known && known->hello(known->context, listener, &hello);
        if (hello.len == 0 && !has_class(listener) && (runs || reader->options->only_classes)) {
            continue;
        }
        if (hello.len > 0) {
            BT_TRY(take_known(reader, i, hello));
            continue;
        }
        loading->needs_python =
            loading->needs_python || bt_organism_listener_runs_python(organism, listener);
        loading->listeners[loading->count] = i;
        BT_TRY(bt_organism_listener_spec(reader->arena, reader->options->hosts, listener,
                                         &loading->specs[loading->count++]));
    }
    return BT_OK;
}

/* Find the account and the interpreter; *out_reason says which is missing. */
static enum bt_status find_means(struct bt_organism_reader *reader,
                                 struct bt_organism_loading *loading, bt_str *out_reason)
{
    const struct bt_host_python_query question = {
        .name = reader->organism->hosting.python,
        .search_path = reader->options->hosts->search_path,
        .environment = reader->options->hosts->environment};
    struct bt_error error;
    enum bt_status status =
        bt_sandbox_switch_account(&loading->context, reader->organism->hosting.user, &error);
    if (status == BT_OK && loading->needs_python) {
        status = bt_host_python_query_run(reader->arena, &question, &loading->python, &error);
        loading->context.python = &loading->python;
        reader->organism->hosting.interpreter = status == BT_OK ? &loading->python : NULL;
    }
    if (status == BT_ENOENT || status == BT_EINVAL) {
        return bt_arena_copy(reader->arena, bt_str_of(error.text), out_reason);
    }
    return status;
}

static enum bt_status start_all(struct bt_organism_reader *reader,
                                struct bt_organism_loading *loading)
{
    const struct bt_handler_probe load = {loading->specs, loading->count,
                                          reader->options->hosts->temporary_dir};
    bt_str reason = BT_STR("");
    loading->results = BT_NEW_ARRAY(reader->arena, struct bt_handler_probe_result, loading->count);
    BT_TRY(loading->results ? BT_OK : BT_ENOMEM);
    BT_TRY(find_means(reader, loading, &reason));
    if (reason.len > 0) {
        for (size_t i = 0; i < loading->count; i++) {
            loading->results[i] =
                (struct bt_handler_probe_result){.problem = BT_HELLO_IMPORT, .reason = reason};
        }
        return BT_OK;
    }
    return bt_handler_probe_run_open(reader->arena, &loading->context, &load, loading->results,
                                     &loading->hosts, NULL);
}

static enum bt_status open_context(struct bt_organism_reader *reader,
                                   struct bt_organism_loading *loading)
{
    const struct bt_host_launch_options *hosts = reader->options->hosts;
    char folder[PATH_MAX];
    char real[PATH_MAX];
    bt_str root;
    BT_TRY(bt_path_to_cstr(reader->folder, folder, NULL));
    if (!realpath(folder, real)) {
        return BT_EIO;
    }
    BT_TRY(bt_arena_copy(reader->arena, bt_str_of(real), &root));
    loading->context =
        (struct bt_host_launch_context){.root = root,
                                        .root_fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                                        .search_path = hosts->search_path,
                                        .baton = hosts->baton,
                                        .use = reader->sandbox};
    return loading->context.root_fd < 0 ? BT_EIO : BT_OK;
}

enum bt_status bt_organism_load_begin(struct bt_organism_reader *reader)
{
    struct bt_organism_loading *loading = BT_NEW(reader->arena, struct bt_organism_loading);
    BT_TRY(loading ? BT_OK : BT_ENOMEM);
    loading->context.root_fd = -1;
    reader->loading = loading;
    BT_TRY(collect_host_specs(reader, loading));
    if (loading->count == 0) {
        return BT_OK;
    }
    BT_TRY(open_context(reader, loading));
    return start_all(reader, loading);
}

int bt_organism_load_fd(const struct bt_organism_reader *reader)
{
    return reader->loading && reader->loading->hosts
               ? bt_handler_probe_run_fd(reader->loading->hosts)
               : -1;
}

enum bt_status bt_organism_load_step(struct bt_organism_reader *reader, uint32_t wait_ms,
                                     bool *out_done)
{
    struct bt_handler_probe_run *hosts = reader->loading ? reader->loading->hosts : NULL;
    if (hosts && !bt_handler_probe_run_is_done(hosts)) {
        BT_TRY(bt_handler_probe_run_step(hosts, wait_ms, NULL));
    }
    *out_done = !hosts || bt_handler_probe_run_is_done(hosts);
    return BT_OK;
}

enum bt_status bt_organism_load_end(struct bt_organism_reader *reader)
{
    const struct bt_organism_loading *loading = reader->loading;
    for (size_t i = 0; loading && i < loading->count; i++) {
        BT_TRY(take_result(reader, &reader->organism->listeners[loading->listeners[i]],
                           &loading->results[i]));
    }
    return BT_OK;
}

void bt_organism_load_free(struct bt_organism_reader *reader)
{
    struct bt_organism_loading *loading = reader->loading;
    if (!loading) {
        return;
    }
    bt_handler_probe_run_close(loading->hosts);
    if (loading->context.root_fd >= 0) {
        (void)close(loading->context.root_fd);
    }
    reader->loading = NULL;
}
