/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - a program that uses libbaton: any operation, with JSON in and JSON out.
 *
 *     cc call.c -o call $(pkg-config --cflags --libs baton)
 *     echo '{"code":"SELF_LOOP"}' | ./call getRule
 *     ./call [--settings JSON] [--root NAME=FOLDER]... [--store URL] OPERATION < REQUEST
 *
 * It exits with 0 when the operation is done, with 1 when it is not, and with 2 without a reply.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <baton/baton.h>

enum { DONE = 0, NOT_DONE = 1, NO_REPLY = 2, READ_BYTES = 64 << 10 };

/* Read standard input. The caller frees the text; NULL: it cannot be read. */
static char *read_request(size_t *out_size)
{
    char *text = NULL;
    size_t size = 0;
    size_t count = READ_BYTES;
    while (count == READ_BYTES) {
        char *larger = (char *)realloc(text, size + READ_BYTES);
        if (!larger) {
            free(text);
            return NULL;
        }
        text = larger;
        count = fread(text + size, 1, READ_BYTES, stdin);
        size += count;
    }
    if (ferror(stdin)) {
        free(text);
        return NULL;
    }
    *out_size = size;
    return text;
}

/* Give the engine what the words say, each a flag and its value. */
static enum bt_status prepare(struct bt_engine *engine, char **words, int count,
                              struct bt_error *error)
{
    enum bt_status status = BT_OK;
    for (int i = 0; i + 1 < count && status == BT_OK; i += 2) {
        const bt_str value = bt_str_of(words[i + 1]);
        if (strcmp(words[i], "--root") == 0) {
            const size_t equals = bt_str_find_byte(value, '=', 0);
            status = bt_engine_root(engine, bt_str_slice(value, 0, equals),
                                    bt_str_slice(value, equals + 1, value.len), error);
        } else if (strcmp(words[i], "--store") == 0) {
            status = bt_engine_store(engine, value, error);
        }
    }
    return status;
}

/* The settings among the words; "" for none. */
static bt_str find_settings(char **words, int count)
{
    for (int i = 0; i + 1 < count; i += 2) {
        if (strcmp(words[i], "--settings") == 0) {
            return bt_str_of(words[i + 1]);
        }
    }
    return bt_str_of("");
}

/* Call, and print the reply. A status is about the machine: without BT_OK nothing was judged. */
static int call(struct bt_engine *engine, const char *operation, struct bt_error *error)
{
    struct bt_reply *reply = NULL;
    size_t size = 0;
    char *request = read_request(&size);
    const bt_str text = {request, size};
    if (!request || bt_call(engine, bt_str_of(operation), text, &reply, error) != BT_OK) {
        free(request);
        return NO_REPLY;
    }
    const bt_str json = bt_reply_json(reply);
    const bool is_printed = fwrite(json.ptr, 1, json.len, stdout) == json.len && puts("") >= 0;
    const int code = bt_reply_is_done(reply) ? DONE : NOT_DONE;
    bt_reply_destroy(reply);
    free(request);
    return is_printed ? code : NO_REPLY;
}

int main(int argc, char **argv)
{
    struct bt_engine *engine = NULL;
    struct bt_error error = {BT_EIO, "the request cannot be read"};
    int code = NO_REPLY;
    if (argc < 2 || argc % 2 != 0) {
        fprintf(stderr, "usage: call [--settings JSON] [--root NAME=FOLDER]... [--store URL] "
                        "OPERATION\n");
        return NO_REPLY;
    }
    if (bt_engine_create(find_settings(argv + 1, argc - 2), &engine, &error) == BT_OK &&
        prepare(engine, argv + 1, argc - 2, &error) == BT_OK) {
        code = call(engine, argv[argc - 1], &error);
    }
    if (code == NO_REPLY) {
        fprintf(stderr, "call: %s\n", error.text);
    }
    bt_engine_destroy(engine);
    return code;
}
