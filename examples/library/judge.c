/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - a program that uses libbaton: may this handoff go on?
 *
 *     cc judge.c -o judge $(pkg-config --cflags --libs baton)
 *     ./judge FILE
 *
 * It prints the findings with their positions and exits with 0 when the document is accepted, with
 * 1 when it is rejected, and with 2 when it was not judged.
 */
#include <stdio.h>

#include <baton/baton.h>

enum { FILE_BYTES_MAX = 16 << 20, ACCEPTED = 0, REJECTED = 1, NOT_JUDGED = 2 };

/* Findings are about the document: print them, one a line. */
static int print_findings(const struct bt_judgement *judged)
{
    const struct bt_findings *findings = bt_judgement_findings(judged);
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        const struct bt_position place = bt_finding_place(finding);
        printf("%u:%u %.*s %.*s\n", place.line, place.column, BT_STR_ARG(bt_finding_code(finding)),
               BT_STR_ARG(bt_finding_message(finding)));
    }
    printf("%.*s as %.*s\n", BT_STR_ARG(bt_verdict_name(bt_judgement_verdict(judged))),
           BT_STR_ARG(bt_dialect_name(bt_judgement_dialect(judged))));
    return bt_judgement_verdict(judged) == BT_VERDICT_ACCEPTED ? ACCEPTED : REJECTED;
}

/* Read as much as shows that a file is too large: bt_check() says so. */
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

/* A status is about the machine: without BT_OK there is no verdict, and nothing passes. */
static int judge(struct bt_engine *engine, struct bt_arena *arena, const char *path)
{
    struct bt_report *report = NULL;
    struct bt_error error = {BT_EIO, "it cannot be read"};
    bt_str content = BT_STR_INIT("");
    int code = NOT_JUDGED;
    if (read_document(arena, path, &content) &&
        bt_check(engine, bt_str_of(path), content, NULL, &report, &error) == BT_OK) {
        code = print_findings(bt_report_at(report, 0));
    } else {
        fprintf(stderr, "%s: %s\n", path, error.text);
    }
    bt_report_destroy(report);
    return code;
}

int main(int argc, char **argv)
{
    struct bt_engine *engine = NULL;
    struct bt_arena *arena = bt_arena_create(2 * FILE_BYTES_MAX);
    struct bt_error error = {BT_ENOMEM, "no memory"};
    int code = NOT_JUDGED;
    if (argc != 2) {
        fprintf(stderr, "usage: judge FILE\n");
    } else if (!arena || bt_engine_create(bt_str_of(""), &engine, &error) != BT_OK) {
        fprintf(stderr, "judge: %s\n", error.text);
    } else {
        code = judge(engine, arena, argv[1]);
    }
    bt_engine_destroy(engine);
    bt_arena_destroy(arena);
    return code;
}
