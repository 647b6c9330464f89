/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_hostile.c - mutated requests to bt_call(): each gets a well-formed reply or a status that
 * the header names, and the memory in use stays as it was.
 *
 * The requests of tests/conformance/parity.json are changed one to four times: bits, ranges,
 * values, operations. BATON_CALLS is how many are made, BATON_SEED chooses which. The second half
 * repeats the first, so that caches are full when the memory is counted.
 */
#include "test.h"

#include <malloc.h>

#include <baton/baton.h>

#if defined(__SANITIZE_ADDRESS__)
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

enum {
    CALLS = 4000,
    SEEDS_MAX = 1000,
    REQUEST_BYTES_MAX = 64 << 10,
    SPLICE_BYTES_MAX = 64,
    RUN_BYTES_MAX = 2000,
    FLAT_BYTES = 1 << 20, /* by which the memory in use may differ */
};

/* A request that is right, or nearly. */
struct seed {
    bt_str operation;
    bt_str request;
};

/* What is changed: a request that grows up to REQUEST_BYTES_MAX. */
struct mutant {
    bt_str operation;
    size_t size;
    char text[REQUEST_BYTES_MAX];
};

struct hostile {
    struct bt_arena *arena;       /* for one reply */
    struct bt_arena *seeds_arena; /* in which the seeds live */
    const struct bt_json_doc *corpus;
    struct seed seeds[SEEDS_MAX];
    size_t count;
    uint64_t random; /* state of xorshift */
    struct mutant mutant;
};

static const bt_str values[] = {
    BT_STR_INIT("null"),
    BT_STR_INIT("true"),
    BT_STR_INIT("-1"),
    BT_STR_INIT("0"),
    BT_STR_INIT("1e400"),
    BT_STR_INIT("18446744073709551616"),
    BT_STR_INIT("1.5"),
    BT_STR_INIT("\"\""),
    BT_STR_INIT("\"\\u0000\""),
    BT_STR_INIT("\"\\ud800\""),
    BT_STR_INIT("\"\\u202e\""),
    BT_STR_INIT("\"../../etc/passwd\""),
    BT_STR_INIT("\"/\""),
    BT_STR_INIT("[]"),
    BT_STR_INIT("{}"),
    BT_STR_INIT("[[[[[[[[]]]]]]]]"),
    BT_STR_INIT("{\"a\":{\"a\":{}}}"),
    BT_STR_INIT("\"2026-13-45T99:99:99Z\""),
    BT_STR_INIT("\"a+(b|c)*\\\\1\""),
    BT_STR_INIT("\"universal\""),
    BT_STR_INIT("\"xml\""),
    BT_STR_INIT("\"=\""),
    BT_STR_INIT("{\"$ref\":\"#\"}"),
    BT_STR_INIT("\"<a xmlns='b'/>\""),
};

static size_t choose(struct hostile *hostile, size_t below)
{
    hostile->random ^= hostile->random << 13;
    hostile->random ^= hostile->random >> 7;
    hostile->random ^= hostile->random << 17;
    return below > 0 ? (size_t)(hostile->random % below) : 0;
}

/* Replace the range by a text, as far as there is room. */
static void replace(struct mutant *mutant, size_t begin, size_t end, bt_str text)
{
    const size_t room = REQUEST_BYTES_MAX - (mutant->size - (end - begin));
    const size_t length = text.len < room ? text.len : room;
    memmove(mutant->text + begin + length, mutant->text + end, mutant->size - end);
    memcpy(mutant->text + begin, text.ptr, length);
    mutant->size = mutant->size - (end - begin) + length;
}

/* Replace the value behind a colon, so that the request often stays JSON. */
static void change_value(struct hostile *hostile, struct mutant *mutant)
{
    const bt_str text = {mutant->text, mutant->size};
    size_t begin = bt_str_find_byte(text, ':', choose(hostile, text.len));
    size_t end = begin + 1;
    if (end >= text.len) {
        return;
    }
    begin = end;
    if (text.ptr[end] == '"') {
        for (end++; end < text.len && text.ptr[end] != '"'; end++) {
            end += text.ptr[end] == '\\';
        }
        end = end < text.len ? end + 1 : text.len;
    } else {
        while (end < text.len && !strchr(",]}", text.ptr[end])) {
            end++;
        }
    }
    replace(mutant, begin, end, values[choose(hostile, COUNT_OF(values))]);
}

static void mutate(struct hostile *hostile, struct mutant *mutant)
{
    char run[RUN_BYTES_MAX];
    const size_t begin = choose(hostile, mutant->size);
    const size_t rest = mutant->size - begin;
    const size_t length = choose(hostile, rest < SPLICE_BYTES_MAX ? rest : SPLICE_BYTES_MAX);
    const struct seed *other = &hostile->seeds[choose(hostile, hostile->count)];
    switch (choose(hostile, 10)) {
    case 0:
        if (rest > 0) {
            mutant->text[begin] ^= (char)(1 << choose(hostile, 8));
        }
        break;
    case 1:
        replace(mutant, begin, begin + length, BT_STR(""));
        break;
    case 2:
        memcpy(run, mutant->text + begin, length);
        replace(mutant, begin, begin, (bt_str){run, length});
        break;
    case 3:
        replace(mutant, begin, begin + length, values[choose(hostile, COUNT_OF(values))]);
        break;
    case 4:
        replace(mutant, begin, mutant->size,
                bt_str_slice(other->request, choose(hostile, other->request.len), SIZE_MAX));
        break;
    case 5:
        mutant->operation = other->operation;
        break;
    case 6:
        memset(run, "[{\" \\9a\xff"[choose(hostile, 8)], sizeof(run));
        replace(mutant, begin, begin, (bt_str){run, choose(hostile, sizeof(run))});
        break;
    default:
        change_value(hostile, mutant);
    }
}

static const struct mutant *make_mutant(struct hostile *hostile)
{
    const struct seed *seed = &hostile->seeds[choose(hostile, hostile->count)];
    struct mutant *mutant = &hostile->mutant;
    mutant->operation = seed->operation;
    mutant->size = 0;
    replace(mutant, 0, 0, seed->request);
    for (size_t i = 1 + choose(hostile, 4); i > 0; i--) {
        mutate(hostile, mutant);
    }
    return mutant;
}

/* True when a reply is JSON, has a status of HTTP, and is done exactly when that says so. */
static bool is_reply(struct bt_arena *arena, unsigned status, bool is_done, bt_str json)
{
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    struct bt_json_options options = BT_INIT(struct bt_json_options);
    options.depth_max = 1000;
    options.document_bytes_max = 1 << 30;
    options.string_bytes_max = 1 << 30;
    bt_arena_reset(arena);
    return bt_json_read(arena, json, &options, &read) == BT_OK && read.document &&
           bt_json_type(bt_json_root(read.document)) == BT_JSON_OBJECT && status >= 200 &&
           status < 600 && is_done == (status < 300);
}

/* Call with a mutant. The reply, which the caller destroys, or NULL after a status. */
static struct bt_reply *call_mutant(struct hostile *hostile, struct bt_engine *engine,
                                    struct bt_arena *arena)
{
    struct bt_reply *const untouched = (struct bt_reply *)hostile;
    struct bt_reply *reply = untouched;
    struct bt_error error = {BT_OK, ""};
    const struct mutant *mutant = make_mutant(hostile);
    const bt_str request = {mutant->text, mutant->size};
    const enum bt_status status = bt_call(engine, mutant->operation, request, &reply, &error);
    if (status != BT_OK) {
        if (reply != untouched || error.status != status || error.text[0] == '\0' ||
            (status != BT_ENOMEM && status != BT_ELIMIT && status != BT_EIO &&
             status != BT_ECORRUPT)) {
            fail_msg("%.*s: %s: %s\n%.*s", BT_STR_ARG(mutant->operation), bt_status_text(status),
                     error.text, BT_STR_ARG(request));
        }
        return NULL;
    }
    if (!is_reply(arena, bt_reply_status(reply), bt_reply_is_done(reply), bt_reply_json(reply))) {
        fail_msg("%.*s: %u %.*s\n%.*s", BT_STR_ARG(mutant->operation), bt_reply_status(reply),
                 BT_STR_ARG(bt_reply_json(reply)), BT_STR_ARG(request));
    }
    return reply;
}

/* Bytes that the program has allocated and not freed. */
static size_t count_allocated(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return __sanitizer_get_current_allocated_bytes();
#else
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#endif
}

static uint64_t read_number(const char *name, uint64_t usual)
{
    const char *text = getenv(name);
    uint64_t number = 0;
    for (const char *digit = text; digit && *digit >= '0' && *digit <= '9'; digit++) {
        number = number * 10 + (uint64_t)(*digit - '0');
    }
    return number > 0 ? number : usual;
}

/* An engine with the roots of the corpus, which lie in memory. */
static struct bt_engine *make_engine(const struct hostile *hostile)
{
    struct bt_engine *engine = NULL;
    struct bt_error error;
    const struct bt_json_doc *corpus = hostile->corpus;
    const bt_json_value *roots = bt_json_get(corpus, bt_json_root(corpus), BT_STR("roots"));
    if (bt_engine_create(BT_STR("{\"limits\":{\"schema_ms\":1000}}"), &engine, &error) != BT_OK) {
        fail_msg("%s", error.text);
    }
    assert_true(bt_json_count(roots) > 0);
    for (size_t i = 0; i < bt_json_count(roots); i++) {
        const struct bt_json_member *root = &bt_json_members(roots)[i];
        for (size_t j = 0; j < bt_json_count(&root->value); j++) {
            const struct bt_json_member *file = &bt_json_members(&root->value)[j];
            assert_int_equal(bt_engine_root_file(engine, bt_json_name(root), bt_json_name(file),
                                                 bt_json_text(&file->value), &error),
                             BT_OK);
        }
    }
    return engine;
}

static void every_mutated_request_is_answered(void **state)
{
    struct hostile *hostile = *state;
    struct bt_engine *engine = make_engine(hostile);
    const uint64_t calls = read_number("BATON_CALLS", CALLS);
    const uint64_t first = hostile->random;
    size_t answered = 0;
    size_t done = 0;
    size_t early = 0;
    for (uint64_t i = 0; i < calls; i++) {
        if (i == calls / 2) { /* again: what is kept for such requests has been made by now */
            early = count_allocated();
            hostile->random = first;
        }
        struct bt_reply *reply = call_mutant(hostile, engine, hostile->arena);
        answered += reply != NULL;
        done += reply && bt_reply_is_done(reply);
        bt_reply_destroy(reply);
    }
    const size_t late = count_allocated();
    print_message("# %llu calls, %zu replies, %zu done, %zu bytes in use, %zd more than early\n",
                  (unsigned long long)calls, answered, done, late, (ssize_t)(late - early));
    assert_true(late < early + FLAT_BYTES);
    /* Mutants that are all refused at the first test would show little. */
    assert_true(done > calls / 20 && answered - done > calls / 20);
    bt_engine_destroy(engine);
}

static void replies_that_are_kept_are_noticed(void **state)
{
    enum { KEPT = 4000 };
    struct hostile *hostile = *state;
    struct bt_engine *engine = make_engine(hostile);
    struct bt_reply **kept = calloc(KEPT, sizeof(struct bt_reply *));
    assert_non_null(kept);
    const size_t early = count_allocated();
    for (size_t i = 0; i < KEPT; i++) {
        kept[i] = call_mutant(hostile, engine, hostile->arena);
    }
    assert_true(count_allocated() > early + FLAT_BYTES);
    for (size_t i = 0; i < KEPT; i++) {
        bt_reply_destroy(kept[i]);
    }
    free(kept);
    bt_engine_destroy(engine);
}

static void replies_that_are_wrong_are_noticed(void **state)
{
    struct hostile *hostile = *state;
    assert_true(is_reply(hostile->arena, 200, true, BT_STR("{}")));
    assert_false(is_reply(hostile->arena, 200, true, BT_STR("{")));
    assert_false(is_reply(hostile->arena, 200, true, BT_STR("[]")));
    assert_false(is_reply(hostile->arena, 200, false, BT_STR("{}")));
    assert_false(is_reply(hostile->arena, 404, true, BT_STR("{}")));
    assert_false(is_reply(hostile->arena, 0, true, BT_STR("{}")));
}

/* Read the cases of the parity corpus. A request {"$text":T} is the text T itself. */
static void read_seeds(struct hostile *hostile, struct bt_arena *arena, bt_str source)
{
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    struct bt_buf *buf = bt_buf_create(16 << 20);
    assert_non_null(buf);
    assert_int_equal(bt_json_read(arena, source, NULL, &read), BT_OK);
    assert_non_null(read.document);
    const struct bt_json_doc *doc = read.document;
    hostile->corpus = doc;
    const bt_json_value *cases = bt_json_get(doc, bt_json_root(doc), BT_STR("cases"));
    assert_non_null(cases);
    for (size_t i = 0; i < bt_json_count(cases) && i < SEEDS_MAX; i++) {
        const bt_json_value *row = &bt_json_items(cases)[i];
        const bt_json_value *request = bt_json_get(doc, row, BT_STR("request"));
        const bt_json_value *text = bt_json_get(doc, request, BT_STR("$text"));
        struct seed *seed = &hostile->seeds[hostile->count++];
        seed->operation = bt_json_text(bt_json_get(doc, row, BT_STR("operation")));
        bt_buf_clear(buf);
        assert_int_equal(bt_json_write(buf, doc, request, BT_JSON_FORM_COMPACT, arena, NULL),
                         BT_OK);
        assert_int_equal(
            bt_arena_copy(arena, text ? bt_json_text(text) : bt_buf_str(buf), &seed->request),
            BT_OK);
    }
    bt_buf_destroy(buf);
    assert_true(hostile->count > 100);
}

static int open_hostile(void **state)
{
    struct hostile *hostile = calloc(1, sizeof(*hostile));
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = fopen(PARITY_CORPUS, "rb");
    assert_non_null(hostile);
    assert_non_null(file);
    hostile->seeds_arena = bt_arena_create(64 << 20);
    bytes = bt_arena_alloc(hostile->seeds_arena, 8 << 20);
    assert_non_null(bytes);
    size = fread(bytes, 1, 8 << 20, file);
    fclose(file);
    read_seeds(hostile, hostile->seeds_arena, (bt_str){bytes, size});
    hostile->arena = bt_arena_create(1 << 30);
    hostile->random = read_number("BATON_SEED", 1) * 0x9e3779b97f4a7c15u | 1;
    *state = hostile;
    return 0;
}

static int close_hostile(void **state)
{
    struct hostile *hostile = *state;
    bt_arena_destroy(hostile->arena);
    bt_arena_destroy(hostile->seeds_arena);
    free(hostile);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mutated_request_is_answered),
        cmocka_unit_test(replies_that_are_kept_are_noticed),
        cmocka_unit_test(replies_that_are_wrong_are_noticed),
    };
    return cmocka_run_group_tests(tests, open_hostile, close_hostile);
}
