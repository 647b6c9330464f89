/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ssh_agent.c - one request to an SSH agent, on a connection of its own.
 *
 *     request   length || 13 || string key || string message || flags 0
 *     answer    length || 14 || string signature, or length || 5 for a refusal
 *
 * A string is its length in 4 bytes, the most significant first, and its bytes. Key and signature
 * are strings themselves: the name of the algorithm and the 32 or 64 bytes of Ed25519.
 */
#include "net/ssh_agent.h"

#include <assert.h>
#include <poll.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hex.h"
#include "net/connection.h"
#include "net/socket_address.h"

enum {
    SIGN_REQUEST = 13,
    SIGN_RESPONSE = 14,
    FAILURE = 5,
    LENGTH_BYTES = 4,
    MESSAGE_BYTES_MAX = 255 * 1024, /* OpenSSH's agent takes 256 KiB in all */
    REQUEST_BYTES_MAX = 256 * 1024,
    ANSWER_BYTES_MAX = 1024,
    BLOB_BYTES_MAX = 64,
};

static const bt_str algorithm = BT_STR_INIT("ssh-ed25519");

/* ---- Strings --------------------------------------------------------------------------------- */

static void put_number(struct bt_buf *buf, size_t number)
{
    for (unsigned shift = 32; shift > 0; shift -= 8) {
        bt_buf_put_char(buf, (char)(number >> (shift - 8) & 0xff));
    }
}

static void put_string(struct bt_buf *buf, bt_str text)
{
    put_number(buf, text.len);
    bt_buf_put(buf, text);
}

static size_t get_number(bt_str bytes)
{
    size_t number = 0;
    for (size_t i = 0; i < LENGTH_BYTES; i++) {
        number = number << 8 | (uint8_t)bytes.ptr[i];
    }
    return number;
}

/* Take the string at the beginning of *rest. False: there is none. */
static bool take_string(bt_str *rest, bt_str *out)
{
    if (rest->len < LENGTH_BYTES || get_number(*rest) > rest->len - LENGTH_BYTES) {
        return false;
    }
    const size_t end = LENGTH_BYTES + get_number(*rest);
    *out = bt_str_slice(*rest, LENGTH_BYTES, end);
    *rest = bt_str_slice(*rest, end, rest->len);
    return true;
}

/* Read the name of the algorithm and `size` bytes, and nothing behind them. */
static bool read_blob(bt_str blob, size_t size, uint8_t *out)
{
    bt_str name;
    bt_str bytes;
    if (!take_string(&blob, &name) || !bt_str_eq(name, algorithm) || !take_string(&blob, &bytes) ||
        bytes.len != size || blob.len > 0) {
        return false;
    }
    memcpy(out, bytes.ptr, size);
    return true;
}

/* ---- The request ----------------------------------------------------------------------------- */

static void put_request(struct bt_buf *buf, const uint8_t public_key[BT_SSH_KEY_BYTES],
                        bt_str message)
{
    const size_t blob = LENGTH_BYTES + algorithm.len + LENGTH_BYTES + BT_SSH_KEY_BYTES;
    put_number(buf, 1 + LENGTH_BYTES + blob + LENGTH_BYTES + message.len + LENGTH_BYTES);
    bt_buf_put_char(buf, SIGN_REQUEST);
    put_number(buf, blob);
    put_string(buf, algorithm);
    put_string(buf, (bt_str){(const char *)public_key, BT_SSH_KEY_BYTES});
    put_string(buf, message);
    put_number(buf, 0);
}

/* The answer without its length; "" while it is not complete. */
static bt_str find_answer(const struct bt_net_connection *connection)
{
    bt_str rest = bt_net_connection_received(connection);
    bt_str answer;
    return take_string(&rest, &answer) ? answer : BT_STR("");
}

/* True when so much has come that the answer is complete, or can never be. */
static bool is_finished(const struct bt_net_connection *connection)
{
    const bt_str received = bt_net_connection_received(connection);
    return find_answer(connection).len > 0 || received.len >= ANSWER_BYTES_MAX ||
           (received.len >= LENGTH_BYTES &&
            (get_number(received) == 0 || get_number(received) > ANSWER_BYTES_MAX - LENGTH_BYTES));
}

/* Send and receive until the answer is there, the agent has closed, or the time is over. */
static bool exchange_bytes(struct bt_net_connection *connection, uint64_t until_ms)
{
    uint64_t now = bt_clock_monotonic_ms();
    while (!is_finished(connection) && !connection->is_broken && !connection->peer_has_closed &&
           now < until_ms) {
        const bool is_sending = bt_net_connection_unsent(connection) > 0;
        struct pollfd what = {.fd = connection->fd,
                              .events = (short)(is_sending ? POLLIN | POLLOUT : POLLIN)};
        const uint64_t left = until_ms - now;
        (void)poll(&what, 1, left < INT32_MAX ? (int)left : INT32_MAX);
        if (is_sending) {
            bt_net_connection_write(connection);
        }
        bt_net_connection_read(connection, ANSWER_BYTES_MAX);
        now = bt_clock_monotonic_ms();
    }
    return now < until_ms;
}

static enum bt_status read_answer(const struct bt_net_connection *connection,
                                  uint8_t out[BT_SSH_SIGNATURE_BYTES], struct bt_error *error)
{
    bt_str answer = find_answer(connection);
    const char kind = answer.len > 0 ? answer.ptr[0] : 0;
    bt_str signature;
    if (kind == FAILURE) {
        return bt_error_set(error, BT_EIO,
                            "the SSH agent refused: it does not have the key, or may not use it");
    }
    answer = bt_str_slice(answer, answer.len > 0 ? 1 : 0, answer.len);
    if (kind != SIGN_RESPONSE || !take_string(&answer, &signature) || answer.len > 0 ||
        !read_blob(signature, BT_SSH_SIGNATURE_BYTES, out)) {
        return bt_error_set(error, BT_EIO, "the SSH agent answered without a signature");
    }
    return BT_OK;
}

enum bt_status bt_ssh_agent_sign(const char *path, const uint8_t public_key[BT_SSH_KEY_BYTES],
                                 bt_str message, uint64_t wait_ms,
                                 uint8_t out[BT_SSH_SIGNATURE_BYTES], struct bt_error *error)
{
    assert(path);
    struct bt_error why;
    int fd = -1;
    if (message.len > MESSAGE_BYTES_MAX) {
        return bt_error_set(error, BT_ELIMIT, "an SSH agent signs at most %d bytes",
                            MESSAGE_BYTES_MAX);
    }
    if (bt_unix_connect(path, &fd, &why) != BT_OK) {
        return bt_error_set(error, BT_EIO, "no SSH agent: %s", why.text);
    }
    struct bt_net_connection connection;
    bt_net_connection_init(&connection, fd, (size_t)2 * ANSWER_BYTES_MAX, REQUEST_BYTES_MAX);
    put_request(&connection.out, public_key, message);
    enum bt_status status = connection.out.status;
    if (status == BT_OK) {
        status = exchange_bytes(&connection, bt_clock_monotonic_ms() + wait_ms)
                     ? read_answer(&connection, out, error)
                     : bt_error_set(error, BT_EIO, "the SSH agent did not answer in time");
    }
    bt_net_connection_free(&connection);
    return status;
}

/* ---- Public keys ----------------------------------------------------------------------------- */

enum bt_status bt_ssh_public_key_parse(bt_str text, uint8_t out[BT_SSH_KEY_BYTES],
                                       struct bt_error *error)
{
    uint8_t blob[BLOB_BYTES_MAX];
    const size_t line_end = bt_str_find_byte(text, '\n', 0);
    const bt_str line = bt_str_slice(text, 0, line_end);
    const size_t name_end = bt_str_find_byte(line, ' ', 0);
    const size_t key_end = bt_str_find_byte(line, ' ', name_end + 1);
    const bt_str encoded = bt_str_slice(line, name_end + 1, key_end);
    if (line_end + 1 < text.len || !bt_str_eq(bt_str_slice(line, 0, name_end), algorithm)) {
        return bt_error_set(error, BT_EINVAL,
                            "a public key of OpenSSH is one line that begins with ssh-ed25519");
    }
    const size_t size = bt_base64_decoded_size(encoded);
    if (size == 0 || size > sizeof(blob)) {
        return bt_error_set(error, BT_EINVAL, "its key is not base64 of an Ed25519 key");
    }
    bt_base64_decode(encoded, blob);
    return read_blob((bt_str){(const char *)blob, size}, BT_SSH_KEY_BYTES, out)
               ? BT_OK
               : bt_error_set(error, BT_EINVAL, "its key is not base64 of an Ed25519 key");
}
