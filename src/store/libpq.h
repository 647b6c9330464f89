/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libpq.h - the functions of PostgreSQL's library that we call.
 *
 * The library is loaded when a server is first used and not when the program starts: with its
 * dependencies it would triple the start time. Only its header is used to build, so every pointer
 * has the type of the function that it replaces.
 */
#ifndef BATON_SRC_STORE_LIBPQ_H
#define BATON_SRC_STORE_LIBPQ_H

#include <libpq-fe.h>

#include <baton/base.h>

/* Our name, and the name in the library. */
#define BT_LIBPQ_EACH(X)                                                                           \
    X(clear, PQclear)                                                                              \
    X(cmd_status, PQcmdStatus)                                                                     \
    X(conn_defaults, PQconndefaults)                                                               \
    X(connect_poll, PQconnectPoll)                                                                 \
    X(connect_start, PQconnectStartParams)                                                         \
    X(conninfo_free, PQconninfoFree)                                                               \
    X(conninfo_parse, PQconninfoParse)                                                             \
    X(consume_input, PQconsumeInput)                                                               \
    X(enter_pipeline, PQenterPipelineMode)                                                         \
    X(error_field, PQresultErrorField)                                                             \
    X(error_message, PQerrorMessage)                                                               \
    X(exit_pipeline, PQexitPipelineMode)                                                           \
    X(finish, PQfinish)                                                                            \
    X(flush, PQflush)                                                                              \
    X(free_memory, PQfreemem)                                                                      \
    X(get_result, PQgetResult)                                                                     \
    X(is_busy, PQisBusy)                                                                           \
    X(is_null, PQgetisnull)                                                                        \
    X(length, PQgetlength)                                                                         \
    X(field_count, PQnfields)                                                                      \
    X(field_type, PQftype)                                                                         \
    X(pipeline_sync, PQpipelineSync)                                                               \
    X(result_status, PQresultStatus)                                                               \
    X(row_count, PQntuples)                                                                        \
    X(send_params, PQsendQueryParams)                                                              \
    X(send_prepare, PQsendPrepare)                                                                 \
    X(send_prepared, PQsendQueryPrepared)                                                          \
    X(send_query, PQsendQuery)                                                                     \
    X(server_version, PQserverVersion)                                                             \
    X(set_nonblocking, PQsetnonblocking)                                                           \
    X(set_notice_receiver, PQsetNoticeReceiver)                                                    \
    X(socket, PQsocket)                                                                            \
    X(status, PQstatus)                                                                            \
    X(value, PQgetvalue)

#define BT_LIBPQ_MEMBER(member, function) __typeof__(function) *(member);

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
