/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_prompt.c - which lines of a prompt say something, and what.
 */
#include "test.h"

#include "dialect/governed/governed_root.h"

#define SECTION "## Collaboration Boundaries\n"

static const struct row {
    const char *text;
    enum bt_governed_prompt_line_kind
        kind; /* of the first line after the section's heading; 0: none */
    int number;
    enum bt_governed_relation relation;
} rows[] = {
    {"- **With Domain 02 (A):** takes results\n", BT_PROMPT_PARTNER, 2,
     BT_GOVERNED_RELATION_RECEIVES},
    {"- **With Domain 02 (A):** Receives: all\r\n", BT_PROMPT_PARTNER, 2,
     BT_GOVERNED_RELATION_RECEIVES},
    {"- **With Domain 99 (A):** 1. supplies it", BT_PROMPT_PARTNER, 99,
     BT_GOVERNED_RELATION_PROVIDES},
    {"- **With Domain 00 ():** works with it", BT_PROMPT_PARTNER, 0,
     BT_GOVERNED_RELATION_COORDINATES},
    {"- **With Domain 02 (A):** receives, but NO Overlap", BT_PROMPT_PARTNER, 2,
     BT_GOVERNED_RELATION_DEMARCATES},
    {"- **With Domain 02 (A):** is Distinct From this", BT_PROMPT_PARTNER, 2,
     BT_GOVERNED_RELATION_DEMARCATES},
    {"- **With Domain 02 (A):** user of it", BT_PROMPT_PARTNER, 2, BT_GOVERNED_RELATION_UNCLEAR},
    {"- **With Domain 2 (A):** takes it", BT_PROMPT_ODD, 0, 0},
    {"- **With Domain 002 (A):** takes it", BT_PROMPT_ODD, 0, 0},
    {"- **With Domain 02 (A):**", BT_PROMPT_ODD, 0, 0},
    {"- **With Domain 02 (A)**: takes it", BT_PROMPT_ODD, 0, 0},
    {"- anything\n", BT_PROMPT_ODD, 0, 0},
    {" - **With Domain 02 (A):** takes it", 0, 0, 0},
    {"* **With Domain 02 (A):** takes it", 0, 0, 0},
    {"# Next\n- **With Domain 02 (A):** takes it", 0, 0, 0},
    {"##\n- **With Domain 02 (A):** takes it", 0, 0, 0},
    {"####### Next\n- odd", BT_PROMPT_ODD, 0, 0},
    {"```\n- odd\n```\n", 0, 0, 0},
    {"   ~~~ text\n# Next\n   ~~~\n- odd", BT_PROMPT_ODD, 0, 0},
    {"    ```\n- odd", BT_PROMPT_ODD, 0, 0},
};

static void lines_are_understood_in_one_form_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct bt_buf text;
        struct bt_governed_prompt_line line;
        bt_buf_init(&text, SIZE_MAX);
        bt_buf_printf(&text, "%s%s", SECTION, rows[i].text);
        struct bt_governed_prompt_reader reader = {.text = bt_buf_str(&text)};
        assert_true(bt_governed_prompt_next_line(&reader, &line));
        assert_int_equal(line.kind, BT_PROMPT_SECTION);
        const bool found = bt_governed_prompt_next_line(&reader, &line);
        assert_int_equal(found ? line.kind : 0, rows[i].kind);
        if (found && line.kind == BT_PROMPT_PARTNER) {
            assert_int_equal(line.number, rows[i].number);
            assert_int_equal(line.relation, rows[i].relation);
        }
        bt_buf_free(&text);
    }
}

static void a_line_works_with_a_partner_or_separates_or_is_unclear(void **state)
{
    static const struct {
        const char *text;
        enum bt_governed_relation relation;
    } lines[] = {
        {"Accepts orders", BT_GOVERNED_RELATION_RECEIVES},
        {"Supplies parts", BT_GOVERNED_RELATION_PROVIDES},
        {"SUPPLY parts", BT_GOVERNED_RELATION_PROVIDES},
        {"passes drafts on", BT_GOVERNED_RELATION_COORDINATES},
        {"Notifies them", BT_GOVERNED_RELATION_COORDINATES},
        {"*Ask* about contracts", BT_GOVERNED_RELATION_COORDINATES},
        {"supplys parts", BT_GOVERNED_RELATION_PROVIDES},
        {"supplied parts", BT_GOVERNED_RELATION_UNCLEAR},
        {"Providing parts", BT_GOVERNED_RELATION_UNCLEAR},
        {"Weekly stand-up", BT_GOVERNED_RELATION_UNCLEAR},
        {"", BT_GOVERNED_RELATION_UNCLEAR},
        {"1234", BT_GOVERNED_RELATION_UNCLEAR},
        {"Provide counts, not prices", BT_GOVERNED_RELATION_UNCLEAR},
        {"Share plans rather than files", BT_GOVERNED_RELATION_UNCLEAR},
        {"Share plans rather; than files", BT_GOVERNED_RELATION_UNCLEAR},
        {"Notable partner", BT_GOVERNED_RELATION_UNCLEAR},
        {"Distinguishes both", BT_GOVERNED_RELATION_DEMARCATES},
        {"Exclude nothing", BT_GOVERNED_RELATION_DEMARCATES},
        {"Focus on routes, not contracts", BT_GOVERNED_RELATION_DEMARCATES},
        {"Law vs. care", BT_GOVERNED_RELATION_DEMARCATES},
        {"Hands nothing over: this is INDEPENDENT of it", BT_GOVERNED_RELATION_DEMARCATES},
        {"Provide counts; no hand-offs", BT_GOVERNED_RELATION_PROVIDES},
        {"Provide counts; no handoffs", BT_GOVERNED_RELATION_DEMARCATES},
        {"Does not-overlap", BT_GOVERNED_RELATION_DEMARCATES},
        {"Provide: never hand work", BT_GOVERNED_RELATION_DEMARCATES},
        {"Provide not\xC3\xA9", BT_GOVERNED_RELATION_PROVIDES},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (bt_governed_relation_of(bt_str_of(lines[i].text)) != lines[i].relation) {
            print_error("%s\n", lines[i].text);
            fail();
        }
    }
}

/* Every word and phrase of the chapter's table, in a sentence that nothing else decides. */
static void every_word_of_the_table_decides_a_line(void **state)
{
    static const struct {
        const char *words; /* separated by commas */
        const char *before;
        const char *after;
        enum bt_governed_relation relation;
    } sets[] = {
        {"separate from,distinct from,independent of,not part of,no overlap,does not overlap,"
         "no handoff,no handoffs,not hand,never hand",
         "Provide lists; ", " it", BT_GOVERNED_RELATION_DEMARCATES},
        {"distinguish,separate,differentiate,demarcate,delimit,exclude,contrast", "", " the two",
         BT_GOVERNED_RELATION_DEMARCATES},
        {"distinguishes,separates,differentiates,demarcates,delimits,excludes,contrasts", "",
         " the two", BT_GOVERNED_RELATION_DEMARCATES},
        {"not,never,nor,vs,versus,unlike,rather than,instead of,as opposed to,apart from", "Care ",
         " law", BT_GOVERNED_RELATION_DEMARCATES},
        {"not,never,nor,vs,versus,unlike,rather than,instead of,as opposed to,apart from",
         "Provide care ", " law", BT_GOVERNED_RELATION_UNCLEAR},
        {"receive,take,get,accept,use,receives,takes,gets,accepts,uses", "", " lists",
         BT_GOVERNED_RELATION_RECEIVES},
        {"provide,give,hand,supply,return,deliver,send,provides,gives,hands,supplies,returns,"
         "delivers,sends",
         "", " lists", BT_GOVERNED_RELATION_PROVIDES},
        {"adapt,agree,align,analyse,analyze,answer,ask,assist,brief,build,collaborate,collect,"
         "combine,communicate,connect,consult,contribute,cooperate,coordinate,define,delegate,"
         "design,develop,discuss,draft,ensure,escalate,estimate,exchange,feed,help,implement,"
         "inform,integrate,involve,join,link,measure,negotiate,notify,offer,pass,plan,prepare,"
         "present,propose,publish,refer,report,request,review,route,schedule,share,specify,submit,"
         "support,sync,synchronise,synchronize,talk,teach,tell,test,translate,validate,verify,"
         "work,write,notifies,specifies,verifies,passes,publishes,teaches,coordinates",
         "", " lists", BT_GOVERNED_RELATION_COORDINATES},
        {"lists,we,with,for,depend,own,lead,manage,receiving,provided", "", " lists",
         BT_GOVERNED_RELATION_UNCLEAR},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        bt_str rest = bt_str_of(sets[i].words);
        while (rest.len > 0) {
            const size_t comma = bt_str_find_byte(rest, ',', 0);
            const bt_str word = bt_str_slice(rest, 0, comma);
            char line[128];
            (void)snprintf(line, sizeof(line), "%s%.*s%s", sets[i].before, BT_STR_ARG(word),
                           sets[i].after);
            if (bt_governed_relation_of(bt_str_of(line)) != sets[i].relation) {
                print_error("%s\n", line);
                fail();
            }
            rest = bt_str_slice(rest, comma + 1, rest.len);
        }
    }
}

static void a_section_has_one_of_two_titles(void **state)
{
    static const struct {
        const char *heading;
        bool opens;
    } headings[] = {
        {"# Collaboration Boundaries", true},
        {"###### Collaboration with Other Domains ######", true},
        {"##  Collaboration Boundaries  ##  ", true},
        {"## Collaboration boundaries", false},
        {"## The Collaboration Boundaries", false},
        {"##Collaboration Boundaries", false},
        {" ## Collaboration Boundaries", false},
        {"####### Collaboration Boundaries", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
        struct bt_governed_prompt_reader reader = {.text = bt_str_of(headings[i].heading)};
        struct bt_governed_prompt_line line;
        assert_int_equal(bt_governed_prompt_next_line(&reader, &line), headings[i].opens);
    }
}

static void shares_stand_in_headings(void **state)
{
    struct bt_governed_prompt_line line;
    struct bt_governed_prompt_reader reader = {
        .text =
            BT_STR("### Primary Domain: Product (and more) (Domain 05) - 50%\n"
                   "### Other Domain: X (Domain 06) - 5%\n### Minor Domain: X (Domain 06) - 5 %\n"
                   "### Minor Domain: X (Domain 07) - 5%\n")};
    (void)state;
    assert_true(bt_governed_prompt_next_line(&reader, &line));
    assert_int_equal(line.kind, BT_PROMPT_SHARE);
    assert_int_equal(line.number, 5);
    assert_int_equal(line.percent, 50);
    assert_true(bt_governed_prompt_next_line(&reader, &line));
    assert_int_equal(line.number, 7);
    assert_false(bt_governed_prompt_next_line(&reader, &line));
}

static void a_label_is_made_of_words_of_the_domain(void **state)
{
    const struct bt_governed_agent domain = {.id = BT_STR("domain-02-deep-analysis"),
                                             .name = BT_STR("Analysis & Decisions")};
    (void)state;
    assert_true(bt_governed_prompt_label_matches(BT_STR("Analysis"), &domain));
    assert_true(bt_governed_prompt_label_matches(BT_STR("DECISIONS / deep"), &domain));
    assert_false(bt_governed_prompt_label_matches(BT_STR(""), &domain));
    assert_false(bt_governed_prompt_label_matches(BT_STR("&"), &domain));
    assert_false(bt_governed_prompt_label_matches(BT_STR("Analysis Marketing"), &domain));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_understood_in_one_form_alone),
        cmocka_unit_test(a_line_works_with_a_partner_or_separates_or_is_unclear),
        cmocka_unit_test(every_word_of_the_table_decides_a_line),
        cmocka_unit_test(a_section_has_one_of_two_titles),
        cmocka_unit_test(shares_stand_in_headings),
        cmocka_unit_test(a_label_is_made_of_words_of_the_domain),
    };
    return RUN_TESTS(tests);
}
