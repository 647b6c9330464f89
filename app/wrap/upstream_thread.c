/* SPDX-License-Identifier: Apache-2.0 */
/* upstream_thread.c - a server over HTTP on a thread, between two pipes. */
#define _GNU_SOURCE /* pipe2() */
#include "wrap/upstream_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"

static void *run_upstream(void *context)
{
    const struct wrap_upstream_thread *own = context;
    const uint64_t one = 1;
    (void)wrap_upstream_serve(&own->upstream, own->input, own->output);
    (void)close(own->input);
    (void)close(own->output);
    (void)!write(own->ended, &one, sizeof(one));
    return NULL;
}

enum bt_status wrap_upstream_thread_start(const struct bt_server_command *command,
                                          struct wrap_upstream_thread *own,
                                          struct bt_server_process *out, struct bt_error *error)
{
    int to[2] = {-1, -1};
    int from[2] = {-1, -1};
    *own = (struct wrap_upstream_thread){.upstream = *(const struct wrap_upstream *)command->served,
                                         .ended = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    own->upstream.stop_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    bool is_made = own->ended >= 0 && own->upstream.stop_fd >= 0 &&
                   pipe2(to, O_CLOEXEC | O_NONBLOCK) == 0 &&
                   pipe2(from, O_CLOEXEC | O_NONBLOCK) == 0;
    own->input = to[0];
    own->output = from[1];
    *out = (struct bt_server_process){
        .life_fd = is_made ? dup(own->ended) : -1, .input_fd = to[1], .output_fd = from[0]};
    is_made =
        is_made && out->life_fd >= 0 && pthread_create(&own->thread, NULL, run_upstream, own) == 0;
    own->is_started = is_made;
    if (!is_made) {
        (void)bt_error_set(error, BT_EIO, "%s", strerror(errno));
        bt_server_process_close(out);
        (void)close(own->input);
        (void)close(own->output);
    }
    return is_made ? BT_OK : BT_EIO;
}

void wrap_upstream_thread_end(struct wrap_upstream_thread *own)
{
    const uint64_t one = 1;
    if (own->is_started) {
        (void)!write(own->upstream.stop_fd, &one, sizeof(one));
        (void)pthread_join(own->thread, NULL);
    }
    (void)close(own->upstream.stop_fd);
    (void)close(own->ended);
}
