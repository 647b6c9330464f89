/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - a program that uses libbaton: may this handoff go on?
 *
 *     cc judge.c -o judge $(pkg-config --cflags --libs baton)
 *     ./judge FILE
 */
#include <stdio.h>

#include <baton/check.h>
#include <baton/file.h>

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

/* A status is about the machine: without BT_OK there is no verdict, and nothing passes. */
static int judge(struct bt_env *env, struct bt_arena *arena, bt_str path)
{
    struct bt_judgement judged;
    struct bt_error error = {0};
    bt_str content;
    enum bt_status status = bt_file_read(arena, path, env->limits.document_bytes, &content, &error);
    if (status == BT_OK) {
        status = bt_check(env, arena, path, content, NULL, &judged);
    }
    if (status != BT_OK) {
        fprintf(stderr, "%s\n", error.text[0] ? error.text : bt_status_text(status));
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
    const int code = judge(&env, &arena, bt_str_of(argv[1]));
    bt_arena_free(&arena); /* frees everything that was made for this document */
    return code;
}
