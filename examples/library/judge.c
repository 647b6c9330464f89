/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - a program that uses libbaton: may this handoff go on?
 *
 *     cc judge.c -o judge $(pkg-config --cflags --libs baton)
 *     ./judge FILE
 */
#include <stdio.h>

#include <baton/check.h>

enum { MEMORY_MAX = 64 << 20, ACCEPTED = 0, REJECTED = 1, NOT_JUDGED = 2 };

/* Findings are about the document: print them, one a line. */
static int tell(const struct bt_judgement *judged)
{
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(judged->findings, i);
        printf("%u:%u %.*s %.*s\n", finding->position.line, finding->position.column,
               BT_STR_ARG(finding->rule->code), BT_STR_ARG(finding->message));
    }
    const bt_str verdict = bt_verdict_name(judged->verdict);
    printf("%.*s as %.*s\n", BT_STR_ARG(verdict), BT_STR_ARG(bt_dialect_name(judged->dialect)));
    return judged->verdict == BT_VERDICT_ACCEPTED ? ACCEPTED : REJECTED;
}

/* Read the whole file, or as much as shows that it is too large: bt_check() says so. */
static enum bt_status read_document(const struct bt_env *env, struct bt_arena *arena,
                                    const char *path, bt_str *out)
{
    const size_t size = (size_t)env->limits.document_bytes + 1;
    char *bytes = bt_arena_alloc(arena, size);
    FILE *file = fopen(path, "rb");
    enum bt_status status = !file ? BT_ENOENT : !bytes ? BT_ENOMEM : BT_OK;
    if (status == BT_OK) {
        *out = (bt_str){bytes, fread(bytes, 1, size, file)};
        status = ferror(file) ? BT_EIO : BT_OK;
    }
    if (file) {
        fclose(file);
    }
    return status;
}

/* A status is about the machine: without BT_OK there is no verdict, and nothing passes. */
static int judge(struct bt_env *env, struct bt_arena *arena, const char *path)
{
    struct bt_judgement judged;
    bt_str content;
    enum bt_status status = read_document(env, arena, path, &content);
    if (status == BT_OK) {
        status = bt_check(env, arena, bt_str_of(path), content, NULL, &judged);
    }
    if (status != BT_OK) {
        fprintf(stderr, "%s: %s\n", path, bt_status_text(status));
        return NOT_JUDGED;
    }
    return tell(&judged);
}

int main(int argc, char **argv)
{
    struct bt_env env;
    struct bt_arena arena;
    if (argc != 2 || bt_env_init(&env) != BT_OK) {
        fprintf(stderr, "usage: judge FILE\n");
        return NOT_JUDGED;
    }
    bt_arena_init(&arena, MEMORY_MAX);
    const int code = judge(&env, &arena, argv[1]);
    bt_arena_free(&arena); /* frees everything that was made for this document */
    return code;
}
