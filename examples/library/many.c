/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many.c - a program that uses libbaton: all documents of a folder in one SARIF report.
 *
 *     cc many.c -o many $(pkg-config --cflags --libs baton)
 *     ./many FOLDER > report.sarif
 *
 * One engine judges all of them, so schemas are compiled once. It exits with 0 when every document
 * is accepted, with 1 when one is rejected, and with 2 when something was not judged.
 */
#include <dirent.h>
#include <stdio.h>

#include <baton/baton.h>

enum { FILE_BYTES_MAX = 16 << 20, REPORT_BYTES_MAX = 256 << 20, PATH_BYTES = 4096 };
enum { ALL_ACCEPTED = 0, SOME_REJECTED = 1, NOT_JUDGED = 2 };

static bool read_document(struct bt_arena *arena, const char *path, bt_str *out)
{
    char *bytes = (char *)bt_arena_alloc(arena, FILE_BYTES_MAX);
    FILE *file = fopen(path, "rb");
    bool is_read = false;
    if (bytes && file) {
        out->ptr = bytes;
        out->len = fread(bytes, 1, FILE_BYTES_MAX, file);
        is_read = !ferror(file);
    }
    if (file) {
        fclose(file);
    }
    return is_read;
}

/* Judge one file, and add it to the report of those before it. */
static bool judge(struct bt_engine *engine, struct bt_arena *arena, const char *path,
                  struct bt_report **all)
{
    struct bt_report *one = NULL;
    struct bt_error error = {BT_EIO, "it cannot be read"};
    bt_str content = BT_STR_INIT("");
    bt_arena_reset(arena);
    if (!read_document(arena, path, &content) ||
        bt_check(engine, bt_str_of(path), content, NULL, &one, &error) != BT_OK ||
        (*all && bt_report_join(*all, one) != BT_OK)) {
        fprintf(stderr, "%s: %s\n", path, error.text);
        bt_report_destroy(one);
        return false;
    }
    *all = *all ? *all : one;
    return true;
}

/* Judge the files whose names alone show a dialect, as `baton check FOLDER` does first. */
static bool judge_folder(struct bt_engine *engine, struct bt_arena *arena, const char *folder,
                         struct bt_report **all)
{
    char path[PATH_BYTES];
    bool is_done = true;
    DIR *files = opendir(folder);
    const struct dirent *file = files ? readdir(files) : NULL;
    for (; file; file = readdir(files)) {
        const int size = snprintf(path, sizeof(path), "%s/%s", folder, file->d_name);
        if (size > 0 && size < PATH_BYTES &&
            bt_dialect_for_path(bt_str_of(path)) != BT_DIALECT_NONE) {
            is_done = judge(engine, arena, path, all) && is_done;
        }
    }
    if (files) {
        closedir(files);
    }
    return files && is_done;
}

static bool print_report(const struct bt_report *report)
{
    struct bt_report_render_options how = BT_INIT(struct bt_report_render_options);
    struct bt_buf *buf = bt_buf_create(REPORT_BYTES_MAX);
    how.format = BT_REPORT_FORMAT_SARIF;
    const bool is_rendered = buf && bt_report_render(report, &how, buf) == BT_OK;
    const bt_str text = is_rendered ? bt_buf_str(buf) : bt_str_of("");
    const bool is_printed = fwrite(text.ptr, 1, text.len, stdout) == text.len;
    bt_buf_destroy(buf);
    return is_rendered && is_printed;
}

int main(int argc, char **argv)
{
    struct bt_engine *engine = NULL;
    struct bt_report *report = NULL;
    struct bt_report_totals totals = BT_INIT(struct bt_report_totals);
    struct bt_arena *arena = bt_arena_create(2 * FILE_BYTES_MAX);
    struct bt_error error = {BT_ENOMEM, "no memory"};
    int code = NOT_JUDGED;
    if (argc != 2 || !arena || bt_engine_create(bt_str_of(""), &engine, &error) != BT_OK) {
        fprintf(stderr, "many: %s\n", argc == 2 ? error.text : "usage: many FOLDER");
    } else if (judge_folder(engine, arena, argv[1], &report) && report && print_report(report) &&
               bt_report_count_totals(report, &totals) == BT_OK) {
        code = totals.rejected > 0 ? SOME_REJECTED : ALL_ACCEPTED;
    }
    bt_report_destroy(report);
    bt_engine_destroy(engine);
    bt_arena_destroy(arena);
    return code;
}
