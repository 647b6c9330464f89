/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_vkey.c - the one text of a key to verify with.
 */
#include "test.h"

#include "proof/vkey.h"

#define VKEY "ledger.example/team+9789251b+Ac628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibv"
#define WITNESS "witness.example/w1+5a2fdcbd+BMcCZ45mw7b3ulOFSBMsuEFFtcJsHSjXo2l4ZaxQkYPc"

static void key_names_follow_the_rule(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool fits;
    } rows[] = {
        {"a", true},          {"ledger.example/team", true},
        {"A-b_c.d/e", true},  {"", false},
        {"two words", false}, {"a//b", false},
        {"/a", false},        {"a/", false},
        {"a/../b", false},    {"a/./b", false},
        {"a/...", false},     {".a", false},
        {"a+b", false},       {"a/.../b", true},
        {"a\xc3\xa9", false}, {"a:b", false},
        {"a-", false},        {"-a", false},
        {"a/.b/c", true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(bt_signing_key_name_is_valid(bt_str_of(rows[i].name)), rows[i].fits);
    }
    char longest[BT_KEY_NAME_MAX + 1];
    memset(longest, 'a', sizeof(longest));
    assert_true(bt_signing_key_name_is_valid((bt_str){longest, BT_KEY_NAME_MAX}));
    assert_false(bt_signing_key_name_is_valid((bt_str){longest, BT_KEY_NAME_MAX + 1}));
}

static void other_spellings_of_a_key_are_refused(void **state)
{
    (void)state;
    struct bt_vkey vkey;
    assert_int_equal(bt_vkey_parse(BT_STR("example.com/foo+530d903a+"
                                          "AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"),
                                   BT_KEY_LOG, &vkey, NULL),
                     BT_OK); /* the example of the signed-note specification */
    static const char *const bad[] = {
        "",
        "ledger.example/team",
        "ledger.example/team+9789251b",
        "ledger.example/team+9789251c+Ac628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibv",
        "ledger.example/team+9789251B+Ac628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibv",
        "ledger.example/Team+9789251b+Ac628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibv",
        "ledger.example/team+9789251b+Ac628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibu",
        (VKEY "\n"),
        (VKEY "A"),
        (" " VKEY),
        WITNESS,
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(bt_vkey_parse(bt_str_of(bad[i]), BT_KEY_LOG, &vkey, NULL), BT_EINVAL);
    }
}

/* All these fit their id; a key of small order, or one with a second spelling, is none. */
static void keys_for_which_anyone_can_sign_are_refused(void **state)
{
    (void)state;
    static const char *const weak[] = {
        "log.example/e+ebfd2559+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "log.example/e+e6f8f04e+AQEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "log.example/e+3e3682de+ASbolY/CsiewRcP0ifLvmPDV36wF08YzObE4AohtU/wF",
        "log.example/e+60eb639f+AccXanA9TdhPujwLdg0QZw8qIFP6LDnMxk7H/XeSrAN6",
        "log.example/e+f60b0029+Aez///////////////////////////////////////9/",
        "log.example/e+6e76bfbd+AQEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACA",
        "log.example/e+05d1d4a2+ASbolY/CsiewRcP0ifLvmPDV36wF08YzObE4AohtU/yF",
        "log.example/e+223de855+Ae3///////////////////////////////////////9/",
        "log.example/e+7f49c5ae+Ae7/////////////////////////////////////////",
    };
    for (size_t i = 0; i < COUNT_OF(weak); i++) {
        struct bt_vkey vkey;
        struct bt_error error = {.text = ""};
        assert_int_equal(bt_vkey_parse(bt_str_of(weak[i]), BT_KEY_LOG, &vkey, &error), BT_EINVAL);
        assert_non_null(strstr(error.text, "anyone can sign"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_names_follow_the_rule),
        cmocka_unit_test(other_spellings_of_a_key_are_refused),
        cmocka_unit_test(keys_for_which_anyone_can_sign_are_refused),
    };
    return RUN_TESTS(tests);
}
