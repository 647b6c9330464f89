/* SPDX-License-Identifier: Apache-2.0 */
/*
 * organism_change.c - register and reload. A new organism is read and its handlers are probed while
 * the pump runs; it takes over in one step, or not at all.
 */
#include "pump/organism_change.h"

#include "base/buf.h"
#include "base/file.h"
#include "pump/control_query.h"

enum { FILE_BYTES_MAX = 1 << 20, DATA_BYTES_MAX = 1 << 26 };

/* A change that is being made; it lies in the arena of the generation. */
struct bt_pump_change {
    struct bt_pump_generation *generation;
    struct bt_organism_reader reader;
    struct bt_organism_options options;
    struct bt_organism_running_hosts known;
    bt_str text; /* of the organism */
    bt_str id;   /* of the request */
    bool is_register;
    bt_str prefix; /* of pointers to what is registered; "" for a reload */
};

/* The HELLO of a listener's host, if it runs and would be started in the same way. */
static bool known_hello(void *context, const struct bt_organism_listener *listener, bt_str *out)
{
    const struct bt_pump *pump = context;
    const uint32_t number = bt_pump_core_find_listener(&pump->core, listener->takes.name);
    if (number == BT_NOBODY || !pump->hosting.slots[number].has_host ||
        pump->hosting.slots[number].is_gone ||
        !bt_organism_node_equal(pump->hosting.slots[number].listener->node, listener->node)) {
        return false;
    }
    *out = bt_buf_str(&pump->hosting.slots[number].hello);
    return true;
}

static enum bt_status file_path(struct bt_arena *arena, const struct bt_organism *organism,
                                bt_str *out)
{
    const bt_str folder = organism->folder;
    const bool has_slash = bt_str_ends_with(folder, BT_STR("/"));
    return bt_arena_printf(arena, out, "%.*s%s%.*s", BT_STR_ARG(folder), has_slash ? "" : "/",
                           BT_STR_ARG(organism->file));
}

static enum bt_status begin_change(struct bt_pump *pump, struct bt_pump_change *change)
{
    struct bt_arena *arena = &change->generation->arena;
    bt_str path;
    change->options =
        (struct bt_organism_options){.has_files = true,
                                     .without_seccomp = !pump->launch.context.use.seccomp,
                                     .without_landlock = !pump->launch.context.use.landlock,
                                     .hosts = &pump->launch.options};
    change->known = (struct bt_organism_running_hosts){pump, known_hello};
    change->reader = (struct bt_organism_reader){.env = pump->env,
                                                 .options = &change->options,
                                                 .findings = bt_findings_new(arena),
                                                 .known = &change->known,
                                                 .only = change->prefix};
    BT_TRY(change->reader.findings ? BT_OK : BT_ENOMEM);
    BT_TRY(file_path(arena, pump->organism, &path));
    BT_TRY(bt_organism_reader_begin(&change->reader, path, change->text));
    const int fd = bt_organism_reader_fd(&change->reader);
    return fd >= 0 ? bt_host_pool_watch_fd(pump->hosting.pool, fd, NULL) : BT_OK;
}

static void free_change(struct bt_pump_change *change)
{
    bt_organism_reader_free(&change->reader);
}

/* Begin a change whose text is set; its answer comes later. */
static enum bt_status start_change(struct bt_pump_control_call *call, struct bt_pump_change *change)
{
    struct bt_pump *pump = call->pump;
    enum bt_status status = bt_arena_copy(&change->generation->arena, call->id, &change->id);
    status = status == BT_OK ? begin_change(pump, change) : status;
    if (status != BT_OK) {
        free_change(change);
        bt_pump_generation_free(change->generation);
        return status == BT_ENOMEM ? status
                                   : bt_control_call_fail(call, BT_CONTROL_ERROR_INTERNAL,
                                                          "the organism could not be judged");
    }
    pump->changes.current = change;
    pump->changes.begun++;
    call->is_later = true;
    return BT_OK;
}

static enum bt_status new_change(struct bt_pump_change **out)
{
    struct bt_pump_generation *generation = NULL;
    BT_TRY(bt_pump_generation_new(&generation));
    struct bt_pump_change *change = BT_NEW(&generation->arena, struct bt_pump_change);
    if (!change) {
        bt_pump_generation_free(generation);
        return BT_ENOMEM;
    }
    change->generation = generation;
    *out = change;
    return BT_OK;
}

static bool is_free(struct bt_pump_control_call *call)
{
    return !call->pump->changes.current && call->pump->run.state == BT_PUMP_RUNNING;
}

static bool is_taken(const struct bt_organism *organism, bt_str name)
{
    return bt_organism_listener(organism, name) || bt_organism_group(organism, name) ||
           bt_organism_gateway(organism, name) || bt_organism_client(organism, name);
}

/* The organism with one more listener. */
static enum bt_status write_organism(struct bt_pump_change *change,
                                     const struct bt_organism *organism, bt_str listener)
{
    struct bt_arena *arena = &change->generation->arena;
    struct bt_buf buf;
    bt_buf_init(&buf, FILE_BYTES_MAX);
    bt_organism_write_yaml(&buf, organism, listener);
    enum bt_status status = bt_buf_finish(&buf, arena, &change->text);
    BT_TRY(status);
    return bt_arena_printf(arena, &change->prefix, "/listeners/%zu", organism->listeners_count);
}

enum bt_status bt_control_method_register(struct bt_pump_control_call *call)
{
    const struct bt_organism *organism = call->pump->organism;
    const bt_json_value *listener = bt_control_call_find_param(call, "listener");
    struct bt_pump_change *change = NULL;
    bt_str name;
    if (!listener || bt_json_type(listener) != BT_JSON_OBJECT) {
        return bt_control_call_reject(call, "listener is an object");
    }
    if (!is_free(call)) {
        return bt_control_call_fail(call, BT_CONTROL_ERROR_BUSY, "BUSY");
    }
    const bt_json_value *named = bt_json_get(call->document, listener, BT_STR("name"));
    BT_TRY(bt_ascii_lower_copy(call->arena, named ? bt_json_text(named) : BT_STR(""), &name));
    if (is_taken(organism, name)) {
        return bt_control_call_fail(call, BT_CONTROL_ERROR_CONFLICT, "CONFLICT");
    }
    const struct bt_json_span span = bt_json_span(call->document, listener);
    const bt_str text = bt_str_slice(bt_json_source(call->document), span.begin, span.end);
    BT_TRY(new_change(&change));
    change->is_register = true;
    const enum bt_status status = write_organism(change, organism, text);
    if (status != BT_OK) {
        bt_pump_generation_free(change->generation);
        return status; /* BT_ELIMIT: the organism would be too large, which is told */
    }
    return start_change(call, change);
}

/* What cannot change while the pump runs, by section and key; "": the section as a whole. */
static const struct pump_fixed_key {
    const char *section;
    const char *key;
} fixed[] = {
    {"organism", "name"}, {"organism", "socket"}, {"organism", "port"},
    {"organism", "bind"}, {"organism", "tls"},    {"organism", "identity"},
    {"oob", ""},          {"sandbox", ""},        {"sandbox_user", ""},
    {"store", ""},        {"schemas", ""},        {"python", ""},
    {"gateways", ""},
};

static const struct bt_yaml_node *fixed_node(const struct bt_organism *organism,
                                             const struct pump_fixed_key *row)
{
    const struct bt_yaml_node *section = bt_organism_node_get(organism->root, row->section);
    return row->key[0] ? bt_organism_node_get(section, row->key) : section;
}

/* The first difference that is not allowed, or NULL. */
static const struct pump_fixed_key *find_fixed(const struct bt_organism *old,
                                               const struct bt_organism *new)
{
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        if (!bt_organism_node_equal(fixed_node(old, &fixed[i]), fixed_node(new, &fixed[i]))) {
            return &fixed[i];
        }
    }
    return NULL;
}

enum bt_status bt_control_method_reload(struct bt_pump_control_call *call)
{
    struct bt_pump_change *change = NULL;
    bt_str path;
    if (!is_free(call)) {
        return bt_control_call_fail(call, BT_CONTROL_ERROR_BUSY, "BUSY");
    }
    BT_TRY(file_path(call->arena, call->pump->organism, &path));
    BT_TRY(new_change(&change));
    change->prefix = BT_STR("");
    const enum bt_status status =
        bt_file_read(&change->generation->arena, path, FILE_BYTES_MAX, &change->text, NULL);
    if (status != BT_OK) {
        bt_pump_generation_free(change->generation);
        return bt_control_call_reject(call, "the organism file cannot be read");
    }
    return start_change(call, change);
}

/* The findings with locations that the caller knows: relative to the listener, without lines. */
static enum bt_status put_findings(struct bt_arena *arena, const struct bt_pump_change *change,
                                   struct bt_buf *data)
{
    const struct bt_findings *found = change->reader.findings;
    struct bt_findings *shown = bt_findings_new(arena);
    struct bt_emit emit;
    if (!shown) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_findings_count(found); i++) {
        struct bt_finding finding = *bt_findings_at(found, i);
        if (!bt_str_starts_with(finding.pointer, change->prefix)) {
            continue;
        }
        if (change->is_register) {
            finding.pointer =
                bt_str_slice(finding.pointer, change->prefix.len, finding.pointer.len);
            finding.position = (struct bt_position){0, 0};
            finding.offset = BT_OFFSET_NONE;
        }
        BT_TRY(bt_findings_add(shown, &finding));
    }
    bt_emit_init(&emit, data, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_array(&emit, "findings");
    bt_findings_emit(&emit, shown);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return data->status;
}

static enum bt_status respond_change_error(struct bt_pump_control_call *call,
                                           const struct bt_pump_change *change)
{
    struct bt_buf data;
    bt_buf_init(&data, DATA_BYTES_MAX);
    enum bt_status status = put_findings(call->arena, change, &data);
    if (status == BT_OK) {
        status = bt_control_call_reject_with(
            call, change->is_register ? "the listener was refused" : "the organism was refused",
            &data);
    }
    bt_buf_free(&data);
    return status;
}

static void put_names(struct bt_emit *emit, const char *key, const bt_str *names, size_t count)
{
    bt_emit_member_array(emit, key);
    for (size_t i = 0; i < count; i++) {
        bt_emit_string(emit, names[i]);
    }
    bt_emit_end(emit);
}

static void put_result(struct bt_pump_control_call *call, const struct bt_pump_change *change,
                       const struct bt_pump_change_result *adopted)
{
    const struct bt_organism *organism = call->pump->organism;
    struct bt_emit *emit = &call->emit;
    bt_emit_begin_object(emit);
    if (change->is_register) {
        const struct bt_organism_capability *takes =
            &organism->listeners[organism->listeners_count - 1].takes;
        bt_emit_member_string(emit, "name", takes->name);
        bt_emit_member_string(emit, "tag", takes->tag);
    } else {
        put_names(emit, "added", adopted->added, adopted->added_count);
        put_names(emit, "removed", adopted->removed, adopted->removed_count);
        put_names(emit, "updated", adopted->updated, adopted->updated_count);
        put_names(emit, "unchanged", adopted->unchanged, adopted->unchanged_count);
    }
    bt_emit_end(emit);
}

/* Put the new organism into force; *out_adopted says whether that succeeded. */
static enum bt_status take_over(struct bt_pump_control_call *call, struct bt_pump_change *change,
                                bool *out_adopted)
{
    struct bt_pump *pump = call->pump;
    struct bt_organism *organism = change->reader.organism;
    const struct pump_fixed_key *other = find_fixed(pump->organism, organism);
    struct bt_pump_change_result adopted;
    struct bt_error error = {.text = ""};
    bt_str words;
    if (other) {
        BT_TRY(bt_arena_printf(call->arena, &words, "/%s%s%s cannot change while the pump runs",
                               other->section, other->key[0] ? "/" : "", other->key));
        return bt_control_call_reject(call, words.ptr);
    }
    const enum bt_status status =
        bt_pump_swap_organism(pump, call->arena, change->generation, organism, &adopted, &error);
    if (status == BT_ELIMIT) {
        return bt_control_call_fail(call, BT_CONTROL_ERROR_BUSY,
                                    "BUSY: too many names were added since the pump was started");
    }
    if (status == BT_ENOENT || status == BT_EINVAL || status == BT_EIO) {
        BT_TRY(bt_arena_copy(call->arena, bt_str_of(error.text), &words));
        return bt_control_call_reject(call, words.ptr);
    }
    BT_TRY(status);
    *out_adopted = true;
    if (bt_pump_write_schemas(pump, &error) != BT_OK) {
        bt_pump_log(pump, BT_STR("control"), bt_str_of(error.text));
    }
    put_result(call, change, &adopted);
    return BT_OK;
}

static enum bt_status finish_change(struct bt_pump_control_call *call,
                                    struct bt_pump_change *change, bool *out_adopted)
{
    bt_str facts;
    BT_TRY(bt_organism_reader_finish(&change->reader, &facts));
    BT_TRY(bt_findings_finish(change->reader.findings, change->text));
    return bt_organism_reader_has_hard(&change->reader) ? respond_change_error(call, change)
                                                        : take_over(call, change, out_adopted);
}

static enum bt_status apply_change(struct bt_pump *pump, struct bt_arena *arena,
                                   struct bt_pump_change *change, struct bt_buf *out)
{
    struct bt_control_result answer = bt_control_discard_answer();
    struct bt_pump_control_call call = {
        .pump = pump, .arena = arena, .out = &answer, .id = change->id};
    struct bt_buf result;
    bool is_adopted = false;
    bt_buf_init(&result, DATA_BYTES_MAX);
    bt_emit_init(&call.emit, &result, false);
    enum bt_status status = finish_change(&call, change, &is_adopted);
    if (status == BT_EIO || status == BT_EDENIED) {
        status = bt_control_call_fail(&call, BT_CONTROL_ERROR_INTERNAL,
                                      "the organism could not be judged");
    }
    if (status == BT_OK && answer.error == 0) {
        status = bt_buf_copy(&result, arena, &answer.result);
    }
    if (status == BT_OK && call.id.len > 0) {
        bt_control_client_put_answer(out, call.id, &answer);
    }
    bt_buf_free(&result);
    free_change(change);
    if (!is_adopted) {
        bt_pump_generation_free(change->generation);
    }
    return status;
}

enum bt_status bt_pump_continue_change(struct bt_pump *pump, struct bt_arena *arena,
                                       struct bt_buf *out, uint64_t *out_ticket)
{
    struct bt_pump_change *change = pump->changes.current;
    bool is_done = false;
    *out_ticket = 0;
    if (!change) {
        return BT_OK;
    }
    BT_TRY(bt_organism_reader_step(&change->reader, 0, &is_done));
    if (!is_done) {
        return BT_OK;
    }
    pump->changes.current = NULL;
    *out_ticket = pump->changes.begun;
    return apply_change(pump, arena, change, out);
}

void bt_pump_abort_change(struct bt_pump *pump)
{
    struct bt_pump_change *change = pump->changes.current;
    if (change) {
        pump->changes.current = NULL;
        free_change(change);
        bt_pump_generation_free(change->generation);
    }
}
