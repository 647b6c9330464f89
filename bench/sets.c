/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sets.c - load data sets.
 */
#include "sets.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"

static bool add_text(struct set *set, bt_str line)
{
    char *text = calloc(1, line.len + SET_PADDING);
    char **texts = realloc(set->texts, (set->count + 1) * sizeof(*texts));
    set->texts = texts ? texts : set->texts;
    size_t *sizes = realloc(set->sizes, (set->count + 1) * sizeof(*sizes));
    set->sizes = sizes ? sizes : set->sizes;
    if (!text || !texts || !sizes) {
        free(text);
        return false;
    }
    memcpy(text, line.ptr, line.len);
    set->texts[set->count] = text;
    set->sizes[set->count++] = line.len;
    set->bytes += line.len;
    return true;
}

static bool load_set(struct set *set, const char *group, const char *name)
{
    char path[sizeof(set->folder) + 32];
    struct bt_arena arena;
    bt_str content = {0};
    (void)snprintf(set->name, sizeof(set->name), "%.63s", name);
    (void)snprintf(set->folder, sizeof(set->folder), "%.240s/%.250s", group, name);
    (void)snprintf(path, sizeof(path), "%s/instances.jsonl", set->folder);
    bt_arena_init(&arena, (size_t)1 << 30);
    bool loaded = bt_file_read(&arena, bt_str_of(path), 1 << 28, &content, NULL) == BT_OK;
    for (size_t at = 0; loaded && at < content.len;) {
        const size_t end = bt_str_find_byte(content, '\n', at);
        if (end > at) {
            loaded = add_text(set, bt_str_slice(content, at, end));
        }
        at = end + 1;
    }
    bt_arena_free(&arena);
    return loaded && set->count > 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct set *)a)->name, ((const struct set *)b)->name);
}

static size_t load_group(struct set *sets, size_t max, const char *data, const char *group)
{
    char folder[240];
    size_t count = 0;
    (void)snprintf(folder, sizeof(folder), "%.200s/%s", data, group);
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && count < max && (entry = readdir(directory));) {
        if (entry->d_name[0] != '.') {
            count += load_set(&sets[count], folder, entry->d_name);
        }
    }
    if (directory) {
        (void)closedir(directory);
    }
    qsort(sets, count, sizeof(*sets), by_name);
    return count;
}

size_t sets_load(struct set *sets, const char *data)
{
    static const char *const groups[] = {"schema-bench", "schema-bench-2", "handoffs", "real"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        count += load_group(sets + count, SETS_MAX - count, data, groups[i]);
    }
    return count;
}

void sets_free(struct set *sets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t t = 0; t < sets[i].count; t++) {
            free(sets[i].texts[t]);
        }
        free(sets[i].texts);
        free(sets[i].sizes);
    }
}
