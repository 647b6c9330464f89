/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change.c - register and reload. A new organism is read and its handlers are looked at
 * while the pump goes on; it takes over in one step, or not at all.
 */
#include "pump/change.h"

#include <baton/file.h>

#include "pump/control.h"

enum { FILE_BYTES_MAX = 1 << 20, DATA_BYTES_MAX = 1 << 26 };

/* A change that is being made; it lies in the arena of the generation. */
struct bt_pump_change {
    struct bt_generation *generation;
    struct bt_reading reading;
    struct bt_organism_options options;
    struct bt_organism_known known;
    bt_str text; /* of the organism */
    bt_str id;   /* of the request */
    bool is_register;
    bt_str prefix; /* of pointers to what is registered; "" for a reload */
};

/* ---- Beginning ------------------------------------------------------------------------------- */

/* What the host of a listener said, if it runs and would be started in the same way. */
static bool known_hello(void *context, const struct bt_listener *listener, bt_str *out)
{
    const struct bt_pump *pump = context;
    const uint32_t number = bt_core_listener_called(&pump->core, listener->takes.name);
    if (number == BT_NOBODY || !pump->slots[number].has_host || pump->slots[number].is_gone ||
        !bt_node_is_same(pump->slots[number].listener->node, listener->node)) {
        return false;
    }
    *out = bt_buf_str(&pump->slots[number].hello);
    return true;
}

static enum bt_status file_path(struct bt_arena *arena, const struct bt_organism *organism,
                                bt_str *out)
{
    const bt_str folder = organism->folder;
    const bool has_slash = bt_str_ends(folder, BT_STR("/"));
    return bt_arena_printf(arena, out, "%.*s%s%.*s", BT_STR_ARG(folder), has_slash ? "" : "/",
                           BT_STR_ARG(organism->file));
}

static enum bt_status begin(struct bt_pump *pump, struct bt_pump_change *change)
{
    struct bt_arena *arena = &change->generation->arena;
    bt_str path;
    change->options = (struct bt_organism_options){.has_files = true,
                                                   .without_seccomp = !pump->world.use.seccomp,
                                                   .without_landlock = !pump->world.use.landlock,
                                                   .hosts = &pump->how};
    change->known = (struct bt_organism_known){pump, known_hello};
    change->reading = (struct bt_reading){.env = pump->env,
                                          .options = &change->options,
                                          .findings = bt_findings_new(arena),
                                          .known = &change->known,
                                          .only = change->prefix};
    BT_TRY(change->reading.findings ? BT_OK : BT_ENOMEM);
    BT_TRY(file_path(arena, pump->organism, &path));
    BT_TRY(bt_reading_begin(&change->reading, path, change->text));
    const int fd = bt_reading_fd(&change->reading);
    return fd >= 0 ? bt_hosts_also(pump->hosts, fd, NULL) : BT_OK;
}

static void end(struct bt_pump_change *change)
{
    bt_reading_free(&change->reading);
}

/* Begin a change whose text is set; its answer comes later. */
static enum bt_status start(struct bt_asked *asked, struct bt_pump_change *change)
{
    struct bt_pump *pump = asked->pump;
    enum bt_status status = bt_arena_copy(&change->generation->arena, asked->id, &change->id);
    status = status == BT_OK ? begin(pump, change) : status;
    if (status != BT_OK) {
        end(change);
        bt_generation_free(change->generation);
        return status == BT_ENOMEM ? status
                                   : bt_asked_refuse(asked, BT_CONTROL_INTERNAL,
                                                     "the organism could not be judged");
    }
    pump->change = change;
    pump->changes++;
    asked->is_later = true;
    return BT_OK;
}

static enum bt_status new_change(struct bt_pump_change **out)
{
    struct bt_generation *generation = NULL;
    BT_TRY(bt_generation_new(&generation));
    struct bt_pump_change *change = BT_NEW(&generation->arena, struct bt_pump_change);
    if (!change) {
        bt_generation_free(generation);
        return BT_ENOMEM;
    }
    change->generation = generation;
    *out = change;
    return BT_OK;
}

static bool is_free(struct bt_asked *asked)
{
    return !asked->pump->change && asked->pump->state == BT_PUMP_RUNNING;
}

/* ---- register -------------------------------------------------------------------------------- */

static bool is_taken(const struct bt_organism *organism, bt_str name)
{
    return bt_organism_listener(organism, name) || bt_organism_group(organism, name) ||
           bt_organism_gateway(organism, name) || bt_organism_client(organism, name);
}

/* The organism with one more listener. */
static enum bt_status compose(struct bt_pump_change *change, const struct bt_organism *organism,
                              bt_str listener)
{
    struct bt_arena *arena = &change->generation->arena;
    struct bt_buf buf;
    bt_buf_init(&buf, FILE_BYTES_MAX);
    bt_organism_compose(&buf, organism, listener);
    enum bt_status status = bt_buf_keep(&buf, arena, &change->text);
    bt_buf_free(&buf);
    BT_TRY(status);
    return bt_arena_printf(arena, &change->prefix, "/listeners/%zu", organism->listeners_count);
}

enum bt_status bt_asked_register(struct bt_asked *asked)
{
    const struct bt_organism *organism = asked->pump->organism;
    const bt_value *listener = bt_asked_param(asked, "listener");
    struct bt_pump_change *change = NULL;
    bt_str name;
    if (!listener || bt_json_type(listener) != BT_JSON_OBJECT) {
        return bt_asked_refuse(asked, BT_CONTROL_PARAMS, "listener is an object");
    }
    if (!is_free(asked)) {
        return bt_asked_refuse(asked, BT_CONTROL_BUSY, "BUSY");
    }
    const bt_value *named = bt_json_get(asked->document, listener, BT_STR("name"));
    BT_TRY(bt_ascii_lower_copy(asked->arena, named ? bt_json_text(named) : BT_STR(""), &name));
    if (is_taken(organism, name)) {
        return bt_asked_refuse(asked, BT_CONTROL_CONFLICT, "CONFLICT");
    }
    const struct bt_json_span span = bt_json_span(asked->document, listener);
    const bt_str text = bt_str_slice(bt_json_source(asked->document), span.begin, span.end);
    BT_TRY(new_change(&change));
    change->is_register = true;
    const enum bt_status status = compose(change, organism, text);
    if (status != BT_OK) {
        bt_generation_free(change->generation);
        return status; /* BT_ELIMIT: the organism would be too large, which is told */
    }
    return start(asked, change);
}

/* ---- reload ---------------------------------------------------------------------------------- */

/* What cannot change while the pump runs, by section and key; "": the section as a whole. */
static const struct fixed {
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
                                             const struct fixed *row)
{
    const struct bt_yaml_node *section = bt_node_get(organism->root, row->section);
    return row->key[0] ? bt_node_get(section, row->key) : section;
}

/* What is different and must not be; NULL: nothing. */
static const struct fixed *find_fixed(const struct bt_organism *old, const struct bt_organism *new)
{
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        if (!bt_node_is_same(fixed_node(old, &fixed[i]), fixed_node(new, &fixed[i]))) {
            return &fixed[i];
        }
    }
    return NULL;
}

enum bt_status bt_asked_reload(struct bt_asked *asked)
{
    struct bt_pump_change *change = NULL;
    bt_str path;
    if (!is_free(asked)) {
        return bt_asked_refuse(asked, BT_CONTROL_BUSY, "BUSY");
    }
    BT_TRY(file_path(asked->arena, asked->pump->organism, &path));
    BT_TRY(new_change(&change));
    change->prefix = BT_STR("");
    const enum bt_status status =
        bt_file_read(&change->generation->arena, path, FILE_BYTES_MAX, &change->text, NULL);
    if (status != BT_OK) {
        bt_generation_free(change->generation);
        return bt_asked_refuse(asked, BT_CONTROL_PARAMS, "the organism file cannot be read");
    }
    return start(asked, change);
}

/* ---- Finishing ------------------------------------------------------------------------------- */

/* Findings as whoever asked knows the places: from the listener, without lines. */
static enum bt_status put_findings(struct bt_arena *arena, const struct bt_pump_change *change,
                                   struct bt_buf *data)
{
    const struct bt_findings *found = change->reading.findings;
    struct bt_findings *shown = bt_findings_new(arena);
    struct bt_emit emit;
    if (!shown) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_findings_count(found); i++) {
        struct bt_finding finding = *bt_findings_at(found, i);
        if (change->is_register) {
            finding.pointer =
                bt_str_slice(finding.pointer, change->prefix.len, finding.pointer.len);
            finding.place = (struct bt_place){0, 0};
            finding.offset = BT_NO_OFFSET;
        }
        BT_TRY(bt_findings_add(shown, &finding));
    }
    bt_emit_init(&emit, data, false);
    bt_emit_object(&emit);
    bt_emit_name(&emit, "findings");
    bt_emit_array(&emit);
    bt_emit_findings(&emit, shown);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return data->status;
}

static enum bt_status refuse(struct bt_asked *asked, const struct bt_pump_change *change)
{
    struct bt_buf data;
    bt_buf_init(&data, DATA_BYTES_MAX);
    enum bt_status status = put_findings(asked->arena, change, &data);
    if (status == BT_OK) {
        status = bt_asked_refuse_with(
            asked, change->is_register ? "the listener was refused" : "the organism was refused",
            &data);
    }
    bt_buf_free(&data);
    return status;
}

static void put_names(struct bt_emit *emit, const char *key, const bt_str *names, size_t count)
{
    bt_emit_name(emit, key);
    bt_emit_array(emit);
    for (size_t i = 0; i < count; i++) {
        bt_emit_string(emit, names[i]);
    }
    bt_emit_end(emit);
}

static void put_result(struct bt_asked *asked, const struct bt_pump_change *change,
                       const struct bt_adopted *adopted)
{
    const struct bt_organism *organism = asked->pump->organism;
    struct bt_emit *emit = &asked->emit;
    bt_emit_object(emit);
    if (change->is_register) {
        const struct bt_capability *takes =
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

/* Let the organism take over. *out_adopted: it did. */
static enum bt_status take_over(struct bt_asked *asked, struct bt_pump_change *change,
                                bool *out_adopted)
{
    struct bt_pump *pump = asked->pump;
    struct bt_organism *organism = change->reading.organism;
    const struct fixed *other = find_fixed(pump->organism, organism);
    struct bt_adopted adopted;
    struct bt_error error = {.text = ""};
    bt_str words;
    if (other) {
        BT_TRY(bt_arena_printf(asked->arena, &words, "/%s%s%s cannot change while the pump runs",
                               other->section, other->key[0] ? "/" : "", other->key));
        return bt_asked_refuse(asked, BT_CONTROL_PARAMS, words.ptr);
    }
    const enum bt_status status =
        bt_pump_adopt(pump, asked->arena, change->generation, organism, &adopted, &error);
    if (status == BT_ELIMIT) {
        return bt_asked_refuse(asked, BT_CONTROL_BUSY,
                               "BUSY: too many names were added since the pump was started");
    }
    if (status == BT_ENOENT || status == BT_EINVAL || status == BT_EIO) {
        BT_TRY(bt_arena_copy(asked->arena, bt_str_of(error.text), &words));
        return bt_asked_refuse(asked, BT_CONTROL_PARAMS, words.ptr);
    }
    BT_TRY(status);
    *out_adopted = true;
    if (bt_pump_write_schemas(pump, &error) != BT_OK) {
        bt_pump_log(pump, BT_STR("control"), bt_str_of(error.text));
    }
    put_result(asked, change, &adopted);
    return BT_OK;
}

static enum bt_status conclude(struct bt_asked *asked, struct bt_pump_change *change,
                               bool *out_adopted)
{
    bt_str facts;
    BT_TRY(bt_reading_finish(&change->reading, &facts));
    BT_TRY(bt_findings_finish(change->reading.findings, change->text));
    return change->reading.hard > 0 ? refuse(asked, change) : take_over(asked, change, out_adopted);
}

static enum bt_status finish(struct bt_pump *pump, struct bt_arena *arena,
                             struct bt_pump_change *change, struct bt_buf *out)
{
    struct bt_pump_answer answer = bt_control_no_answer();
    struct bt_asked asked = {.pump = pump, .arena = arena, .out = &answer, .id = change->id};
    struct bt_buf result;
    bool is_adopted = false;
    bt_buf_init(&result, DATA_BYTES_MAX);
    bt_emit_init(&asked.emit, &result, false);
    enum bt_status status = conclude(&asked, change, &is_adopted);
    if (status == BT_EIO || status == BT_EDENIED) {
        status = bt_asked_refuse(&asked, BT_CONTROL_INTERNAL, "the organism could not be judged");
    }
    if (status == BT_OK && answer.error == 0) {
        status = bt_buf_keep(&result, arena, &answer.result);
    }
    if (status == BT_OK && asked.id.len > 0) {
        bt_control_put_answer(out, asked.id, &answer);
    }
    bt_buf_free(&result);
    end(change);
    if (!is_adopted) {
        bt_generation_free(change->generation);
    }
    return status;
}

enum bt_status bt_pump_go_on(struct bt_pump *pump, struct bt_arena *arena, struct bt_buf *out,
                             uint64_t *out_ticket)
{
    struct bt_pump_change *change = pump->change;
    bool is_done = false;
    *out_ticket = 0;
    if (!change) {
        return BT_OK;
    }
    BT_TRY(bt_reading_step(&change->reading, 0, &is_done));
    if (!is_done) {
        return BT_OK;
    }
    pump->change = NULL;
    *out_ticket = pump->changes;
    return finish(pump, arena, change, out);
}

void bt_pump_give_up_change(struct bt_pump *pump)
{
    struct bt_pump_change *change = pump->change;
    if (change) {
        pump->change = NULL;
        end(change);
        bt_generation_free(change->generation);
    }
}
