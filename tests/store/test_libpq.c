/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_libpq.c - src/store/libpq.h declares what PostgreSQL's own header does.
 *
 * Nothing is run: a difference is an error of the compiler. With -DPLANTED it has to be one. Built
 * only where libpq-fe.h is installed.
 */
#include <stddef.h>

#include <libpq-fe.h>

#include "store/libpq.h"

#define CHECK_CONSTANT(name, value) _Static_assert((name) == (value), #name);
BT_LIBPQ_CONSTANTS(CHECK_CONSTANT)

#define CHECK_FUNCTION(member, function, result, ...)                                              \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&function), result (*)(__VA_ARGS__)),   \
                   #function);
BT_LIBPQ_EACH(CHECK_FUNCTION)

/* The same members in the same order. */
typedef struct {
#define MEMBER(type, name) type name;
    BT_LIBPQ_OPTION(MEMBER)
} libpq_option;
#define CHECK_MEMBER(type, name)                                                                   \
    _Static_assert(offsetof(libpq_option, name) == offsetof(PQconninfoOption, name), #name);       \
    _Static_assert(__builtin_types_compatible_p(type, __typeof__(((PQconninfoOption *)0)->name)),  \
                   #name);
BT_LIBPQ_OPTION(CHECK_MEMBER)
_Static_assert(sizeof(libpq_option) == sizeof(PQconninfoOption), "PQconninfoOption");

/* What libpq.h declares as unsigned int. */
#define CHECK_UNSIGNED(type)                                                                       \
    _Static_assert(sizeof(type) == sizeof(unsigned int) && (type)-1 > 0, #type)
CHECK_UNSIGNED(ConnStatusType);
CHECK_UNSIGNED(ExecStatusType);
CHECK_UNSIGNED(PostgresPollingStatusType);
_Static_assert(__builtin_types_compatible_p(Oid, unsigned int), "Oid");

#ifdef PLANTED
CHECK_CONSTANT(CONNECTION_BAD, 0)
#endif

int main(void)
{
    return 0;
}
