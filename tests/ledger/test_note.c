/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_note.c - base64, keys, checkpoints and their signatures.
 */
#include "test.h"

#include "base/buf.h"
#include "ledger/checkpoint.h"

#define VKEY "ledger.example/team+9789251b+Ac628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibv"
#define WITNESS "witness.example/w1+5a2fdcbd+BMcCZ45mw7b3ulOFSBMsuEFFtcJsHSjXo2l4ZaxQkYPc"
#define LINE                                                                                       \
    "\xe2\x80\x94 ledger.example/team "                                                            \
    "l4klG9L5sFX+DjLdhOtFVkimyM670oRcOB30+6oKwTFBv7ZjoUklny6x3jogUbJDVU9Rt/6Jn0Jkox7u/"            \
    "1MVHPDaMA8=\n"
#define COSIGNED                                                                                   \
    "\xe2\x80\x94 witness.example/w1 "                                                             \
    "Wi/cvQAAAABpi9EOvoCufEiKMyk0U5crrj2o/ITTSfCscR9W2d9J7j8VIuChHCf6XZ6szCHbFZW14kp+ilpCEiT/"     \
    "SjVJOrlVcOfHCg==\n"
#define TEXT "ledger.example/team\n2\npB89Sw2TC8jkIhGCau5wsS+FY46X6dw08MK5NoVy4yk=\n"
#define ROOT "a41f3d4b0d930bc8e42211826aee70b12f85638e97e9dc34f0c2b9368572e329"

static struct bt_vkey vkey_of(const char *text, enum bt_signing_key_type type)
{
    struct bt_vkey vkey;
    assert_int_equal(bt_vkey_parse(bt_str_of(text), type, &vkey, NULL), BT_OK);
    return vkey;
}

static enum bt_checkpoint_trust trust_in(bt_str note, const struct bt_vkey *vkey)
{
    static struct bt_checkpoint checkpoint;
    struct bt_checkpoint_trust_result trusted;
    const struct bt_vkey_list keys = {1, vkey};
    assert_null(bt_checkpoint_read(note, &checkpoint));
    assert_int_equal(bt_checkpoint_judge(&checkpoint, &keys, &trusted), BT_OK);
    return trusted.trust;
}

static void base64_has_one_spelling(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *bytes; /* NULL: refused */
    } rows[] = {
        {"", ""},           {"Zg==", "f"},        {"Zm8=", "fo"},
        {"Zm9v", "foo"},    {"Zm9vYg==", "foob"}, {"Zm9vYmFy", "foobar"},
        {"Zg=", NULL},      {"Zg", NULL},         {"Zh==", NULL},
        {"Zm9=", NULL},     {"Zm9v\n", NULL},     {" Zm9v", NULL},
        {"Zm-_", NULL},     {"====", NULL},       {"Z===", NULL},
        {"Zg==Zg==", NULL}, {"Zm9vY", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const size_t size = bt_base64_decoded_size(bt_str_of(rows[i].text));
        if (!rows[i].bytes) {
            assert_true(size == SIZE_MAX);
            continue;
        }
        char bytes[16];
        struct bt_buf buf;
        assert_int_equal(size, strlen(rows[i].bytes));
        bt_base64_decode(bt_str_of(rows[i].text), bytes);
        assert_memory_equal(bytes, rows[i].bytes, size);
        bt_buf_init(&buf, 64);
        bt_base64_put(&buf, (bt_str){bytes, size});
        assert_true(bt_str_eq(bt_buf_str(&buf), bt_str_of(rows[i].text)));
        bt_buf_free(&buf);
    }
}

static void the_published_keys_come_from_their_seeds(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum bt_signing_key_type type;
        uint64_t seed;
        const char *vkey;
        const char *file;
    } rows[] = {
        {"ledger.example/team", BT_KEY_LOG, 1, VKEY,
         "PRIVATE+KEY+ledger.example/team+9789251b+AW/43THBwGy2x1zWX47AG8sG7DiDV13vmumv2BsOrPKa\n"},
        {"witness.example/w1", BT_KEY_WITNESS, 7, WITNESS,
         "PRIVATE+KEY+witness.example/w1+5a2fdcbd+BHj+/LFk+CbgGeMojFHLeUS/CzffRDqJ5Y3+KUrTU5jz\n"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_signing_key key;
        struct bt_signing_key again;
        struct bt_buf buf;
        bt_buf_init(&buf, 1000);
        assert_int_equal(
            bt_signing_key_seed(bt_str_of(rows[i].name), rows[i].type, rows[i].seed, &key), BT_OK);
        bt_vkey_put(&buf, &key.vkey);
        assert_true(bt_str_eq(bt_buf_str(&buf), bt_str_of(rows[i].vkey)));
        bt_buf_clear(&buf);
        bt_signing_key_put(&buf, &key);
        assert_true(bt_str_eq(bt_buf_str(&buf), bt_str_of(rows[i].file)));
        assert_int_equal(bt_signing_key_parse(bt_buf_str(&buf), rows[i].type, NULL, &again, NULL),
                         BT_OK);
        assert_memory_equal(again.secret, key.secret, BT_KEY_BYTES);
        assert_true(bt_vkey_eq(&again.vkey, &key.vkey));
        bt_buf_free(&buf);
    }
}

static void a_private_file_has_one_spelling(void **state)
{
    (void)state;
    struct bt_signing_key key;
    assert_int_equal(
        bt_signing_key_parse(BT_STR("PRIVATE+KEY+" VKEY "\n"), BT_KEY_LOG, NULL, &key, NULL),
        BT_EINVAL); /* the public key in a private file has another id */
    assert_int_equal(bt_signing_key_parse(BT_STR("PRIVATE+KEY+"), BT_KEY_LOG, NULL, &key, NULL),
                     BT_EINVAL);
}

/* A witness signs for others, and only with a key of its own. */
static void a_line_of_an_agent_is_a_key_only_where_there_may_be_an_agent(void **state)
{
    (void)state;
    const struct bt_key_agent agent = {.socket = NULL};
    const bt_str line = BT_STR("AGENT+KEY+" VKEY "\n");
    struct bt_signing_key key;
    uint8_t signature[BT_SIGNATURE_BYTES];
    struct bt_buf buf;
    assert_int_equal(bt_signing_key_parse(line, BT_KEY_LOG, NULL, &key, NULL), BT_EINVAL);
    assert_int_equal(bt_signing_key_parse(line, BT_KEY_LOG, &agent, &key, NULL), BT_OK);
    bt_buf_init(&buf, BT_VKEY_TEXT_MAX);
    bt_signing_key_put(&buf, &key);
    assert_true(bt_str_eq(bt_buf_str(&buf), line));
    assert_int_equal(bt_signing_key_ready(&key), BT_OK);
    assert_int_equal(bt_signing_key_sign(&key, BT_STR("x"), signature, NULL), BT_EIO);
    bt_buf_free(&buf);
    bt_signing_key_wipe(&key);
}

static void the_published_signatures_are_made(void **state)
{
    (void)state;
    struct bt_signing_key log;
    struct bt_signing_key witness;
    struct bt_merkle_hash root;
    struct bt_buf buf;
    bt_buf_init(&buf, 1000);
    assert_true(bt_merkle_hash_from_hex(BT_STR(ROOT), &root));
    assert_int_equal(bt_signing_key_seed(BT_STR("ledger.example/team"), BT_KEY_LOG, 1, &log),
                     BT_OK);
    assert_int_equal(bt_signing_key_seed(BT_STR("witness.example/w1"), BT_KEY_WITNESS, 7, &witness),
                     BT_OK);
    assert_int_equal(bt_checkpoint_put(&buf, bt_vkey_name(&log.vkey), &log, 2, &root, NULL), BT_OK);
    assert_str(bt_buf_str(&buf), TEXT "\n" LINE);
    bt_buf_clear(&buf);
    assert_int_equal(bt_cosignature_put(&buf, &witness, BT_STR(TEXT), 1770770702), BT_OK);
    assert_str(bt_buf_str(&buf), COSIGNED);
    bt_buf_free(&buf);
}

static void a_checkpoint_is_read_and_trusted(void **state)
{
    (void)state;
    static struct bt_checkpoint checkpoint;
    const struct bt_vkey log = vkey_of(VKEY, BT_KEY_LOG);
    const struct bt_vkey witness = vkey_of(WITNESS, BT_KEY_WITNESS);
    char hex[BT_HASH_HEX_BYTES];
    assert_null(bt_checkpoint_read(BT_STR(TEXT "\n" LINE COSIGNED), &checkpoint));
    assert_str(checkpoint.origin, "ledger.example/team");
    assert_int_equal(checkpoint.size, 2);
    assert_int_equal(checkpoint.line_count, 2);
    bt_merkle_hash_hex(&checkpoint.root, hex);
    assert_string_equal(hex, ROOT);
    assert_int_equal(trust_in(checkpoint.note, &log), BT_TRUSTED);
    struct bt_checkpoint_cosigner cosigned;
    assert_int_equal(bt_cosignature_judge(&checkpoint, &checkpoint.lines[1], &witness, &cosigned),
                     BT_OK);
    assert_true(cosigned.valid);
    assert_int_equal(cosigned.time, 1770770702);
    assert_int_equal(bt_cosignature_judge(&checkpoint, &checkpoint.lines[0], &witness, &cosigned),
                     BT_ENOENT);
}

static void trust_fails_for_one_reason_at_a_time(void **state)
{
    (void)state;
    const struct bt_vkey log = vkey_of(VKEY, BT_KEY_LOG);
    const struct bt_vkey other = vkey_of(
        "ledger.example/other+9f2acbfa+AZOsjhqN0i0h2TOLIvN3tOOekbShAaVTbKZj9jzGkW/y", BT_KEY_LOG);
    const struct bt_vkey second = vkey_of(
        "ledger.example/team+29cc8921+AeMZGmr4kKmgi4CeV9yGq90UZBrBx0cu056CVlKy+8Ik", BT_KEY_LOG);
    assert_int_equal(trust_in(BT_STR(TEXT "\n" LINE), &other), BT_CHECKPOINT_TRUST_ORIGIN);
    assert_int_equal(trust_in(BT_STR(TEXT "\n" LINE), &second), BT_CHECKPOINT_TRUST_KEY);
    assert_int_equal(trust_in(BT_STR("ledger.example/team\n3\n"
                                     "pB89Sw2TC8jkIhGCau5wsS+FY46X6dw08MK5NoVy4yk=\n\n" LINE),
                              &log),
                     BT_CHECKPOINT_TRUST_SIGNATURE);
    assert_int_equal(trust_in(BT_STR(TEXT "more\n\n" LINE), &log), BT_CHECKPOINT_TRUST_SIGNATURE);
    assert_int_equal(
        trust_in(BT_STR(TEXT "\n" LINE "\xe2\x80\x94 ledger.example/team l4klGwAA\n"), &log),
        BT_CHECKPOINT_TRUST_SIGNATURE); /* each line of a known key must fit */
}

/* A note is text, so any bit of it can be flipped by whoever carries it. */
static void no_flipped_bit_goes_unnoticed(void **state)
{
    (void)state;
    static struct bt_checkpoint checkpoint;
    const struct bt_vkey log = vkey_of(VKEY, BT_KEY_LOG);
    const struct bt_vkey_list keys = {1, &log};
    char note[] = TEXT "\n" LINE;
    size_t refused = 0;
    for (size_t i = 0; i < (sizeof(note) - 1) * 8; i++) {
        struct bt_checkpoint_trust_result trusted = {0};
        note[i / 8] = (char)(note[i / 8] ^ (1 << i % 8));
        const bt_str text = {note, sizeof(note) - 1};
        if (!bt_checkpoint_read(text, &checkpoint)) {
            assert_int_equal(bt_checkpoint_judge(&checkpoint, &keys, &trusted), BT_OK);
        } else {
            refused++;
        }
        assert_true(trusted.trust != BT_TRUSTED);
        note[i / 8] = (char)(note[i / 8] ^ (1 << i % 8));
    }
    assert_true(refused > 0);
    assert_int_equal(trust_in((bt_str){note, sizeof(note) - 1}, &log), BT_TRUSTED);
}

static void odd_notes_are_refused(void **state)
{
    (void)state;
    static struct bt_checkpoint checkpoint;
    static const char *const bad[] = {
        "",
        "\n",
        TEXT,
        TEXT "\n",
        TEXT LINE,
        TEXT "\n\n" LINE,
        "\n" TEXT "\n" LINE,
        TEXT "\n" LINE "\n",
        TEXT "\n" LINE "x",
        TEXT "\r\n" LINE,
        TEXT "\n" LINE "\t",
        TEXT "\xff\n\n" LINE,
        TEXT "a\x7f\n\n" LINE,
        TEXT "\xc2\x85\n\n" LINE,
        "o\n02\npB89Sw2TC8jkIhGCau5wsS+FY46X6dw08MK5NoVy4yk=\n\n" LINE,
        "o\n-2\npB89Sw2TC8jkIhGCau5wsS+FY46X6dw08MK5NoVy4yk=\n\n" LINE,
        "o\n9223372036854775808\npB89Sw2TC8jkIhGCau5wsS+FY46X6dw08MK5NoVy4yk=\n\n" LINE,
        "o\n2\npB89Sw2TC8jkIhGCau5wsS+FY46X6dw08MK5NoVy4yl=\n\n" LINE,
        "o\n2\npB89Sw2TC8jkIhGCau5wsS+FY46X6dw08MK5NoVy4yk\n\n" LINE,
        "o\n2\npB89\n\n" LINE,
        "o\n2\n\n" LINE,
        "\n2\npB89Sw2TC8jkIhGCau5wsS+FY46X6dw08MK5NoVy4yk=\n\n" LINE,
        TEXT "\n- ledger.example/team l4klG9L5sFU=\n",
        TEXT "\n\xe2\x80\x94 ledger.example/team\n",
        TEXT "\n\xe2\x80\x94 ledger.example/team  l4klG9L5sFU=\n",
        TEXT "\n\xe2\x80\x94 a+b l4klG9L5sFU=\n",
        TEXT "\n\xe2\x80\x94 a\xe2\x80\xa8"
             "b l4klG9L5sFU=\n",
        TEXT "\n\xe2\x80\x94 a l4klG9L5sFU=x\n",
        TEXT "\n\xe2\x80\x94 a l4klGw==\n",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        if (!bt_checkpoint_read(bt_str_of(bad[i]), &checkpoint)) {
            fail_msg("row %zu was read", i);
        }
    }
    assert_null(bt_checkpoint_read(BT_STR("o\n9223372036854775807\n"
                                          "pB89Sw2TC8jkIhGCau5wsS+FY46X6dw08MK5NoVy4yk=\n"
                                          "extension\n\n" LINE),
                                   &checkpoint));
}

static void the_bounds_of_a_note_hold(void **state)
{
    (void)state;
    static struct bt_checkpoint checkpoint;
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 20);
    bt_buf_put_text(&buf, TEXT "\n");
    for (size_t i = 0; i < BT_NOTE_LINES_MAX; i++) {
        bt_buf_put_text(&buf, LINE);
    }
    assert_null(bt_checkpoint_read(bt_buf_str(&buf), &checkpoint));
    bt_buf_put_text(&buf, LINE);
    assert_non_null(bt_checkpoint_read(bt_buf_str(&buf), &checkpoint));
    bt_buf_clear(&buf);
    bt_buf_put_text(&buf, TEXT);
    bt_buf_put_repeat(&buf, 'x', BT_NOTE_BYTES_MAX - strlen(TEXT "\n\n" LINE));
    bt_buf_put_text(&buf, "\n\n" LINE);
    assert_int_equal(buf.len, BT_NOTE_BYTES_MAX);
    assert_null(bt_checkpoint_read(bt_buf_str(&buf), &checkpoint));
    buf.ptr[0] = '\n';
    assert_non_null(bt_checkpoint_read(bt_buf_str(&buf), &checkpoint));
    buf.ptr[0] = 'l';
    bt_buf_put_text(&buf, LINE);
    assert_non_null(bt_checkpoint_read(bt_buf_str(&buf), &checkpoint));
    bt_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_has_one_spelling),
        cmocka_unit_test(the_published_keys_come_from_their_seeds),
        cmocka_unit_test(a_private_file_has_one_spelling),
        cmocka_unit_test(a_line_of_an_agent_is_a_key_only_where_there_may_be_an_agent),
        cmocka_unit_test(the_published_signatures_are_made),
        cmocka_unit_test(a_checkpoint_is_read_and_trusted),
        cmocka_unit_test(trust_fails_for_one_reason_at_a_time),
        cmocka_unit_test(no_flipped_bit_goes_unnoticed),
        cmocka_unit_test(odd_notes_are_refused),
        cmocka_unit_test(the_bounds_of_a_note_hold),
    };
    return RUN_TESTS(tests);
}
