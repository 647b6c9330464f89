/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receipt.c - a program that uses libbaton: does this receipt prove what its log recorded?
 *
 *     cc receipt.c -o receipt $(pkg-config --cflags --libs baton)
 *     ./receipt VKEY RECEIPT [DOCUMENT]
 *
 * VKEY is the public key of the log, which you got by another way than the receipt.
 */
#include <stdio.h>

#include <baton/baton.h>

enum { FILE_BYTES_MAX = 8 << 20, PROVEN = 0, NOT_PROVEN = 1, NOT_JUDGED = 2 };

/* Read a whole file into the arena. False: it cannot be read, or it is too large. */
static bool read_file(struct bt_arena *arena, const char *path, bt_str *out)
{
    char *bytes = (char *)bt_arena_alloc(arena, FILE_BYTES_MAX);
    FILE *file = fopen(path, "rb");
    bool is_read = false;
    if (bytes && file) {
        out->ptr = bytes;
        out->len = fread(bytes, 1, FILE_BYTES_MAX, file);
        is_read = !ferror(file) && out->len < FILE_BYTES_MAX;
    }
    if (file) {
        fclose(file);
    }
    return is_read;
}

/* Findings are about the receipt: print them, one a line. */
static int print_findings(const struct bt_judgement *judged)
{
    const struct bt_findings *findings = bt_judgement_findings(judged);
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        printf("%.*s %.*s\n", BT_STR_ARG(bt_finding_code(finding)),
               BT_STR_ARG(bt_finding_message(finding)));
    }
    printf("%.*s\n", BT_STR_ARG(bt_verdict_name(bt_judgement_verdict(judged))));
    return bt_judgement_verdict(judged) == BT_VERDICT_ACCEPTED ? PROVEN : NOT_PROVEN;
}

/* A status is about the machine: without BT_OK there is no verdict. */
static int verify(struct bt_engine *engine, struct bt_arena *arena, char **names, int count)
{
    const bt_str vkey = bt_str_of(names[0]);
    struct bt_receipt_verify_options how = BT_INIT(struct bt_receipt_verify_options);
    struct bt_report *report = NULL;
    struct bt_error error = {BT_EIO, "a file cannot be read"};
    bt_str receipt = BT_STR_INIT("");
    int code = NOT_JUDGED;
    how.vkeys = &vkey;
    how.vkey_count = 1;
    how.has_document = count > 2;
    if (read_file(arena, names[1], &receipt) &&
        (count == 2 || read_file(arena, names[2], &how.document)) &&
        bt_receipt_verify(engine, bt_str_of(names[1]), receipt, &how, &report, &error) == BT_OK) {
        code = print_findings(bt_report_at(report, 0));
    } else {
        fprintf(stderr, "receipt: %s\n", error.text);
    }
    bt_report_destroy(report);
    return code;
}

int main(int argc, char **argv)
{
    struct bt_engine *engine = NULL;
    struct bt_error error;
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: receipt VKEY RECEIPT [DOCUMENT]\n");
        return NOT_JUDGED;
    }
    if (bt_engine_create(bt_str_of(""), &engine, &error) != BT_OK) {
        fprintf(stderr, "receipt: %s\n", error.text);
        return NOT_JUDGED;
    }
    struct bt_arena *arena = bt_arena_create(3 * FILE_BYTES_MAX);
    const int code = arena ? verify(engine, arena, argv + 1, argc - 1) : NOT_JUDGED;
    bt_arena_destroy(arena);
    bt_engine_destroy(engine);
    return code;
}
