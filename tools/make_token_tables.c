/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_token_tables.c - make_token_tables NAME MERGES OUT.bin OUT.c: the tables of src/token/table.h
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

#include <openssl/evp.h>

#include "token/table.h"

enum {
    TOKENS_MAX = 1 << BT_RANK_BITS,
    HEAD_BYTES = 8 + 256,
    LINE_BYTES_MAX = 4 * BT_TOKEN_BYTES_MAX / 3 + 16,
    KEYS_BY_SEED = 3, /* at least, and less than twice that */
    SLOTS_ALIGNMENT = 64,
};

struct token {
    uint32_t left; /* the rank of its halves; of a single byte, itself */
    uint32_t right;
    uint32_t length;
    uint8_t bytes[BT_TOKEN_BYTES_MAX];
};

struct key {
    uint64_t hash;
    uint64_t words[2]; /* what its slot holds */
    uint32_t bucket;
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

static void *take(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        stop("no memory");
    }
    return memory;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct list {
    const uint8_t *at;
    const uint8_t *end;
};

static uint32_t next_number(struct list *list)
{
    uint32_t value = 0;
    for (unsigned shift = 0; shift < 28; shift += 7) {
        if (list->at == list->end) {
            stop("the list ends too early");
        }
        const uint8_t digit = *list->at++;
        value |= (uint32_t)(digit & 127) << shift;
        if (digit < 128) {
            return value;
        }
    }
    stop("a number has too many digits");
}

static uint8_t *read_file(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        stop("cannot read %s", path);
    }
    const long size = ftell(file);
    if (size < HEAD_BYTES) {
        stop("%s is too short", path);
    }
    uint8_t *bytes = take((size_t)size, 1);
    rewind(file);
    if (fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        stop("cannot read %s", path);
    }
    (void)fclose(file);
    *out_size = (size_t)size;
    return bytes;
}

static void join_token(struct token *tokens, uint32_t rank, struct list *list)
{
    struct token *token = &tokens[rank];
    token->left = next_number(list);
    token->right = next_number(list);
    if (token->left >= rank || token->right >= rank) {
        stop("token %u is made of later ones", rank);
    }
    const struct token *left = &tokens[token->left];
    const struct token *right = &tokens[token->right];
    token->length = left->length + right->length;
    if (token->length > BT_TOKEN_BYTES_MAX) {
        stop("token %u is too long", rank);
    }
    memcpy(token->bytes, left->bytes, left->length);
    memcpy(token->bytes + left->length, right->bytes, right->length);
}

static struct token *read_tokens(const char *path, uint32_t *out_count)
{
    size_t size = 0;
    uint8_t *bytes = read_file(path, &size);
    const uint32_t count = (uint32_t)bytes[4] | (uint32_t)bytes[5] << 8 | (uint32_t)bytes[6] << 16;
    if (memcmp(bytes, "BTM1", 4) != 0 || bytes[7] != 0 || count < 256 || count >= TOKENS_MAX) {
        stop("%s is no merge list", path);
    }
    struct token *tokens = take(count, sizeof(*tokens));
    struct list list = {bytes + HEAD_BYTES, bytes + size};
    for (uint32_t rank = 0; rank < count; rank++) {
        if (rank < 256) {
            tokens[rank] = (struct token){rank, rank, 1, {bytes[8 + rank]}};
        } else {
            join_token(tokens, rank, &list);
        }
    }
    if (list.at != list.end) {
        stop("%s goes on after its last token", path);
    }
    free(bytes);
    *out_count = count;
    return tokens;
}

/* ---- The published text ---------------------------------------------------------------------- */

static void hash_tokens(const struct token *tokens, uint32_t count, char out_hex[65])
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    uint8_t digest[EVP_MAX_MD_SIZE];
    int failed = !context || !EVP_DigestInit_ex(context, EVP_sha256(), NULL);
    for (uint32_t rank = 0; rank < count && !failed; rank++) {
        uint8_t line[LINE_BYTES_MAX];
        char number[16];
        int length = EVP_EncodeBlock(line, tokens[rank].bytes, (int)tokens[rank].length);
        const int digits = snprintf(number, sizeof(number), " %u\n", rank);
        failed |= !EVP_DigestUpdate(context, line, (size_t)length);
        failed |= !EVP_DigestUpdate(context, number, (size_t)digits);
    }
    if (failed || !EVP_DigestFinal_ex(context, digest, NULL)) {
        stop("libcrypto failed");
    }
    EVP_MD_CTX_free(context);
    for (size_t i = 0; i < 32; i++) {
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

/* ---- Perfect hashes -------------------------------------------------------------------------- */

static int by_bucket(const void *a, const void *b)
{
    const struct key *left = a;
    const struct key *right = b;
    return (left->bucket > right->bucket) - (left->bucket < right->bucket);
}

struct bucket {
    uint32_t first; /* key */
    uint32_t count;
    uint32_t index;
};

/* The largest first, while there is room. */
static int by_size(const void *a, const void *b)
{
    const struct bucket *left = a;
    const struct bucket *right = b;
    if (left->count != right->count) {
        return left->count < right->count ? 1 : -1;
    }
    return (left->index > right->index) - (left->index < right->index);
}

/* Try a seed: take the slots of all keys of the bucket, or none. */
static int place(const struct key *keys, uint32_t count, uint16_t seed, uint8_t *taken,
                 uint32_t slot_count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *slot = &taken[bt_token_slot_index(keys[i].hash, seed, slot_count)];
        if (*slot) {
            while (i > 0) {
                taken[bt_token_slot_index(keys[--i].hash, seed, slot_count)] = 0;
            }
            return 0;
        }
        *slot = 1;
    }
    return 1;
}

static uint16_t find_seed(const struct key *keys, uint32_t count, uint8_t *taken,
                          uint32_t slot_count)
{
    for (uint32_t seed = 0; seed < 65536; seed++) {
        if (place(keys, count, (uint16_t)seed, taken, slot_count)) {
            return (uint16_t)seed;
        }
    }
    stop("no seed fits; take more slots");
}

static uint32_t seed_bits_for(uint32_t key_count)
{
    uint32_t bits = 1;
    while ((uint32_t)KEYS_BY_SEED << (bits + 1) <= key_count) {
        bits++;
    }
    return bits;
}

/* Sort the keys by bucket, and give the buckets, the largest first. */
static struct bucket *make_buckets(struct key *keys, uint32_t key_count, uint32_t seed_bits)
{
    const size_t bucket_count = (size_t)1 << seed_bits;
    struct bucket *buckets = take(bucket_count, sizeof(*buckets));
    for (uint32_t i = 0; i < key_count; i++) {
        keys[i].bucket = bt_token_seed_index(keys[i].hash, seed_bits);
    }
    qsort(keys, key_count, sizeof(*keys), by_bucket);
    for (uint32_t i = key_count; i > 0; i--) {
        struct bucket *bucket = &buckets[keys[i - 1].bucket];
        *bucket = (struct bucket){i - 1, bucket->count + 1, keys[i - 1].bucket};
    }
    qsort(buckets, bucket_count, sizeof(*buckets), by_size);
    return buckets;
}

/* Write the seeds and slots of a set, `width` words to a slot. */
static void put_set(struct output *output, const char *const names[2], struct key *keys,
                    uint32_t key_count, size_t width)
{
    const uint32_t slot_count = key_count + key_count / 32 + 1;
    const uint32_t seed_bits = seed_bits_for(key_count);
    const size_t seed_count = (size_t)1 << seed_bits;
    struct bucket *buckets = make_buckets(keys, key_count, seed_bits);
    uint8_t *taken = take(slot_count, 1);
    uint16_t *seeds = take(seed_count, sizeof(*seeds));
    uint64_t *slots = take(slot_count * width, sizeof(*slots));
    for (size_t b = 0; b < seed_count && buckets[b].count > 0; b++) {
        const struct key *first = &keys[buckets[b].first];
        const uint16_t seed = find_seed(first, buckets[b].count, taken, slot_count);
        seeds[buckets[b].index] = seed;
        for (uint32_t i = 0; i < buckets[b].count; i++) {
            const uint32_t slot = bt_token_slot_index(first[i].hash, seed, slot_count);
            memcpy(slots + slot * width, first[i].words, width * sizeof(*slots));
        }
    }
    put_section(output, names[0], "uint16_t", seeds, seed_count * sizeof(*seeds));
    put_section(output, names[1], "uint64_t", slots, slot_count * width * sizeof(*slots));
    free(buckets);
    free(taken);
    free(seeds);
    free(slots);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void put_bytes(struct output *output, const struct token *tokens, uint32_t count)
{
    uint32_t bytes[256];
    uint32_t *pairs = take(65536, sizeof(*pairs));
    for (size_t i = 0; i < 65536; i++) {
        pairs[i] = BT_RANK_NONE;
    }
    for (uint32_t rank = 0; rank < count; rank++) {
        if (tokens[rank].length == 1) {
            bytes[tokens[rank].bytes[0]] = rank;
        } else if (tokens[rank].length == 2) {
            pairs[(size_t)tokens[rank].bytes[0] << 8 | tokens[rank].bytes[1]] = rank;
        }
    }
    put_section(output, "bytes", "uint32_t", bytes, sizeof(bytes));
    put_section(output, "byte_pairs", "uint32_t", pairs, 65536 * sizeof(*pairs));
    free(pairs);
}

static void put_pairs(struct output *output, const struct token *tokens, uint32_t count)
{
    static const char *const names[] = {"pair_seeds", "pair_slots"};
    const size_t filter_bytes = ((size_t)1 << BT_FILTER_BITS) / 8;
    uint64_t *filter = take(filter_bytes, 1);
    struct key *keys = take(count, sizeof(*keys));
    uint32_t key_count = 0;
    for (uint32_t rank = 256; rank < count; rank++) {
        const uint64_t pair = bt_token_pair_key(tokens[rank].left, tokens[rank].right);
        const uint64_t hash = bt_token_pair_hash(tokens[rank].left, tokens[rank].right);
        const uint64_t bit = hash >> (64 - BT_FILTER_BITS);
        filter[bit >> 6] |= (uint64_t)1 << (bit & 63);
        keys[key_count++] = (struct key){hash, {pair << BT_RANK_BITS | rank}, 0};
    }
    put_section(output, "filter", "uint64_t", filter, filter_bytes);
    put_set(output, names, keys, key_count, 1);
    free(filter);
    free(keys);
}

/* The tokens of these lengths, save those whose last byte would pass for padding. */
static void put_words(struct output *output, const char *const names[2], const struct token *tokens,
                      uint32_t count, uint32_t length_max)
{
    const size_t width = length_max / 8;
    struct key *keys = take(count, sizeof(*keys));
    uint32_t key_count = 0;
    for (uint32_t rank = 0; rank < count; rank++) {
        const struct token *token = &tokens[rank];
        if (token->length > length_max || token->length <= length_max - 8 ||
            token->bytes[token->length - 1] == 0) {
            continue;
        }
        const struct bt_token_word word = bt_token_word(token->bytes, token->length);
        keys[key_count++] = (struct key){bt_token_word_hash(word), {word.low, word.high}, 0};
    }
    put_set(output, names, keys, key_count, width);
    free(keys);
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
    (void)fprintf(file, "    .filter = bt_token_%s_filter,\n", encoding);
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        put_set_source(file, output, encoding, sets[i]);
    }
    (void)fputs("};\n", file);
}

int main(int argc, char **argv)
{
    static const char *const shorts[] = {"short_seeds", "short_slots"};
    static const char *const longs[] = {"long_seeds", "long_slots"};
    if (argc != 6) {
        stop("usage: make_token_tables NAME SHA256 MERGES OUT.bin OUT.c");
    }
    uint32_t count = 0;
    char hex[65];
    struct token *tokens = read_tokens(argv[3], &count);
    hash_tokens(tokens, count, hex);
    if (strcmp(hex, argv[2]) != 0) {
        stop("%s is not the published table of %s", argv[3], argv[1]);
    }
    struct output output = {.bin = fopen(argv[4], "wb")};
    FILE *source = fopen(argv[5], "w");
    if (!output.bin || !source) {
        stop("cannot write %s or %s", argv[4], argv[5]);
    }
    put_bytes(&output, tokens, count);
    put_pairs(&output, tokens, count);
    put_words(&output, shorts, tokens, count, 8);
    put_words(&output, longs, tokens, count, BT_WORD_BYTES);
    put_source(source, &output, argv[1], argv[4], count);
    free(tokens);
    if (fclose(output.bin) != 0 || fclose(source) != 0) {
        stop("cannot write");
    }
    return 0;
}
