/* SPDX-License-Identifier: Apache-2.0 */
/* address_counts.c - the number of connections of each address. */
#include <stdlib.h>
#include <string.h>

#include "http/http_internal.h"

enum { BUCKETS = 4096 };

struct http_address_counts {
    struct http_address_count *buckets[BUCKETS];
};

struct http_address_counts *http_addresses_create(void)
{
    return calloc(1, sizeof(struct http_address_counts));
}

void http_addresses_destroy(struct http_address_counts *addresses)
{
    free(addresses);
}

/* Addresses are checked by the kernel, so an attacker cannot cheaply choose many of one bucket. */
static size_t bucket_of(const char *text)
{
    uint32_t hash = 2166136261U;
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * 16777619U;
    }
    return hash % BUCKETS;
}

struct http_address_count *http_addresses_add(struct http_address_counts *addresses,
                                              const char *text, size_t max)
{
    const size_t bucket = bucket_of(text);
    struct http_address_count *found = addresses->buckets[bucket];
    while (found && strcmp(found->text, text) != 0) {
        found = found->next;
    }
    if (!found) {
        found = calloc(1, sizeof(*found));
        if (!found) {
            return NULL;
        }
        memcpy(found->text, text, strnlen(text, sizeof(found->text) - 1));
        found->bucket = bucket;
        found->next = addresses->buckets[bucket];
        addresses->buckets[bucket] = found;
    }
    if (found->count >= max) {
        return NULL;
    }
    found->count++;
    return found;
}

void http_addresses_drop(struct http_address_counts *addresses, struct http_address_count *address)
{
    if (--address->count > 0) {
        return;
    }
    struct http_address_count **link = &addresses->buckets[address->bucket];
    while (*link != address) {
        link = &(*link)->next;
    }
    *link = address->next;
    free(address);
}
