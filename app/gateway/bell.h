/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bell.h - a lock, and a bell that whoever waits for a change of what it guards can hear.
 */
#ifndef BATON_APP_GATEWAY_BELL_H
#define BATON_APP_GATEWAY_BELL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct bell {
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* False: it cannot be made, and must not be freed. */
bool bell_init(struct bell *bell);
void bell_free(struct bell *bell);
void bell_lock(struct bell *bell);
void bell_unlock(struct bell *bell);
/* With the lock: wake all who wait. */
void bell_ring(struct bell *bell);
/* With the lock: wait until it rings, or until a moment of the monotonic clock (UINT64_MAX: for
 * ever); it may also return for no reason. */
void bell_wait(struct bell *bell, uint64_t until_ms);

#endif
