/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_tree.c - hashes, trees and tiles.
 */
#include "test.h"

#include "base/buf.h"
#include "ledger/sha256_pair.h"
#include "ledger/tile.h"
#include "log.h"

static void assert_hash(const struct bt_merkle_hash *hash, const char *hex)
{
    char text[BT_HASH_HEX_BYTES];
    bt_merkle_hash_hex(hash, text);
    assert_string_equal(text, hex);
}

static void hashes_are_those_of_rfc_6962(void **state)
{
    (void)state;
    struct bt_merkle_hash hash;
    struct bt_merkle_hash node;
    bt_merkle_hash_empty(&hash);
    assert_hash(&hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    bt_merkle_hash_leaf(BT_STR(""), &hash);
    assert_hash(&hash, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
    bt_merkle_hash_node(&hash, &hash, &node);
    assert_hash(&node, "fe43d66afa4a9a5c4f9c9da89f4ffb52635c8f342e7ffb731d68e36c5982072a");
}

/* Every length around the ends of blocks, in every place beside every other. */
static void hashes_of_many_are_those_of_each(void **state)
{
    (void)state;
    enum { COUNT = 700, ROOM = 65600 };
    static uint8_t bytes[COUNT][ROOM];
    static struct bt_sha256_text texts[COUNT];
    static struct bt_merkle_hash hashes[COUNT];
    uint64_t random = 7;
    for (size_t i = 0; i < COUNT; i++) {
        texts[i] = (struct bt_sha256_text){bytes[i], i < 600 ? i : log_random(&random) % 65000};
        for (size_t j = 0; j < texts[i].size; j++) {
            bytes[i][j] = (uint8_t)log_random(&random);
        }
        bt_sha256_pad(bytes[i], texts[i].size);
    }
    for (int pairs = 0; pairs <= (bt_sha256_pair_is_supported() ? 1 : 0); pairs++) {
        for (size_t count = COUNT; count > 0; count /= 3) {
            memset(hashes, 0, sizeof(hashes));
            bt_sha256_pair_hash(texts, count, pairs == 1, hashes);
            for (size_t i = 0; i < count; i++) {
                struct bt_merkle_hash expected;
                bt_merkle_hash_plain((bt_str){(const char *)bytes[i], texts[i].size}, &expected);
                assert_true(bt_merkle_hash_eq(&hashes[i], &expected));
            }
        }
    }
}

/* The entries and roots that implementations of certificate transparency test with. */
static void roots_are_those_that_others_publish(void **state)
{
    (void)state;
    static const bt_str entries[] = {
        BT_STR_INIT(""),
        BT_STR_INIT("\x00"),
        BT_STR_INIT("\x10"),
        BT_STR_INIT("\x20\x21"),
        BT_STR_INIT("\x30\x31"),
        BT_STR_INIT("\x40\x41\x42\x43"),
        BT_STR_INIT("\x50\x51\x52\x53\x54\x55\x56\x57"),
        BT_STR_INIT("\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f"),
    };
    static const char *const roots[] = {
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    };
    struct bt_merkle_tree tree;
    struct bt_tile_hash done[BT_TILE_LEVELS];
    bt_merkle_tree_init(&tree);
    for (size_t i = 0; i < COUNT_OF(entries); i++) {
        struct bt_merkle_hash leaf;
        struct bt_merkle_hash root;
        bt_merkle_hash_leaf(entries[i], &leaf);
        assert_int_equal(bt_merkle_tree_add(&tree, &leaf, done), 0);
        bt_merkle_tree_root(&tree, &root);
        assert_hash(&root, roots[i]);
    }
}

static const size_t sizes[] = {0, 1, 2, 255, 256, 257, 65535, 65536, 65537, 70000};

static bool is_wanted(size_t size)
{
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        if (sizes[i] == size) {
            return true;
        }
    }
    return size < 300;
}

static void a_growing_tree_has_the_root_of_the_definition_at_every_size(void **state)
{
    (void)state;
    struct log log = log_make(70000);
    struct bt_merkle_tree tree;
    struct bt_tile_hash done[BT_TILE_LEVELS];
    size_t tiles[BT_TILE_LEVELS] = {0};
    bt_merkle_tree_init(&tree);
    for (size_t size = 0; size <= log.size; size++) {
        if (is_wanted(size)) {
            struct bt_merkle_hash root;
            const struct bt_merkle_hash expected = log_root(&log, 0, size);
            bt_merkle_tree_root(&tree, &root);
            assert_true(bt_merkle_hash_eq(&root, &expected));
        }
        if (size == log.size) {
            break;
        }
        const size_t count = bt_merkle_tree_add(&tree, &log.leaves[size], done);
        for (size_t i = 0; i < count; i++) {
            const size_t width = (size_t)1 << (8 * done[i].level);
            const struct bt_merkle_hash expected =
                log_root(&log, done[i].n * width, (done[i].n + 1) * width);
            assert_int_equal(done[i].level, i + 1);
            assert_int_equal(done[i].n, tiles[done[i].level]++);
            assert_true(bt_merkle_hash_eq(&done[i].hash, &expected));
        }
    }
    assert_int_equal(tiles[1], 70000 / 256);
    assert_int_equal(tiles[2], 1);
    log_free(&log);
}

static void a_tree_grows_by_whole_tiles_as_it_does_by_leaves(void **state)
{
    (void)state;
    enum { TILES = 300 };
    struct log log = log_make((size_t)TILES * BT_TILE_WIDTH);
    struct bt_merkle_tree by_leaf;
    struct bt_merkle_tree by_tile;
    bt_merkle_tree_init(&by_leaf);
    bt_merkle_tree_init(&by_tile);
    for (size_t tile = 0; tile < TILES; tile++) {
        struct bt_tile_hash done[BT_TILE_LEVELS];
        struct bt_tile_hash last[BT_TILE_LEVELS];
        size_t count = 0;
        for (size_t i = 0; i < BT_TILE_WIDTH; i++) {
            count = bt_merkle_tree_add(&by_leaf, &log.leaves[tile * BT_TILE_WIDTH + i], last);
        }
        assert_int_equal(bt_merkle_tree_add_tile(&by_tile, &last[0].hash, done), count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(done[i].level, last[i].level);
            assert_int_equal(done[i].n, last[i].n);
            assert_true(bt_merkle_hash_eq(&done[i].hash, &last[i].hash));
        }
        assert_int_equal(by_tile.size, by_leaf.size);
        assert_true(
            bt_str_eq(bt_merkle_tree_frontier(&by_tile), bt_merkle_tree_frontier(&by_leaf)));
    }
    log_free(&log);
}

static void a_tree_is_restored_from_its_frontier(void **state)
{
    (void)state;
    struct log log = log_make(700);
    struct bt_merkle_tree tree;
    struct bt_tile_hash done[BT_TILE_LEVELS];
    bt_merkle_tree_init(&tree);
    for (size_t i = 0; i < log.size; i++) {
        struct bt_merkle_tree copy;
        const bt_str frontier = bt_merkle_tree_frontier(&tree);
        assert_true(bt_merkle_tree_restore(&copy, i, frontier));
        assert_false(
            bt_merkle_tree_restore(&copy, i, bt_str_slice(frontier, 1, frontier.len + 1)) && i > 0);
        (void)bt_merkle_tree_add(&copy, &log.leaves[i], done);
        (void)bt_merkle_tree_add(&tree, &log.leaves[i], done);
        struct bt_merkle_hash a;
        struct bt_merkle_hash b;
        bt_merkle_tree_root(&tree, &a);
        bt_merkle_tree_root(&copy, &b);
        assert_true(bt_merkle_hash_eq(&a, &b));
    }
    log_free(&log);
}

static void tiles_are_called_as_tlog_tiles_says(void **state)
{
    (void)state;
    static const struct {
        struct bt_tile tile;
        uint32_t width;
        const char *path;
    } rows[] = {
        {{0, 0}, 256, "tile/0/000"},
        {{0, 5}, 3, "tile/0/005.p/3"},
        {{1, 999}, 256, "tile/1/999"},
        {{1, 1000}, 1, "tile/1/x001/000.p/1"},
        {{2, 1234067}, 256, "tile/2/x001/x234/067"},
        {{BT_TILE_ENTRIES, 1234067}, 255, "tile/entries/x001/x234/067.p/255"},
        {{0, UINT64_C(36028797018963967)}, 256, "tile/0/x036/x028/x797/x018/x963/967"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, 200);
        bt_tile_put_path(&buf, rows[i].tile, rows[i].width);
        bt_buf_put_char(&buf, '\0');
        assert_string_equal(buf.ptr, rows[i].path);
        bt_buf_free(&buf);
    }
}

static void tiles_are_as_wide_as_the_size_says(void **state)
{
    (void)state;
    static const struct {
        struct bt_tile tile;
        uint64_t size;
        uint32_t width;
        uint64_t count; /* of the level */
    } rows[] = {
        {{0, 0}, 0, 0, 0},
        {{0, 0}, 1, 1, 1},
        {{0, 0}, 256, 256, 1},
        {{0, 1}, 256, 0, 1},
        {{0, 1}, 257, 1, 2},
        {{1, 0}, 255, 0, 0},
        {{1, 0}, 256, 1, 1},
        {{1, 0}, 65536, 256, 1},
        {{2, 0}, 65536, 1, 1},
        {{2, 0}, 65535, 0, 0},
        {{BT_TILE_ENTRIES, 273}, 70000, 112, 274},
        {{7, 0}, UINT64_C(1) << 60, 16, 1},
        {{8, 0}, INT64_MAX, 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(bt_tile_width(rows[i].tile, rows[i].size), rows[i].width);
        assert_int_equal(bt_tile_count(rows[i].tile.level, rows[i].size), rows[i].count);
    }
}

static void hexadecimal_hashes_have_one_spelling(void **state)
{
    (void)state;
    struct bt_merkle_hash hash;
    const char fine[] = "00ff4298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855aa";
    assert_true(bt_merkle_hash_from_hex(bt_str_of(fine), &hash));
    assert_hash(&hash, fine);
    for (size_t i = 0; i < 64; i++) {
        char bad[65];
        memcpy(bad, fine, sizeof(bad));
        bad[i] = i % 2 ? 'A' : 'g';
        assert_false(bt_merkle_hash_from_hex(bt_str_of(bad), &hash));
    }
    assert_false(bt_merkle_hash_from_hex((bt_str){fine, 63}, &hash));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_rfc_6962),
        cmocka_unit_test(hashes_of_many_are_those_of_each),
        cmocka_unit_test(roots_are_those_that_others_publish),
        cmocka_unit_test(a_growing_tree_has_the_root_of_the_definition_at_every_size),
        cmocka_unit_test(a_tree_grows_by_whole_tiles_as_it_does_by_leaves),
        cmocka_unit_test(a_tree_is_restored_from_its_frontier),
        cmocka_unit_test(tiles_are_called_as_tlog_tiles_says),
        cmocka_unit_test(tiles_are_as_wide_as_the_size_says),
        cmocka_unit_test(hexadecimal_hashes_have_one_spelling),
    };
    return RUN_TESTS(tests);
}
