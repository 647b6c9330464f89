/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.c - go through a folder and find the files that can be documents.
 *
 * An entry is dropped by the first test that applies: hidden, node_modules, .gitignore, exclude,
 * include, and last its name. Git is not run, and no other configuration of it is read.
 *
 * Folders are read one at a time and completely; what is kept of them is sorted. A folder sorts as
 * if its name ended in a slash, which gives the byte order of whole paths. Only the folders between
 * the first one and the current one are open, and memory holds only their entries.
 */
#define _DEFAULT_SOURCE /* realpath(), d_type */

#include "walk.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/vec.h"
#include "engine/recognise.h"
#include "failure.h"
#include "gitignore.h"
#include "json/emit.h"
#include "real_path.h"

enum {
    WALK_BYTES_MAX = 1 << 30,
    PATH_BYTES_MAX = 1 << 20, /* 64 names of 255 bytes, below any folder */
};

struct check_walk_entry {
    bt_str name; /* ends in a NUL byte */
    bool is_folder;
    bool is_regular;
    enum bt_dialect_id dialect; /* as given by settings, or BT_DIALECT_NONE */
};

/* A folder whose entries are being passed on. */
struct check_walk_level {
    DIR *dir;
    struct bt_arena_mark before;          /* its entries and patterns were allocated after this */
    const struct bt_ignore_list *ignored; /* of this folder and those above it; NULL: none */
    BT_VEC(struct check_walk_entry) entries;
    size_t next;
    bool is_listed;  /* it was passed on, if that is wanted ... */
    bool is_read;    /* ... and its entries were read */
    size_t path_len; /* of the folder, with a slash behind it */
    size_t real_len;
};

struct check_walk_failures {
    struct check_walk_item *items;
    size_t count;
    size_t capacity;
    size_t next;   /* the first that was not passed on */
    bool has_lost; /* one that found no memory, and was not passed on yet */
};

struct check_walk {
    const struct check_walk_options *options;
    struct check_walk_counts counts;
    bool was_used; /* a folder was walked, or a named path left out */
    struct bt_arena kept;
    struct check_left_out_list skipped;  /* files that only their names call documents */
    struct check_left_out_list left_out; /* everything, if that is wanted */
    struct bt_map folders;               /* absolute paths of those that were read */
    struct check_walk_failures failures;
    /* the current walk: */
    struct check_walk_counts dropped; /* added to `counts` at its end */
    bool is_walking;
    struct bt_arena arena;
    struct bt_buf path; /* of the current entry */
    struct bt_buf real;
    struct check_walk_level levels[CHECK_WALK_LEVELS_MAX];
    size_t depth;
    size_t entry_count;
    bool has_repeated;
};

struct check_walk *check_walk_create(const struct check_walk_options *options,
                                     const uint64_t seed[2])
{
    struct check_walk *walk = calloc(1, sizeof(*walk));
    if (walk) {
        walk->options = options;
        bt_arena_init(&walk->kept, WALK_BYTES_MAX);
        bt_arena_init(&walk->arena, WALK_BYTES_MAX);
        bt_buf_init(&walk->path, PATH_BYTES_MAX);
        bt_buf_init(&walk->real, PATH_BYTES_MAX);
        bt_map_init(&walk->folders, &walk->kept, seed);
    }
    return walk;
}

static void leave_level(struct check_walk *walk)
{
    struct check_walk_level *level = &walk->levels[--walk->depth];
    (void)closedir(level->dir);
    bt_arena_rewind(&walk->arena, level->before);
}

void check_walk_destroy(struct check_walk *walk)
{
    if (walk) {
        while (walk->depth > 0) {
            leave_level(walk);
        }
        bt_arena_free(&walk->kept);
        bt_arena_free(&walk->arena);
        bt_buf_free(&walk->path);
        bt_buf_free(&walk->real);
        free(walk);
    }
}

void check_walk_count_judged(struct check_walk *walk)
{
    walk->counts.judged++;
}

/* Count what is left out, and list it if that is wanted. */
static void leave_out(struct check_walk *walk, struct check_walk_counts *counts, bt_str path,
                      enum check_left_out_reason reason)
{
    counts->hidden += reason == CHECK_LEFT_OUT_HIDDEN;
    counts->gitignored += reason == CHECK_LEFT_OUT_GITIGNORED;
    counts->excluded += reason >= CHECK_LEFT_OUT_NODE_MODULES && reason < CHECK_LEFT_OUT_LINK;
    counts->unrecognised += reason >= CHECK_LEFT_OUT_LINK;
    if (walk->options->lists_dropped) {
        check_left_out_add(&walk->left_out, &walk->kept, CHECK_WALK_DROPPED_MAX, path, reason);
    }
}

void check_walk_skip(struct check_walk *walk, bt_str path, enum check_left_out_reason reason)
{
    walk->was_used = true;
    leave_out(walk, &walk->counts, path, reason);
    if (reason == CHECK_LEFT_OUT_NO_BLOCK || reason == CHECK_LEFT_OUT_NO_ENVELOPE) {
        check_left_out_add(&walk->skipped, &walk->kept, CHECK_WALK_SKIPPED_MAX, path, reason);
    }
}

size_t check_walk_skipped_count(const struct check_walk *walk)
{
    return walk->skipped.count + walk->skipped.more;
}

/* ---- Failures -------------------------------------------------------------------------------- */

/* Pass on a failure before the next entry. */
static void fail_path(struct check_walk *walk, bt_str path, enum bt_failure_reason reason,
                      const char *message)
{
    struct check_walk_item item = {
        .kind = CHECK_WALK_FAILURE, .path = BT_STR(""), .reason = reason};
    bt_str text = BT_STR("");
    const bool is_copied = bt_arena_copy(&walk->kept, path, &item.path) == BT_OK &&
                           bt_arena_copy(&walk->kept, bt_str_of(message), &text) == BT_OK;
    item.message = text.ptr;
    if (!is_copied || bt_vec_push(&walk->kept, &walk->failures, item) != BT_OK) {
        walk->failures.has_lost = true;
    }
}

/* Pass on a failure about the current path. */
static void fail_entry(struct check_walk *walk, enum bt_failure_reason reason, const char *message)
{
    fail_path(walk, bt_buf_str(&walk->path), reason, message);
}

static void fail_errno(struct check_walk *walk)
{
    const int number = errno;
    fail_entry(walk, check_failure_of_errno(number), strerror(number));
}

/*
 * Pass on that patterns could not be read; `name` is that of a file that is too large, absolute or
 * in the current folder, or NULL.
 */
static void fail_patterns(struct check_walk *walk, enum bt_status status, const char *name)
{
    const bt_str folder = name && name[0] == '/' ? BT_STR("") : bt_buf_str(&walk->path);
    bt_str path = folder;
    if (name && bt_arena_printf(&walk->arena, &path, "%.*s%s", BT_STR_ARG(folder), name) != BT_OK) {
        path = folder;
    }
    fail_path(walk, path, name ? BT_FAILURE_WALK_LIMIT : BT_FAILURE_MEMORY,
              name ? "the file has more than 1 MiB" : bt_status_text(status));
}

/* ---- Patterns -------------------------------------------------------------------------------- */

static bool is_excluded(const struct check_walk *walk, bt_str real, bool is_folder)
{
    const struct bt_ignore_pattern *found =
        bt_ignore_find(&walk->options->exclude, real, is_folder);
    return found && !found->is_negated;
}

static bool has_patterns(const struct bt_ignore_list *list)
{
    while (list && list->count == 0) {
        list = list->parent;
    }
    return list != NULL;
}

/* Whether there are include patterns and none of them covers the file. */
static bool is_not_included(const struct check_walk *walk, bt_str real)
{
    return has_patterns(&walk->options->include) && !bt_ignore_cover(&walk->options->include, real);
}

static bool is_own_file(const struct check_walk *walk, bt_str real)
{
    for (size_t i = 0; i < walk->options->own_file_count; i++) {
        if (bt_str_eq(walk->options->own_files[i], real)) {
            return true;
        }
    }
    return false;
}

bool check_walk_leaves_out(struct check_walk *walk, const char *path)
{
    char real[PATH_MAX];
    bool is_folder = false;
    const struct bt_ignore_list *ignored = NULL;
    if (!walk->options->forces_patterns || !check_real_path(path, real, &is_folder)) {
        return false;
    }
    const struct bt_arena_mark before = bt_arena_mark(&walk->arena);
    const char *too_large = NULL;
    const bt_str whole = bt_str_of(real);
    const bool is_ignored =
        walk->options->uses_gitignore &&
        check_gitignore_above(&walk->arena, whole, &ignored, &too_large) == BT_OK && ignored &&
        bt_ignore_drop(ignored, whole, is_folder);
    const bool is_dropped = bt_ignore_drop(&walk->options->exclude, whole, is_folder);
    bt_arena_rewind(&walk->arena, before);
    if (!is_ignored && !is_dropped && (is_folder || !is_not_included(walk, whole))) {
        return false;
    }
    check_walk_skip(walk, bt_str_of(path),
                    is_ignored   ? CHECK_LEFT_OUT_GITIGNORED
                    : is_dropped ? CHECK_LEFT_OUT_EXCLUDED
                                 : CHECK_LEFT_OUT_NOT_INCLUDED);
    return true;
}

/* ---- Entries --------------------------------------------------------------------------------- */

/* Make `path` and `real` those of an entry of the current folder. */
static void set_name(struct check_walk *walk, const struct check_walk_level *level, bt_str name)
{
    walk->path.len = level->path_len;
    walk->real.len = level->real_len;
    bt_buf_put(&walk->path, name);
    bt_buf_put(&walk->real, name);
}

/* The test that drops the entry, or NONE. */
static enum check_left_out_reason find_drop_reason(const struct check_walk *walk,
                                                   const struct check_walk_level *level,
                                                   bt_str name, bool is_folder)
{
    const bt_str real = bt_buf_str(&walk->real);
    const struct bt_ignore_list *include = &walk->options->include;
    if (name.ptr[0] == '.' && !bt_ignore_name(include, real)) {
        return CHECK_LEFT_OUT_HIDDEN;
    }
    if (is_folder && bt_str_eq(name, BT_STR("node_modules")) && !bt_ignore_name(include, real)) {
        return CHECK_LEFT_OUT_NODE_MODULES;
    }
    const struct bt_ignore_pattern *ignored = bt_ignore_find(level->ignored, real, is_folder);
    if (ignored && !ignored->is_negated) {
        return CHECK_LEFT_OUT_GITIGNORED;
    }
    if (is_excluded(walk, real, is_folder)) {
        return CHECK_LEFT_OUT_EXCLUDED;
    }
    const bool is_outside = !is_folder && is_not_included(walk, real);
    return is_outside ? CHECK_LEFT_OUT_NOT_INCLUDED : CHECK_LEFT_OUT_NONE;
}

/* Whether a file can be a document, by its name or by the settings; *out_dialect is set when they
 * say which. */
static bool can_be_document(const struct check_walk *walk, bt_str name,
                            enum bt_dialect_id *out_dialect)
{
    const struct check_walk_options *options = walk->options;
    const bt_str real = bt_buf_str(&walk->real);
    if (options->takes_all_files) {
        return true;
    }
    if (options->dialect) {
        *out_dialect = options->dialect;
        return bt_walk_has_ending_of(name, options->dialect);
    }
    *out_dialect =
        options->dialect_of ? options->dialect_of(options->settings, real) : BT_DIALECT_NONE;
    return *out_dialect || bt_walk_accepts_name(name);
}

/* The type of an entry as readdir() gives it, where the file system tells; else by asking. False
 * when it is gone or cannot be asked about. */
static bool find_type(const struct check_walk_level *level, const struct dirent *found,
                      unsigned char *out)
{
    struct stat info;
    *out = found->d_type;
    if (found->d_type != DT_UNKNOWN) {
        return true;
    }
    if (fstatat(dirfd(level->dir), found->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return false;
    }
    *out = (unsigned char)IFTODT(info.st_mode);
    return true;
}

/* Count an entry that is dropped; keep what is a folder or can be a document. */
static enum bt_status add_entry(struct check_walk *walk, struct check_walk_level *level,
                                const struct dirent *found)
{
    struct check_walk_entry entry = {.name = bt_str_of(found->d_name)};
    unsigned char type = DT_UNKNOWN;
    set_name(walk, level, entry.name);
    BT_TRY(walk->path.status);
    BT_TRY(walk->real.status);
    if (!find_type(level, found, &type)) {
        fail_errno(walk);
        return BT_OK;
    }
    entry.is_folder = type == DT_DIR;
    entry.is_regular = type == DT_REG;
    enum check_left_out_reason reason = find_drop_reason(walk, level, entry.name, entry.is_folder);
    if (!reason && !entry.is_folder) {
        reason = type == DT_LNK ? CHECK_LEFT_OUT_LINK /* links are not followed */
                 : is_own_file(walk, bt_buf_str(&walk->real))        ? CHECK_LEFT_OUT_OWN_FILE
                 : can_be_document(walk, entry.name, &entry.dialect) ? CHECK_LEFT_OUT_NONE
                                                                     : CHECK_LEFT_OUT_UNRECOGNISED;
    }
    if (reason) {
        leave_out(walk, &walk->dropped, bt_buf_str(&walk->path), reason);
        return BT_OK;
    }
    BT_TRY(bt_arena_copy(&walk->arena, entry.name, &entry.name));
    return bt_vec_push(&walk->arena, &level->entries, entry);
}

/* The byte order of the paths below two entries. */
static int compare_entries(const void *a, const void *b)
{
    const struct check_walk_entry *left = a;
    const struct check_walk_entry *right = b;
    const size_t shorter = left->name.len < right->name.len ? left->name.len : right->name.len;
    const int order = memcmp(left->name.ptr, right->name.ptr, shorter);
    if (order != 0 || left->name.len == right->name.len) {
        return order;
    }
    /* The shorter name ends here: with nothing, or with the slash of a folder. */
    const bool is_left = left->name.len == shorter;
    const unsigned char end = (is_left ? left : right)->is_folder ? '/' : '\0';
    const unsigned char other = (unsigned char)(is_left ? right : left)->name.ptr[shorter];
    const int shown = end < other ? -1 : 1;
    return is_left ? shown : -shown;
}

/* ---- Folders --------------------------------------------------------------------------------- */

static void read_entries(struct check_walk *walk, struct check_walk_level *level)
{
    for (;;) { /* ends with the folder, or at the limit */
        errno = 0;
        const struct dirent *found = readdir(level->dir);
        if (!found) {
            if (errno != 0) {
                walk->path.len = level->path_len;
                fail_errno(walk);
            }
            return;
        }
        if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) {
            continue;
        }
        if (walk->entry_count == CHECK_WALK_ENTRIES_MAX) {
            walk->path.len = level->path_len;
            fail_entry(walk, BT_FAILURE_WALK_LIMIT, "the walk has more than 1,000,000 entries");
            return;
        }
        walk->entry_count++;
        if (add_entry(walk, level, found) != BT_OK) {
            walk->path.len = level->path_len;
            fail_entry(walk, BT_FAILURE_MEMORY, bt_status_text(BT_ENOMEM));
            return;
        }
    }
}

/* Read the patterns of a folder for what lies below it. */
static void read_patterns(struct check_walk *walk, struct check_walk_level *level)
{
    const bt_str real = bt_str_slice(bt_buf_str(&walk->real), 0, level->real_len);
    const struct check_gitignore_folder folder = {
        .fd = dirfd(level->dir),
        .path = real.len > 1 ? bt_str_slice(real, 0, real.len - 1) : real,
        .is_first = walk->depth == 1};
    const char *too_large = NULL;
    const enum bt_status status =
        check_gitignore_of(&walk->arena, &folder, &level->ignored, &too_large);
    if (status != BT_OK) {
        fail_patterns(walk, status, too_large);
    }
}

/* Remember the folder, so that a later walk leaves it out. False when this one does. */
static bool remember_folder(struct check_walk *walk)
{
    bt_str real;
    struct bt_map_entry *entry = NULL;
    if (bt_map_find(&walk->folders, bt_map_text(bt_buf_str(&walk->real)))) {
        walk->has_repeated = true;
        return false;
    }
    if (bt_arena_copy(&walk->kept, bt_buf_str(&walk->real), &real) != BT_OK ||
        bt_map_add(&walk->folders, bt_map_text(real), &entry) != BT_OK) {
        fail_entry(walk, BT_FAILURE_MEMORY, bt_status_text(BT_ENOMEM));
        return false;
    }
    return true;
}

/* Begin a level for the folder that `path` and `real` name. */
static void begin_level(struct check_walk *walk, DIR *dir, const struct bt_ignore_list *ignored)
{
    struct check_walk_level *level = &walk->levels[walk->depth++];
    *level = (struct check_walk_level){
        .dir = dir, .before = bt_arena_mark(&walk->arena), .ignored = ignored};
    if (walk->path.len > 0 && !bt_str_ends_with(bt_buf_str(&walk->path), BT_STR("/"))) {
        bt_buf_put_char(&walk->path, '/');
    }
    if (walk->real.len > 1) {
        bt_buf_put_char(&walk->real, '/');
    }
    level->path_len = walk->path.len;
    level->real_len = walk->real.len;
}

/* Read the entries of the current folder. */
static void read_level(struct check_walk *walk, struct check_walk_level *level)
{
    level->is_read = true;
    walk->path.len = level->path_len;
    walk->real.len = level->real_len;
    if (level->path_len > 0) {
        walk->path.ptr[level->path_len - 1] = '/'; /* which list_folder() replaces */
    }
    if (walk->options->uses_gitignore) {
        read_patterns(walk, level);
    }
    read_entries(walk, level);
    if (level->entries.count > 1) {
        qsort(level->entries.items, level->entries.count, sizeof(*level->entries.items),
              compare_entries);
    }
}

/* Enter the folder that `path` and `real` name; `fd` is its descriptor, or -1 with errno set. */
static void enter_folder(struct check_walk *walk, int fd, const struct bt_ignore_list *ignored)
{
    if (fd < 0) {
        fail_errno(walk);
        return;
    }
    const bool is_new = remember_folder(walk);
    DIR *dir = is_new ? fdopendir(fd) : NULL;
    if (dir) {
        begin_level(walk, dir, ignored);
        return;
    }
    if (is_new) {
        fail_errno(walk);
    }
    (void)close(fd);
}

static void enter_entry(struct check_walk *walk, const struct check_walk_level *level,
                        const struct check_walk_entry *entry)
{
    if (walk->depth == CHECK_WALK_LEVELS_MAX) {
        fail_entry(walk, BT_FAILURE_WALK_LIMIT, "folders are nested too deeply");
        return;
    }
    const int fd =
        openat(dirfd(level->dir), entry->name.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    enter_folder(walk, fd, level->ignored);
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

void check_walk_begin(struct check_walk *walk, const char *folder)
{
    assert(walk);
    assert(walk->depth == 0);
    char real[PATH_MAX];
    const struct bt_ignore_list *ignored = NULL;
    const char *too_large = NULL;
    walk->was_used = true;
    walk->is_walking = true;
    walk->has_repeated = false;
    walk->dropped = (struct check_walk_counts){0};
    walk->entry_count = 0;
    walk->path.len = 0;
    walk->real.len = 0;
    bt_arena_reset(&walk->arena);
    bt_buf_put(&walk->path, trim_folder(folder));
    if (!realpath(folder, real)) {
        fail_errno(walk);
        return;
    }
    bt_buf_put_text(&walk->real, real);
    enum bt_status status = walk->path.status == BT_OK ? walk->real.status : walk->path.status;
    if (status == BT_OK && walk->options->uses_gitignore) {
        status = check_gitignore_above(&walk->arena, bt_str_of(real), &ignored, &too_large);
    }
    if (status != BT_OK) {
        fail_patterns(walk, status, too_large);
    }
    /* The user named this folder, so a link is followed here. */
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (bt_str_eq(bt_buf_str(&walk->path), BT_STR("."))) {
        walk->path.len = 0; /* the paths of its files begin with their names */
    }
    enter_folder(walk, fd, ignored);
}

/* ---- Items ----------------------------------------------------------------------------------- */

static void set_file(struct check_walk *walk, const struct check_walk_entry *entry,
                     struct check_walk_item *out)
{
    bt_buf_put_char(&walk->path, '\0');
    walk->path.len--;
    *out = (struct check_walk_item){.kind = CHECK_WALK_FILE,
                                    .path = bt_buf_str(&walk->path),
                                    .real = bt_buf_str(&walk->real),
                                    .dialect = entry->dialect,
                                    .is_regular = entry->is_regular};
}

/* Pass on the current folder: "." for the current directory, else without a slash at its end. */
static void list_folder(struct check_walk *walk, struct check_walk_level *level,
                        struct check_walk_item *out)
{
    level->is_listed = true;
    walk->path.len = level->path_len > 1 ? level->path_len - 1 : level->path_len;
    if (walk->path.len == 0) {
        bt_buf_put_char(&walk->path, '.');
    }
    bt_buf_put_char(&walk->path, '\0');
    walk->path.len--;
    *out = (struct check_walk_item){.kind = CHECK_WALK_FOLDER, .path = bt_buf_str(&walk->path)};
}

/* Take the next entry of the current folder: pass on a file (true), or enter a folder. */
static bool take_entry(struct check_walk *walk, struct check_walk_level *level,
                       struct check_walk_item *out)
{
    const struct check_walk_entry *entry = &level->entries.items[level->next++];
    set_name(walk, level, entry->name);
    if (!entry->is_folder) {
        set_file(walk, entry, out);
        return true;
    }
    enter_entry(walk, level, entry);
    return false;
}

static void end_walk(struct check_walk *walk)
{
    if (walk->is_walking) {
        walk->is_walking = false;
        walk->counts.unrecognised += walk->dropped.unrecognised;
        walk->counts.excluded += walk->dropped.excluded;
        walk->counts.gitignored += walk->dropped.gitignored;
        walk->counts.hidden += walk->dropped.hidden;
    }
}

struct check_walk_counts check_walk_dropped(const struct check_walk *walk)
{
    return walk->dropped;
}

bool check_walk_next(struct check_walk *walk, struct check_walk_item *out)
{
    for (;;) { /* ends, because every step takes an entry or leaves a folder */
        if (walk->failures.next < walk->failures.count) {
            *out = walk->failures.items[walk->failures.next++];
            return true;
        }
        if (walk->failures.has_lost) {
            walk->failures.has_lost = false;
            *out = (struct check_walk_item){.kind = CHECK_WALK_FAILURE, .path = BT_STR(".")};
            out->reason = BT_FAILURE_MEMORY;
            out->message = bt_status_text(BT_ENOMEM);
            return true;
        }
        if (walk->depth == 0) {
            end_walk(walk);
            return false;
        }
        struct check_walk_level *level = &walk->levels[walk->depth - 1];
        if (walk->options->lists_folders && !level->is_listed) {
            list_folder(walk, level, out);
            return true;
        }
        if (!level->is_read) {
            read_level(walk, level);
        } else if (level->next == level->entries.count) {
            leave_level(walk);
        } else if (take_entry(walk, level, out)) {
            return true;
        }
    }
}

bool check_walk_has_repeated(const struct check_walk *walk)
{
    return walk->has_repeated;
}

/* ---- The report ------------------------------------------------------------------------------ */

static void put_skipped(const struct check_walk *walk, struct bt_emit *emit)
{
    bt_emit_member_array(emit, "skipped");
    for (size_t i = 0; i < walk->skipped.count; i++) {
        const struct check_left_out *item = &walk->skipped.items[i];
        const bool has_no_block = item->reason == CHECK_LEFT_OUT_NO_BLOCK;
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "path", item->path);
        bt_emit_member_string(emit, "reason", bt_str_of(has_no_block ? "no_block" : "no_envelope"));
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    if (walk->skipped.more > 0) {
        bt_emit_member_u64(emit, "skipped_more", walk->skipped.more);
    }
}

void check_walk_put_members(const struct check_walk *walk, struct bt_emit *emit)
{
    const struct check_walk_counts *counts = &walk->counts;
    if (!walk->was_used) {
        return;
    }
    if (check_walk_skipped_count(walk) > 0) {
        put_skipped(walk, emit);
    }
    bt_emit_member_object(emit, "walk");
    bt_emit_member_u64(emit, "files",
                       counts->judged + counts->unrecognised + counts->excluded +
                           counts->gitignored + counts->hidden);
    bt_emit_member_u64(emit, "judged", counts->judged);
    bt_emit_member_u64(emit, "unrecognised", counts->unrecognised);
    bt_emit_member_u64(emit, "excluded", counts->excluded);
    bt_emit_member_u64(emit, "gitignored", counts->gitignored);
    bt_emit_member_u64(emit, "hidden", counts->hidden);
    bt_emit_end(emit);
}

void check_walk_put_dropped(struct check_walk *walk, struct bt_buf *buf)
{
    check_left_out_put_lines(&walk->left_out, buf);
}
