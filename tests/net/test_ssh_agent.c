/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ssh_agent.c - one request to an agent: what is sent, and what of its answers is taken.
 */
#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/socket_address.h"
#include "net/ssh_agent.h"

enum {
    PATH_BYTES = 128,
    REQUEST_BYTES = 512,
    ANSWER_BYTES = 92,
    WAIT_MS = 60000,
    POLLS_MAX = 6000,
};

#define NAME "\0\0\0\x0bssh-ed25519"
#define SIGNED_HEAD "\0\0\0\x58\x0e\0\0\0\x53" NAME "\0\0\0\x40"

/* An agent for one request: it reads once and answers. */
struct fake_agent {
    char folder[PATH_BYTES];
    char path[PATH_BYTES];
    int listener;
    const char *answer;
    size_t answer_size;
    char request[REQUEST_BYTES];
    ssize_t request_size;
    pthread_t thread;
};

static void *answer_once(void *context)
{
    struct fake_agent *agent = context;
    const struct timespec pause = {0, 10000000};
    int fd = accept(agent->listener, NULL, NULL);
    for (size_t i = 0; fd < 0 && i < POLLS_MAX; i++) { /* the listener never blocks */
        (void)nanosleep(&pause, NULL);
        fd = accept(agent->listener, NULL, NULL);
    }
    agent->request_size = recv(fd, agent->request, sizeof(agent->request), 0);
    (void)send(fd, agent->answer, agent->answer_size, MSG_NOSIGNAL);
    (void)close(fd);
    return NULL;
}

static void start(struct fake_agent *agent, const char *answer, size_t size)
{
    *agent = (struct fake_agent){
        .folder = "/tmp/baton-agent-XXXXXX", .answer = answer, .answer_size = size};
    assert_non_null(mkdtemp(agent->folder));
    (void)snprintf(agent->path, sizeof(agent->path), "%.100s/s", agent->folder);
    assert_int_equal(bt_unix_listen(agent->path, 0600, &agent->listener, NULL), BT_OK);
    assert_int_equal(pthread_create(&agent->thread, NULL, answer_once, agent), 0);
}

static void stop(struct fake_agent *agent)
{
    assert_int_equal(pthread_join(agent->thread, NULL), 0);
    (void)close(agent->listener);
    (void)unlink(agent->path);
    (void)rmdir(agent->folder);
}

static void a_request_names_the_key_and_the_message_and_the_signature_comes_back(void **state)
{
    (void)state;
    static const char wanted[] = "\0\0\0\x43\x0d\0\0\0\x33" NAME
                                 "\0\0\0\x20kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\0\0\0\3abc\0\0\0\0";
    char answer[ANSWER_BYTES] = SIGNED_HEAD;
    uint8_t key[BT_SSH_KEY_BYTES];
    uint8_t signature[BT_SSH_SIGNATURE_BYTES] = {0};
    struct fake_agent agent;
    memset(answer + ANSWER_BYTES - BT_SSH_SIGNATURE_BYTES, 's', BT_SSH_SIGNATURE_BYTES);
    memset(key, 'k', sizeof(key));
    start(&agent, answer, sizeof(answer));
    assert_int_equal(bt_ssh_agent_sign(agent.path, key, BT_STR("abc"), WAIT_MS, signature, NULL),
                     BT_OK);
    stop(&agent);
    assert_int_equal(agent.request_size, sizeof(wanted) - 1);
    assert_memory_equal(agent.request, wanted, sizeof(wanted) - 1);
    assert_memory_equal(signature, answer + ANSWER_BYTES - BT_SSH_SIGNATURE_BYTES,
                        BT_SSH_SIGNATURE_BYTES);
}

/* Every answer that is cut, and every one with another byte in its frame, is refused. */
static void an_answer_of_another_form_is_not_a_signature(void **state)
{
    (void)state;
    const uint8_t key[BT_SSH_KEY_BYTES] = {0};
    const size_t head = ANSWER_BYTES - BT_SSH_SIGNATURE_BYTES;
    for (size_t i = 0; i < 2 * head; i++) {
        char answer[ANSWER_BYTES] = SIGNED_HEAD;
        uint8_t signature[BT_SSH_SIGNATURE_BYTES] = {1};
        struct fake_agent agent;
        struct bt_error error;
        answer[i % head] = (char)(answer[i % head] + (i < head ? 1 : 0));
        start(&agent, answer, i < head ? sizeof(answer) : i);
        const enum bt_status status =
            bt_ssh_agent_sign(agent.path, key, BT_STR("abc"), WAIT_MS, signature, &error);
        stop(&agent);
        assert_int_equal(status, BT_EIO);
        assert_int_equal(signature[0], 1);
    }
}

static void a_message_that_no_agent_takes_is_not_sent(void **state)
{
    (void)state;
    const size_t size = (size_t)1 << 20;
    char *message = calloc(1, size);
    const uint8_t key[BT_SSH_KEY_BYTES] = {0};
    uint8_t signature[BT_SSH_SIGNATURE_BYTES];
    assert_non_null(message);
    assert_int_equal(bt_ssh_agent_sign("/nonexistent/agent", key, (bt_str){message, size}, WAIT_MS,
                                       signature, NULL),
                     BT_ELIMIT);
    assert_int_equal(
        bt_ssh_agent_sign("/nonexistent/agent", key, BT_STR("abc"), WAIT_MS, signature, NULL),
        BT_EIO);
    free(message);
}

#define ENCODED "AAAAC3NzaC1lZDI1NTE5AAAAIM628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibv"

static void only_a_line_of_ed25519_is_a_public_key(void **state)
{
    (void)state;
    const struct {
        const char *text;
        enum bt_status status;
    } rows[] = {
        {"ssh-ed25519 " ENCODED " ana@example\n", BT_OK},
        {"ssh-ed25519 " ENCODED "\n", BT_OK},
        {"ssh-ed25519 " ENCODED, BT_OK},
        {"ssh-ed25519 " ENCODED "\nssh-ed25519 " ENCODED "\n", BT_EINVAL},
        {"ssh-ed25519  " ENCODED "\n", BT_EINVAL},
        {"ssh-ed25519", BT_EINVAL},
        {"ssh-rsa " ENCODED, BT_EINVAL},
        {"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5", BT_EINVAL},
        {"ssh-ed25519 " ENCODED "AAAA", BT_EINVAL},
        {ENCODED, BT_EINVAL},
        {"", BT_EINVAL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t key[BT_SSH_KEY_BYTES] = {0};
        assert_int_equal(bt_ssh_public_key_parse(bt_str_of(rows[i].text), key, NULL),
                         rows[i].status);
        assert_int_equal(key[0], rows[i].status == BT_OK ? 0xce : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_names_the_key_and_the_message_and_the_signature_comes_back),
        cmocka_unit_test(an_answer_of_another_form_is_not_a_signature),
        cmocka_unit_test(a_message_that_no_agent_takes_is_not_sent),
        cmocka_unit_test(only_a_line_of_ed25519_is_a_public_key),
    };
    return RUN_TESTS(tests);
}
