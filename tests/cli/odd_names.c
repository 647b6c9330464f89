/* SPDX-License-Identifier: Apache-2.0 */
/*
 * odd_names.c - for LD_PRELOAD: a resolver that never answers about names that begin with `slow`,
 * and that finds every other name of `.example` on this machine.
 */
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

typedef int find_fn(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **out)
{
    void *symbol = dlsym(RTLD_NEXT, "getaddrinfo");
    find_fn *real = NULL;
    memcpy(&real, &symbol, sizeof(symbol)); /* C has no cast for it */
    if (hints && (hints->ai_flags & AI_NUMERICHOST)) {
        return real(name, service, hints, out); /* nobody is asked about digits */
    }
    while (name && strncmp(name, "slow", 4) == 0) {
        (void)pause();
    }
    return real(name && strstr(name, ".example") ? "127.0.0.1" : name, service, hints, out);
}
