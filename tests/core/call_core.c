/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_core.c - call.c of the examples for a core build, which has no files: the program reads
 * those of roots and tables itself.
 *
 *     call_core [--file ROOT PATH FILE]... [--table ENCODING FILE]... OPERATION < REQUEST
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <baton/call.h>

static bt_str read_stream(FILE *file)
{
    char *text = NULL;
    size_t size = 0;
    size_t count = 1;
    while (file && count > 0) {
        char *larger = realloc(text, size + 65536);
        if (!larger) {
            exit(2);
        }
        text = larger;
        count = fread(text + size, 1, 65536, file);
        size += count;
    }
    return file ? (bt_str){text, size} : (bt_str){"", 0};
}

static bt_str read_path(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    const bt_str text = read_stream(file);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    struct bt_engine *engine = NULL;
    struct bt_reply *reply = NULL;
    struct bt_error error = {0};
    enum bt_status status = bt_engine_create(bt_str_of(""), &engine, &error);
    int at = 1;
    while (status == BT_OK && at + 1 < argc) {
        if (strcmp(argv[at], "--file") == 0) {
            status = bt_engine_root_file(engine, bt_str_of(argv[at + 1]), bt_str_of(argv[at + 2]),
                                         read_path(argv[at + 3]), &error);
            at += 4;
        } else {
            status =
                bt_engine_table(engine, bt_str_of(argv[at + 1]), read_path(argv[at + 2]), &error);
            at += 3;
        }
    }
    if (status == BT_OK && at < argc) {
        status = bt_call(engine, bt_str_of(argv[at]), read_stream(stdin), &reply, &error);
    }
    if (status != BT_OK || !reply) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    fwrite(bt_reply_json(reply).ptr, 1, bt_reply_json(reply).len, stdout);
    const int code = bt_reply_is_done(reply) ? 0 : 1;
    bt_reply_destroy(reply);
    bt_engine_destroy(engine);
    return code;
}
