/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mask.c - addresses are shown without their secrets.
 */
#include "test.h"

#include <string.h>

#include "base/buf.h"

struct row {
    const char *text;
    const char *shown;
};

static const struct row rows[] = {
    {"", ""},
    {"data/s.db", "data/s.db"},
    {"sqlite:data/s.db", "sqlite:data/s.db"},
    {"/a b/=c", "/a b/=c"},
    {"https://example.org/a?b=c&d", "https://example.org/a?b=c&d"},
    {"postgresql://u@h/db", "postgresql://u@h/db"},
    {"postgresql://u:s3cret@h/db", "postgresql://u:***@h/db"},
    {"postgresql://u:s3c@s3cret@h/db", "postgresql://u:***@h/db"},
    {"postgresql://u:s3c/s3cret@h/db", "postgresql://u:***@h/db"},
    {"postgresql://u:s3c?s3cret@h/db?x=y", "postgresql://u:***@h/db?x=y"},
    {"postgresql://h,i:1/db?user=u&password=s3cret&sslmode=require",
     "postgresql://h,i:1/db?user=u&password=***&sslmode=require"},
    {"postgresql://h/db?sslpassword=s3cret", "postgresql://h/db?sslpassword=***"},
    {"postgresql://h/db?password=s3cret&sslpassword=s3cret&password=s3cret",
     "postgresql://h/db?password=***&sslpassword=***&password=***"},
    {"postgresql://h/db?PassWord=s3cret", "postgresql://h/db?PassWord=***"},
    {"postgresql://h/db?pass%77ord=s3cret", "postgresql://h/db?pass%77ord=***"},
    {"postgresql://h/db?password=s3c;s3cret#s3cret?s3cret&a=b",
     "postgresql://h/db?password=***&a=b"},
    {"postgresql://h/db?oauth_client_secret=s3cret&scram_client_key=s3cret&scram_server_key=s3cret",
     "postgresql://h/db?oauth_client_secret=***&scram_client_key=***&scram_server_key=***"},
    {"postgresql://h/db?passfile=/p/.pgpass&sslkey=/k.pem&sslcert=/c.pem&require_auth=md5",
     "postgresql://h/db?passfile=/p/.pgpass&sslkey=/k.pem&sslcert=/c.pem&require_auth=md5"},
    {"https://u:s3cret@h/x?access_token=s3cret&api_key=s3cret&key=s3cret&page=2",
     "https://u:***@h/x?access_token=***&api_key=***&key=***&page=2"},
    {"host=h password=s3cret dbname=d", "host=h password=*** dbname=d"},
    {"host = h  password = 's3c s3cret\\'s3cret'  dbname=d", "host = h  password = ***  dbname=d"},
    {"password=s3c\\ s3cret user=u", "password=*** user=u"},
    {"sslpassword='s3cret", "sslpassword=***"},
    {"password=s3c://s3cret", "password=***"},
    {"host=h sslpassword=s3c=s3cret passfile=/p", "host=h sslpassword=*** passfile=/p"},
    {"dbname=postgresql://u:s3cret@h/d user=u", "dbname=postgresql://u:***@h/d user=u"},
    {"dbname='postgresql://h/d?password=s3cret' user=u",
     "dbname='postgresql://h/d?password=*** user=u"},
};

static void secrets_become_stars_and_the_rest_stays(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, 1 << 12);
        bt_buf_put_masked(&buf, bt_str_of(rows[i].text));
        assert_int_equal(buf.status, BT_OK);
        if (!bt_str_eq(bt_buf_str(&buf), bt_str_of(rows[i].shown))) {
            fail_msg("%s: shown as %.*s", rows[i].text, BT_STR_ARG(bt_buf_str(&buf)));
        }
        bt_buf_free(&buf);
    }
}

/* Whatever the bytes are, nothing is read beyond them and it ends. */
static void every_prefix_can_be_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const bt_str text = bt_str_of(rows[i].text);
        for (size_t end = 0; end <= text.len; end++) {
            struct bt_buf buf;
            bt_buf_init(&buf, 1 << 12);
            bt_buf_put_masked(&buf, bt_str_slice(text, 0, end));
            assert_int_equal(buf.status, BT_OK);
            bt_buf_free(&buf);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets_become_stars_and_the_rest_stays),
        cmocka_unit_test(every_prefix_can_be_shown),
    };
    return RUN_TESTS(tests);
}
