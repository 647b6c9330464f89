/* SPDX-License-Identifier: Apache-2.0 */
/* test_follow.c - reading a transcript on: the same calls and digests as in one reading. */
#include "test.h"

#include "base/buf.h"
#include "base/hash.h"
#include "evidence/follow.h"

static char path[256];

static void write_file(const char *bytes, size_t size, const char *mode)
{
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The line of a call and of its result, with this number. */
static void add_call(struct bt_buf *buf, unsigned n)
{
    static const char *const uses[] = {
        "\"name\":\"Bash\",\"input\":{\"command\":\"cd x%u && make t%u | tail\"}",
        "\"name\":\"Edit\",\"input\":{\"file_path\":\"/repo/f%u-%u.c\"}",
        "\"name\":\"mcp__x\",\"input\":{\"a\":\"%u %u\"}",
        "\"name\":\"Bash\",\"input\":{\"command\":\"ls %u %u\"}",
    };
    bt_buf_printf(buf,
                  "{\"type\":\"assistant\",\"message\":{\"id\":\"m%u\",\"content\":[{\"type\":"
                  "\"tool_use\",\"id\":\"id%u\",",
                  n, n);
    char use[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(use, sizeof(use), uses[n % 4], n, n);
#pragma GCC diagnostic pop
    bt_buf_put_text(buf, use);
    bt_buf_put_text(buf, "}]}}\n");
    bt_buf_printf(buf,
                  "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\","
                  "\"tool_use_id\":\"id%u\",\"is_error\":%s,\"content\":\"Exit code %u\"}]}}\n",
                  n, n % 3 == 0 ? "true" : "false", n % 5);
}

static struct bt_buf make_transcript(unsigned calls)
{
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 20);
    for (unsigned i = 1; i <= calls; i++) {
        add_call(&buf, i);
    }
    assert_int_equal(buf.status, BT_OK);
    return buf;
}

struct fixture {
    struct bt_env env;
    struct bt_evidence_source source;
    struct bt_arena arena;
};

static void set_up(struct fixture *fixture)
{
    (void)snprintf(path, sizeof(path), "%s/test-follow-%d.jsonl", test_place(), (int)getpid());
    *fixture = (struct fixture){
        .source = {.path = bt_str_of(path), .agent = BT_STR("-"), .owned_only = true}};
    assert_int_equal(bt_env_init(&fixture->env), BT_OK);
    bt_arena_init(&fixture->arena, 1 << 26);
}

/* Read to the end and copy what is to be kept. */
static struct bt_evidence_kept read_on(struct fixture *fixture, const struct bt_evidence_kept *kept,
                                       bool begins_slice, struct bt_evidence_follow *out)
{
    struct bt_evidence_kept next;
    bt_evidence_follow_init(out, &fixture->env, &fixture->source);
    assert_int_equal(bt_evidence_follow_open(out, kept), BT_OK);
    assert_int_equal(bt_evidence_follow_read(out), BT_OK);
    assert_int_equal(bt_evidence_follow_keep(out, begins_slice, &next), BT_OK);
    bt_str *const texts[] = {&next.settings,   &next.device, &next.inode,
                             &next.last_bytes, &next.slice,  &next.calls};
    for (size_t i = 0; i < BT_COUNT_OF(texts); i++) {
        assert_int_equal(bt_arena_copy(&fixture->arena, *texts[i], texts[i]), BT_OK);
    }
    return next;
}

static void tear_down(struct fixture *fixture)
{
    bt_arena_free(&fixture->arena);
    (void)unlink(path);
}

static void every_cut_gives_the_calls_of_one_reading(void **state)
{
    (void)state;
    struct fixture fixture;
    struct bt_buf whole = make_transcript(9);
    struct bt_evidence_follow at_once;
    struct bt_evidence_follow first;
    struct bt_evidence_follow second;
    set_up(&fixture);
    write_file(whole.ptr, whole.len, "wb");
    const struct bt_evidence_kept wanted = read_on(&fixture, NULL, false, &at_once);
    assert_int_equal(at_once.index.calls.count, 9);
    for (size_t cut = 140; cut <= whole.len; cut++) { /* the first line is complete */
        write_file(whole.ptr, cut, "wb");
        const struct bt_evidence_kept kept = read_on(&fixture, NULL, false, &first);
        write_file(whole.ptr + cut, whole.len - cut, "ab");
        const struct bt_evidence_kept next = read_on(&fixture, &kept, false, &second);
        assert_true(second.is_resumed);
        assert_int_equal(second.reading, BT_EVIDENCE_READING_WHOLE);
        assert_true(bt_str_eq(next.calls, wanted.calls));
        assert_true(bt_str_eq(next.last_bytes, wanted.last_bytes));
        assert_true(next.read_to == wanted.read_to);
        assert_true(second.state.lines == at_once.state.lines);
        assert_memory_equal(second.state.sha256, at_once.state.sha256, BT_SHA256_BYTES);
        bt_evidence_follow_free(&first);
        bt_evidence_follow_free(&second);
    }
    bt_evidence_follow_free(&at_once);
    bt_buf_free(&whole);
    tear_down(&fixture);
}

static void slices_join_and_have_their_own_digest(void **state)
{
    (void)state;
    struct fixture fixture;
    struct bt_buf whole = make_transcript(6);
    struct bt_evidence_follow first;
    struct bt_evidence_follow second;
    uint8_t digest[BT_SHA256_BYTES];
    set_up(&fixture);
    const size_t cut =
        (size_t)((char *)memchr(whole.ptr + whole.len / 2, '\n', whole.len / 2) - whole.ptr) + 1;
    write_file(whole.ptr, cut, "wb");
    const struct bt_evidence_kept kept = read_on(&fixture, NULL, true, &first);
    write_file(whole.ptr + cut, whole.len - cut, "ab");
    (void)read_on(&fixture, &kept, true, &second);
    assert_true(first.state.from == 0 && first.state.to == cut);
    assert_true(second.state.from == cut && second.state.to == whole.len);
    assert_int_equal(bt_sha256((bt_str){whole.ptr + cut, whole.len - cut}, digest), BT_OK);
    assert_memory_equal(second.state.sha256, digest, sizeof(digest));
    bt_evidence_follow_free(&second);
    /* Other settings need the calls anew; the slice still begins where the last one ended. */
    static const bt_str patterns[] = {BT_STR_INIT("*.c")};
    fixture.source.doc_paths = (struct bt_str_list){patterns, 1};
    (void)read_on(&fixture, &kept, true, &second);
    assert_false(second.is_resumed);
    assert_int_equal(second.index.calls.count, 6);
    assert_true(second.state.from == cut);
    assert_memory_equal(second.state.sha256, digest, sizeof(digest));
    bt_evidence_follow_free(&first);
    bt_evidence_follow_free(&second);
    bt_buf_free(&whole);
    tear_down(&fixture);
}

static void another_file_is_read_from_its_start(void **state)
{
    (void)state;
    struct bt_buf whole = make_transcript(6);
    for (int change = 0; change < 5; change++) {
        struct fixture fixture;
        struct bt_evidence_follow first;
        struct bt_evidence_follow second;
        set_up(&fixture);
        write_file(whole.ptr, whole.len, "wb");
        struct bt_evidence_kept kept = read_on(&fixture, NULL, true, &first);
        if (change == 1) { /* a changed byte before the offset */
            whole.ptr[whole.len - 30] ^= 1;
            write_file(whole.ptr, whole.len, "r+b");
            whole.ptr[whole.len - 30] ^= 1;
        } else if (change == 2) { /* a shorter file */
            write_file(whole.ptr, whole.len / 2, "wb");
        } else if (change == 3) { /* another file of the same name and content */
            char other[300];
            (void)snprintf(other, sizeof(other), "%s.old", path);
            assert_int_equal(rename(path, other), 0);
            write_file(whole.ptr, whole.len, "wb");
            assert_int_equal(unlink(other), 0);
        } else if (change == 4) { /* what was kept is damaged */
            kept.calls.len--;
        }
        bt_evidence_follow_init(&second, &fixture.env, &fixture.source);
        assert_int_equal(bt_evidence_follow_open(&second, &kept), BT_OK);
        assert_int_equal(bt_evidence_follow_read(&second), BT_OK);
        assert_int_equal(second.is_resumed, change == 0);
        assert_int_equal(second.index.calls.count, change == 2 ? 3 : 6);
        assert_true(second.state.from == (change == 0 || change == 4 ? whole.len : 0));
        bt_evidence_follow_free(&first);
        bt_evidence_follow_free(&second);
        tear_down(&fixture);
    }
    bt_buf_free(&whole);
}

static void a_damaged_index_is_never_used(void **state)
{
    (void)state;
    struct fixture fixture;
    struct bt_buf whole = make_transcript(5);
    struct bt_evidence_follow follow;
    set_up(&fixture);
    write_file(whole.ptr, whole.len, "wb");
    const struct bt_evidence_kept kept = read_on(&fixture, NULL, false, &follow);
    for (size_t size = 0; size < kept.calls.len; size++) {
        struct bt_evidence_index index;
        struct bt_arena arena;
        const struct bt_evidence_index_options options = {.agent = BT_STR("")};
        bt_arena_init(&arena, 1 << 20);
        bt_evidence_index_init(&index, &arena, &options);
        assert_int_equal(bt_evidence_index_unpack(&index, bt_str_slice(kept.calls, 0, size)),
                         BT_ECORRUPT);
        bt_evidence_index_free(&index);
        bt_arena_free(&arena);
    }
    bt_evidence_follow_free(&follow);
    bt_buf_free(&whole);
    tear_down(&fixture);
}

static void a_deadline_ends_the_reading(void **state)
{
    (void)state;
    struct fixture fixture;
    struct bt_buf whole = make_transcript(5);
    struct bt_evidence_follow follow;
    set_up(&fixture);
    write_file(whole.ptr, whole.len, "wb");
    fixture.source.deadline_ms = 1; /* long ago */
    bt_evidence_follow_init(&follow, &fixture.env, &fixture.source);
    assert_int_equal(bt_evidence_follow_open(&follow, NULL), BT_OK);
    assert_int_equal(bt_evidence_follow_read(&follow), BT_ELIMIT);
    bt_evidence_follow_free(&follow);
    bt_buf_free(&whole);
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_gives_the_calls_of_one_reading),
        cmocka_unit_test(slices_join_and_have_their_own_digest),
        cmocka_unit_test(another_file_is_read_from_its_start),
        cmocka_unit_test(a_damaged_index_is_never_used),
        cmocka_unit_test(a_deadline_ends_the_reading),
    };
    return RUN_TESTS(tests);
}
