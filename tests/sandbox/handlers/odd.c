/* SPDX-License-Identifier: Apache-2.0 */
/* A handler in C that answers in every way there is; the payload says how. */
#include <baton/handler.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct later {
    baton_done_fn done;
    void *token;
    uint64_t id;
};

static struct later waiting;

int baton_handler_init(uint32_t abi, const char *ready_json, void **state)
{
    *state = NULL;
    return abi == BATON_HANDLER_ABI && strstr(ready_json, "\"config\":{}") ? 0 : 1;
}

static void *answer_later(void *context)
{
    struct later *later = context;
    later->done(later->token, 0, "later", 5);
    free(later);
    return NULL;
}

static void start_thread(baton_done_fn done, void *token)
{
    pthread_t thread;
    struct later *later = malloc(sizeof(*later));
    if (!later) {
        abort();
    }
    *later = (struct later){.done = done, .token = token};
    if (pthread_create(&thread, NULL, answer_later, later) != 0) {
        abort();
    }
    (void)pthread_detach(thread);
}

void baton_handler_call(void *state, const baton_call *call, baton_done_fn done, void *token)
{
    (void)state;
    static char large[3000000];
    char text[256];
    if (strstr(call->payload, "twice")) {
        done(token, 0, "once", 4);
        done(token, 0, "twice", 5);
    } else if (strstr(call->payload, "thread")) {
        start_thread(done, token);
    } else if (strstr(call->payload, "fail")) {
        done(token, 1, "a \"secret\" \xff", 12);
    } else if (strstr(call->payload, "none")) {
        done(token, 0, NULL, 0);
    } else if (strstr(call->payload, "large")) {
        memset(large, 'x', sizeof(large));
        done(token, 0, large, sizeof(large));
    } else if (strstr(call->payload, "wait")) {
        waiting = (struct later){.done = done, .token = token, .id = call->call_id};
    } else {
        const int size =
            snprintf(text, sizeof(text), "%s %s %zu %s", call->thread_id,
                     call->own_name ? call->own_name : "-", call->payload_len, call->payload);
        done(token, 0, text, (size_t)size);
    }
}

void baton_handler_cancel(void *state, uint64_t call_id)
{
    (void)state;
    if (waiting.id == call_id) {
        waiting.done(waiting.token, 0, "cancelled", 9);
    }
}
