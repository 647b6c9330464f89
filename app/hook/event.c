/* SPDX-License-Identifier: Apache-2.0 */
/* event.c - read the event of an agent host, whichever member names the host uses. */
#include "event.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <baton/json.h>

#include "base/buf.h"
#include "base/file.h"
#include "json/options.h"
#include "sample.h"

enum { TRANSCRIPT_BYTES = 8 << 20, NAMES_MAX = 6, DEPTH_MAX = 1000 };

/*
 * The event is bounded by its own size, not by the limits for documents: what an agent sends is
 * judged later, and an entry that is too long must not make an older one count in its place.
 */
static struct bt_json_options options_for(const struct bt_env *env, bt_str source)
{
    struct bt_json_options options = bt_json_options_from_env(env);
    options.document_bytes_max = source.len + 1;
    options.string_bytes_max = source.len + 1;
    options.nodes_max = source.len + 1;
    options.depth_max = DEPTH_MAX;
    return options;
}

/* ---- Members --------------------------------------------------------------------------------- */

static const bt_json_value *find_member(const struct bt_json_doc *document,
                                        const bt_json_value *object, const char *name)
{
    return object && bt_json_type(object) == BT_JSON_OBJECT
               ? bt_json_get(document, object, bt_str_of(name))
               : NULL;
}

static bool is_string(const bt_json_value *value)
{
    return value && bt_json_type(value) == BT_JSON_STRING;
}

/* The first of these members that is a non-empty string, else `otherwise`. */
static bt_str first_of(const struct bt_json_doc *document, const char *const names[NAMES_MAX],
                       bt_str otherwise)
{
    for (size_t i = 0; i < NAMES_MAX && names[i]; i++) {
        const bt_json_value *value = find_member(document, bt_json_root(document), names[i]);
        if (is_string(value) && bt_json_text(value).len > 0) {
            return bt_json_text(value);
        }
    }
    return otherwise;
}

static bool is_tool_event(const struct agent_host *host, bt_str name)
{
    for (size_t i = 0; i < HOOK_TOOLS_MAX && host->tools.events[i]; i++) {
        if (bt_str_eq(name, bt_str_of(host->tools.events[i]))) {
            return true;
        }
    }
    return false;
}

static enum hook_kind kind_of(const struct agent_host *host, bt_str name)
{
    static const struct {
        const char *name;
        enum hook_kind kind;
    } rows[] = {
        {"", HOOK_STOP},           {"SubagentStop", HOOK_STOP},   {"subagentStop", HOOK_STOP},
        {"Stop", HOOK_STOP},       {"stop", HOOK_STOP},           {"agentStop", HOOK_STOP},
        {"AfterAgent", HOOK_STOP}, {"SubagentStart", HOOK_START}, {"subagentStart", HOOK_START},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(name, bt_str_of(rows[i].name))) {
            return rows[i].kind;
        }
    }
    return is_tool_event(host, name) ? HOOK_TOOL : HOOK_OTHER;
}

/* The first member that is there. */
static const bt_json_value *find_any(const struct bt_json_doc *document, const char *const names[2])
{
    const bt_json_value *value = find_member(document, bt_json_root(document), names[0]);
    return value ? value : find_member(document, bt_json_root(document), names[1]);
}

/* Read the tool of an event; its input may be JSON in a string. */
static enum bt_status take_tool(struct bt_env *env, struct bt_arena *arena,
                                const struct bt_json_doc *document, const struct agent_host *host,
                                struct hook_event *event)
{
    static const char *const names[NAMES_MAX] = {"tool_name", "toolName"};
    static const char *const inputs[2] = {"tool_input", "toolArgs"};
    static const char *const calls[NAMES_MAX] = {"tool_use_id", "toolUseId", "tool_call_id"};
    struct hook_tool_input input = {first_of(document, names, BT_STR("")), document,
                                    find_any(document, inputs)};
    if (is_string(input.value)) {
        const struct bt_json_options options = options_for(env, bt_json_text(input.value));
        struct bt_json_read_result read = {0};
        /* from: socket */
        BT_TRY(bt_json_read(arena, bt_json_text(input.value), &options, &read));
        input.document = read.document ? read.document : document;
        input.value = read.document ? bt_json_root(read.document) : input.value;
    }
    BT_TRY(hook_tool_read(arena, host, &input, &event->tool));
    event->tool.call_id = first_of(document, calls, BT_STR(""));
    return BT_OK;
}

/* Read the command of an event that is about one. */
static enum bt_status take_command(struct bt_arena *arena, const struct bt_json_doc *document,
                                   struct hook_event *event)
{
    static const char *const calls[NAMES_MAX] = {"tool_use_id", "toolUseId", "tool_call_id"};
    const bt_json_value *command = find_member(document, bt_json_root(document), "command");
    struct bt_buf buf;
    if (is_string(command)) {
        event->tool = hook_tool_for_command(bt_json_text(command));
    } else {
        bt_buf_init(&buf, SIZE_MAX);
        event->tool.call = (struct bt_gate_call){.kind = BT_GATE_TOOL_UNKNOWN, .tool = BT_STR("")};
        BT_TRY(bt_buf_finish_if(bt_json_write(&buf, document, bt_json_root(document),
                                              BT_JSON_FORM_COMPACT, arena, NULL),
                                &buf, arena, &event->tool.call.text));
        event->tool.content = event->tool.call.text;
    }
    event->tool.call_id = first_of(document, calls, BT_STR(""));
    return BT_OK;
}

/* Take the text of the event; an empty string counts too. */
static void take_text(const struct bt_json_doc *document, const char *text_member,
                      struct hook_event *event)
{
    const char *const names[] = {"last_assistant_message", "lastAssistantMessage",
                                 "prompt_response", text_member};
    event->text = BT_STR("");
    for (size_t i = 0; i < (text_member ? 4 : 3) && !event->has_text; i++) {
        const bt_json_value *value = find_member(document, bt_json_root(document), names[i]);
        if (is_string(value)) {
            event->has_text = true;
            event->text = bt_json_text(value);
        }
    }
}

static bt_str folder_of(const struct bt_json_doc *document)
{
    static const char *const names[NAMES_MAX] = {"cwd"};
    const bt_json_value *roots = find_member(document, bt_json_root(document), "workspace_roots");
    const bool has_root = roots && bt_json_type(roots) == BT_JSON_ARRAY &&
                          bt_json_count(roots) > 0 && is_string(&bt_json_items(roots)[0]);
    return first_of(document, names,
                    has_root ? bt_json_text(&bt_json_items(roots)[0]) : BT_STR(""));
}

/* The name of the event; "": it is a stop event. */
static bt_str event_name(const struct bt_json_doc *document, const struct hook_event_source *source)
{
    static const char *const names[NAMES_MAX] = {"hook_event_name", "hookEventName"};
    static const char *const tools[NAMES_MAX] = {"tool_name", "toolName"};
    const bt_str given = first_of(document, names, bt_str_of(source->event));
    const bool has_tool = first_of(document, tools, BT_STR("")).len > 0;
    const char *const *events = source->host->tools.events;
    const bool is_second = source->host->tools.command_event != NULL;
    return given.len > 0 || !has_tool ? given : bt_str_of(events[is_second ? 1 : 0]);
}

enum bt_status hook_event_read(struct bt_env *env, struct bt_arena *arena, bt_str input,
                               const struct hook_event_source *source, struct hook_event *out)
{
    static const char *const sessions[NAMES_MAX] = {"session_id", "sessionId", "conversation_id"};
    static const char *const ids[NAMES_MAX] = {"agent_id", "agentId", "subagent_id"};
    static const char *const types[NAMES_MAX] = {"agent_type", "agentType", "subagent_type",
                                                 "agentName", "agent_name"};
    static const char *const paths[NAMES_MAX] = {"agent_transcript_path", "agentTranscriptPath",
                                                 "transcript_path", "transcriptPath"};
    static const char *const agent_paths[NAMES_MAX] = {"agent_transcript_path",
                                                       "agentTranscriptPath"};
    static const char *const session_paths[NAMES_MAX] = {"transcript_path", "transcriptPath"};
    const struct bt_json_options options = options_for(env, input);
    struct bt_json_read_result read = {0};
    /* from: socket */
    BT_TRY(bt_json_read(arena, input, &options, &read));
    if (!read.document || bt_json_type(bt_json_root(read.document)) != BT_JSON_OBJECT) {
        return BT_EINVAL;
    }
    const bt_str name = event_name(read.document, source);
    struct hook_event event = {
        .kind = kind_of(source->host, name),
        .session = first_of(read.document, sessions, BT_STR("default")),
        .agent_type = first_of(read.document, types, BT_STR("")),
        .transcript = first_of(read.document, paths, BT_STR("")),
        .agent_transcript = first_of(read.document, agent_paths, BT_STR("")),
        .session_transcript = first_of(read.document, session_paths, BT_STR("")),
        .folder = folder_of(read.document),
    };
    event.raw_id = first_of(read.document, ids, BT_STR(""));
    if (event.raw_id.len > 0) {
        BT_TRY(bt_contract_agent_id_from_runtime(event.raw_id, event.host_id));
    }
    event.is_test = bt_str_eq(event.session, BT_STR(HOOK_TEST_SESSION));
    take_text(read.document, source->host->traits.text_member, &event);
    if (event.kind == HOOK_TOOL) {
        const char *of_command = source->host->tools.command_event;
        BT_TRY(of_command && bt_str_eq(name, bt_str_of(of_command))
                   ? take_command(arena, read.document, &event)
                   : take_tool(env, arena, read.document, source->host, &event));
    }
    *out = event;
    return BT_OK;
}

/* ---- Transcripts ----------------------------------------------------------------------------- */

/* Read the last bytes of a regular file of this user; "" when there is none. */
static enum bt_status read_tail(struct bt_arena *arena, bt_str path, bt_str *out)
{
    struct stat about;
    bt_str name;
    *out = BT_STR("");
    if (bt_str_find_byte(path, '\0', 0) < path.len) {
        return BT_OK; /* not a valid file name */
    }
    BT_TRY(bt_arena_copy(arena, path, &name)); /* ends with a NUL byte */
    const int fd = open(name.ptr, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return BT_OK;
    }
    enum bt_status status = BT_OK;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid()) {
        const off_t from = about.st_size > TRANSCRIPT_BYTES ? about.st_size - TRANSCRIPT_BYTES : 0;
        if (lseek(fd, from, SEEK_SET) == from) {
            status = bt_fd_read(arena, fd, TRANSCRIPT_BYTES, out, NULL);
        }
    }
    (void)close(fd);
    return status;
}

static bool has_member_text(const struct bt_json_doc *document, const bt_json_value *object,
                            const char *name, const char *word)
{
    const bt_json_value *value = find_member(document, object, name);
    return is_string(value) && bt_str_eq(bt_json_text(value), bt_str_of(word));
}

/* Put the text of an entry's `content`: a string, or items of text joined with LF. */
static void put_content(struct bt_buf *buf, const struct bt_json_doc *document,
                        const bt_json_value *object)
{
    const bt_json_value *content = find_member(document, object, "content");
    if (is_string(content)) {
        bt_buf_put(buf, bt_json_text(content));
        return;
    }
    if (!content || bt_json_type(content) != BT_JSON_ARRAY) {
        return;
    }
    for (size_t i = 0; i < bt_json_count(content); i++) {
        const bt_json_value *item = &bt_json_items(content)[i];
        const bt_json_value *text = find_member(document, item, "text");
        if (is_string(text) && (has_member_text(document, item, "type", "text") ||
                                has_member_text(document, item, "type", "output_text"))) {
            bt_buf_put_text(buf, buf->len > 0 ? "\n" : "");
            bt_buf_put(buf, bt_json_text(text));
        }
    }
}

/* Put the text of an entry if it is the assistant's. */
static void put_entry(struct bt_buf *buf, const struct bt_json_doc *document)
{
    static const char *const parts[] = {"message", "payload", "data"};
    const bt_json_value *root = bt_json_root(document);
    bool is_assistant = has_member_text(document, root, "type", "assistant") ||
                        has_member_text(document, root, "type", "assistant.message") ||
                        has_member_text(document, root, "role", "assistant");
    for (size_t i = 0; i < 3; i++) {
        is_assistant =
            is_assistant ||
            has_member_text(document, find_member(document, root, parts[i]), "role", "assistant");
    }
    if (!is_assistant) {
        return;
    }
    put_content(buf, document, root);
    for (size_t i = 0; i < 3 && buf->len == 0; i++) {
        put_content(buf, document, find_member(document, root, parts[i]));
    }
}

/* The text of one line; "" when it has none. */
static enum bt_status text_of(struct bt_env *env, struct bt_arena *arena, bt_str line, bt_str *out)
{
    const struct bt_json_options options = options_for(env, line);
    struct bt_json_read_result read = {0};
    struct bt_buf buf;
    *out = BT_STR("");
    /* from: file */
    BT_TRY(bt_json_read(arena, line, &options, &read));
    if (!read.document || bt_json_type(bt_json_root(read.document)) != BT_JSON_OBJECT) {
        return BT_OK;
    }
    bt_buf_init(&buf, TRANSCRIPT_BYTES);
    put_entry(&buf, read.document);
    const enum bt_status status = buf.len > 0 ? bt_buf_copy(&buf, arena, out) : buf.status;
    bt_buf_free(&buf);
    return status;
}

enum bt_status hook_event_transcript(struct bt_env *env, struct bt_arena *arena,
                                     struct hook_event *event)
{
    bt_str tail;
    if (event->transcript.len == 0) {
        return BT_OK;
    }
    BT_TRY(read_tail(arena, event->transcript, &tail));
    for (size_t end = tail.len; end > 0 && !event->has_text;) {
        size_t begin = end;
        while (begin > 0 && tail.ptr[begin - 1] != '\n') {
            begin--;
        }
        BT_TRY(text_of(env, arena, bt_str_slice(tail, begin, end), &event->text));
        event->has_text = event->text.len > 0;
        end = begin > 0 ? begin - 1 : 0;
    }
    return BT_OK;
}
