/* SPDX-License-Identifier: Apache-2.0 */
/* peers_send.c - one thread for each request of a few, and the wait for all of them. */
#include "serve/peers_send.h"

#include <assert.h>

static void *send_request(void *context)
{
    struct serve_peer_request *request = context;
    request->status = bt_http_client_post(&request->post, request->answer);
    return NULL;
}

void serve_peers_send(struct serve_peer_request *requests, size_t count)
{
    assert(requests);
    for (size_t i = 0; i < count; i++) {
        requests[i].is_threaded =
            pthread_create(&requests[i].thread, NULL, send_request, &requests[i]) == 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (requests[i].is_threaded) {
            (void)pthread_join(requests[i].thread, NULL);
        } else {
            (void)send_request(&requests[i]);
        }
    }
}
