/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repair.c - a program that uses libbaton: repair a handoff, with a model for what rules cannot fix.
 *
 *     cc repair.c -o repair $(pkg-config --cflags --libs baton)
 *     ./repair FILE < ANSWER
 *
 * The question for the model goes to standard error, its answer comes from standard input. It exits
 * with 0 when the document, which goes to standard output, is accepted then.
 */
#include <stdio.h>

#include <baton/baton.h>

enum { TEXT_BYTES_MAX = 1 << 20, REPAIRED = 0, REJECTED = 1, NOT_JUDGED = 2 };

static bool read_all(struct bt_arena *arena, FILE *file, bt_str *out)
{
    char *bytes = (char *)bt_arena_alloc(arena, TEXT_BYTES_MAX);
    if (!bytes || !file) {
        return false;
    }
    out->ptr = bytes;
    out->len = fread(bytes, 1, TEXT_BYTES_MAX, file);
    return !ferror(file) && out->len < TEXT_BYTES_MAX;
}

/* The request: the document, and the model's answer or the wish for a question to the model. */
static enum bt_status put_request(struct bt_buf *buf, bt_str document, const bt_str *answer)
{
    bt_buf_put(buf, BT_STR("{\"documents\":[{\"text\":"));
    bt_json_put_string(buf, document);
    if (answer) {
        bt_buf_put(buf, BT_STR("}],\"answer\":"));
        bt_json_put_string(buf, *answer);
        bt_buf_put(buf, BT_STR("}"));
    } else {
        bt_buf_put(buf, BT_STR("}],\"options\":{\"emit_prompt\":true}}"));
    }
    return bt_buf_status(buf);
}

/* Ask for a repair. On BT_OK *out is the judged document, whose members live in the arena. */
static enum bt_status repair(struct bt_engine *engine, struct bt_arena *arena, bt_str document,
                             const bt_str *answer, struct bt_json_read_result *out,
                             struct bt_error *error)
{
    struct bt_buf *buf = bt_buf_create(8 * TEXT_BYTES_MAX);
    struct bt_reply *reply = NULL;
    bt_str json = BT_STR_INIT("");
    enum bt_status status = buf ? put_request(buf, document, answer) : BT_ENOMEM;
    if (status == BT_OK) {
        status = bt_call(engine, BT_STR("repair"), bt_buf_str(buf), &reply, error);
    }
    if (status == BT_OK && (status = bt_arena_copy(arena, bt_reply_json(reply), &json)) == BT_OK) {
        status = bt_json_read(arena, json, NULL, out);
    }
    bt_reply_destroy(reply);
    bt_buf_destroy(buf);
    return status;
}

/* A text in the reply; "" when it is not there. */
static bt_str text_at(const struct bt_json_doc *reply, const char *pointer)
{
    const bt_json_value *found = bt_json_resolve(reply, bt_json_root(reply), bt_str_of(pointer));
    return found ? bt_json_text(found) : bt_str_of("");
}

static int run(struct bt_engine *engine, struct bt_arena *arena, FILE *file, struct bt_error *error)
{
    struct bt_json_read_result reply = BT_INIT(struct bt_json_read_result);
    bt_str document = BT_STR_INIT("");
    bt_str answer = BT_STR_INIT("");
    if (!read_all(arena, file, &document) ||
        repair(engine, arena, document, NULL, &reply, error) != BT_OK) {
        return NOT_JUDGED;
    }
    const bt_str question = text_at(reply.document, "/documents/0/prompt/text");
    if (question.len > 0) {
        fwrite(question.ptr, 1, question.len, stderr);
        if (!read_all(arena, stdin, &answer) ||
            repair(engine, arena, document, &answer, &reply, error) != BT_OK) {
            return NOT_JUDGED;
        }
    }
    const bt_json_value *repaired = bt_json_resolve(reply.document, bt_json_root(reply.document),
                                                    BT_STR("/documents/0/document"));
    struct bt_buf *buf = bt_buf_create(TEXT_BYTES_MAX);
    if (repaired && buf &&
        bt_json_write(buf, reply.document, repaired, BT_JSON_FORM_PRETTY, arena, NULL) == BT_OK) {
        fwrite(bt_buf_str(buf).ptr, 1, bt_buf_str(buf).len, stdout);
    }
    bt_buf_destroy(buf);
    const bt_str verdict = text_at(reply.document, "/documents/0/verdict");
    return bt_str_eq(verdict, BT_STR("accepted")) ? REPAIRED : REJECTED;
}

int main(int argc, char **argv)
{
    struct bt_engine *engine = NULL;
    struct bt_arena *arena = bt_arena_create(256 << 20);
    struct bt_error error = {BT_EIO, "a text cannot be read"};
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    int code = NOT_JUDGED;
    if (arena && bt_engine_create(bt_str_of(""), &engine, &error) == BT_OK) {
        code = run(engine, arena, file, &error);
    }
    if (code == NOT_JUDGED) {
        fprintf(stderr, "repair: %s\n", error.text);
    }
    if (file) {
        fclose(file);
    }
    bt_engine_destroy(engine);
    bt_arena_destroy(arena);
    return code;
}
