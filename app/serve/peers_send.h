/* SPDX-License-Identifier: Apache-2.0 */
/* peers_send.h - requests to many servers at once, so that a silent one delays no other. */
#ifndef BATON_APP_SERVE_PEERS_SEND_H
#define BATON_APP_SERVE_PEERS_SEND_H

#include <pthread.h>

#include "net/http_client.h"

struct serve_peer_request {
    struct http_client_post post;
    struct bt_buf *answer;
    unsigned status; /* of the answer; 0: there was none in time */
    pthread_t thread;
    bool is_threaded;
};

/* Send all of them, each on a thread of its own, and wait for the slowest. One whose thread could
 * not be started is sent by this one. */
void serve_peers_send(struct serve_peer_request *requests, size_t count);

#endif
