/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogue_init.c - the first manifest and lock of a catalogue, made from its prompts.
 *
 * The manifest says what the prompts say about themselves. Both texts are judged as if they had
 * been written, and only a caller that got them writes them.
 */
#include <assert.h>

#include "base/buf.h"
#include "dialect/governed/verify.h"
#include "json/emit.h"

enum { NUMBERS = 100, TEXT_BYTES_MAX = 1 << 28 };

static const bt_str ending = BT_STR_INIT(".system.prompt.md");

/* A prompt that becomes an agent. */
struct governed_init_agent {
    bt_str id;
    bt_str path;
    bt_str text; /* "": it cannot be read; the judgement says why */
    enum bt_governed_agent_type type;
};

struct governed_init_state {
    struct bt_governed_checker *governed;
    const struct bt_governed_options *options;
    struct bt_report *report;
    struct bt_arena *arena;
    bt_str version;
    struct governed_init_agent *agents; /* in agent order */
    size_t count;
    size_t counts[BT_GOVERNED_AGENT_TYPE__MAX];
    size_t misnamed_count;
};

/* ---- Prompts --------------------------------------------------------------------------------- */

/* Words of lower-case letters and digits with single dashes between them. */
static bool is_dashed(bt_str text)
{
    bool may_end = false;
    for (size_t i = 0; i < text.len; i++) {
        const bool is_word = bt_ascii_is_lower(text.ptr[i]) || bt_ascii_is_digit(text.ptr[i]);
        if (!is_word && !(text.ptr[i] == '-' && may_end)) {
            return false;
        }
        may_end = is_word;
    }
    return may_end;
}

/* Whether the manifest takes this id; see the patterns of its schema. */
static bool is_agent_id(bt_str id, enum bt_governed_agent_type type)
{
    const bt_str prefix = BT_STR("domain-");
    if (type != BT_GOVERNED_AGENT_TYPE_DOMAIN) {
        return id.len > 0 && bt_ascii_is_lower(id.ptr[0]) && is_dashed(id);
    }
    return bt_str_starts_with(id, prefix) && id.len > prefix.len + 3 &&
           bt_ascii_is_digit(id.ptr[prefix.len]) && bt_ascii_is_digit(id.ptr[prefix.len + 1]) &&
           id.ptr[prefix.len + 2] == '-' && is_dashed(bt_str_slice(id, prefix.len + 3, id.len));
}

static enum bt_status add_misnamed_finding(struct governed_init_state *state, bt_str path,
                                           bt_str id, bool is_domain)
{
    struct bt_governed_root governed_root = {.arena = state->arena};
    struct bt_governed_file_report out = {.report = state->report, .governed_root = &governed_root};
    state->misnamed_count++;
    BT_TRY(bt_governed_file_report_begin(&out));
    BT_TRY(bt_add_prompt_file_name_init(out.findings, BT_SEVERITY_HARD, bt_location_whole(), id,
                                        is_domain));
    return bt_governed_file_report_end(&out, path, BT_DIALECT_PROMPT, BT_STR(""), BT_STR(""));
}

static enum bt_status take_prompt(struct governed_init_state *state, bt_str name,
                                  enum bt_governed_agent_type type)
{
    const bool is_domain = type == BT_GOVERNED_AGENT_TYPE_DOMAIN;
    struct governed_init_agent agent = {
        .id = bt_str_slice(name, 0, name.len - ending.len), .type = type, .text = BT_STR("")};
    struct bt_governed_file file;
    BT_TRY(bt_arena_printf(state->arena, &agent.path, "%.*s/%.*s",
                           BT_STR_ARG(bt_governed_agent_section(type)), BT_STR_ARG(name)));
    if (!is_agent_id(agent.id, type)) {
        return add_misnamed_finding(state, agent.path, agent.id, is_domain);
    }
    BT_TRY(bt_governed_file_read(state->governed, state->arena, state->options, agent.path, &file));
    agent.text = file.bytes;
    if (state->count == BT_AGENTS_MAX) {
        return bt_error_set(&state->governed->trouble, BT_ELIMIT, "there are more than %d prompts",
                            BT_AGENTS_MAX);
    }
    state->agents[state->count++] = agent;
    state->counts[type]++;
    return BT_OK;
}

static enum bt_status take_folder(struct governed_init_state *state,
                                  enum bt_governed_agent_type type)
{
    const bt_str folder = bt_governed_agent_section(type);
    struct bt_error error = {BT_OK, ""};
    struct bt_dir *inside = NULL;
    const bt_str *names = NULL;
    size_t count = 0;
    enum bt_status status = bt_dir_open_subdir(state->options->dir, folder, false, &inside, &error);
    if (status == BT_ENOENT || status == BT_EDENIED) {
        return BT_OK; /* no such folder, or a link: nothing in it could be read either */
    }
    if (status == BT_OK) {
        status = bt_dir_list(inside, state->arena, &names, &count, &error);
        bt_dir_close(inside);
    }
    if (status != BT_OK) {
        return bt_error_set(&state->governed->trouble, status, "%.*s: %s", BT_STR_ARG(folder),
                            error.text);
    }
    for (size_t i = 0; i < count; i++) {
        if (bt_str_ends_with(names[i], ending)) {
            BT_TRY(take_prompt(state, names[i], type));
        }
    }
    return BT_OK;
}

/* ---- The manifest ---------------------------------------------------------------------------- */

/* The domain with this number; one that there is not is named so that the judgement refuses it. */
static void put_domain_name(const struct governed_init_state *state, struct bt_emit *emit,
                            int number)
{
    char name[sizeof("domain-NN")] = "domain-";
    const size_t at = sizeof("domain-") - 1;
    name[at] = (char)('0' + number / 10);
    name[at + 1] = (char)('0' + number % 10);
    name[at + 2] = '\0';
    for (size_t i = 0; i < state->counts[BT_GOVERNED_AGENT_TYPE_DOMAIN]; i++) {
        if (bt_str_eq(bt_str_slice(state->agents[i].id, 0, at + 2), bt_str_of(name))) {
            bt_emit_name_str(emit, state->agents[i].id);
            return;
        }
    }
    bt_emit_name(emit, name);
}

/* Put the shares that the headings give; a domain that is named twice has its first share. */
static void put_composition(const struct governed_init_state *state, struct bt_emit *emit,
                            const struct governed_init_agent *agent)
{
    struct bt_governed_prompt_reader reader = {.text = agent->text};
    struct bt_governed_prompt_line line;
    bool is_named[NUMBERS] = {false};
    bool has_any = false;
    while (bt_governed_prompt_next_line(&reader, &line)) {
        if (line.kind != BT_PROMPT_SHARE || is_named[line.number]) {
            continue;
        }
        if (!has_any) {
            bt_emit_member_object(emit, "composition");
        }
        has_any = true;
        is_named[line.number] = true;
        put_domain_name(state, emit, line.number);
        bt_emit_u64(emit, line.percent);
    }
    if (has_any) {
        bt_emit_end(emit);
    }
}

static void put_agent(const struct governed_init_state *state, struct bt_emit *emit,
                      const struct governed_init_agent *agent)
{
    const struct bt_governed_prompt_head head = bt_governed_prompt_read_head(agent->text);
    const bt_str name = head.name.len > 0 ? head.name : agent->id;
    bt_emit_name_str(emit, agent->id);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "name", name);
    bt_emit_member_string(emit, "file", agent->path);
    bt_emit_member_string(emit, "canonical_id", agent->id);
    bt_emit_member_string(emit, "version", state->version);
    bt_emit_member_string(emit, "scope", head.scope.len > 0 ? head.scope : name);
    if (agent->type == BT_GOVERNED_AGENT_TYPE_ARCHETYPE) {
        put_composition(state, emit, agent);
    }
    bt_emit_end(emit);
}

static void put_taxonomy(const struct governed_init_state *state, struct bt_emit *emit)
{
    bt_emit_member_object(emit, "taxonomy");
    for (size_t i = 0; i < BT_GOVERNED_AGENT_TYPE__MAX; i++) {
        if (i != BT_GOVERNED_AGENT_TYPE_ORCHESTRATOR || state->counts[i] > 0) {
            bt_emit_name_str(emit, bt_governed_agent_section((enum bt_governed_agent_type)i));
            bt_emit_u64(emit, state->counts[i]);
        }
    }
    bt_emit_member_u64(emit, "total_prompts", state->count);
    bt_emit_end(emit);
}

static void put_manifest(const struct governed_init_state *state, struct bt_emit *emit)
{
    static const char *const switches[] = {"immutable_domains", "hash_verification_required",
                                           "version_increment_required",
                                           "archetype_composition_validation"};
    char time[BT_INSTANT_TEXT_BYTES];
    bt_instant now = bt_env_now(state->governed->env);
    now.nanos = 0;
    (void)bt_instant_format(now, time);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "version", state->version);
    bt_emit_member_string(emit, "generated", bt_str_of(time));
    put_taxonomy(state, emit);
    for (size_t type = 0, at = 0; type < BT_GOVERNED_AGENT_TYPE__MAX; type++) {
        if (type == BT_GOVERNED_AGENT_TYPE_ORCHESTRATOR && state->counts[type] == 0) {
            continue;
        }
        bt_emit_name_str(emit, bt_governed_agent_section((enum bt_governed_agent_type)type));
        bt_emit_begin_object(emit);
        for (size_t i = 0; i < state->counts[type]; i++) {
            put_agent(state, emit, &state->agents[at++]);
        }
        bt_emit_end(emit);
    }
    bt_emit_member_object(emit, "governance");
    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
        bt_emit_member_bool(emit, switches[i], true);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static enum bt_status write_manifest(const struct governed_init_state *state, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    bt_emit_init(&emit, &buf, true);
    put_manifest(state, &emit);
    bt_buf_put_char(&buf, '\n');
    return bt_buf_finish(&buf, state->arena, out);
}

/* ---- Both files ------------------------------------------------------------------------------ */

/* Whether there is nothing at the path. */
static enum bt_status find_file(const struct governed_init_state *state, bt_str path,
                                struct bt_governed_init_result *out)
{
    struct bt_governed_file file;
    BT_TRY(bt_governed_file_read(state->governed, state->arena, state->options, path, &file));
    if (file.fault != BT_ROOT_MISSING) {
        out->exists = true;
        out->existing = path;
    }
    return BT_OK;
}

/* Make the lock of a manifest that is not written yet; "" after a HARD finding. */
static enum bt_status make_lock(const struct governed_init_state *state,
                                const struct bt_governed_options *options, struct bt_report *report,
                                bt_str *out)
{
    const struct bt_governed_lock_options lock_options = {.init = true};
    struct bt_governed_lock_result made;
    BT_TRY(bt_governed_update_lock(state->governed, options, &lock_options, true, report, &made));
    *out = made.text;
    return BT_OK;
}

/* Judge the manifest alone; it is reported when it has a HARD finding. */
static enum bt_status judge_manifest(const struct governed_init_state *state, bt_str text,
                                     bool *out_is_sound)
{
    struct bt_governed_root governed_root = {.arena = state->arena};
    struct bt_governed_file_report out = {.report = state->report, .governed_root = &governed_root};
    bt_str facts;
    BT_TRY(bt_governed_file_report_begin(&out));
    BT_TRY(
        bt_governed_file_judge(state->governed, BT_GOVERNED_MANIFEST, text, out.findings, &facts));
    *out_is_sound = bt_verdict_of(out.findings, BT_SEVERITY_HARD) == BT_VERDICT_ACCEPTED;
    return *out_is_sound ? BT_OK
                         : bt_governed_file_report_end(&out, state->options->manifest,
                                                       BT_DIALECT_MANIFEST, text, facts);
}

/* Judge the two files as if they were there. */
static enum bt_status judge_made_files(struct governed_init_state *state,
                                       struct bt_governed_init_result *result)
{
    struct bt_governed_options options = *state->options;
    struct bt_governed_made_files made = {.lock = BT_STR("")};
    struct bt_report *ignored = bt_report_new(state->arena);
    BT_TRY(ignored ? BT_OK : BT_ENOMEM);
    options.made = &made;
    bool is_sound = false;
    BT_TRY(write_manifest(state, &made.manifest));
    BT_TRY(judge_manifest(state, made.manifest, &is_sound));
    if (!is_sound) {
        return BT_OK;
    }
    BT_TRY(make_lock(state, &options, ignored, &made.lock));
    if (made.lock.len == 0) { /* the root would have one more finding, about the missing lock */
        return make_lock(state, &options, state->report, &made.lock);
    }
    BT_TRY(bt_governed_verify_root(state->governed, &options, state->report));
    result->is_sound = true;
    for (size_t i = 0; i < bt_report_count(state->report); i++) {
        result->is_sound =
            result->is_sound && bt_report_at(state->report, i)->verdict == BT_VERDICT_ACCEPTED;
    }
    result->manifest = result->is_sound ? made.manifest : BT_STR("");
    result->lock = result->is_sound ? made.lock : BT_STR("");
    return BT_OK;
}

enum bt_status bt_governed_init_root(struct bt_governed_checker *governed,
                                     const struct bt_governed_options *options, bt_str version,
                                     struct bt_report *report, struct bt_governed_init_result *out)
{
    assert(governed);
    assert(options->dir);
    assert(out);
    struct bt_governed_init_result result = {
        .existing = BT_STR(""), .manifest = BT_STR(""), .lock = BT_STR("")};
    struct governed_init_state state = {.governed = governed,
                                        .options = options,
                                        .report = report,
                                        .arena = bt_report_arena(report),
                                        .version = version};
    BT_TRY(find_file(&state, options->lock, &result));
    BT_TRY(find_file(&state, options->manifest, &result));
    if (!result.exists) {
        state.agents = BT_NEW_ARRAY(state.arena, struct governed_init_agent, BT_AGENTS_MAX);
        BT_TRY(state.agents ? BT_OK : BT_ENOMEM);
        for (size_t i = 0; i < BT_GOVERNED_AGENT_TYPE__MAX; i++) {
            BT_TRY(take_folder(&state, (enum bt_governed_agent_type)i));
        }
        result.has_prompts = state.count + state.misnamed_count > 0;
        if (state.count > 0 && state.misnamed_count == 0) {
            BT_TRY(judge_made_files(&state, &result));
        }
    }
    *out = result;
    return BT_OK;
}
