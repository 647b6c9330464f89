/* SPDX-License-Identifier: Apache-2.0 */
/* test_place.c - where an offset is in JSON and YAML that may be broken. */
#include "lsp/json_place.h"
#include "lsp/yaml_place.h"

#include "test.h"

/* The place of the mark | in a text; the text without it is put to `out`. */
static struct lsp_json_place find_mark(const char *marked, char *out, size_t size)
{
    const char *mark = strchr(marked, '|');
    struct lsp_json_place place;
    assert_non_null(mark);
    (void)snprintf(out, size, "%.*s%s", (int)(mark - marked), marked, mark + 1);
    const bt_str text = bt_str_of(out);
    lsp_json_place_find(text, (struct lsp_span){0, text.len}, (size_t)(mark - marked), &place);
    return place;
}

/* The path as text: a/b/0, with the name itself as last step for a name. */
static void write_path(const struct lsp_json_place *place, char *out, size_t size)
{
    size_t used = 0;
    const size_t depth = place->depth + (place->role == LSP_JSON_NAME);
    out[0] = '\0';
    for (size_t i = 0; i < depth; i++) {
        const struct lsp_json_step *step = &place->path[i];
        used += (size_t)(step->name.ptr
                             ? snprintf(out + used, size - used, "/%.*s", BT_STR_ARG(step->name))
                             : snprintf(out + used, size - used, "/%zu", step->index));
    }
}

static void places_in_json(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum lsp_json_role role;
        const char *path;
    } rows[] = {
        {"{\"a\": {\"b\": |1}}", LSP_JSON_VALUE, "/a/b"},
        {"{\"a\": {\"b|\": 1}}", LSP_JSON_NAME, "/a/b"},
        {"{\"a\": {|}}", LSP_JSON_NAME, "/a/"},
        {"{\"a\": {\"x\": 1, \"|\"}}", LSP_JSON_NAME, "/a/"},
        {"{\"a\": [1, {\"b\": \"c|", LSP_JSON_VALUE, "/a/1/b"},
        {"{\"a\": [1, 2, |", LSP_JSON_VALUE, "/a/2"},
        {"{\"a\": \"x\" \"b|\": 1}", LSP_JSON_NAME, "/b"},
        {"{\"a\": 1 |", LSP_JSON_NOWHERE, "/a"},
        {"{\"a\\\"{\": {\"b\": |}", LSP_JSON_VALUE, "/a\\\"{/b"},
        {"|", LSP_JSON_VALUE, ""},
        {"{\"a\": tru|e}", LSP_JSON_VALUE, "/a"},
        {"]]}} {\"a\": |", LSP_JSON_VALUE, "/a"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[200];
        char path[200];
        const struct lsp_json_place place = find_mark(rows[i].text, text, sizeof(text));
        write_path(&place, path, sizeof(path));
        if (place.role != rows[i].role || strcmp(path, rows[i].path) != 0) {
            fail_msg("%s: role %d path %s", rows[i].text, (int)place.role, path);
        }
    }
}

static void nesting_beyond_the_limit_is_nowhere(void **state)
{
    (void)state;
    static char text[1000];
    struct lsp_json_place place;
    memset(text, '[', sizeof(text));
    lsp_json_place_find((bt_str){text, sizeof(text)}, (struct lsp_span){0, sizeof(text)},
                        sizeof(text), &place);
    assert_int_equal(place.role, LSP_JSON_NOWHERE);
    lsp_json_place_find((bt_str){text, 100}, (struct lsp_span){0, 100}, 100, &place);
    assert_int_equal(place.role, LSP_JSON_VALUE);
    assert_int_equal(place.depth, 100);
}

static void members_of_an_object(void **state)
{
    (void)state;
    const bt_str text = BT_STR("{\"x\": {\"a\": \"1\", \"n\": {\"deep\": 1}, \"b\": 2}, \"c\": 3}");
    const struct lsp_span all = {0, text.len};
    assert_true(lsp_json_has_member(text, all, 6, BT_STR("a"), SIZE_MAX));
    assert_true(lsp_json_has_member(text, all, 6, BT_STR("b"), SIZE_MAX));
    assert_false(lsp_json_has_member(text, all, 6, BT_STR("deep"), SIZE_MAX));
    assert_false(lsp_json_has_member(text, all, 6, BT_STR("c"), SIZE_MAX));
    assert_false(lsp_json_has_member(text, all, 6, BT_STR("a"), 7));
    assert_str(lsp_json_sibling(text, all, 6, BT_STR("a")), "1");
    assert_str(lsp_json_sibling(text, all, 6, BT_STR("b")), "");
}

static void places_in_yaml(void **state)
{
    (void)state;
    const bt_str text = BT_STR("organism:\n  name: o\nlisteners:\n- name: first\n  peers: [a, b]\n"
                               "-\n  name: \"second\" # why\n  pe\nlimits: {}\n");
    static const struct {
        const char *before; /* the offset is behind the first occurrence of this text */
        const char *path;
        const char *value;
    } rows[] = {
        {"name: o", "/organism/name", "o"},
        {"name: first", "/listeners/[]/name", "first"},
        {"[a", "/listeners/[]/peers", "[a, b]"},
        {"\"second", "/listeners/[]/name", "second"},
        {"  pe\n" + 0, "", ""},
        {"limits:", "/limits", "{}"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *found = strstr(text.ptr, rows[i].before);
        char path[200] = "";
        size_t used = 0;
        assert_non_null(found);
        const struct lsp_yaml_line line =
            lsp_yaml_line_at(text, (size_t)(found - text.ptr) + strlen(rows[i].before));
        for (size_t k = 0; k < line.depth; k++) {
            used += (size_t)snprintf(path + used, sizeof(path) - used, "/%.*s",
                                     BT_STR_ARG(line.path[k]));
        }
        if (rows[i].path[0]) {
            assert_string_equal(path, rows[i].path);
            assert_true(bt_str_eq(bt_str_slice(text, line.value.begin, line.value.end),
                                  bt_str_of(rows[i].value)));
        }
    }
    struct lsp_span name;
    assert_true(lsp_yaml_find_listener(text, BT_STR("SECOND"), &name));
    assert_str(bt_str_slice(text, name.begin, name.end), "second");
    assert_false(lsp_yaml_find_listener(text, BT_STR("third"), &name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_in_json),
        cmocka_unit_test(nesting_beyond_the_limit_is_nowhere),
        cmocka_unit_test(members_of_an_object),
        cmocka_unit_test(places_in_yaml),
    };
    return RUN_TESTS(tests);
}
