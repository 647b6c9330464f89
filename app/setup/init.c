/* SPDX-License-Identifier: Apache-2.0 */
/* init.c - inspect a folder, decide what to write, and write it. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "init.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "check/found.h"
#include "check/walk.h"
#include "config/find.h"
#include "config/memory.h"
#include "dialect/universal/universal.h"
#include "hook/program.h"
#include "hook/settings.h"
#include "json/emit.h"
#include "ledger/ledger.h"

enum { FILE_BYTES_MAX = 4 << 20 };

#define CONFIG_FILE "baton.yaml"
#define GITIGNORE_FILE ".gitignore"
#define SAMPLE_FOLDER "handoffs"
#define SAMPLE_FILE SAMPLE_FOLDER "/planner-to-builder-sample.json"

/* Every line that begins with # and no space is valid without its #. */
static const char config_text[] =
    "# The settings of Baton in this project. Remove the # in front of a key to set it.\n"
    "# `baton help config` lists all keys, and `baton config check` checks this file.\n"
    "\n"
    "# Check only these files of a folder, and never those. Patterns are those of .gitignore.\n"
    "#include: [\"handoffs/**\", \"plans/**\"]\n"
    "#exclude: [\"handoffs/archive/**\"]\n"
    "\n"
    "# Report a rule at another level: off, info, warning or error.\n"
    "#rules: {REF_UNRESOLVED: info}\n"
    "\n"
    "# Ignore findings of some files until a day, for a reason.\n"
    "#ignore: [{code: REF_UNRESOLVED, paths: [\"handoffs/old/**\"], reason: \"kept as they were\", "
    "until: 2099-12-31}]\n"
    "\n"
    "# Set the dialect, the rules or the checks of some files.\n"
    "#paths: [{match: \"plans/*.csv\", as: plan}]\n"
    "\n"
    "# Accept the findings that were there before: `baton check --baseline write` makes the file.\n"
    "#baseline: baton-baseline.json\n"
    "\n"
    "# The tokens that a universal handoff may have.\n"
    "#check: {budget: 2000}\n"
    "\n"
    "# The folders that hold the skills of your agents.\n"
    "#skills: [skills]\n"
    "\n"
    "# The catalogue of governed handoffs: manifest, lock and prompts.\n"
    "#governed: {root: prompts}\n";

/* ---- Inspecting ------------------------------------------------------------------------------ */

/* What shows that a host is used: entries of the folder, and a program. */
static const struct {
    const char *host;
    const char *entries[2];
    const char *program; /* NULL: none */
} signs[SETUP_HOSTS_MAX] = {
    {"claude", {".claude", "CLAUDE.md"}, "claude"},
    {"codex", {".codex", "AGENTS.md"}, "codex"},
    {"copilot", {".github/copilot-instructions.md", ".github/hooks"}, NULL},
    {"cursor", {".cursor", ".cursorrules"}, NULL},
    {"gemini", {".gemini", "GEMINI.md"}, "gemini"},
};

static enum bt_status make_path(const struct setup_init *init, const char *name, bt_str *out)
{
    return bt_arena_printf(init->arena, out, "%s/%s", init->options.folder, name);
}

/* Find the mode of the hook that is installed in the settings of the project. */
static enum bt_status find_mode(struct setup_init *init, struct setup_init_host *host)
{
    const struct hook_entry_options entries = {.host = host->host};
    struct hook_settings_found found;
    struct bt_error error;
    bt_str path;
    bt_str text;
    BT_TRY(make_path(init, host->host->project_file, &path));
    if (bt_file_read(init->arena, path, FILE_BYTES_MAX, &text, NULL) != BT_OK) {
        return BT_OK;
    }
    const enum bt_status status = hook_settings_find(init->arena, text, &entries, &found, &error);
    host->mode = status == BT_OK ? hook_settings_mode(found.command) : NULL;
    return status == BT_ENOMEM ? status : BT_OK;
}

static enum bt_status find_host(struct setup_init *init, size_t index)
{
    struct setup_init_host *host = &init->hosts[init->host_count++];
    struct hook_program program;
    host->host = hook_host_find(signs[index].host);
    assert(host->host);
    for (size_t i = 0; i < 2; i++) {
        struct stat about;
        bt_str path;
        BT_TRY(make_path(init, signs[index].entries[i], &path));
        if (lstat(path.ptr, &about) == 0) {
            host->found[host->found_count++] = signs[index].entries[i];
        }
    }
    if (signs[index].program) {
        BT_TRY(
            hook_program_find(init->arena, bt_str_of(signs[index].program), BT_STR(""), &program));
        if (program.path.len > 0) {
            host->found[host->found_count++] = "PATH";
        }
    }
    return find_mode(init, host);
}

/* Find the repository and its path relative to the folder: ".", "..", "../.." and so on. */
static enum bt_status find_repository(struct setup_init *init)
{
    char real[PATH_MAX];
    bt_str root;
    bt_str git;
    struct bt_buf path;
    BT_TRY(config_find_repository(init->arena, init->options.folder, false, &root));
    BT_TRY(config_find_repository(init->arena, init->options.folder, true, &git));
    init->is_git = git.len > 0;
    init->repository = BT_STR("");
    if (root.len == 0 || !realpath(init->options.folder, real)) {
        return BT_OK;
    }
    const bt_str here = bt_str_of(real);
    bt_buf_init(&path, PATH_MAX);
    for (size_t i = root.len > 1 ? root.len : 0; i < here.len; i++) {
        if (here.ptr[i] == '/' && i + 1 < here.len) {
            bt_buf_put_text(&path, path.len > 0 ? "/.." : "..");
        }
    }
    bt_buf_put_text(&path, path.len == 0 ? "." : "");
    return bt_buf_finish(&path, init->arena, &init->repository);
}

enum bt_status setup_init_inspect(struct setup_init *init, struct bt_env *env,
                                  struct bt_arena *arena, const struct setup_init_options *options)
{
    assert(init);
    assert(options);
    *init = (struct setup_init){.env = env, .arena = arena, .options = *options};
    if (bt_file_kind_of(bt_str_of(options->folder)) != BT_FILE_DIRECTORY) {
        return BT_ENOENT;
    }
    BT_TRY(find_repository(init));
    for (size_t i = 0; i < SETUP_HOSTS_MAX; i++) {
        BT_TRY(find_host(init, i));
    }
    return BT_OK;
}

/* ---- Planning -------------------------------------------------------------------------------- */

void setup_init_add_file(struct setup_init *init, bt_str path, enum setup_action action)
{
    assert(init->file_count < SETUP_FILES_MAX);
    init->files[init->file_count++] = (struct setup_init_file){path, action};
}

/* Look at a target without following links; *out_exists is false when nothing is there. */
static enum bt_status find_target(const struct setup_init *init, const char *name, mode_t type,
                                  bool *out_exists, struct bt_error *error)
{
    struct stat about;
    bt_str path;
    BT_TRY(make_path(init, name, &path));
    *out_exists = lstat(path.ptr, &about) == 0;
    if (!*out_exists && errno != ENOENT) {
        return bt_error_set(error, BT_EIO, "%s: %s", path.ptr, strerror(errno));
    }
    if (*out_exists && (about.st_mode & S_IFMT) != type) {
        return bt_error_set(error, BT_EDENIED, "%s is %s; nothing was written", path.ptr,
                            S_ISLNK(about.st_mode) ? "a symbolic link"
                            : type == S_IFDIR      ? "not a folder"
                                                   : "not a regular file");
    }
    return BT_OK;
}

enum bt_status setup_init_check_target(const struct setup_init *init, const char *path,
                                       struct bt_error *error)
{
    bool exists = false;
    return find_target(init, path, S_IFREG, &exists, error);
}

static enum bt_status plan_config(struct setup_init *init, struct bt_error *error)
{
    bool exists = false;
    bt_str path;
    bt_str text = BT_STR("");
    BT_TRY(find_target(init, CONFIG_FILE, S_IFREG, &exists, error));
    if (exists && init->options.force) {
        BT_TRY(make_path(init, CONFIG_FILE, &path));
        BT_TRY(bt_file_read(init->arena, path, FILE_BYTES_MAX, &text, error));
    }
    const bool is_same =
        exists && (!init->options.force || bt_str_eq(text, bt_str_of(config_text)));
    setup_init_add_file(init, BT_STR(CONFIG_FILE),
                        is_same  ? SETUP_UNCHANGED
                        : exists ? SETUP_UPDATED
                                 : SETUP_CREATED);
    return BT_OK;
}

/* True when a line of the file ignores the folder .baton. */
static bool ignores_folder(bt_str text)
{
    static const char *const lines[] = {".baton", ".baton/", "/.baton", "/.baton/"};
    for (size_t at = 0; at < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', at);
        bt_str line = bt_str_slice(text, at, end);
        while (line.len > 0 && (line.ptr[line.len - 1] == '\r' || line.ptr[line.len - 1] == ' ')) {
            line.len--;
        }
        for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
            if (bt_str_eq(line, bt_str_of(lines[i]))) {
                return true;
            }
        }
        at = end + 1;
    }
    return false;
}

static enum bt_status plan_gitignore(struct setup_init *init, struct bt_error *error)
{
    bool exists = false;
    bt_str path;
    bt_str text = BT_STR("");
    struct bt_buf buf;
    BT_TRY(find_target(init, GITIGNORE_FILE, S_IFREG, &exists, error));
    if (!exists && !init->is_git) {
        return BT_OK;
    }
    if (exists) {
        BT_TRY(make_path(init, GITIGNORE_FILE, &path));
        BT_TRY(bt_file_read(init->arena, path, FILE_BYTES_MAX, &text, error));
        if (text.len > FILE_BYTES_MAX) {
            return bt_error_set(error, BT_EIO, "%s is larger than %d bytes", path.ptr,
                                FILE_BYTES_MAX);
        }
    }
    if (ignores_folder(text)) {
        setup_init_add_file(init, BT_STR(GITIGNORE_FILE), SETUP_UNCHANGED);
        return BT_OK;
    }
    setup_init_add_file(init, BT_STR(GITIGNORE_FILE), exists ? SETUP_UPDATED : SETUP_CREATED);
    bt_buf_init(&buf, (size_t)FILE_BYTES_MAX + 64);
    bt_buf_put(&buf, text);
    bt_buf_put_text(&buf, text.len > 0 && text.ptr[text.len - 1] != '\n' ? "\n" : "");
    bt_buf_put_text(&buf, "# Baton\n.baton/\n");
    return bt_buf_finish(&buf, init->arena, &init->gitignore);
}

static enum bt_status plan_store(struct setup_init *init, struct bt_error *error)
{
    bool has_folder = false;
    bool has_store = false;
    bool has_key = false;
    bool is_wanted = init->options.wants_store;
    for (size_t i = 0; i < init->host_count; i++) {
        is_wanted = is_wanted || init->hosts[i].is_wanted;
    }
    if (!is_wanted) {
        return BT_OK;
    }
    BT_TRY(find_target(init, ".baton", S_IFDIR, &has_folder, error));
    BT_TRY(find_target(init, SETUP_STORE_PATH, S_IFREG, &has_store, error));
    BT_TRY(find_target(init, ".baton/ledger.key", S_IFREG, &has_key, error));
    setup_init_add_file(init, BT_STR(SETUP_STORE_PATH),
                        has_store ? SETUP_UNCHANGED : SETUP_CREATED);
    return BT_OK;
}

/* Make the text of the sample: a handoff that is accepted. */
static enum bt_status make_sample(struct setup_init *init)
{
    struct bt_universal_checker *checker = NULL;
    const struct bt_universal_draft draft = {
        .source = BT_STR("planner"),
        .target = BT_STR("builder"),
        .session_path = BT_STR("."),
        .workflow_id = BT_STR("sample"),
        .phase = BT_STR("handoff"),
        .summary = BT_STR("Build the fix for the date parser. Three customers wait for it."),
        .problem_type = BT_STR("implementation"),
        .working = BT_STR("{\"ticket\":\"DP-118\",\"files\":[\"parse.c\",\"date.c\"]}"),
        .pretty = true,
    };
    BT_TRY(bt_universal_checker_create(init->env, &checker));
    const enum bt_status status =
        bt_universal_draft_write(checker, init->arena, &draft, &init->sample, NULL);
    bt_universal_checker_destroy(checker);
    return status;
}

static enum bt_status plan_sample(struct setup_init *init, struct bt_error *error)
{
    bool has_folder = false;
    bool exists = false;
    if (!init->options.wants_sample) {
        return BT_OK;
    }
    BT_TRY(find_target(init, SAMPLE_FOLDER, S_IFDIR, &has_folder, error));
    BT_TRY(find_target(init, SAMPLE_FILE, S_IFREG, &exists, error));
    setup_init_add_file(init, BT_STR(SAMPLE_FILE), exists ? SETUP_UNCHANGED : SETUP_CREATED);
    return exists ? BT_OK : make_sample(init);
}

enum bt_status setup_init_plan(struct setup_init *init, struct bt_error *error)
{
    BT_TRY(plan_config(init, error));
    BT_TRY(plan_gitignore(init, error));
    BT_TRY(plan_store(init, error));
    return plan_sample(init, error);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static enum bt_status write_config(struct setup_init *init, bt_str path, bool exists,
                                   struct bt_error *error)
{
    struct bt_buf old;
    if (!exists) {
        return bt_file_create(path, bt_str_of(config_text), error);
    }
    bt_buf_init(&old, PATH_MAX);
    const enum bt_status status = bt_file_back_up(path, &old, error);
    bt_buf_free(&old);
    (void)init;
    return status == BT_OK ? bt_file_replace(path, bt_str_of(config_text), error) : status;
}

/* Make a ledger with its own name and key. */
static enum bt_status write_store(struct setup_init *init, bt_str path, struct bt_error *error)
{
    struct bt_ledger_init_result made;
    struct bt_ledger_memory memory;
    uint64_t name[2];
    bt_str origin;
    if (!init->env->random(init->env->context, name, sizeof(name))) {
        return bt_error_set(error, BT_EIO, "the system gave no random bytes");
    }
    BT_TRY(bt_arena_printf(init->arena, &origin, "baton.local/%016" PRIx64 "%016" PRIx64, name[0],
                           name[1]));
    BT_TRY(config_find_memory(init->arena, bt_config_defaults(), &memory));
    const struct bt_ledger_options where = {.store = path.ptr, .memory = memory};
    const struct bt_ledger_init_options plan = {.origin = origin, .key_text = BT_STR("")};
    return bt_ledger_init(init->env, init->arena, &where, &plan, &made, error);
}

static enum bt_status write_sample(struct setup_init *init, bt_str path, struct bt_error *error)
{
    bt_str folder;
    BT_TRY(make_path(init, SAMPLE_FOLDER, &folder));
    if (mkdir(folder.ptr, 0777) != 0 && errno != EEXIST) {
        return bt_error_set(error, BT_EIO, "%s: %s", folder.ptr, strerror(errno));
    }
    return bt_file_create(path, init->sample, error);
}

static enum bt_status write_file(struct setup_init *init, const struct setup_init_file *file,
                                 struct bt_error *error)
{
    const bool exists = file->action == SETUP_UPDATED;
    struct bt_error why = {0};
    enum bt_status status = BT_OK;
    bt_str path;
    BT_TRY(make_path(init, file->path.ptr, &path));
    if (bt_str_eq(file->path, BT_STR(CONFIG_FILE))) {
        status = write_config(init, path, exists, &why);
    } else if (bt_str_eq(file->path, BT_STR(GITIGNORE_FILE))) {
        status = bt_file_replace(path, init->gitignore, &why);
    } else if (bt_str_eq(file->path, BT_STR(SETUP_STORE_PATH))) {
        status = write_store(init, path, &why);
    } else if (bt_str_eq(file->path, BT_STR(SAMPLE_FILE))) {
        status = write_sample(init, path, &why);
    }
    return status == BT_OK ? BT_OK
                           : bt_error_set(error, status, "cannot write %.80s: %s", path.ptr,
                                          why.text[0] ? why.text : bt_status_text(status));
}

enum bt_status setup_init_write(struct setup_init *init, struct bt_error *error)
{
    for (size_t i = 0; i < init->file_count; i++) {
        if (init->files[i].action != SETUP_UNCHANGED) {
            BT_TRY(write_file(init, &init->files[i], error));
        }
    }
    return BT_OK;
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* The dialect of a file that a walk found, or BT_DIALECT_NONE. */
static enum bt_dialect_id recognise_item(const struct check_walk_item *item,
                                         struct check_found_buffer *buffer)
{
    const struct check_found_file file = {item->path.ptr, item->real, item->dialect,
                                          item->is_regular};
    struct check_found_result found = {.dialect = BT_DIALECT_NONE};
    const enum bt_status status = check_found_read(NULL, &file, buffer, 0, &found, NULL);
    return status == BT_OK && found.choice == BT_WALK_JUDGE ? found.dialect : BT_DIALECT_NONE;
}

enum bt_status setup_init_count(struct setup_init *init)
{
    const struct check_walk_options options = {.uses_gitignore = true};
    struct check_found_buffer *buffer = BT_NEW(init->arena, struct check_found_buffer);
    struct check_walk *walk = check_walk_create(&options, init->env->hash_seed);
    struct check_walk_item item;
    if (!buffer || !walk) {
        check_walk_destroy(walk);
        return BT_ENOMEM;
    }
    check_walk_begin(walk, init->options.folder);
    while (check_walk_next(walk, &item)) {
        if (item.kind == CHECK_WALK_FILE) {
            init->dialects[recognise_item(&item, buffer)]++;
        }
    }
    init->dialects[BT_DIALECT_NONE] = 0;
    check_walk_destroy(walk);
    return BT_OK;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static const char *action_name(enum setup_action action, bool is_dry)
{
    static const char *const names[][2] = {[SETUP_UNCHANGED] = {"unchanged", "unchanged"},
                                           [SETUP_CREATED] = {"created", "would_create"},
                                           [SETUP_UPDATED] = {"updated", "would_update"}};
    return names[action][is_dry ? 1 : 0];
}

/* Put a word for a shell, quoted where it needs that. */
static void put_shell_word(struct bt_buf *buf, bt_str word)
{
    const bt_str plain = BT_STR("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._/+,:@%-");
    bool is_plain = word.len > 0;
    for (size_t i = 0; i < word.len; i++) {
        is_plain = is_plain && bt_str_find_byte(plain, word.ptr[i], 0) < plain.len;
    }
    bt_buf_put_text(buf, is_plain ? "" : "'");
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] == '\'') {
            bt_buf_put_text(buf, "'\\''");
        } else {
            bt_buf_put_char(buf, word.ptr[i]);
        }
    }
    bt_buf_put_text(buf, is_plain ? "" : "'");
}

/* Commands to continue with, at most SETUP_NEXT_MAX. */
struct setup_next {
    const char *words[SETUP_NEXT_MAX]; /* after `baton` */
    const char *hosts[SETUP_NEXT_MAX]; /* a host that follows them, or NULL */
    size_t count;
};

static void add_next(struct setup_next *next, const char *words, const char *host)
{
    if (next->count < SETUP_NEXT_MAX) {
        next->words[next->count] = words;
        next->hosts[next->count++] = host;
    }
}

static struct setup_next find_next(const struct setup_init *init)
{
    struct setup_next next = {.count = 0};
    const struct setup_init_host *installed = NULL;
    const struct setup_init_host *seen = NULL;
    size_t documents = 0;
    for (size_t i = 0; i < BT_DIALECT__MAX; i++) {
        documents += init->dialects[i];
    }
    for (size_t i = init->host_count; i > 0; i--) {
        const struct setup_init_host *host = &init->hosts[i - 1];
        installed = host->mode ? host : installed;
        seen = !host->mode && host->found_count > 0 ? host : seen;
    }
    add_next(&next, documents > 0 ? "check ." : "new universal --help", NULL);
    if (installed) {
        add_next(&next, "hook test", installed->host->name);
        add_next(&next, "contract state", NULL);
    } else if (seen) {
        add_next(&next, "init --hook", seen->host->name);
    }
    add_next(&next, "doctor", NULL);
    return next;
}

static void put_next(struct bt_buf *buf, const struct setup_init *init,
                     const struct setup_next *next, size_t index)
{
    bt_buf_put_text(buf, "baton ");
    if (strcmp(init->options.folder, ".") != 0) {
        bt_buf_put_text(buf, "-C ");
        put_shell_word(buf, bt_str_of(init->options.folder));
        bt_buf_put_char(buf, ' ');
    }
    bt_buf_printf(buf, "%s%s%s", next->words[index], next->hosts[index] ? " " : "",
                  next->hosts[index] ? next->hosts[index] : "");
}

static void emit_host(struct bt_emit *emit, const struct setup_init_host *host)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "host", bt_str_of(host->host->name));
    bt_emit_member_array(emit, "found");
    for (size_t i = 0; i < host->found_count; i++) {
        bt_emit_string(emit, bt_str_of(host->found[i]));
    }
    bt_emit_end(emit);
    bt_emit_member_string_or_null(emit, "hook",
                                  host->mode ? bt_str_of(host->mode) : (bt_str){NULL, 0});
    bt_emit_end(emit);
}

static void emit_rest(struct bt_emit *emit, const struct setup_init *init)
{
    const struct setup_next next = find_next(init);
    bt_emit_member_object(emit, "dialects");
    for (enum bt_dialect_id i = BT_DIALECT_NONE; i < BT_DIALECT__MAX; i++) {
        if (init->dialects[i] > 0) {
            bt_emit_member_u64(emit, bt_dialect_name(i).ptr, init->dialects[i]);
        }
    }
    bt_emit_end(emit);
    bt_emit_member_array(emit, "next");
    for (size_t i = 0; i < next.count; i++) {
        struct bt_buf line;
        bt_buf_init(&line, (size_t)8 * PATH_MAX);
        put_next(&line, init, &next, i);
        bt_emit_string(emit, bt_buf_str(&line));
        bt_buf_free(&line);
    }
    bt_emit_end(emit);
}

void setup_init_put_json(struct bt_buf *buf, const struct setup_init *init, bool is_dry)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_object(&emit, "init");
    bt_emit_member_string(&emit, "folder", bt_str_of(init->options.folder));
    bt_emit_member_string_or_null(&emit, "repository", init->repository);
    bt_emit_member_array(&emit, "files");
    for (size_t i = 0; i < init->file_count; i++) {
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "path", init->files[i].path);
        bt_emit_member_string(&emit, "action",
                              bt_str_of(action_name(init->files[i].action, is_dry)));
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_member_array(&emit, "hosts");
    for (size_t i = 0; i < init->host_count; i++) {
        emit_host(&emit, &init->hosts[i]);
    }
    bt_emit_end(&emit);
    emit_rest(&emit, init);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

static void put_host(struct bt_buf *buf, const struct setup_init_host *host)
{
    bt_buf_printf(buf, "%-12s  ", host->host->name);
    if (host->mode) {
        bt_buf_printf(buf, "hook in mode %s", host->mode);
    } else {
        bt_buf_put_text(buf, host->found_count > 0 ? "no hook" : "not found");
    }
    for (size_t i = 0; i < host->found_count; i++) {
        bt_buf_printf(buf, "%s%s", i == 0 ? "; found: " : ", ", host->found[i]);
    }
    bt_buf_put_char(buf, '\n');
}

void setup_init_put_text(struct bt_buf *buf, const struct setup_init *init, bool is_dry)
{
    const struct setup_next next = find_next(init);
    for (size_t i = 0; i < init->file_count; i++) {
        bt_buf_printf(buf, "%-12s  %.*s\n", action_name(init->files[i].action, is_dry),
                      BT_STR_ARG(init->files[i].path));
    }
    for (size_t i = 0; i < init->host_count; i++) {
        put_host(buf, &init->hosts[i]);
    }
    bt_buf_put_text(buf, "\nNext:\n");
    for (size_t i = 0; i < next.count; i++) {
        bt_buf_put_text(buf, "  ");
        put_next(buf, init, &next, i);
        bt_buf_put_char(buf, '\n');
    }
}
