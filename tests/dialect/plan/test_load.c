/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_load.c - payload schemas are loaded beneath the root and nowhere else, and nothing that lies
 * there can hang whoever loads it.
 */
#define _DEFAULT_SOURCE /* mkdtemp(), mkfifo(), symlink() */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/file.h"
#include "plan_test.h"
#include "report/add.h"

enum { TRIES = 10000, PATH_BYTES = 512 };

#define FOLDER "schemas/handoff-payloads"

static const char inside[] =
    "{\"$id\":\"s/v1.schema.json\",\"type\":\"object\",\"properties\":{\"inside\":true},"
    "\"required\":[\"inside\"],\"additionalProperties\":false}";

struct place {
    char top[64]; /* the root is top/root */
    struct world world;
    struct bt_dir *root;
};

static void path_in(const struct place *place, const char *name, char out[PATH_BYTES])
{
    assert_true(snprintf(out, PATH_BYTES, "%s/%s", place->top, name) < PATH_BYTES);
}

static void put_file(const struct place *place, const char *name, const char *text)
{
    char path[PATH_BYTES];
    path_in(place, name, path);
    assert_int_equal(bt_file_replace(bt_str_of(path), bt_str_of(text), NULL), BT_OK);
}

static int begin(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    char path[PATH_BYTES];
    assert_non_null(place);
    (void)snprintf(place->top, sizeof(place->top), "/tmp/baton-load-XXXXXX");
    assert_non_null(mkdtemp(place->top));
    static const char *const folders[] = {"root", "root/schemas", ("root/" FOLDER)};
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        path_in(place, folders[i], path);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    put_file(place, "root/" FOLDER "/s.v1.schema.json", inside);
    put_file(place, "root/real.json", inside);
    put_file(place, "outside.json", "{\"outside\":\"secret\"}");
    world_begin(&place->world);
    path_in(place, "root", path);
    assert_int_equal(bt_dir_open(bt_str_of(path), &place->root, NULL), BT_OK);
    *state = place;
    return 0;
}

static int end(void **state)
{
    struct place *place = *state;
    char command[PATH_BYTES];
    bt_dir_close(place->root);
    world_end(&place->world);
    static const char *const names[] = {"root/" FOLDER "/s.v1.schema.json",
                                        "root/" FOLDER "/f.v1.schema.json",
                                        "root/" FOLDER "/d.v1.schema.json",
                                        "root/" FOLDER "/big.v1.schema.json",
                                        "root/" FOLDER "/null.v1.schema.json",
                                        "root/" FOLDER "/next",
                                        "root/real.json",
                                        "outside.json"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        path_in(place, names[i], command);
        (void)remove(command);
    }
    static const char *const folders[] = {("root/" FOLDER), "root/schemas", "root", ""};
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        path_in(place, folders[i], command);
        (void)rmdir(command);
    }
    free(place);
    return 0;
}

static struct bt_plan_result load(struct place *place, const char *reference)
{
    const struct bt_payload_schema_input input = {
        .path = bt_str_of(reference), .root = place->root, .reference = bt_str_of(reference)};
    struct bt_plan_result result;
    assert_int_equal(
        bt_payload_schema_load(place->world.plans, &place->world.arena, &input, &result), BT_OK);
    return result;
}

/* ---- A link that is swapped meanwhile -------------------------------------------------------- */

struct swapping {
    const struct place *place;
    atomic_bool over;
};

/* Let the name lead out of the root, back in, and be the file itself, over and over. */
static void *swap(void *context)
{
    struct swapping *swapping = context;
    static const char *const targets[] = {"../../../outside.json", "../../real.json"};
    char name[PATH_BYTES];
    char next[PATH_BYTES];
    path_in(swapping->place, "root/" FOLDER "/s.v1.schema.json", name);
    path_in(swapping->place, "root/" FOLDER "/next", next);
    for (size_t i = 0; !atomic_load(&swapping->over); i++) {
        (void)unlink(next);
        if (symlink(targets[i % 2], next) == 0) {
            (void)rename(next, name);
        }
    }
    return NULL;
}

static void a_link_that_is_swapped_never_leads_outside(void **state)
{
    struct place *place = *state;
    struct swapping swapping = {.place = place};
    pthread_t thread;
    size_t loaded = 0;
    size_t refused = 0;
    size_t outside = 0; /* control: how often a naive reader was led outside */
    char name[PATH_BYTES];
    path_in(place, "root/" FOLDER "/s.v1.schema.json", name);
    assert_int_equal(pthread_create(&thread, NULL, swap, &swapping), 0);
    for (size_t i = 0; i < TRIES; i++) {
        bt_str naive = BT_STR("");
        const struct bt_plan_result result = load(place, "s/v1.schema.json");
        const bool is_loaded = result.judged.verdict == BT_VERDICT_ACCEPTED;
        loaded += is_loaded;
        refused += has_code(result.judged.findings, "REF_ESCAPE");
        assert_true(is_loaded || has_code(result.judged.findings, "REF_ESCAPE"));
        assert_true(!is_loaded || bt_str_starts_with(result.judged.source, BT_STR("{\"$id\"")));
        if (bt_file_read(&place->world.arena, bt_str_of(name), 1000, &naive, NULL) == BT_OK) {
            outside += bt_str_starts_with(naive, BT_STR("{\"outside\""));
        }
        bt_arena_reset(&place->world.arena);
    }
    atomic_store(&swapping.over, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(loaded > 0);
    assert_true(refused > 0);
    assert_true(outside > 0);
}

/* ---- What is not a regular file ------------------------------------------------------------- */

static void special_files_are_refused_without_waiting(void **state)
{
    struct place *place = *state;
    char path[PATH_BYTES];
    path_in(place, "root/" FOLDER "/f.v1.schema.json", path);
    assert_int_equal(mkfifo(path, 0600), 0);
    path_in(place, "root/" FOLDER "/d.v1.schema.json", path);
    assert_int_equal(mkdir(path, 0700), 0);
    path_in(place, "root/" FOLDER "/null.v1.schema.json", path);
    const bool has_device = mknod(path, S_IFCHR | 0600, makedev(1, 3)) == 0;
    assert_true(has_code(load(place, "f/v1.schema.json").judged.findings, "REF_NOT_FILE"));
    assert_true(has_code(load(place, "d/v1.schema.json").judged.findings, "REF_NOT_FILE"));
    if (has_device) {
        assert_true(has_code(load(place, "null/v1.schema.json").judged.findings, "REF_NOT_FILE"));
    }
}

static void five_gigabytes_are_refused_unread(void **state)
{
    struct place *place = *state;
    char path[PATH_BYTES];
    path_in(place, "root/" FOLDER "/big.v1.schema.json", path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)5 << 30), 0);
    assert_int_equal(close(fd), 0);
    const struct bt_plan_result result = load(place, "big/v1.schema.json");
    assert_true(has_code(result.judged.findings, "JSON_TOO_LARGE"));
    assert_true(place->world.arena.taken < (size_t)64 << 20);
}

/* ---- The walk that stands in for the kernel -------------------------------------------------- */

static void the_walk_answers_as_the_kernel_does(void **state)
{
    struct place *place = *state;
    static const struct row {
        const char *target; /* of the link; NULL: there is none */
        int number;         /* errno, or 0 */
    } rows[] = {
        {"../../real.json", 0},
        {"../../../outside.json", EXDEV},
        {"../../../root/real.json", EXDEV},
        {"/etc/hostname", EXDEV},
        {"next", ELOOP},
        {"nowhere", ENOENT},
        {"../../real.json/x", ENOTDIR},
        {"./../../schemas/../real.json", 0},
    };
    char next[PATH_BYTES];
    char root[PATH_BYTES];
    path_in(place, "root/" FOLDER "/next", next);
    path_in(place, "root", root);
    const int root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(root_fd >= 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        (void)unlink(next);
        assert_int_equal(symlink(rows[i].target, next), 0);
        const int fd = bt_dir_open_path_linked(root_fd, FOLDER "/next", O_RDONLY | O_CLOEXEC);
        assert_int_equal(fd < 0 ? errno : 0, rows[i].number);
        struct bt_dir_file file;
        assert_int_equal(bt_dir_read_linked(place->root, &place->world.arena,
                                            BT_STR(FOLDER "/next"), 1000, &file, NULL),
                         BT_OK);
        assert_int_equal(file.error == BT_PATH_OK, fd >= 0);
        assert_int_equal(file.error == BT_PATH_OUTSIDE_DIR, rows[i].number == EXDEV);
        assert_int_equal(file.error == BT_PATH_LINK_LOOP, rows[i].number == ELOOP);
        if (fd >= 0) {
            assert_int_equal(close(fd), 0);
        }
    }
    assert_int_equal(close(root_fd), 0);
}

/* ---- A schema that is kept ------------------------------------------------------------------- */

struct asked {
    const char *reference;
    const char *payload;
    enum bt_verdict verdict;
};

static struct bt_plan_result validate(struct place *place, const struct asked *asked,
                                      const struct bt_payload_schema *schema)
{
    const struct bt_plan_options options = {.dir = place->root};
    const struct bt_plan_validate_input input = {
        .payload = {BT_STR("p.json"), bt_str_of(asked->payload), &options},
        .schema = schema,
        .reference = bt_str_of(asked->reference),
        .timeout_ns = UINT64_C(2000000000),
        .budget = 1000};
    struct bt_plan_result result;
    assert_int_equal(
        bt_plan_validate_payload(place->world.plans, &place->world.arena, &input, &result), BT_OK);
    return result;
}

static void assert_same_findings(const struct bt_findings *left, const struct bt_findings *right)
{
    assert_int_equal(bt_findings_count(left), bt_findings_count(right));
    for (size_t i = 0; i < bt_findings_count(left); i++) {
        const struct bt_finding *one = bt_findings_at(left, i);
        const struct bt_finding *other = bt_findings_at(right, i);
        assert_ptr_equal(one->rule, other->rule);
        assert_true(bt_str_eq(one->pointer, other->pointer));
        assert_true(bt_str_eq(one->message, other->message));
        assert_int_equal(bt_finding_compare_params(one, other), 0);
    }
}

static void a_kept_schema_judges_as_one_that_is_loaded_each_time(void **state)
{
    struct place *place = *state;
    static const struct asked rows[] = {
        {"s/v1.schema.json", "{\"inside\":1}", BT_VERDICT_ACCEPTED},
        {"s/v1.schema.json", "{\"outside\":1}", BT_VERDICT_REJECTED},
        {"s/v1.schema.json", "{", BT_VERDICT_REJECTED},
        {"real/v1.schema.json", "{\"inside\":1}", BT_VERDICT_REJECTED}, /* not there */
        {"../s.json", "{\"inside\":1}", BT_VERDICT_REJECTED},           /* no reference */
        {"d/v1.schema.json", "{}", BT_VERDICT_REJECTED}, /* a schema that is refused */
    };
    put_file(place, "root/" FOLDER "/d.v1.schema.json", "{\"type\":\"object\"}");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_payload_schema *schema = NULL;
        assert_int_equal(bt_payload_schema_open(place->world.plans, place->root,
                                                bt_str_of(rows[i].reference), &schema),
                         BT_OK);
        const struct bt_plan_result loaded = validate(place, &rows[i], NULL);
        for (size_t turn = 0; turn < 3; turn++) {
            const struct bt_plan_result kept = validate(place, &rows[i], schema);
            assert_int_equal(kept.judged.verdict, rows[i].verdict);
            assert_int_equal(kept.judged.verdict, loaded.judged.verdict);
            assert_true(bt_str_eq(kept.members, loaded.members));
            assert_same_findings(kept.judged.findings, loaded.judged.findings);
        }
        bt_payload_schema_close(schema);
    }
}

static void a_kept_schema_stays_as_it_was_loaded(void **state)
{
    struct place *place = *state;
    const struct asked asked = {"s/v1.schema.json", "{\"inside\":1}", BT_VERDICT_ACCEPTED};
    struct bt_payload_schema *schema = NULL;
    assert_int_equal(bt_payload_schema_open(place->world.plans, place->root,
                                            bt_str_of(asked.reference), &schema),
                     BT_OK);
    put_file(place, "root/" FOLDER "/s.v1.schema.json", "{}");
    assert_int_equal(validate(place, &asked, schema).judged.verdict, BT_VERDICT_ACCEPTED);
    assert_int_equal(validate(place, &asked, NULL).judged.verdict, BT_VERDICT_REJECTED);
    bt_payload_schema_close(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_link_that_is_swapped_never_leads_outside, begin, end),
        cmocka_unit_test_setup_teardown(special_files_are_refused_without_waiting, begin, end),
        cmocka_unit_test_setup_teardown(five_gigabytes_are_refused_unread, begin, end),
        cmocka_unit_test_setup_teardown(the_walk_answers_as_the_kernel_does, begin, end),
        cmocka_unit_test_setup_teardown(a_kept_schema_judges_as_one_that_is_loaded_each_time, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_kept_schema_stays_as_it_was_loaded, begin, end),
    };
    return RUN_TESTS(tests);
}
