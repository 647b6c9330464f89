/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.c - find the documents below a folder.
 *
 * An entry is dropped by the first test that applies: hidden, node_modules, .gitignore, exclude,
 * include, and last its name and content. Git is not run, and no other configuration of it is read.
 */
#define _DEFAULT_SOURCE /* realpath() */

#include "walk.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "json/emit.h"
#include "output.h"

enum {
    LEVELS_MAX = 64,
    ENTRIES_MAX = 1000000,
};

/* A folder that is yet to be read. */
struct cli_walk_dir {
    bt_str path;                          /* as the user wrote it; ends in a NUL byte */
    bt_str real;                          /* absolute, without links */
    const struct bt_ignore_list *ignored; /* of this folder and those above it; NULL: none */
};

struct cli_walk_dirs {
    struct cli_walk_dir *items;
    size_t count;
    size_t capacity;
};

/* One walk. */
struct cli_walk_state {
    struct cli_walk *walk;
    struct cli_walk_dirs dirs;
    struct cli_walk_files *files;
    size_t entries;
    bool has_failed;
    char head[BT_RECOGNISE_BYTES];
    char tail[BT_RECOGNISE_BYTES];
};

/* An entry of a folder. */
struct cli_walk_entry {
    int folder; /* descriptor */
    const char *name;
    bt_str path;
    bt_str real;
    struct stat info;
};

static void fail_path(struct cli_walk_state *state, bt_str path, enum bt_failure_reason reason,
                      const char *message)
{
    const struct bt_failure failure = {path, reason, bt_str_of(message)};
    state->has_failed = true;
    cli_fail(state->walk->options, "look through", &failure);
}

static void fail_errno(struct cli_walk_state *state, bt_str path)
{
    fail_path(state, path, cli_reason_of_errno(errno), strerror(errno));
}

/* FOLDER/NAME, without "." and without doubling a slash at the end. */
static enum bt_status join_path(struct bt_arena *arena, bt_str folder, const char *name,
                                bt_str *out)
{
    if (bt_str_eq(folder, BT_STR("."))) {
        return bt_arena_copy(arena, bt_str_of(name), out);
    }
    const char *between = bt_str_ends_with(folder, BT_STR("/")) ? "" : "/";
    return bt_arena_printf(arena, out, "%.*s%s%s", BT_STR_ARG(folder), between, name);
}

/* ---- Patterns -------------------------------------------------------------------------------- */

static bool fail_pattern(const struct cli_options *options, bt_str text)
{
    return cli_refuse_usage(options, "a pattern has more than %d bytes: %.*s...",
                            (int)BT_IGNORE_PATTERN_BYTES_MAX, 40, text.ptr);
}

static bool take_flags(const struct cli_options *options, const struct cli_flag *flag,
                       struct bt_arena *arena, struct bt_ignore_list *list)
{
    const char *text = NULL;
    for (size_t i = 0; (text = cli_given_at(options, flag, i)); i++) {
        const enum bt_status status =
            i < BT_IGNORE_PATTERNS_MAX ? bt_ignore_add(arena, list, bt_str_of(text)) : BT_ELIMIT;
        if (status == BT_ELIMIT) {
            return fail_pattern(options, bt_str_of(text));
        }
        if (status != BT_OK) {
            return cli_refuse_status(status);
        }
    }
    return true;
}

static bool take_config(const struct cli_options *options, const char *key, struct bt_arena *arena,
                        struct bt_ignore_list *list)
{
    for (size_t i = 0; i < bt_config_count(options->config, key); i++) {
        const bt_str text = bt_config_item(options->config, key, i);
        const enum bt_status status =
            i < BT_IGNORE_PATTERNS_MAX ? bt_ignore_add(arena, list, text) : BT_ELIMIT;
        if (status == BT_ELIMIT) {
            return fail_pattern(options, text);
        }
        if (status != BT_OK) {
            return cli_refuse_status(status);
        }
    }
    return true;
}

/* The absolute path of a folder; "" stands for the current one. */
static bool find_real(struct bt_arena *arena, bt_str folder, bt_str *out)
{
    char real[PATH_MAX];
    bt_str path = BT_STR("");
    if (bt_arena_printf(arena, &path, "%.*s", BT_STR_ARG(folder.len > 0 ? folder : BT_STR("."))) !=
        BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (bt_arena_copy(arena, path, &path) != BT_OK || !realpath(path.ptr, real)) {
        return cli_refuse("cannot find the folder %.*s: %s", BT_STR_ARG(path), strerror(errno));
    }
    return bt_arena_copy(arena, bt_str_of(real), out) == BT_OK || cli_refuse_status(BT_ENOMEM);
}

bool cli_walk_init(struct cli_walk *walk, const struct cli_options *options, struct bt_arena *arena)
{
    *walk = (struct cli_walk){.options = options, .arena = arena};
    walk->uses_gitignore =
        !cli_given(options, &flag_no_gitignore) && bt_config_bool(options->config, "gitignore");
    return take_config(options, "include", arena, &walk->include[0]) &&
           take_config(options, "exclude", arena, &walk->exclude[0]) &&
           take_flags(options, &flag_include, arena, &walk->include[1]) &&
           take_flags(options, &flag_exclude, arena, &walk->exclude[1]) &&
           find_real(arena, bt_config_folder(options->config, "include"),
                     &walk->include[0].folder) &&
           find_real(arena, bt_config_folder(options->config, "exclude"),
                     &walk->exclude[0].folder) &&
           find_real(arena, BT_STR(""), &walk->include[1].folder) &&
           find_real(arena, BT_STR(""), &walk->exclude[1].folder);
}

static bool is_excluded(const struct cli_walk *walk, bt_str real, bool is_folder)
{
    for (size_t i = 0; i < 2; i++) {
        const struct bt_ignore_pattern *found = bt_ignore_find(&walk->exclude[i], real, is_folder);
        if (found && !found->is_negated) {
            return true;
        }
    }
    return false;
}

/* Whether there are include patterns and none of them covers the file. */
static bool is_not_included(const struct cli_walk *walk, bt_str real)
{
    const bool has_patterns = walk->include[0].count + walk->include[1].count > 0;
    return has_patterns && !bt_ignore_cover(&walk->include[0], real) &&
           !bt_ignore_cover(&walk->include[1], real);
}

static bool is_named_by_include(const struct cli_walk *walk, bt_str real)
{
    return bt_ignore_name(&walk->include[0], real) || bt_ignore_name(&walk->include[1], real);
}

/* ---- .gitignore ------------------------------------------------------------------------------ */

/* Read a small regular file below a folder; "" when there is none. */
static bt_str read_patterns(struct bt_arena *arena, int folder, const char *name)
{
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat info;
    bt_str text = BT_STR("");
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
        const size_t size = info.st_size < BT_IGNORE_FILE_BYTES_MAX ? (size_t)info.st_size
                                                                    : BT_IGNORE_FILE_BYTES_MAX;
        char *bytes = bt_arena_alloc(arena, size);
        const ssize_t got = bytes ? pread(fd, bytes, size, 0) : -1;
        text = got > 0 ? (bt_str){bytes, (size_t)got} : text;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return text;
}

/* Add the patterns of a file of a folder to those of the folders above; *list stays when it has
 * none. */
static enum bt_status add_ignored(struct bt_arena *arena, int folder, const char *name, bt_str real,
                                  const struct bt_ignore_list **list)
{
    const bt_str text = read_patterns(arena, folder, name);
    if (text.len == 0) {
        return BT_OK;
    }
    struct bt_ignore_list *own = BT_NEW(arena, struct bt_ignore_list);
    BT_TRY(own ? BT_OK : BT_ENOMEM);
    own->parent = *list;
    own->folder = real;
    BT_TRY(bt_ignore_add_lines(arena, own, text));
    *list = own;
    return BT_OK;
}

static bool is_repository(int folder)
{
    struct stat info;
    return fstatat(folder, ".git", &info, AT_SYMLINK_NOFOLLOW) == 0 ||
           fstatat(folder, ".hg", &info, AT_SYMLINK_NOFOLLOW) == 0 ||
           fstatat(folder, ".jj", &info, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The length of the path of the nearest folder, from `real` upwards, that is a repository; 0: there
 * is none. */
static size_t find_repository(struct bt_arena *arena, bt_str real)
{
    for (size_t end = real.len; end > 0;) {
        bt_str path = BT_STR("");
        if (bt_arena_copy(arena, bt_str_slice(real, 0, end), &path) != BT_OK) {
            return 0;
        }
        const int fd = open(path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        const bool found = fd >= 0 && is_repository(fd);
        if (fd >= 0) {
            (void)close(fd);
        }
        if (found) {
            return end;
        }
        do {
            end--;
        } while (end > 0 && real.ptr[end] != '/');
    }
    return 0;
}

/* The patterns of the repository above the folder where a walk begins. */
static enum bt_status find_ignored_above(struct bt_arena *arena, bt_str real,
                                         const struct bt_ignore_list **out)
{
    size_t end = find_repository(arena, real);
    *out = NULL;
    for (bool is_root = true; end > 0 && end < real.len; is_root = false) {
        bt_str path = BT_STR("");
        BT_TRY(bt_arena_copy(arena, bt_str_slice(real, 0, end), &path));
        const int fd = open(path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        enum bt_status status = BT_OK;
        if (fd >= 0) {
            status = is_root ? add_ignored(arena, fd, ".git/info/exclude", path, out) : BT_OK;
            status = status == BT_OK ? add_ignored(arena, fd, ".gitignore", path, out) : status;
            (void)close(fd);
        }
        BT_TRY(status);
        end = bt_str_find_byte(real, '/', end + 1);
    }
    return BT_OK;
}

/* ---- Entries --------------------------------------------------------------------------------- */

/* Read an end of a file; "" when that fails. */
static bt_str read_end(int fd, char *bytes, off_t from)
{
    const ssize_t got = pread(fd, bytes, BT_RECOGNISE_BYTES, from);
    return got > 0 ? (bt_str){bytes, (size_t)got} : BT_STR("");
}

/* Choose by the ends of a file. False when it cannot be opened; the failure was reported. A special
 * file is not opened here: if its name calls it a document, reading it will report the error. */
static bool choose_by_content(struct cli_walk_state *state, const struct cli_walk_entry *entry,
                              enum bt_walk_choice *out, enum bt_dialect_id *out_dialect)
{
    if (!S_ISREG(entry->info.st_mode)) {
        *out = bt_walk_choose(entry->real, BT_STR(""), BT_STR(""), out_dialect);
        return true;
    }
    const int fd =
        openat(entry->folder, entry->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        fail_errno(state, entry->path);
        return false;
    }
    const bool has_tail =
        entry->info.st_size > BT_RECOGNISE_BYTES && bt_recognise_needs_end(entry->path);
    const bt_str head = read_end(fd, state->head, 0);
    const bt_str tail =
        has_tail ? read_end(fd, state->tail, entry->info.st_size - BT_RECOGNISE_BYTES) : BT_STR("");
    (void)close(fd);
    /* The resolved path has the name of its folder too, as in `cd handoffs && baton check .`. */
    *out = bt_walk_choose(entry->real, head, tail, out_dialect);
    return true;
}

static enum bt_status add_file(struct cli_walk_state *state, bt_str path,
                               enum bt_dialect_id dialect)
{
    state->walk->counts.judged++;
    return bt_vec_push(state->walk->arena, state->files, (struct cli_walk_file){path, dialect});
}

static enum bt_status skip_file(struct cli_walk *walk, bt_str path, const char *reason)
{
    walk->counts.unrecognised++;
    if (walk->skipped.count == CLI_SKIPPED_MAX) {
        walk->skipped_more++;
        return BT_OK;
    }
    return bt_vec_push(walk->arena, &walk->skipped, (struct cli_skipped){path, reason});
}

static enum bt_status take_file(struct cli_walk_state *state, const struct cli_walk_entry *entry)
{
    struct cli_walk *walk = state->walk;
    const enum bt_dialect_id named = walk->options->dialect;
    enum bt_dialect_id dialect = BT_DIALECT_NONE;
    enum bt_walk_choice choice = BT_WALK_PASS;
    if (is_not_included(walk, entry->real)) {
        walk->counts.excluded++;
        return BT_OK;
    }
    const bool is_link = S_ISLNK(entry->info.st_mode); /* links are not followed */
    if (named && !is_link && bt_walk_has_ending_of(entry->path, named)) {
        return add_file(state, entry->path, named);
    }
    if (!named && !is_link && bt_walk_accepts_name(entry->path) &&
        !choose_by_content(state, entry, &choice, &dialect)) {
        return BT_OK;
    }
    switch (choice) {
    case BT_WALK_JUDGE:
        return add_file(state, entry->path, dialect);
    case BT_WALK_NO_BLOCK:
        return skip_file(walk, entry->path, "no_block");
    case BT_WALK_NO_ENVELOPE:
        return skip_file(walk, entry->path, "no_envelope");
    case BT_WALK_PASS:
        break;
    }
    walk->counts.unrecognised++;
    return BT_OK;
}

/* Whether a test drops the entry; it is counted then. */
static bool drop_entry(struct cli_walk_state *state, const struct cli_walk_dir *dir,
                       const struct cli_walk_entry *entry)
{
    struct cli_walk *walk = state->walk;
    const bool is_folder = S_ISDIR(entry->info.st_mode);
    const struct bt_ignore_pattern *ignored = bt_ignore_find(dir->ignored, entry->real, is_folder);
    if (entry->name[0] == '.' && !is_named_by_include(walk, entry->real)) {
        walk->counts.hidden++;
    } else if (is_folder && strcmp(entry->name, "node_modules") == 0 &&
               !is_named_by_include(walk, entry->real)) {
        walk->counts.excluded++;
    } else if (ignored && !ignored->is_negated) {
        walk->counts.gitignored++;
    } else if (is_excluded(walk, entry->real, is_folder)) {
        walk->counts.excluded++;
    } else {
        return false;
    }
    return true;
}

static enum bt_status take_entry(struct cli_walk_state *state, const struct cli_walk_dir *dir,
                                 int folder, const char *name)
{
    struct bt_arena *arena = state->walk->arena;
    struct cli_walk_entry entry = {.folder = folder, .name = name};
    BT_TRY(join_path(arena, dir->path, name, &entry.path));
    BT_TRY(join_path(arena, dir->real, name, &entry.real));
    if (fstatat(folder, name, &entry.info, AT_SYMLINK_NOFOLLOW) != 0) {
        fail_errno(state, entry.path);
        return BT_OK;
    }
    if (drop_entry(state, dir, &entry)) {
        return BT_OK;
    }
    if (!S_ISDIR(entry.info.st_mode)) {
        return take_file(state, &entry);
    }
    const struct cli_walk_dir inner = {entry.path, entry.real, dir->ignored};
    return bt_vec_push(arena, &state->dirs, inner);
}

/* ---- Folders --------------------------------------------------------------------------------- */

static void visit_entries(struct cli_walk_state *state, const struct cli_walk_dir *dir,
                          DIR *entries)
{
    for (;;) { /* ends with the folder, or at the limit */
        errno = 0;
        const struct dirent *entry = readdir(entries);
        if (!entry) {
            if (errno != 0) {
                fail_errno(state, dir->path);
            }
            return;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (state->entries++ == ENTRIES_MAX) {
            fail_path(state, dir->path, BT_FAILURE_WALK_LIMIT, "too many files");
            return;
        }
        if (take_entry(state, dir, dirfd(entries), entry->d_name) != BT_OK) {
            fail_path(state, dir->path, BT_FAILURE_MEMORY, bt_status_text(BT_ENOMEM));
            return;
        }
    }
}

static void visit_dir(struct cli_walk_state *state, size_t index)
{
    struct cli_walk_dir dir = state->dirs.items[index];
    const int follow = index == 0 ? 0 : O_NOFOLLOW; /* the user named the first one */
    const int fd = open(dir.path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow);
    DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
    if (!entries) {
        fail_errno(state, dir.path);
        if (fd >= 0) {
            (void)close(fd);
        }
        return;
    }
    if (state->walk->uses_gitignore &&
        ((index == 0 && is_repository(fd) &&
          add_ignored(state->walk->arena, fd, ".git/info/exclude", dir.real, &dir.ignored) !=
              BT_OK) ||
         add_ignored(state->walk->arena, fd, ".gitignore", dir.real, &dir.ignored) != BT_OK)) {
        fail_path(state, dir.path, BT_FAILURE_MEMORY, bt_status_text(BT_ENOMEM));
    }
    visit_entries(state, &dir, entries);
    (void)closedir(entries);
}

/* Go through the folders level by level. */
static void visit_levels(struct cli_walk_state *state)
{
    size_t visited = 0;
    for (size_t level = 0; visited < state->dirs.count; level++) {
        if (level == LEVELS_MAX) {
            fail_path(state, state->dirs.items[visited].path, BT_FAILURE_WALK_LIMIT,
                      "folders are nested too deeply");
            return;
        }
        const size_t level_end = state->dirs.count;
        for (; visited < level_end; visited++) {
            visit_dir(state, visited);
        }
    }
}

static int compare_files(const void *a, const void *b)
{
    return bt_str_compare(((const struct cli_walk_file *)a)->path,
                          ((const struct cli_walk_file *)b)->path);
}

static int compare_skipped(const void *a, const void *b)
{
    return bt_str_compare(((const struct cli_skipped *)a)->path,
                          ((const struct cli_skipped *)b)->path);
}

static void sort_paths(struct cli_walk *walk, size_t skipped_before, struct cli_walk_files *files)
{
    const size_t skipped = walk->skipped.count - skipped_before;
    if (files->count > 1) {
        qsort(files->items, files->count, sizeof(*files->items), compare_files);
    }
    if (skipped > 1) {
        qsort(walk->skipped.items + skipped_before, skipped, sizeof(*walk->skipped.items),
              compare_skipped);
    }
}

/* The folder as it begins the paths of its files: without ./ before it and / behind it. */
static bt_str trim_folder(const char *folder)
{
    bt_str path = bt_str_of(folder);
    while (path.len > 2 && bt_str_starts_with(path, BT_STR("./"))) {
        path = bt_str_slice(path, 2, path.len);
        while (path.len > 1 && path.ptr[0] == '/') {
            path = bt_str_slice(path, 1, path.len);
        }
    }
    while (path.len > 1 && bt_str_ends_with(path, BT_STR("/"))) {
        path.len--;
    }
    return path;
}

static enum bt_status begin_walk(struct cli_walk_state *state, const char *folder, const char *real)
{
    struct bt_arena *arena = state->walk->arena;
    struct cli_walk_dir top = {.ignored = NULL};
    BT_TRY(bt_arena_copy(arena, trim_folder(folder), &top.path));
    BT_TRY(bt_arena_copy(arena, bt_str_of(real), &top.real));
    if (state->walk->uses_gitignore) {
        BT_TRY(find_ignored_above(arena, top.real, &top.ignored));
    }
    return bt_vec_push(arena, &state->dirs, top);
}

bool cli_walk_folder(struct cli_walk *walk, const char *folder, struct cli_walk_files *out)
{
    assert(walk);
    assert(folder);
    *out = (struct cli_walk_files){NULL, 0, 0};
    char real[PATH_MAX];
    struct cli_walk_state *state = BT_NEW(walk->arena, struct cli_walk_state);
    walk->was_used = true;
    if (!state) {
        return cli_refuse_status(BT_ENOMEM);
    }
    state->walk = walk;
    state->files = out;
    if (!realpath(folder, real)) {
        fail_errno(state, bt_str_of(folder));
        return false;
    }
    if (begin_walk(state, folder, real) != BT_OK) {
        fail_path(state, bt_str_of(folder), BT_FAILURE_MEMORY, bt_status_text(BT_ENOMEM));
        return false;
    }
    const size_t skipped_before = walk->skipped.count;
    visit_levels(state);
    sort_paths(walk, skipped_before, out);
    return !state->has_failed;
}

bool cli_walk_leaves_out(struct cli_walk *walk, const char *path)
{
    char real[PATH_MAX];
    const struct bt_ignore_list *ignored = NULL;
    if (!cli_given(walk->options, &flag_force_exclude) || !realpath(path, real)) {
        return false;
    }
    const bt_str whole = bt_str_of(real);
    const bool is_ignored = walk->uses_gitignore &&
                            find_ignored_above(walk->arena, whole, &ignored) == BT_OK && ignored &&
                            bt_ignore_cover(ignored, whole);
    const bool is_left_out = bt_ignore_cover(&walk->exclude[0], whole) ||
                             bt_ignore_cover(&walk->exclude[1], whole) ||
                             is_not_included(walk, whole);
    walk->counts.gitignored += is_ignored;
    walk->counts.excluded += !is_ignored && is_left_out;
    walk->was_used = walk->was_used || is_ignored || is_left_out;
    return is_ignored || is_left_out;
}

/* ---- The report ------------------------------------------------------------------------------ */

static void put_skipped(const struct cli_walk *walk, struct bt_emit *emit)
{
    bt_emit_member_array(emit, "skipped");
    for (size_t i = 0; i < walk->skipped.count; i++) {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "path", walk->skipped.items[i].path);
        bt_emit_member_string(emit, "reason", bt_str_of(walk->skipped.items[i].reason));
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    if (walk->skipped_more > 0) {
        bt_emit_member_u64(emit, "skipped_more", walk->skipped_more);
    }
}

void cli_walk_put_members(const struct cli_walk *walk, struct bt_buf *buf)
{
    const struct cli_walk_counts *counts = &walk->counts;
    if (!walk->was_used) {
        return;
    }
    struct bt_emit emit;
    const size_t from = buf->len;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    if (walk->skipped.count > 0) {
        put_skipped(walk, &emit);
    }
    bt_emit_member_object(&emit, "walk");
    bt_emit_member_u64(&emit, "files",
                       counts->judged + counts->unrecognised + counts->excluded +
                           counts->gitignored + counts->hidden);
    bt_emit_member_u64(&emit, "judged", counts->judged);
    bt_emit_member_u64(&emit, "unrecognised", counts->unrecognised);
    bt_emit_member_u64(&emit, "excluded", counts->excluded);
    bt_emit_member_u64(&emit, "gitignored", counts->gitignored);
    bt_emit_member_u64(&emit, "hidden", counts->hidden);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    /* Members are spliced into the report, so the braces around them go. */
    if (buf->status == BT_OK) {
        memmove(buf->ptr + from, buf->ptr + from + 1, buf->len - from - 2);
        buf->len -= 2;
    }
}
