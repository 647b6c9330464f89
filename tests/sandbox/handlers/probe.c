/* SPDX-License-Identifier: Apache-2.0 */
/* A handler that tries to get out. Its payload is <p.q>NUMBER TARGET</p.q>, its answer an errno. */
#include <baton/handler.h>

#include <stdio.h>
#include <string.h>

#include "../probes.h"

int baton_handler_init(uint32_t abi, const char *ready_json, void **state)
{
    (void)ready_json;
    *state = NULL;
    return abi == BATON_HANDLER_ABI ? 0 : 1;
}

void baton_handler_call(void *state, const baton_call *call, baton_done_fn done, void *token)
{
    (void)state;
    struct probe_target target;
    unsigned number = 0;
    char text[32];
    memset(&target, 0, sizeof(target));
    const int read = sscanf(call->payload, "<p.q>%u %127s %127s %d %d %63s %95s %95[^<]", &number,
                            target.root, target.work, &target.pid, &target.port, target.abstract,
                            target.control, target.datagram);
    const struct probe *probe = probe_at(number);
    if (read != 8 || !probe) {
        done(token, 1, "bad payload", 11);
        return;
    }
    const int size = snprintf(text, sizeof(text), "%d", probe->attempt(&target));
    done(token, 0, text, (size_t)size);
}
