/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_token_tables.c - make_token_tables NAME SHA256 MERGES OUT.bin OUT.c: the tables of src/token/table.h
 * from a merge list.
 *
 * Runs while Baton is built. The merge list is read back into the published .tiktoken text, whose
 * SHA-256 must be the known one, so a damaged file never becomes a table. The tables go to OUT.bin
 * as this machine lays out numbers, and OUT.c takes them in as they are: megabytes of numbers in C
 * would take the compiler many seconds.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/sha256.h"
#include "token/make_table.h"

enum {
    LINE_BYTES_MAX = 4 * BT_TOKEN_BYTES_MAX / 3 + 16,
    SLOTS_ALIGNMENT = 64,
};

/* A section of OUT.bin: an array of the table. */
struct section {
    const char *name;
    const char *type;
    size_t offset;
    size_t size;
};

struct output {
    FILE *bin;
    size_t written;
    struct section sections[16];
    size_t section_count;
};

static void stop(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("make_token_tables: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bt_str read_file(struct bt_arena *arena, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        stop("cannot read %s", path);
    }
    const long size = ftell(file);
    char *bytes = size > 0 ? bt_arena_alloc(arena, (size_t)size) : NULL;
    rewind(file);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        stop("cannot read %s", path);
    }
    (void)fclose(file);
    return (bt_str){bytes, (size_t)size};
}

/* ---- The published text ---------------------------------------------------------------------- */

static void hash_tokens(const struct bt_token_entry *tokens, uint32_t count, char out_hex[65])
{
    struct bt_sha256_portable state;
    struct bt_buf line;
    uint8_t digest[32];
    bt_sha256_portable_begin(&state);
    bt_buf_init(&line, LINE_BYTES_MAX);
    for (uint32_t rank = 0; rank < count; rank++) {
        bt_buf_clear(&line);
        bt_base64_put(&line, (bt_str){(const char *)tokens[rank].bytes, tokens[rank].length});
        bt_buf_printf(&line, " %u\n", rank);
        if (bt_buf_status(&line) != BT_OK) {
            stop("out of memory");
        }
        bt_sha256_portable_add(&state, bt_buf_str(&line));
    }
    bt_buf_free(&line);
    bt_sha256_portable_end(&state, digest);
    for (size_t i = 0; i < sizeof(digest); i++) {
        (void)snprintf(out_hex + 2 * i, 3, "%02x", digest[i]);
    }
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void put_section(struct output *output, const char *name, const char *type, const void *data,
                        size_t size)
{
    static const char zeros[SLOTS_ALIGNMENT];
    const size_t gap = (SLOTS_ALIGNMENT - output->written % SLOTS_ALIGNMENT) % SLOTS_ALIGNMENT;
    if (fwrite(zeros, 1, gap, output->bin) != gap || fwrite(data, 1, size, output->bin) != size) {
        stop("cannot write");
    }
    assert(output->section_count < sizeof(output->sections) / sizeof(output->sections[0]));
    output->sections[output->section_count++] =
        (struct section){name, type, output->written + gap, size};
    output->written += gap + size;
}

static void put_set(struct output *output, const char *const names[2],
                    const struct bt_token_set *set, size_t width)
{
    put_section(output, names[0], "uint16_t", set->seeds,
                ((size_t)1 << set->seed_bits) * sizeof(*set->seeds));
    put_section(output, names[1], "uint64_t", set->slots,
                set->slot_count * width * sizeof(*set->slots));
}

static void put_table(struct output *output, const struct bt_token_table *table)
{
    static const char *const pairs[] = {"pair_seeds", "pair_slots"};
    static const char *const shorts[] = {"short_seeds", "short_slots"};
    static const char *const longs[] = {"long_seeds", "long_slots"};
    put_section(output, "bytes", "uint32_t", table->bytes, 256 * sizeof(*table->bytes));
    put_section(output, "byte_pairs", "uint32_t", table->byte_pairs,
                65536 * sizeof(*table->byte_pairs));
    put_section(output, "filter", "uint64_t", table->filter, ((size_t)1 << BT_FILTER_BITS) / 8);
    put_section(output, "crossings", "uint64_t", table->crossings,
                ((size_t)1 << BT_CROSSING_BITS) / 8);
    put_set(output, pairs, &table->pairs, 1);
    put_set(output, shorts, &table->words[0], 1);
    put_set(output, longs, &table->words[1], 2);
}

/* ---- The source ------------------------------------------------------------------------------ */

static const struct section *find(const struct output *output, const char *name)
{
    for (size_t i = 0; i < output->section_count; i++) {
        if (strcmp(output->sections[i].name, name) == 0) {
            return &output->sections[i];
        }
    }
    stop("no section %s", name);
}

static void put_set_source(FILE *file, const struct output *output, const char *encoding,
                           const char *const names[3])
{
    const size_t seeds = find(output, names[1])->size / sizeof(uint16_t);
    const size_t words = find(output, names[2])->size / sizeof(uint64_t);
    const size_t width = strcmp(names[0], "words[1]") == 0 ? 2 : 1;
    (void)fprintf(file, "    .%s = {bt_token_%s_%s, bt_token_%s_%s, %d, %zu},\n", names[0],
                  encoding, names[1], encoding, names[2], __builtin_ctzll(seeds), words / width);
}

static void put_source(FILE *file, const struct output *output, const char *encoding,
                       const char *bin_path, uint32_t count)
{
    static const char *const sets[][3] = {{"pairs", "pair_seeds", "pair_slots"},
                                          {"words[0]", "short_seeds", "short_slots"},
                                          {"words[1]", "long_seeds", "long_slots"}};
    (void)fprintf(file, "/* SPDX-License-Identifier: Apache-2.0 */\n"
                        "/* Made by tools/make_token_tables.c; do not edit. */\n"
                        "#include \"token/table.h\"\n\n"
                        "__asm__(\".section .rodata\\n\"\n");
    for (size_t i = 0; i < output->section_count; i++) {
        const struct section *section = &output->sections[i];
        (void)fprintf(file,
                      "        \".balign %d\\n.globl bt_token_%s_%s\\n.hidden bt_token_%s_%s\\n\"\n"
                      "        \"bt_token_%s_%s:\\n.incbin \\\"%s\\\", %zu, %zu\\n\"\n",
                      SLOTS_ALIGNMENT, encoding, section->name, encoding, section->name, encoding,
                      section->name, bin_path, section->offset, section->size);
    }
    (void)fputs("        \".previous\\n\");\n\n", file);
    for (size_t i = 0; i < output->section_count; i++) {
        const struct section *section = &output->sections[i];
        (void)fprintf(file, "extern const %s bt_token_%s_%s[];\n", section->type, encoding,
                      section->name);
    }
    (void)fprintf(file, "\nconst struct bt_token_table bt_token_%s = {\n    .count = %u,\n",
                  encoding, count);
    (void)fprintf(file,
                  "    .bytes = bt_token_%s_bytes,\n    .byte_pairs = bt_token_%s_byte_pairs,\n",
                  encoding, encoding);
    (void)fprintf(file,
                  "    .filter = bt_token_%s_filter,\n    .crossings = bt_token_%s_crossings,\n",
                  encoding, encoding);
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        put_set_source(file, output, encoding, sets[i]);
    }
    (void)fputs("};\n", file);
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        stop("usage: make_token_tables NAME SHA256 MERGES OUT.bin OUT.c");
    }
    char hex[65];
    struct bt_arena arena;
    struct bt_token_tables made;
    bt_arena_init(&arena, SIZE_MAX / 2);
    if (bt_token_tables_make(&arena, &arena, read_file(&arena, argv[3]), &made) != BT_OK) {
        stop("%s is not a merge list, or there is no memory", argv[3]);
    }
    hash_tokens(made.tokens, made.table.count, hex);
    if (strcmp(hex, argv[2]) != 0) {
        stop("%s is not the published table of %s", argv[3], argv[1]);
    }
    struct output output = {.bin = fopen(argv[4], "wb")};
    FILE *source = fopen(argv[5], "w");
    if (!output.bin || !source) {
        stop("cannot write %s or %s", argv[4], argv[5]);
    }
    put_table(&output, &made.table);
    put_source(source, &output, argv[1], argv[4], made.table.count);
    bt_arena_free(&arena);
    if (fclose(output.bin) != 0 || fclose(source) != 0) {
        stop("cannot write");
    }
    return 0;
}
