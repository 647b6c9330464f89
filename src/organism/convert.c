/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.c - an organism file of AgentServer 2.1 -> one of Baton.
 *
 * Keys that Baton has are carried as they are, with a few other spellings; what has no place is
 * named. The result is block style down to the keys of a listener, and flow style below.
 */
#include <assert.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/vec.h"
#include "json/emit.h"
#include "organism/keys.h"

enum { TEXT_BYTES_MAX = 16 << 20, INDENT = 2 };

/* Why a member has no place, and what to do about it. */
enum organism_left_reason {
    LEFT_NO_GROUP = 1,
    LEFT_UNIX_SOCKET_ONLY,
    LEFT_OTHER_PROTOCOL,
    LEFT_NOT_HERE,
    LEFT_UNKNOWN,
};
static const struct organism_left_row {
    const char *name;
    const char *detail;
    const char *advice;
} left_reasons[] = {
    [LEFT_NO_GROUP] = {"no_group", "no other listener has the same group and payload",
                       "give all that are to be called together the same `group`"},
    [LEFT_UNIX_SOCKET_ONLY] = {"unix_socket_only", "the control channel is a Unix socket",
                               "use `oob.unix_socket`"},
    [LEFT_OTHER_PROTOCOL] = {"other_protocol", "a gateway is reached by tls:// or unix:",
                             "connect the two organisms with a gateway of their own"},
    [LEFT_NOT_HERE] = {"not_here", "it has no place in an organism",
                       "handlers call models and use tools themselves; `allow` and `env_from` give "
                       "them what they need"},
    [LEFT_UNKNOWN] = {"unknown", "the key is not known",
                      "`baton pump keys` lists the keys that there are"},
};

/* A member that was carried, and where it is now; a member that was not, and why. */
struct organism_convert_mapped {
    bt_str from;
    bt_str to;
};
struct organism_convert_left {
    bt_str pointer;
    enum organism_left_reason reason;
};

struct organism_convert_run {
    struct bt_arena *arena;
    const struct bt_yaml_node *root;
    struct bt_buf text;
    BT_VEC(struct organism_convert_mapped) mapped;
    BT_VEC(struct organism_convert_left) left;
};

/* Where a mapping stands in both files, and how far it is indented. */
struct organism_convert_place {
    bt_str from;
    bt_str to;
    size_t indent;
    bool is_item; /* its first key stands behind a dash */
    bool is_begun;
};

/* ---- Bookkeeping ----------------------------------------------------------------------------- */

static enum bt_status join_pointer(struct bt_arena *arena, bt_str parent, bt_str key, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    bt_buf_put(&buf, parent);
    bt_json_pointer_put(&buf, key);
    return bt_buf_finish(&buf, arena, out);
}

static enum bt_status join_index(struct bt_arena *arena, bt_str parent, size_t index, bt_str *out)
{
    return bt_arena_printf(arena, out, "%.*s/%zu", BT_STR_ARG(parent), index);
}

static enum bt_status add_mapped(struct organism_convert_run *run, bt_str from, bt_str to)
{
    return bt_vec_push(run->arena, &run->mapped, (struct organism_convert_mapped){from, to});
}

static enum bt_status add_left(struct organism_convert_run *run, bt_str pointer,
                               enum organism_left_reason reason)
{
    return bt_vec_push(run->arena, &run->left, (struct organism_convert_left){pointer, reason});
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Whether a text can be written without quotes: a word, a path or a few of them. */
static bool is_plain(const struct bt_yaml_node *node)
{
    const bt_str text = node->text;
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        const bool is_inner = i > 0 && i + 1 < text.len && (byte == ' ' || byte == '-');
        if (!bt_ascii_is_alnum(byte) && byte != '_' && byte != '.' && byte != '/' && !is_inner) {
            return false;
        }
    }
    return text.len > 0;
}

/* Whether a text can be a literal block: lines of printable characters, the first not indented. */
static bool is_literal(bt_str text)
{
    for (size_t i = 0; i < text.len;) {
        uint32_t code_point = 0;
        i += bt_utf8_decode(text, i, &code_point);
        if (code_point != '\n' && (code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0) ||
                                   bt_code_point_is_hidden(code_point))) {
            return false;
        }
    }
    const size_t line = bt_str_find_byte(text, '\n', 0);
    return line < text.len && line > 0 && text.ptr[0] != ' ' &&
           !bt_str_ends_with(text, BT_STR("\n\n"));
}

static void put_literal(struct bt_buf *buf, bt_str text, size_t indent)
{
    const bool ends_line = bt_str_ends_with(text, BT_STR("\n"));
    bt_buf_put_text(buf, ends_line ? "|\n" : "|-\n");
    for (size_t at = 0; at < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', at);
        if (end > at) {
            bt_buf_put_repeat(buf, ' ', indent);
            bt_buf_put(buf, bt_str_slice(text, at, end));
        }
        bt_buf_put_char(buf, '\n');
        at = end + 1;
    }
}

static void put_value(struct bt_buf *buf, const struct bt_yaml_node *node, size_t indent)
{
    const bool is_string = bt_yaml_type_of(node) == BT_YAML_TYPE_STRING;
    if (is_string && node->style == BT_YAML_STYLE_PLAIN && is_plain(node)) {
        bt_buf_put(buf, node->text);
    } else if (is_string && is_literal(node->text)) {
        put_literal(buf, node->text, indent + INDENT);
        return;
    } else {
        bt_organism_node_put(buf, node);
    }
    bt_buf_put_char(buf, '\n');
}

static void put_key(struct bt_buf *buf, struct organism_convert_place *place, bt_str key)
{
    const bool has_dash = place->is_item && !place->is_begun;
    bt_buf_put_repeat(buf, ' ', place->indent - (has_dash ? INDENT : 0));
    bt_buf_put_text(buf, has_dash ? "- " : "");
    bt_buf_put(buf, key);
    bt_buf_put_text(buf, ": ");
    place->is_begun = true;
}

static enum bt_status carry_value(struct organism_convert_run *run,
                                  struct organism_convert_place *place, bt_str key,
                                  const struct bt_yaml_node *value)
{
    bt_str from;
    bt_str to;
    BT_TRY(join_pointer(run->arena, place->from, key, &from));
    BT_TRY(join_pointer(run->arena, place->to, key, &to));
    put_key(&run->text, place, key);
    put_value(&run->text, value, place->indent);
    return add_mapped(run, from, to);
}

static enum bt_status leave_entry(struct organism_convert_run *run,
                                  const struct organism_convert_place *place,
                                  const struct bt_yaml_entry *entry,
                                  enum organism_left_reason reason)
{
    bt_str from;
    BT_TRY(join_pointer(run->arena, place->from, entry->key, &from));
    return add_left(run, from, reason);
}

/* A key that this place of an organism does not have. */
static enum bt_status leave_unknown(struct organism_convert_run *run,
                                    const struct organism_convert_place *place,
                                    const struct bt_yaml_entry *entry)
{
    return leave_entry(run, place, entry,
                       bt_organism_key_is_foreign(entry->key) ? LEFT_NOT_HERE : LEFT_UNKNOWN);
}

/* ---- Names that are not there any more ------------------------------------------------------- */

static const struct bt_yaml_node *item_at(const struct bt_yaml_node *list, size_t index)
{
    return list && list->kind == BT_YAML_SEQUENCE && index < list->count ? &list->items[index]
                                                                         : NULL;
}

static bool is_websocket(const struct bt_yaml_node *gateway)
{
    const bt_str url = bt_organism_node_text(gateway, "remote_url");
    return bt_str_starts_with(url, BT_STR("ws:")) || bt_str_starts_with(url, BT_STR("wss:"));
}

/* Whether a name is that of a gateway which is not carried. */
static bool names_left_gateway(const struct organism_convert_run *run, bt_str name)
{
    const struct bt_yaml_node *gateways = bt_organism_node_get(run->root, "gateways");
    const struct bt_yaml_node *gateway = NULL;
    for (size_t i = 0; (gateway = item_at(gateways, i)) != NULL; i++) {
        if (is_websocket(gateway) &&
            bt_ascii_equal_nocase(bt_organism_node_text(gateway, "name"), name)) {
            return true;
        }
    }
    return false;
}

/* Carry a list of names without those of gateways that are not carried. */
static enum bt_status carry_names(struct organism_convert_run *run,
                                  struct organism_convert_place *place,
                                  const struct bt_yaml_entry *entry)
{
    const struct bt_yaml_node *list = &entry->value;
    struct bt_yaml_node *kept = BT_NEW_ARRAY(run->arena, struct bt_yaml_node, list->count + 1);
    struct bt_yaml_node rest = *list;
    bt_str from;
    bt_str to;
    BT_TRY(kept ? BT_OK : BT_ENOMEM);
    BT_TRY(join_pointer(run->arena, place->from, entry->key, &from));
    BT_TRY(join_pointer(run->arena, place->to, entry->key, &to));
    rest.items = kept;
    rest.count = 0;
    for (size_t i = 0; i < list->count; i++) {
        bt_str item_from;
        bt_str item_to;
        BT_TRY(join_index(run->arena, from, i, &item_from));
        if (list->items[i].kind == BT_YAML_SCALAR && names_left_gateway(run, list->items[i].text)) {
            BT_TRY(add_left(run, item_from, LEFT_OTHER_PROTOCOL));
            continue;
        }
        BT_TRY(join_index(run->arena, to, rest.count, &item_to));
        BT_TRY(add_mapped(run, item_from, item_to));
        kept[rest.count++] = list->items[i];
    }
    put_key(&run->text, place, entry->key);
    put_value(&run->text, &rest, place->indent);
    return BT_OK;
}

/* ---- Listeners ------------------------------------------------------------------------------- */

/* The name without its last segment; "": it has only one. */
static bt_str group_of(const struct bt_yaml_node *listener)
{
    const bt_str name = bt_organism_node_text(listener, "name");
    size_t dot = name.len;
    while (dot > 0 && name.ptr[dot - 1] != '.') {
        dot--;
    }
    return dot > 0 ? bt_str_slice(name, 0, dot - 1) : BT_STR("");
}

static bool is_broadcast(const struct bt_yaml_node *listener)
{
    const struct bt_yaml_node *value = bt_organism_node_get(listener, "broadcast");
    return value && bt_yaml_type_of(value) == BT_YAML_TYPE_TRUE;
}

/* Whether a client, listener or gateway has this name already. */
static bool is_taken(const struct organism_convert_run *run, bt_str name)
{
    static const char *const lists[] = {"clients", "listeners", "gateways"};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        const struct bt_yaml_node *list = bt_organism_node_get(run->root, lists[i]);
        const struct bt_yaml_node *item = NULL;
        for (size_t at = 0; (item = item_at(list, at)) != NULL; at++) {
            if (bt_ascii_equal_nocase(bt_organism_node_text(item, "name"), name)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether another listener is to be called together with this one. */
static bool has_group(const struct organism_convert_run *run, const struct bt_yaml_node *listener)
{
    const struct bt_yaml_node *list = bt_organism_node_get(run->root, "listeners");
    const struct bt_yaml_node *agent = bt_organism_node_get(listener, "agent");
    const bt_str group = group_of(listener);
    const bt_str payload = bt_organism_node_text(listener, "payload_class");
    const struct bt_yaml_node *other = NULL;
    size_t members = 0;
    for (size_t i = 0; (other = item_at(list, i)) != NULL; i++) {
        members += is_broadcast(other) && bt_ascii_equal_nocase(group_of(other), group) &&
                   bt_str_eq(bt_organism_node_text(other, "payload_class"), payload);
    }
    return members > 1 && group.len > 0 && payload.len > 0 && !is_taken(run, group) &&
           !bt_organism_node_get(listener, "group") &&
           !(agent && bt_yaml_type_of(agent) == BT_YAML_TYPE_TRUE);
}

static enum bt_status carry_broadcast(struct organism_convert_run *run,
                                      struct organism_convert_place *place,
                                      const struct bt_yaml_node *listener,
                                      const struct bt_yaml_entry *entry)
{
    bt_str from;
    bt_str to;
    if (!is_broadcast(listener) || !has_group(run, listener)) {
        return leave_entry(run, place, entry,
                           is_broadcast(listener) ? LEFT_NO_GROUP : LEFT_NOT_HERE);
    }
    BT_TRY(join_pointer(run->arena, place->from, entry->key, &from));
    BT_TRY(join_pointer(run->arena, place->to, BT_STR("group"), &to));
    put_key(&run->text, place, BT_STR("group"));
    const bt_str name = group_of(listener);
    struct bt_yaml_node group = {
        .kind = BT_YAML_SCALAR, .style = BT_YAML_STYLE_PLAIN, .text = name};
    if (bt_yaml_type_of(&group) != BT_YAML_TYPE_STRING) { /* a group that is called `true` */
        group.style = BT_YAML_STYLE_QUOTED;
    }
    put_value(&run->text, &group, place->indent);
    return add_mapped(run, from, to);
}

/* `module:name` is written `module.name`; the name of a file keeps its colon. */
static enum bt_status carry_reference(struct organism_convert_run *run,
                                      struct organism_convert_place *place,
                                      const struct bt_yaml_entry *entry)
{
    struct bt_yaml_node value = entry->value;
    const size_t colon = bt_str_find_byte(value.text, ':', 0);
    const bt_str module = bt_str_slice(value.text, 0, colon);
    if (value.kind == BT_YAML_SCALAR && colon < value.text.len &&
        !bt_str_ends_with(module, BT_STR(".py"))) {
        BT_TRY(bt_arena_printf(run->arena, &value.text, "%.*s.%.*s", BT_STR_ARG(module),
                               BT_STR_ARG(bt_str_slice(value.text, colon + 1, value.text.len))));
        value.style = BT_YAML_STYLE_PLAIN;
    }
    return carry_value(run, place, entry->key, &value);
}

static bool declares_result(const struct bt_yaml_node *listener)
{
    return bt_organism_node_get(listener, "result") ||
           bt_organism_node_get(listener, "result_class") ||
           bt_organism_node_get(listener, "result_fields") ||
           bt_organism_node_get(listener, "result_xsd");
}

/* ---- Mappings -------------------------------------------------------------------------------- */

static enum bt_status carry_entry(struct organism_convert_run *run,
                                  struct organism_convert_place *place,
                                  const struct bt_organism_key_table *keys,
                                  const struct bt_yaml_node *mapping,
                                  const struct bt_yaml_entry *entry)
{
    const struct bt_organism_key *key = bt_organism_key_named(keys, entry->key);
    const bool is_listener =
        place->is_item && bt_str_starts_with(place->from, BT_STR("/listeners"));
    if (is_listener && bt_str_eq(entry->key, BT_STR("broadcast"))) {
        return carry_broadcast(run, place, mapping, entry);
    }
    if (!key) {
        return leave_unknown(run, place, entry);
    }
    if (key->kind == BT_ORGANISM_KEY_NETWORK) {
        return leave_entry(run, place, entry, LEFT_UNIX_SOCKET_ONLY);
    }
    const bool has_names =
        bt_str_eq(entry->key, BT_STR("peers")) || bt_str_eq(entry->key, BT_STR("may_call"));
    if (has_names && entry->value.kind == BT_YAML_SEQUENCE) {
        return carry_names(run, place, entry);
    }
    if (is_listener && (bt_str_eq(entry->key, BT_STR("handler")) ||
                        bt_str_eq(entry->key, BT_STR("payload_class")))) {
        return carry_reference(run, place, entry);
    }
    return carry_value(run, place, entry->key, &entry->value);
}

static enum bt_status carry_mapping(struct organism_convert_run *run,
                                    struct organism_convert_place *place,
                                    const struct bt_organism_key_table *keys,
                                    const struct bt_yaml_node *mapping)
{
    for (size_t i = 0; i < mapping->count; i++) {
        BT_TRY(carry_entry(run, place, keys, mapping, &mapping->entries[i]));
    }
    return BT_OK;
}

/* `organism`, `oob` and the like; one of which nothing is left is not written. */
static enum bt_status carry_section(struct organism_convert_run *run,
                                    const struct bt_organism_key *key,
                                    const struct bt_yaml_entry *entry)
{
    struct organism_convert_place place = {.indent = INDENT};
    const size_t before = run->text.len;
    BT_TRY(join_pointer(run->arena, BT_STR(""), entry->key, &place.from));
    place.to = place.from;
    bt_buf_printf(&run->text, "%.*s:\n", BT_STR_ARG(entry->key));
    BT_TRY(carry_mapping(run, &place, key->keys, &entry->value));
    if (!place.is_begun) {
        run->text.len = before;
    }
    return BT_OK;
}

static enum bt_status carry_item(struct organism_convert_run *run,
                                 const struct bt_organism_key_table *keys,
                                 const struct bt_yaml_node *item,
                                 struct organism_convert_place *place)
{
    if (item->kind != BT_YAML_MAPPING) { /* the check of the result names it */
        bt_buf_put_text(&run->text, "  - ");
        put_value(&run->text, item, place->indent);
        return add_mapped(run, place->from, place->to);
    }
    BT_TRY(carry_mapping(run, place, keys, item));
    if (bt_str_starts_with(place->from, BT_STR("/listeners")) && !declares_result(item)) {
        put_key(&run->text, place, BT_STR("result"));
        bt_buf_put_text(&run->text, "any\n");
    }
    if (!place->is_begun) {
        bt_buf_put_text(&run->text, "  - {}\n");
    }
    return BT_OK;
}

/* `clients`, `listeners` and `gateways`. */
static enum bt_status carry_list(struct organism_convert_run *run,
                                 const struct bt_organism_key *key,
                                 const struct bt_yaml_entry *entry)
{
    const bool has_gateways = bt_str_eq(entry->key, BT_STR("gateways"));
    const size_t before = run->text.len;
    size_t count = 0;
    bt_str list;
    BT_TRY(join_pointer(run->arena, BT_STR(""), entry->key, &list));
    bt_buf_printf(&run->text, "%.*s:\n", BT_STR_ARG(entry->key));
    for (size_t i = 0; i < entry->value.count; i++) {
        const struct bt_yaml_node *item = &entry->value.items[i];
        struct organism_convert_place place = {.indent = 2 * INDENT, .is_item = true};
        BT_TRY(join_index(run->arena, list, i, &place.from));
        if (has_gateways && is_websocket(item)) {
            BT_TRY(add_left(run, place.from, LEFT_OTHER_PROTOCOL));
            continue;
        }
        BT_TRY(join_index(run->arena, list, count++, &place.to));
        BT_TRY(carry_item(run, key->keys, item, &place));
    }
    if (count == 0) {
        run->text.len = before;
        if (!has_gateways) {
            bt_buf_printf(&run->text, "%.*s: []\n", BT_STR_ARG(entry->key));
        }
        return entry->value.count == 0 ? add_mapped(run, list, list) : BT_OK;
    }
    return BT_OK;
}

/* The operator's own client, where the file declares none. */
static void put_console(struct organism_convert_run *run)
{
    const struct bt_yaml_node *clients = bt_organism_node_get(run->root, "clients");
    if (!clients || (clients->kind == BT_YAML_SEQUENCE && clients->count == 0)) {
        bt_buf_printf(&run->text, "clients:\n  - name: %s\n    may_call: [\"*\"]\n",
                      is_taken(run, BT_STR("console")) ? "\"console:operator\"" : "console");
    }
}

static enum bt_status carry_top(struct organism_convert_run *run, const struct bt_yaml_entry *entry)
{
    const struct bt_organism_key *key = bt_organism_key_named(&bt_organism_key_table, entry->key);
    struct organism_convert_place top = {.from = BT_STR(""), .to = BT_STR("")};
    const bool is_empty_list = entry->value.kind == BT_YAML_SEQUENCE && entry->value.count == 0;
    if (bt_str_eq(entry->key, BT_STR("listeners"))) {
        put_console(run);
    }
    if (!key) {
        return leave_unknown(run, &top, entry);
    }
    if (bt_str_eq(entry->key, BT_STR("clients")) && is_empty_list) {
        return add_mapped(run, BT_STR("/clients"), BT_STR("/clients"));
    }
    if (key->kind == BT_ORGANISM_KEY_MAPPING && entry->value.kind == BT_YAML_MAPPING) {
        return carry_section(run, key, entry);
    }
    if (key->kind == BT_ORGANISM_KEY_MAPPINGS && entry->value.kind == BT_YAML_SEQUENCE) {
        return carry_list(run, key, entry);
    }
    return carry_value(run, &top, entry->key, &entry->value);
}

static enum bt_status write_organism(struct organism_convert_run *run, bt_str *out)
{
    bt_buf_init(&run->text, TEXT_BYTES_MAX);
    enum bt_status status = BT_OK;
    for (size_t i = 0; status == BT_OK && i < run->root->count; i++) {
        status = carry_top(run, &run->root->entries[i]);
    }
    return bt_buf_finish_if(status, &run->text, run->arena, out);
}

/* ---- The judgement --------------------------------------------------------------------------- */

static enum bt_status write_facts(const struct organism_convert_run *run, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_array(&emit, "carried");
    for (size_t i = 0; i < run->mapped.count; i++) {
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "from", run->mapped.items[i].from);
        bt_emit_member_string(&emit, "to", run->mapped.items[i].to);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_member_array(&emit, "not_carried");
    for (size_t i = 0; i < run->left.count; i++) {
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "pointer", run->left.items[i].pointer);
        bt_emit_member_string(&emit, "reason",
                              bt_str_of(left_reasons[run->left.items[i].reason].name));
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, run->arena, out);
}

/* Check read and keys of a text; *out_findings are not finished. */
static enum bt_status check_form(struct bt_env *env, struct bt_arena *arena, bt_str text,
                                 struct bt_findings **out_findings,
                                 const struct bt_yaml_node **out_root)
{
    static const struct bt_organism_options plain = {.only_listener = {"", 0}};
    struct bt_organism_reader reader = {
        .env = env, .options = &plain, .arena = arena, .findings = bt_findings_new(arena)};
    BT_TRY(reader.findings ? BT_OK : BT_ENOMEM);
    bt_buf_init(&reader.path, SIZE_MAX);
    const enum bt_status status = bt_organism_check_form(&reader, text);
    bt_buf_free(&reader.path);
    *out_findings = reader.findings;
    *out_root = reader.document;
    return status;
}

static enum bt_status judge_result(struct bt_findings *findings,
                                   const struct bt_organism_source *source, bt_str facts,
                                   struct bt_organism_convert_result *out)
{
    BT_TRY(
        bt_judgement_make(source->path, BT_DIALECT_XML, out->text, findings, facts, &out->judged));
    if (out->judged.verdict != BT_VERDICT_ACCEPTED) {
        out->outcome = BT_ORGANISM_ESCALATED;
    }
    return BT_OK;
}

enum bt_status bt_organism_convert(struct bt_env *env, struct bt_arena *arena,
                                   const struct bt_organism_source *source, bool strict,
                                   struct bt_organism_convert_result *out)
{
    const bt_str whole = BT_STR("{\"carried\":[{\"from\":\"\",\"to\":\"\"}],\"not_carried\":[]}");
    const bt_str nothing = BT_STR("{\"carried\":[],\"not_carried\":[]}");
    struct organism_convert_run run = {.arena = arena};
    struct bt_findings *findings = NULL;
    const struct bt_yaml_node *made = NULL;
    bt_str facts;
    *out =
        (struct bt_organism_convert_result){.outcome = BT_ORGANISM_UNCHANGED, .text = source->text};
    BT_TRY(check_form(env, arena, source->text, &findings, &run.root));
    if (!run.root || !bt_findings_have_hard(findings, 0)) {
        return judge_result(findings, source, run.root ? whole : nothing, out);
    }
    out->outcome = BT_ORGANISM_CONVERTED;
    BT_TRY(write_organism(&run, &out->text));
    BT_TRY(write_facts(&run, &facts));
    BT_TRY(check_form(env, arena, out->text, &findings, &made));
    for (size_t i = 0; i < run.left.count; i++) {
        const struct organism_convert_left *left = &run.left.items[i];
        const struct organism_left_row *why = &left_reasons[left->reason];
        BT_TRY(bt_add_xml_not_carried(findings, strict ? BT_SEVERITY_HARD : BT_SEVERITY_WARN,
                                      bt_location_pointer(left->pointer, BT_OFFSET_NONE),
                                      bt_str_of(why->name), left->pointer, bt_str_of(why->detail),
                                      bt_str_of(why->advice)));
    }
    return judge_result(findings, source, facts, out);
}
