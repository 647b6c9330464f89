/* SPDX-License-Identifier: Apache-2.0 */
/* complete_json.c - completions and definitions in the dialects that are JSON. */
#include "base/file.h"
#include "base/path.h"
#include "dialect/governed/governed_root.h"
#include "dialect/universal/universal.h"
#include "lsp/dialects.h"
#include "lsp/json_place.h"
#include "lsp/schema_view.h"
#include "skill/skill.h"

/* ---- Places ---------------------------------------------------------------------------------- */

static void find_place(const struct lsp_request *request, struct lsp_json_place *out)
{
    lsp_json_place_find(lsp_document_text(request->document),
                        lsp_json_body(request->document, request->offset), request->offset, out);
}

/* The text of the string at a place. */
static bt_str text_at(const struct lsp_request *request, const struct lsp_json_place *place)
{
    const struct lsp_span span = lsp_json_content(place);
    return bt_str_slice(lsp_document_text(request->document), span.begin, span.end);
}

/* Set what is replaced: the content of a string, or a word that gets quotes. */
static void set_span(struct lsp_completion *completion, const struct lsp_json_place *place)
{
    completion->span = lsp_json_content(place);
    completion->quotes = !place->is_string;
    completion->closes = place->is_string && !place->is_closed;
}

/* ---- Members and values of the schema -------------------------------------------------------- */

struct lsp_member_filter {
    const struct lsp_request *request;
    const struct lsp_json_place *place;
};

static bool is_absent_member(const void *context, bt_str name)
{
    const struct lsp_member_filter *filter = context;
    const struct lsp_document *document = filter->request->document;
    return !lsp_json_has_member(lsp_document_text(document),
                                lsp_json_body(document, filter->request->offset),
                                filter->place->container, name, filter->place->token.begin);
}

static enum bt_status complete_place(struct lsp_request *request,
                                     const struct lsp_json_place *place, struct lsp_completion *out)
{
    const char *schema = lsp_dialect(request->document->judged.dialect)->schema;
    const struct lsp_member_filter filter = {request, place};
    struct lsp_schema_view view;
    set_span(out, place);
    if (place->role == LSP_JSON_NOWHERE) {
        return BT_OK;
    }
    BT_TRY(lsp_schema_view_find(request->arena, request->workspace->env, schema, place->path,
                                place->depth, &view));
    if (place->role == LSP_JSON_NAME) {
        return lsp_schema_view_add_members(&view, out, is_absent_member, &filter);
    }
    return lsp_schema_view_add_values(&view, out, place->is_string);
}

enum bt_status lsp_complete_json(struct lsp_request *request, struct lsp_completion *out)
{
    struct lsp_json_place place;
    find_place(request, &place);
    return complete_place(request, &place, out);
}

/* ---- Universal handoffs ---------------------------------------------------------------------- */

static bool is_skill(const struct lsp_json_place *place)
{
    static const char *const source[] = {"handoff", "source", "skill"};
    static const char *const target[] = {"handoff", "target", "skill"};
    static const char *const chain[] = {"handoff", "meta", "handoff_chain", "*"};
    return place->role == LSP_JSON_VALUE &&
           (lsp_json_place_is(place, 0, source, 3) || lsp_json_place_is(place, 0, target, 3) ||
            lsp_json_place_is(place, 0, chain, 4));
}

static const struct bt_skill_catalogue *skills_of(const struct lsp_request *request)
{
    const struct bt_universal_options *options = request->workspace->options.universal;
    return options ? options->catalogue : NULL;
}

enum bt_status lsp_complete_universal(struct lsp_request *request, struct lsp_completion *out)
{
    const struct bt_skill_catalogue *skills = skills_of(request);
    struct lsp_json_place place;
    find_place(request, &place);
    BT_TRY(complete_place(request, &place, out));
    for (size_t i = 0; skills && is_skill(&place) && i < bt_skill_catalogue_count(skills); i++) {
        BT_TRY(lsp_completion_add_label(out, bt_skill_catalogue_at(skills, i)->name,
                                        LSP_KIND_MODULE, BT_STR("skill")));
    }
    return BT_OK;
}

/* An absolute path: parts that are absolute replace those before them. */
static enum bt_status join_path(struct lsp_request *request, bt_str session, bt_str path,
                                bt_str *out)
{
    const struct lsp_workspace *workspace = request->workspace;
    const bt_str base =
        workspace->root.len > 0 ? workspace->root : request->server->folders.current->path;
    const bool is_absolute = bt_str_starts_with(path, BT_STR("/"));
    const bool starts_at_base = !is_absolute && !bt_str_starts_with(session, BT_STR("/"));
    bt_str joined;
    BT_TRY(bt_arena_printf(request->arena, &joined, "%.*s/%.*s/%.*s",
                           (int)(starts_at_base ? base.len : 0), base.ptr,
                           (int)(is_absolute ? 0 : session.len), session.ptr, BT_STR_ARG(path)));
    return bt_path_resolve(request->arena, joined, out);
}

/* A file that the document refers to, if it exists below a folder that may be read. */
static enum bt_status find_file(struct lsp_request *request, bt_str session, bt_str path,
                                struct lsp_target *out)
{
    bt_str found;
    if (out->is_found || path.len == 0) {
        return BT_OK;
    }
    BT_TRY(join_path(request, session, path, &found));
    if (lsp_path_is_inside(request->server, request->workspace, found) &&
        bt_file_kind_of(found) == BT_FILE_REGULAR) {
        *out = (struct lsp_target){.path = found, .is_found = true};
    }
    return BT_OK;
}

/* The member session_path of the source, as references are resolved with it. */
static bt_str session_path(const struct lsp_request *request)
{
    const struct bt_json_doc *document = request->document->judged.judgement.document;
    const bt_json_value *value = document ? bt_json_resolve(document, bt_json_root(document),
                                                            BT_STR("/handoff/source/session_path"))
                                          : NULL;
    return value ? bt_json_text(value) : BT_STR("");
}

static enum bt_status find_skill(struct lsp_request *request, bt_str name, struct lsp_target *out)
{
    const struct bt_skill_catalogue *skills = skills_of(request);
    const struct bt_skill *skill = skills ? bt_skill_catalogue_find(skills, name) : NULL;
    return skill ? find_file(request, BT_STR(""), skill->path, out) : BT_OK;
}

enum bt_status lsp_define_universal(struct lsp_request *request, struct lsp_target *out)
{
    static const char *const file[] = {"handoff", "payload", "references", "files", "*", "path"};
    static const char *const artifact[] = {"handoff",   "payload", "session",
                                           "artifacts", "*",       "path"};
    struct lsp_json_place place;
    find_place(request, &place);
    if (!place.is_string || place.role != LSP_JSON_VALUE) {
        return BT_OK;
    }
    const bt_str text = text_at(request, &place);
    if (is_skill(&place)) {
        return find_skill(request, text, out);
    }
    if (lsp_json_place_is(&place, 0, file, 6) || lsp_json_place_is(&place, 0, artifact, 6)) {
        BT_TRY(find_file(request, session_path(request), text, out));
        return find_file(request, BT_STR(""), text, out);
    }
    return BT_OK;
}

/* ---- Governed handoffs and responses --------------------------------------------------------- */

/* Read the catalogue. *out_read is false without one. */
static enum bt_status read_catalogue(struct lsp_request *request, struct bt_governed_root *out,
                                     bool *out_read)
{
    const struct bt_check_options *options = &request->workspace->options;
    *out = (struct bt_governed_root){.options = options->governed, .arena = request->arena};
    *out_read = options->governed && options->governed->dir;
    if (!*out_read) {
        return BT_OK;
    }
    BT_TRY(bt_checker_governed(options->checker, &out->governed));
    if (bt_governed_root_read(out) != BT_OK) {
        *out_read = false; /* a file cannot be read, which a finding says */
    }
    return BT_OK;
}

/* The member of an agent at a place, such as agent_id; "" elsewhere. */
static bt_str agent_member(const struct lsp_json_place *place)
{
    static const char *const objects[] = {"source_agent", "target_agent", "agent"};
    for (size_t i = 0; place->role == LSP_JSON_VALUE && i < 3; i++) {
        if (lsp_json_place_is(place, 1, &objects[i], 1)) {
            return place->path[1].name;
        }
    }
    return BT_STR("");
}

/* Add what the catalogue knows about the agent that stands in the same object. */
static enum bt_status add_agent_fact(struct lsp_request *request,
                                     const struct lsp_json_place *place, bt_str member,
                                     const struct bt_governed_root *root,
                                     struct lsp_completion *out)
{
    const bt_str id = lsp_json_sibling(lsp_document_text(request->document),
                                       lsp_json_body(request->document, request->offset),
                                       place->container, BT_STR("agent_id"));
    const size_t index = bt_governed_root_find(root, id);
    if (index == BT_NO_AGENT) {
        return BT_OK;
    }
    const struct bt_governed_agent *agent = &root->agents[index];
    bt_str value = BT_STR("");
    if (bt_str_eq(member, BT_STR("agent_type"))) {
        value = bt_governed_agent_type_name(agent->type);
    } else if (bt_str_eq(member, BT_STR("agent_version"))) {
        value = agent->version;
    } else if (bt_str_eq(member, BT_STR("prompt_hash")) && agent->locked) {
        value = bt_governed_locked_text(root, agent, BT_STR("hash"));
    }
    const struct lsp_completion_item item = {
        .label = value, .detail = id, .kind = LSP_KIND_VALUE, .is_needed = true};
    return value.len > 0 ? lsp_completion_add(out, &item) : BT_OK;
}

enum bt_status lsp_complete_governed(struct lsp_request *request, struct lsp_completion *out)
{
    struct bt_governed_root root;
    struct lsp_json_place place;
    bool is_read = false;
    find_place(request, &place);
    BT_TRY(complete_place(request, &place, out));
    const bt_str member = agent_member(&place);
    if (member.len == 0) {
        return BT_OK;
    }
    BT_TRY(read_catalogue(request, &root, &is_read));
    if (!is_read) {
        return BT_OK;
    }
    if (!bt_str_eq(member, BT_STR("agent_id"))) {
        return add_agent_fact(request, &place, member, &root, out);
    }
    for (size_t i = 0; i < root.count; i++) {
        BT_TRY(lsp_completion_add_label(out, root.agents[i].id, LSP_KIND_REFERENCE,
                                        root.agents[i].name));
    }
    return BT_OK;
}

enum bt_status lsp_define_governed(struct lsp_request *request, struct lsp_target *out)
{
    struct bt_governed_root root;
    struct lsp_json_place place;
    bool is_read = false;
    find_place(request, &place);
    if (!bt_str_eq(agent_member(&place), BT_STR("agent_id"))) {
        return BT_OK;
    }
    BT_TRY(read_catalogue(request, &root, &is_read));
    const size_t index =
        is_read ? bt_governed_root_find(&root, text_at(request, &place)) : BT_NO_AGENT;
    if (index == BT_NO_AGENT) {
        return BT_OK;
    }
    const struct bt_json_span span = bt_json_span(root.manifest.document, root.agents[index].entry);
    *out = (struct lsp_target){
        .span = {span.begin, span.begin + 1}, .text = root.manifest.file.bytes, .is_found = true};
    return bt_arena_printf(request->arena, &out->path, "%.*s/%.*s",
                           BT_STR_ARG(request->workspace->governed_root),
                           BT_STR_ARG(root.manifest.path));
}
