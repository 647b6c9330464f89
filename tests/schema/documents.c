/* SPDX-License-Identifier: Apache-2.0 */
/*
 * documents.c - test data as documents.
 */
#include "documents.h"

#include <dirent.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"

#define FILE_BYTES_MAX ((size_t)256 << 20)

enum {
    FOLDER_ENTRIES_MAX = 256,
    FOLDER_DEPTH_MAX = 8,
    DOCUMENTS_MAX = 1024,
};

const struct bt_json_doc *read_document(struct bt_arena *arena, bt_str text)
{
    struct bt_json_options options = bt_json_options_default();
    options.document_bytes_max = FILE_BYTES_MAX;
    options.string_bytes_max = FILE_BYTES_MAX;
    options.nodes_max = 100000000;
    options.depth_max = 1000;
    struct bt_json_read_result result = {0};
    assert_int_equal(bt_json_read(arena, text, &options, &result), BT_OK);
    return result.document;
}

const struct bt_json_doc *read_document_file(struct bt_arena *arena, const char *path)
{
    bt_str text;
    assert_int_equal(bt_file_read(arena, bt_str_of(path), FILE_BYTES_MAX, &text, NULL), BT_OK);
    const struct bt_json_doc *document = read_document(arena, text);
    if (!document) {
        fail_msg("%s is not JSON", path);
    }
    return document;
}

const struct bt_json_doc *document_of(struct bt_arena *arena, const struct bt_json_doc *document,
                                      const bt_json_value *value)
{
    struct bt_buf buf;
    bt_str text;
    bt_buf_init(&buf, FILE_BYTES_MAX);
    assert_int_equal(bt_json_write(&buf, document, value, BT_JSON_FORM_COMPACT, arena, NULL),
                     BT_OK);
    assert_int_equal(bt_buf_copy(&buf, arena, &text), BT_OK);
    bt_buf_free(&buf);
    const struct bt_json_doc *copy = read_document(arena, text);
    assert_non_null(copy);
    return copy;
}

/* A folder below `root`, as the walk sees it. */
struct walk {
    const char *root;
    file_visitor *visitor;
    void *context;
};

static int order_of_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a folder, sorted; their number, or -1 when it is not a folder. */
static int list_folder(const char *path, char *names[FOLDER_ENTRIES_MAX])
{
    DIR *folder = opendir(path);
    if (!folder) {
        return -1;
    }
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] != '.') {
            assert_true(count < FOLDER_ENTRIES_MAX);
            const size_t size = strlen(entry->d_name) + 1;
            names[count] = test_malloc(size);
            memcpy(names[count++], entry->d_name, size);
        }
    }
    assert_int_equal(closedir(folder), 0);
    qsort(names, count, sizeof(names[0]), order_of_names);
    return (int)count;
}

/* Recursion is bounded by the depth of the tree that we ship tests for. */
static bool walk_folder(const struct walk *walk, const char *below, size_t depth)
{
    char path[TEST_PATH_BYTES];
    char *names[FOLDER_ENTRIES_MAX];
    assert_true(depth < FOLDER_DEPTH_MAX);
    assert_true(snprintf(path, sizeof(path), "%s/%s", walk->root, below) < (int)sizeof(path));
    const int count = list_folder(path, names);
    for (int i = 0; i < count; i++) {
        char name[TEST_PATH_BYTES];
        struct stat what;
        const char *slash = below[0] == '\0' ? "" : "/";
        const int size = snprintf(name, sizeof(name), "%s%s%s", below, slash, names[i]);
        assert_true(size < (int)sizeof(name));
        assert_true(snprintf(path, sizeof(path), "%s/%s", walk->root, name) < (int)sizeof(path));
        assert_int_equal(lstat(path, &what), 0);
        if (S_ISDIR(what.st_mode)) {
            assert_true(walk_folder(walk, name, depth + 1));
        } else if (S_ISREG(what.st_mode) && bt_str_ends_with(bt_str_of(name), BT_STR(".json"))) {
            walk->visitor(path, name, walk->context);
        }
        test_free(names[i]);
    }
    return count >= 0;
}

bool visit_files(const char *folder, file_visitor *visitor, void *context)
{
    const struct walk walk = {folder, visitor, context};
    return walk_folder(&walk, "", 0);
}

struct reading {
    struct bt_arena *arena;
    const char *base;
    struct named_documents *out;
};

static void add_document(const char *path, const char *name, void *context)
{
    const struct reading *reading = context;
    struct named_documents *out = reading->out;
    assert_true(out->count < out->capacity);
    struct bt_schema_document *next = &out->items[out->count++];
    assert_int_equal(bt_arena_printf(reading->arena, &next->uri, "%s%s", reading->base, name),
                     BT_OK);
    next->document = read_document_file(reading->arena, path);
}

bool read_folder(struct bt_arena *arena, const char *folder, const char *base,
                 struct named_documents *out)
{
    *out = (struct named_documents){.capacity = DOCUMENTS_MAX};
    out->items = BT_NEW_ARRAY(arena, struct bt_schema_document, DOCUMENTS_MAX);
    assert_non_null(out->items);
    struct reading reading = {arena, base, out};
    return visit_files(folder, add_document, &reading);
}
