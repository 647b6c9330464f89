/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cose.c VECTORS - COSE receipts: the published ones get the published answers; changed bytes
 * are refused, except in labels that readers ignore; no other encoding of a receipt is accepted.
 */
#include "test.h"

#include <baton/json.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "cbor/cbor.h"
#include "ledger/proof_api.h"
#include "report/findings.h"
#include "report/rules.h"

enum { MUTATIONS = 3000, FILE_BYTES_MAX = 1 << 20, ARENA_BYTES = 64 << 20, VARIANTS_MIN = 60 };

static const char *vectors_path;

/* BATON_FORGERIES in the environment asks for more. */
static size_t mutations(void)
{
    const char *wish = getenv("BATON_FORGERIES");
    uint64_t count = MUTATIONS;
    assert_true(!wish || bt_str_to_u64(bt_str_of(wish), &count) == BT_OK);
    return (size_t)count;
}

/* A vector of the file. */
struct vector {
    bt_str id;
    bt_str vkey;
    bt_str receipt; /* decoded */
    bt_str entry;   /* decoded; "" when it is in the receipt */
    bool has_document;
    bt_str document; /* decoded */
    const bt_json_value *expect;
};

struct vectors {
    struct bt_arena arena;
    const struct bt_json_doc *file;
    const bt_json_value *list;
};

static void open_vectors(struct vectors *vectors)
{
    struct bt_json_read_result read = {0};
    bt_str text;
    bt_arena_init(&vectors->arena, ARENA_BYTES);
    assert_int_equal(
        bt_file_read(&vectors->arena, bt_str_of(vectors_path), FILE_BYTES_MAX, &text, NULL), BT_OK);
    assert_int_equal(bt_json_read(&vectors->arena, text, NULL, &read), BT_OK);
    assert_non_null(read.document);
    vectors->file = read.document;
    vectors->list = bt_json_get(read.document, bt_json_root(read.document), BT_STR("vectors"));
    assert_true(bt_json_count(vectors->list) >= 12);
}

static bt_str text_of(const struct vectors *vectors, const bt_json_value *item, const char *name)
{
    const bt_json_value *value = bt_json_get(vectors->file, item, bt_str_of(name));
    return value ? bt_json_text(value) : BT_STR("");
}

static bt_str bytes_of(struct vectors *vectors, const bt_json_value *item, const char *name)
{
    const bt_str encoded = text_of(vectors, item, name);
    const size_t size = bt_base64_decoded_size(encoded);
    assert_true(size != SIZE_MAX);
    char *bytes = bt_arena_alloc(&vectors->arena, size + 1);
    assert_non_null(bytes);
    bt_base64_decode(encoded, bytes);
    return (bt_str){bytes, size};
}

static struct vector vector_at(struct vectors *vectors, size_t index)
{
    const bt_json_value *item = &bt_json_items(vectors->list)[index];
    return (struct vector){
        .id = text_of(vectors, item, "id"),
        .vkey = text_of(vectors, item, "vkey"),
        .receipt = bytes_of(vectors, item, "receipt"),
        .entry = bytes_of(vectors, item, "entry"),
        .has_document = bt_json_get(vectors->file, item, BT_STR("document")) != NULL,
        .document = bytes_of(vectors, item, "document"),
        .expect = bt_json_get(vectors->file, item, BT_STR("expect")),
    };
}

/* Judge a receipt with the vector's key. */
static struct bt_judgement judge_with(struct bt_arena *arena, const struct vector *vector,
                                      bt_str receipt)
{
    struct bt_judgement judged;
    struct bt_verifier_keys *keys = bt_verifier_keys_new(arena, BT_VERIFIER_KEY_LOG);
    assert_non_null(keys);
    assert_int_equal(bt_verifier_keys_add(keys, vector->vkey, NULL), BT_OK);
    const struct bt_receipt_judge_options options = {.keys = keys,
                                                     .has_document = vector->has_document,
                                                     .document = vector->document,
                                                     .has_entry = vector->entry.len > 0,
                                                     .entry = vector->entry};
    assert_int_equal(bt_receipt_judge(arena, BT_STR("r"), receipt, &options, &judged), BT_OK);
    return judged;
}

static void published_receipts_get_the_published_answers(void **state)
{
    (void)state;
    struct vectors vectors;
    open_vectors(&vectors);
    for (size_t i = 0; i < bt_json_count(vectors.list); i++) {
        const struct vector vector = vector_at(&vectors, i);
        const bt_json_value *codes = bt_json_get(vectors.file, vector.expect, BT_STR("codes"));
        const struct bt_judgement judged = judge_with(&vectors.arena, &vector, vector.receipt);
        const bool expects_none = bt_json_count(codes) == 0;
        assert_int_equal(judged.verdict == BT_VERDICT_ACCEPTED, expects_none);
        if (bt_findings_count(judged.findings) != bt_json_count(codes)) {
            fail_msg("%.*s: %zu findings", BT_STR_ARG(vector.id),
                     bt_findings_count(judged.findings));
        }
        for (size_t c = 0; c < bt_json_count(codes); c++) {
            const struct bt_finding *finding = bt_findings_at(judged.findings, c);
            assert_true(bt_str_eq(finding->rule->code, bt_json_text(&bt_json_items(codes)[c])));
        }
    }
    bt_arena_free(&vectors.arena);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Change the bytes in one of six ways; the result has at most one byte more. */
static size_t change_bytes(char *bytes, size_t size, uint64_t *seed)
{
    const size_t at = (size_t)(next_random(seed) % size);
    const size_t other = (size_t)(next_random(seed) % size);
    const char byte = (char)next_random(seed);
    switch (next_random(seed) % 6) {
    case 0:
        bytes[at] = (char)(bytes[at] ^ 1 << (unsigned char)byte % 8);
        return size;
    case 1:
        bytes[at] = byte;
        return size;
    case 2: /* remove */
        memmove(bytes + at, bytes + at + 1, size - at - 1);
        return size - 1;
    case 3: /* insert */
        memmove(bytes + at + 1, bytes + at, size - at);
        bytes[at] = byte;
        return size + 1;
    case 4: { /* swap */
        const char kept = bytes[at];
        bytes[at] = bytes[other];
        bytes[other] = kept;
        return size;
    }
    default: /* truncate */
        return at;
    }
}

/* Where two receipts differ. Labels of the unprotected map other than these are ignored, so a
 * changed label of the checkpoint leaves a receipt without one. */
enum place {
    PLACE_NONE,
    PLACE_ENCODING, /* it is not a COSE_Sign1 any more */
    PLACE_SIGNED,   /* protected headers, path, payload or signature */
    PLACE_CARRIED,  /* the entry or the checkpoint */
    PLACE_IGNORED,  /* only labels that 2.2 of the chapter has readers ignore */
    PLACE__MAX
};

enum { LABEL_PROOFS = 396, LABEL_ENTRY = -70001, LABEL_CHECKPOINT = -70002 };

/* The four parts of a COSE_Sign1. */
static bool split_receipt(bt_str receipt, bt_str out_parts[4])
{
    if (bt_cbor_check(receipt) || bt_cbor_read(receipt).type != BT_CBOR_TAG) {
        return false;
    }
    const struct bt_cbor_item list = bt_cbor_read(bt_cbor_read(receipt).content);
    bt_str rest = list.content;
    if (list.type != BT_CBOR_ARRAY || list.number != 4) {
        return false;
    }
    for (size_t i = 0; i < 4; i++) {
        if (!bt_cbor_next(&rest, &out_parts[i])) {
            return false;
        }
    }
    return bt_cbor_read(out_parts[1]).type == BT_CBOR_MAP;
}

/* True when the member is the same in both maps, or `may_be_absent` and the second has none. */
static bool has_same_member(bt_str before, bt_str after, int64_t label, bool may_be_absent)
{
    bt_str was = BT_STR("");
    bt_str is = BT_STR("");
    assert_true(bt_cbor_find(before, label, &was));
    return bt_cbor_find(after, label, &is) ? bt_str_eq(was, is) : may_be_absent;
}

static enum place place_of_change(bt_str before, bt_str after)
{
    bt_str was[4];
    bt_str is[4];
    assert_true(split_receipt(before, was));
    if (bt_str_eq(before, after)) {
        return PLACE_NONE;
    }
    if (!split_receipt(after, is)) {
        return PLACE_ENCODING;
    }
    if (!bt_str_eq(was[0], is[0]) || !bt_str_eq(was[2], is[2]) || !bt_str_eq(was[3], is[3]) ||
        !has_same_member(was[1], is[1], LABEL_PROOFS, false)) {
        return PLACE_SIGNED;
    }
    return has_same_member(was[1], is[1], LABEL_ENTRY, false) &&
                   has_same_member(was[1], is[1], LABEL_CHECKPOINT, true)
               ? PLACE_IGNORED
               : PLACE_CARRIED;
}

/* How many changes there were of each place, and how many receipts were accepted with them. */
struct tally {
    size_t changes[PLACE__MAX];
    size_t accepted[PLACE__MAX];
};

static void forge_receipts(const struct vector *vector, size_t count, struct tally *tally)
{
    uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    const struct bt_judgement original = judge_with(&arena, vector, vector->receipt);
    char *bytes = malloc(vector->receipt.len + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++) {
        struct bt_arena work;
        bt_arena_init(&work, ARENA_BYTES);
        memcpy(bytes, vector->receipt.ptr, vector->receipt.len);
        const bt_str changed = {bytes, change_bytes(bytes, vector->receipt.len, &seed)};
        const enum place place = place_of_change(vector->receipt, changed);
        const struct bt_judgement judged = judge_with(&work, vector, changed);
        tally->changes[place]++;
        if (judged.verdict == BT_VERDICT_ACCEPTED) {
            tally->accepted[place]++;
            if (!bt_str_eq(judged.facts, original.facts)) {
                fail_msg("change %zu was accepted with other facts", i);
            }
        }
        bt_arena_free(&work);
    }
    free(bytes);
    bt_arena_free(&arena);
}

static void changed_receipts_are_refused(void **state)
{
    (void)state;
    struct vectors vectors;
    struct tally tally = {0};
    open_vectors(&vectors);
    const struct vector vector = vector_at(&vectors, 1);
    const size_t count = mutations();
    forge_receipts(&vector, count, &tally);
    print_message("# %zu changes: %zu of the encoding, %zu of what is signed, %zu of the carried "
                  "entry or checkpoint: %zu accepted\n",
                  count, tally.changes[PLACE_ENCODING], tally.changes[PLACE_SIGNED],
                  tally.changes[PLACE_CARRIED],
                  tally.accepted[PLACE_ENCODING] + tally.accepted[PLACE_SIGNED] +
                      tally.accepted[PLACE_CARRIED]);
    print_message("# %zu of labels that readers ignore: %zu accepted, with the same facts; %zu "
                  "changed nothing\n",
                  tally.changes[PLACE_IGNORED], tally.accepted[PLACE_IGNORED],
                  tally.changes[PLACE_NONE]);
    assert_int_equal(tally.accepted[PLACE_ENCODING], 0);
    assert_int_equal(tally.accepted[PLACE_SIGNED], 0);
    assert_int_equal(tally.accepted[PLACE_CARRIED], 0);
    assert_int_equal(tally.accepted[PLACE_NONE], tally.changes[PLACE_NONE]);
    assert_true(tally.changes[PLACE_SIGNED] > 0 && tally.changes[PLACE_CARRIED] > 0);
    bt_arena_free(&vectors.arena);
}

/* ---- Other encodings ------------------------------------------------------------------------- */

/* An encoding in which one place may be spelled in another way. */
struct spelling {
    bt_str bytes;
    const struct vector *vector;
    bt_str before; /* what surrounds the bytes in the receipt: a string without its head ... */
    bt_str after;
    bool is_inner; /* ... or nothing */
    size_t count;
};

/* The receipt with these bytes in the place of the spelling's must be RECEIPT_SYNTAX. */
static void expect_refused(struct spelling *spelling, bt_str bytes)
{
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, ARENA_BYTES);
    bt_buf_init(&buf, FILE_BYTES_MAX);
    bt_buf_put(&buf, spelling->before);
    if (spelling->is_inner) {
        bt_cbor_put_string(&buf, BT_CBOR_BYTES, bytes);
    } else {
        bt_buf_put(&buf, bytes);
    }
    bt_buf_put(&buf, spelling->after);
    const struct bt_judgement judged = judge_with(&arena, spelling->vector, bt_buf_str(&buf));
    assert_int_equal(bt_findings_count(judged.findings), 1);
    assert_str(bt_findings_at(judged.findings, 0)->rule->code, "RECEIPT_SYNTAX");
    spelling->count++;
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void put_long_head(struct bt_buf *buf, const struct bt_cbor_item *item, unsigned low)
{
    bt_buf_put_char(buf, (char)((unsigned)item->type << 5 | low));
    for (unsigned i = 1U << (low - 24); i > 0; i--) {
        bt_buf_put_char(buf, (char)(item->number >> 8 * (i - 1)));
    }
}

/* Spell the head that begins at `at` in every longer form. */
static void lengthen_head(struct spelling *spelling, size_t at, const struct bt_cbor_item *item,
                          size_t head)
{
    const unsigned low = (unsigned char)spelling->bytes.ptr[at] & 31;
    for (unsigned longer = low < 24 ? 24 : low + 1; longer <= 27; longer++) {
        struct bt_buf buf;
        bt_buf_init(&buf, FILE_BYTES_MAX);
        bt_buf_put(&buf, bt_str_slice(spelling->bytes, 0, at));
        put_long_head(&buf, item, longer);
        bt_buf_put(&buf, bt_str_slice(spelling->bytes, at + head, spelling->bytes.len));
        expect_refused(spelling, bt_buf_str(&buf));
        bt_buf_free(&buf);
    }
}

/* Spell a string, array or map with an indefinite length; strings as one piece. */
static void unbind_length(struct spelling *spelling, size_t at, const struct bt_cbor_item *item,
                          size_t head)
{
    bt_str rest = bt_str_slice(spelling->bytes, at, spelling->bytes.len);
    bt_str whole;
    struct bt_buf buf;
    const bool is_string = item->type == BT_CBOR_BYTES || item->type == BT_CBOR_TEXT;
    assert_true(bt_cbor_next(&rest, &whole));
    bt_buf_init(&buf, FILE_BYTES_MAX);
    bt_buf_put(&buf, bt_str_slice(spelling->bytes, 0, at));
    bt_buf_put_char(&buf, (char)((unsigned)item->type << 5 | 31));
    bt_buf_put(&buf, is_string ? whole : bt_str_slice(whole, head, whole.len));
    bt_buf_put_char(&buf, (char)0xff);
    bt_buf_put(&buf, rest);
    expect_refused(spelling, bt_buf_str(&buf));
    bt_buf_free(&buf);
}

/* Exchange the first two members of a map. */
static void exchange_members(struct spelling *spelling, size_t at, const struct bt_cbor_item *item,
                             size_t head)
{
    bt_str rest = item->content;
    bt_str key;
    bt_str value;
    bt_str pairs[2];
    struct bt_buf buf;
    for (size_t i = 0; i < 2; i++) {
        const char *begin = rest.ptr;
        assert_true(bt_cbor_next(&rest, &key) && bt_cbor_next(&rest, &value));
        pairs[i] = (bt_str){begin, (size_t)(rest.ptr - begin)};
    }
    bt_buf_init(&buf, FILE_BYTES_MAX);
    bt_buf_put(&buf, bt_str_slice(spelling->bytes, 0, at + head));
    bt_buf_put(&buf, pairs[1]);
    bt_buf_put(&buf, pairs[0]);
    bt_buf_put(&buf, rest);
    expect_refused(spelling, bt_buf_str(&buf));
    bt_buf_free(&buf);
}

/* Spell each item in every other way that CBOR allows. */
static void respell(struct spelling *spelling)
{
    bt_str rest = spelling->bytes;
    while (rest.len > 0) {
        const struct bt_cbor_item item = bt_cbor_read(rest);
        const size_t at = spelling->bytes.len - rest.len;
        const size_t head = (size_t)(item.content.ptr - rest.ptr);
        const bool is_string = item.type == BT_CBOR_BYTES || item.type == BT_CBOR_TEXT;
        if (item.type != BT_CBOR_SIMPLE) {
            lengthen_head(spelling, at, &item, head);
        }
        if (is_string || item.type == BT_CBOR_ARRAY || item.type == BT_CBOR_MAP) {
            unbind_length(spelling, at, &item, head);
        }
        if (item.type == BT_CBOR_MAP && item.number > 1) {
            exchange_members(spelling, at, &item, head);
        }
        rest = bt_str_slice(rest, head + (is_string ? item.content.len : 0), rest.len);
    }
}

/* The byte string that holds `inner`, and what surrounds it. */
static struct spelling spelling_of(const struct vector *vector, bt_str inner)
{
    struct bt_buf buf;
    const size_t begin = (size_t)(inner.ptr - vector->receipt.ptr);
    bt_buf_init(&buf, 64);
    bt_cbor_put_head(&buf, BT_CBOR_BYTES, inner.len);
    const struct spelling spelling = {
        .bytes = inner,
        .vector = vector,
        .before = bt_str_slice(vector->receipt, 0, begin - buf.len),
        .after = bt_str_slice(vector->receipt, begin + inner.len, vector->receipt.len),
        .is_inner = true,
    };
    bt_buf_free(&buf);
    return spelling;
}

static void no_other_encoding_is_accepted(void **state)
{
    (void)state;
    struct vectors vectors;
    open_vectors(&vectors);
    const struct vector vector = vector_at(&vectors, 0);
    struct spelling whole = {
        .bytes = vector.receipt, .vector = &vector, .before = BT_STR(""), .after = BT_STR("")};
    bt_str rest = bt_cbor_read(bt_cbor_read(vector.receipt).content).content;
    bt_str item;
    bt_str headers;
    bt_str proof;
    assert_true(bt_cbor_next(&rest, &item) && bt_cbor_read_string(item, BT_CBOR_BYTES, &headers));
    assert_true(bt_cbor_next(&rest, &item) && bt_cbor_find(item, 396, &item) &&
                bt_cbor_find(item, -1, &item) &&
                bt_cbor_read_string(bt_cbor_read(item).content, BT_CBOR_BYTES, &proof));
    struct spelling protected_header = spelling_of(&vector, headers);
    struct spelling inclusion = spelling_of(&vector, proof);
    respell(&whole);
    respell(&protected_header);
    respell(&inclusion);
    const size_t count = whole.count + protected_header.count + inclusion.count;
    assert_true(count >= VARIANTS_MIN);
    print_message("# %zu other encodings refused\n", count);
    bt_arena_free(&vectors.arena);
}

/* The control of the tests above: bytes that nobody signs may be added, and then it is accepted. */
static void an_unknown_label_is_ignored(void **state)
{
    (void)state;
    struct vectors vectors;
    struct bt_buf buf;
    open_vectors(&vectors);
    const struct vector vector = vector_at(&vectors, 0);
    bt_str rest = bt_cbor_read(bt_cbor_read(vector.receipt).content).content;
    bt_str map;
    assert_true(bt_cbor_next(&rest, &map) && bt_cbor_next(&rest, &map));
    const size_t begin = (size_t)(map.ptr - vector.receipt.ptr);
    bt_buf_init(&buf, FILE_BYTES_MAX);
    bt_buf_put(&buf, bt_str_slice(vector.receipt, 0, begin));
    bt_cbor_put_head(&buf, BT_CBOR_MAP, bt_cbor_read(map).number + 1);
    bt_buf_put(&buf, bt_str_slice(map, 1, map.len));
    bt_cbor_put_string(&buf, BT_CBOR_TEXT, BT_STR("more"));
    bt_cbor_put_integer(&buf, 1);
    bt_buf_put(&buf, rest);
    const struct bt_judgement judged = judge_with(&vectors.arena, &vector, bt_buf_str(&buf));
    assert_int_equal(judged.verdict, BT_VERDICT_ACCEPTED);
    bt_buf_free(&buf);
    bt_arena_free(&vectors.arena);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_receipts_get_the_published_answers),
        cmocka_unit_test(changed_receipts_are_refused),
        cmocka_unit_test(no_other_encoding_is_accepted),
        cmocka_unit_test(an_unknown_label_is_ignored),
    };
    vectors_path = count > 1 ? words[1] : "cose-vectors.json";
    return RUN_TESTS(tests);
}
