/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libpq.h - the functions, types and constants of PostgreSQL's library that we use.
 *
 * The library is loaded when a server is first used and not when the program starts: with its
 * dependencies it would triple the start time. Its header is not needed to build. Where it is
 * installed, tests/store/test_libpq.c includes it first, so that its types are used here, and
 * compares every row below with it.
 */
#ifndef BATON_SRC_STORE_LIBPQ_H
#define BATON_SRC_STORE_LIBPQ_H

#include <baton/base.h>

/* Constants, as libpq-fe.h and postgres_ext.h have them. */
#define BT_LIBPQ_CONSTANTS(X)                                                                      \
    X(CONNECTION_OK, 0)                                                                            \
    X(CONNECTION_BAD, 1)                                                                           \
    X(PGRES_POLLING_FAILED, 0)                                                                     \
    X(PGRES_POLLING_READING, 1)                                                                    \
    X(PGRES_POLLING_WRITING, 2)                                                                    \
    X(PGRES_POLLING_OK, 3)                                                                         \
    X(PGRES_COMMAND_OK, 1)                                                                         \
    X(PGRES_TUPLES_OK, 2)                                                                          \
    X(PGRES_PIPELINE_SYNC, 10)                                                                     \
    X(PGRES_PIPELINE_ABORTED, 11)                                                                  \
    X(PG_DIAG_SEVERITY_NONLOCALIZED, 'V')                                                          \
    X(PG_DIAG_SQLSTATE, 'C')                                                                       \
    X(PG_DIAG_MESSAGE_PRIMARY, 'M')

/* The members of PQconninfoOption, in their order. */
#define BT_LIBPQ_OPTION(X)                                                                         \
    X(char *, keyword)                                                                             \
    X(char *, envvar)                                                                              \
    X(char *, compiled)                                                                            \
    X(char *, val)                                                                                 \
    X(char *, label)                                                                               \
    X(char *, dispchar)                                                                            \
    X(int, dispsize)

#ifndef LIBPQ_FE_H
enum {
#define BT_LIBPQ_CONSTANT(name, value) name = (value),
    BT_LIBPQ_CONSTANTS(BT_LIBPQ_CONSTANT)
#undef BT_LIBPQ_CONSTANT
};
/* Enumerations there. Compilers pass them as unsigned int: none of their values is negative. */
typedef unsigned int ConnStatusType;
typedef unsigned int ExecStatusType;
typedef unsigned int PostgresPollingStatusType;
typedef unsigned int Oid;
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef void (*PQnoticeReceiver)(void *context, const PGresult *result);
typedef struct {
#define BT_LIBPQ_OPTION_MEMBER(type, name) type name;
    BT_LIBPQ_OPTION(BT_LIBPQ_OPTION_MEMBER)
#undef BT_LIBPQ_OPTION_MEMBER
} PQconninfoOption;
#endif

/* Our name, the name in the library, the type of its result, and the types of its parameters. */
/* clang-format off */
#define BT_LIBPQ_EACH(X)                                                                           \
    X(clear, PQclear, void, PGresult *)                                                            \
    X(cmd_status, PQcmdStatus, char *, PGresult *)                                                 \
    X(conn_defaults, PQconndefaults, PQconninfoOption *, void)                                     \
    X(connect_poll, PQconnectPoll, PostgresPollingStatusType, PGconn *)                            \
    X(connect_start, PQconnectStartParams, PGconn *, const char *const *, const char *const *,     \
      int)                                                                                         \
    X(conninfo_free, PQconninfoFree, void, PQconninfoOption *)                                     \
    X(conninfo_parse, PQconninfoParse, PQconninfoOption *, const char *, char **)                  \
    X(consume_input, PQconsumeInput, int, PGconn *)                                                \
    X(enter_pipeline, PQenterPipelineMode, int, PGconn *)                                          \
    X(error_field, PQresultErrorField, char *, const PGresult *, int)                              \
    X(error_message, PQerrorMessage, char *, const PGconn *)                                       \
    X(exit_pipeline, PQexitPipelineMode, int, PGconn *)                                            \
    X(finish, PQfinish, void, PGconn *)                                                            \
    X(flush, PQflush, int, PGconn *)                                                               \
    X(free_memory, PQfreemem, void, void *)                                                        \
    X(get_result, PQgetResult, PGresult *, PGconn *)                                               \
    X(is_busy, PQisBusy, int, PGconn *)                                                            \
    X(is_null, PQgetisnull, int, const PGresult *, int, int)                                       \
    X(length, PQgetlength, int, const PGresult *, int, int)                                        \
    X(field_count, PQnfields, int, const PGresult *)                                               \
    X(field_type, PQftype, Oid, const PGresult *, int)                                             \
    X(pipeline_sync, PQpipelineSync, int, PGconn *)                                                \
    X(result_status, PQresultStatus, ExecStatusType, const PGresult *)                             \
    X(row_count, PQntuples, int, const PGresult *)                                                 \
    X(send_params, PQsendQueryParams, int, PGconn *, const char *, int, const Oid *,               \
      const char *const *, const int *, const int *, int)                                          \
    X(send_prepare, PQsendPrepare, int, PGconn *, const char *, const char *, int, const Oid *)    \
    X(send_prepared, PQsendQueryPrepared, int, PGconn *, const char *, int,                        \
      const char *const *, const int *, const int *, int)                                          \
    X(send_query, PQsendQuery, int, PGconn *, const char *)                                        \
    X(server_version, PQserverVersion, int, const PGconn *)                                        \
    X(set_nonblocking, PQsetnonblocking, int, PGconn *, int)                                       \
    X(set_notice_receiver, PQsetNoticeReceiver, PQnoticeReceiver, PGconn *, PQnoticeReceiver,      \
      void *)                                                                                      \
    X(socket, PQsocket, int, const PGconn *)                                                       \
    X(status, PQstatus, ConnStatusType, const PGconn *)                                            \
    X(value, PQgetvalue, char *, const PGresult *, int, int)
/* clang-format on */

#define BT_LIBPQ_MEMBER(member, function, result, ...) result (*member)(__VA_ARGS__);

struct bt_libpq {
    void *library; /* NULL: not loaded */
    BT_LIBPQ_EACH(BT_LIBPQ_MEMBER)
};

#undef BT_LIBPQ_MEMBER

/* Find the library and all of its functions. BT_ENOENT: it is not installed, or too old. */
BT_MUST_USE enum bt_status bt_libpq_load(struct bt_libpq *out, struct bt_error *error);
/* Release it; the library stays in memory until the process ends. */
void bt_libpq_unload(struct bt_libpq *pq);

#endif
