/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_files.c - what the file system says about every file whose change matters to a watch.
 *
 * A folder is watched before its entries are read, so that nothing which happens later is missed.
 */
#include "watch_files.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "config/find.h"

enum {
    FILES_BYTES_MAX = 1 << 30,
    ARENA_BYTES_MAX = 1 << 30,
    LEVELS_MAX = 64,
    UP_BYTES = sizeof("../") - 1,
};

void check_watch_files_init(struct check_watch_files *files)
{
    bt_buf_init(&files->facts, FILES_BYTES_MAX);
}

void check_watch_files_free(struct check_watch_files *files)
{
    bt_buf_free(&files->facts);
}

bool check_watch_files_equal(const struct check_watch_files *a, const struct check_watch_files *b)
{
    return a->facts.status == BT_OK && b->facts.status == BT_OK &&
           bt_str_eq(bt_buf_str(&a->facts), bt_buf_str(&b->facts));
}

/* One pass over all files. */
struct check_watch_scan {
    struct check_watch *watch;
    const uint64_t *seed;
    struct bt_arena arena;
    struct bt_buf *facts;
};

static void fail_scan(struct check_watch_scan *scan)
{
    if (scan->facts->status == BT_OK) {
        scan->facts->status = BT_ENOMEM;
    }
}

/* Put what the file system says about a path; that there is nothing counts as well. */
static void put_facts(struct check_watch_scan *scan, const char *path)
{
    struct stat info;
    uint64_t facts[8] = {0};
    if (stat(path, &info) == 0) {
        const uint64_t found[8] = {info.st_mode,
                                   info.st_dev,
                                   info.st_ino,
                                   (uint64_t)info.st_size,
                                   (uint64_t)info.st_mtim.tv_sec,
                                   (uint64_t)info.st_mtim.tv_nsec,
                                   (uint64_t)info.st_ctim.tv_sec,
                                   (uint64_t)info.st_ctim.tv_nsec};
        memcpy(facts, found, sizeof(facts));
    }
    bt_buf_put(scan->facts, (bt_str){path, strlen(path) + 1});
    bt_buf_put(scan->facts, (bt_str){(const char *)facts, sizeof(facts)});
}

/* A file, and the folder in which it is or would be. */
static void scan_file(struct check_watch_scan *scan, const char *path)
{
    bt_str folder = BT_STR("");
    const char *slash = strrchr(path, '/');
    const size_t len = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    if (!slash) {
        check_watch_add(scan->watch, ".");
    } else if (bt_arena_copy(&scan->arena, (bt_str){path, len}, &folder) == BT_OK) {
        check_watch_add(scan->watch, folder.ptr);
    } else {
        fail_scan(scan);
    }
    put_facts(scan, path);
}

/* The patterns that a walk reads in a folder. */
static void scan_gitignore(struct check_watch_scan *scan, bt_str folder)
{
    const struct bt_arena_mark before = bt_arena_mark(&scan->arena);
    bt_str path = BT_STR("");
    if (bt_arena_printf(&scan->arena, &path, "%.*s/.gitignore%c", BT_STR_ARG(folder), '\0') ==
        BT_OK) {
        put_facts(scan, path.ptr);
    } else {
        fail_scan(scan);
    }
    bt_arena_rewind(&scan->arena, before);
}

/* Every file that a walk through a folder passes on. Folders count by their entries alone. */
static void scan_walk(struct check_watch_scan *scan, const char *folder,
                      const struct check_walk_options *options)
{
    struct check_walk *walk = check_walk_create(options, scan->seed);
    struct check_walk_item item;
    if (!walk) {
        fail_scan(scan);
        return;
    }
    check_walk_begin(walk, folder);
    while (check_walk_next(walk, &item)) {
        if (item.kind == CHECK_WALK_FOLDER) {
            check_watch_add(scan->watch, item.path.ptr);
            scan_gitignore(scan, item.path);
        } else {
            put_facts(scan, item.path.ptr);
        }
    }
    check_walk_destroy(walk);
}

static void scan_paths(struct check_watch_scan *scan, const struct check_watch_places *places)
{
    struct check_walk_options options = *places->walk;
    options.lists_folders = true;
    for (size_t i = 0; i < places->paths.count; i++) {
        const char *path = places->paths.items[i].path;
        struct stat info;
        if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
            scan_walk(scan, path, &options);
        } else {
            scan_file(scan, path);
        }
    }
}

/* True when the folder, which is "" or ends in a slash, is the root of a repository. */
static bool is_repository(const char *folder)
{
    static const char *const names[] = {".git", ".hg", ".jj"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[UP_BYTES * LEVELS_MAX + 8];
        struct stat info;
        (void)snprintf(path, sizeof(path), "%s%s", folder, names[i]);
        if (lstat(path, &info) == 0) {
            return true;
        }
    }
    return false;
}

/* The places of a project's file: the current folder and those above it, up to the repository;
 * without a repository only the current folder. */
static void scan_project(struct check_watch_scan *scan)
{
    char folder[UP_BYTES * LEVELS_MAX + 1] = "";
    size_t levels = 0;
    while (levels < LEVELS_MAX && !is_repository(folder)) {
        memcpy(folder + UP_BYTES * levels++, "../", sizeof("../"));
    }
    for (size_t i = 0; i == 0 || (levels < LEVELS_MAX && i <= levels); i++) {
        char path[sizeof(folder) + sizeof(CONFIG_PROJECT_NAME)];
        (void)snprintf(path, sizeof(path), "%.*s%s", (int)(UP_BYTES * i), folder,
                       CONFIG_PROJECT_NAME);
        scan_file(scan, path);
    }
}

void check_watch_files_take(struct check_watch *watch, const struct check_watch_places *places,
                            const uint64_t seed[2], struct check_watch_files *out)
{
    assert(watch);
    assert(places);
    const struct check_walk_options whole = {.lists_folders = true, .takes_all_files = true};
    struct check_watch_scan scan = {.watch = watch, .seed = seed, .facts = &out->facts};
    bt_arena_init(&scan.arena, ARENA_BYTES_MAX);
    bt_buf_clear(&out->facts);
    check_watch_reset(watch);
    if (places->has_project) {
        scan_project(&scan);
    }
    for (size_t i = 0; i < places->files.count; i++) {
        scan_file(&scan, places->files.items[i].path);
    }
    scan_paths(&scan, places);
    for (size_t i = 0; i < places->trees.count; i++) {
        scan_walk(&scan, places->trees.items[i].path, &whole);
    }
    bt_arena_free(&scan.arena);
}
