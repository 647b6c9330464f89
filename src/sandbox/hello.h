/* SPDX-License-Identifier: Apache-2.0 */
/* hello.h - the JSON messages of hosts: their description, why a call failed, and BYE. */
#ifndef BATON_SRC_SANDBOX_HELLO_H
#define BATON_SRC_SANDBOX_HELLO_H

#include <baton/json.h>

#define BT_HELLO_BYTES_MAX 65536
#define BT_FAIL_BYTES_MAX 4096

/* Why a host says that its handler cannot be used. */
enum bt_host_hello_error {
    BT_HELLO_FINE = 0,
    BT_HELLO_IMPORT,    /* PUMP_HANDLER_LOAD */
    BT_HELLO_MISSING,   /* PUMP_HANDLER_LOAD */
    BT_HELLO_SYNC,      /* PUMP_HANDLER_SYNC */
    BT_HELLO_SIGNATURE, /* PUMP_HANDLER_SIGNATURE */
    BT_HELLO_PAYLOAD,   /* PUMP_PAYLOAD_CLASS at payload_class */
    BT_HELLO_RESULT,    /* PUMP_PAYLOAD_CLASS at result_class */
};

/* The word of the protocol: "import", "missing" and so on; "" for BT_HELLO_FINE. */
bt_str bt_host_hello_error_name(enum bt_host_hello_error problem);

/* A class as its host describes it. */
struct bt_host_hello_class {
    bt_str name; /* "AddPayload"; empty: not described */
    const bt_json_value
        *fields; /* array of [name, type]; a type is a string, or an object as in 2.6 */
};

struct bt_host_hello {
    const struct bt_json_doc *document; /* what the values below point into */
    bt_str host;                        /* "NAME VERSION" */
    enum bt_host_hello_error problem;
    bt_str detail; /* for the operator; empty when there is no problem */
    struct bt_host_hello_class payload;
    struct bt_host_hello_class result;
};

/*
 * Read a HELLO. Unknown members are ignored. The shape is checked down to the pairs of `fields`;
 * the meaning of types is left to the caller. BT_EINVAL: it is not a HELLO, and *out_reason says
 * why in a few words. BT_ENOMEM: out of memory. The text must outlive the result.
 */
BT_MUST_USE enum bt_status bt_host_hello_read(struct bt_arena *arena, bt_str body,
                                              struct bt_host_hello *out, const char **out_reason);

/* How a call ended without a result. */
enum bt_host_failure_kind {
    BT_FAIL_UNKNOWN = 0,
    BT_FAIL_NONE,      /* the handler returned nothing */
    BT_FAIL_NOT_BYTES, /* it returned something else than bytes */
    BT_FAIL_EXCEPTION,
    BT_FAIL_PAYLOAD, /* the host could not make the payload */
    BT_FAIL_CANCELLED,
};

struct bt_host_failure {
    enum bt_host_failure_kind kind;
    bt_str detail; /* only for the operator's log */
};

/* The word of a kind, as it stands in a FAIL. */
bt_str bt_error_set_name(enum bt_host_failure_kind kind);
/* Read a FAIL; unknown members are refused. BT_EINVAL: it is not a FAIL. */
BT_MUST_USE enum bt_status bt_error_set_read(struct bt_arena *arena, bt_str body,
                                             struct bt_host_failure *out);

/* Read a BYE: nothing, or {"reason":TEXT}. BT_EINVAL: it is not a BYE. */
BT_MUST_USE enum bt_status bt_host_bye_read(struct bt_arena *arena, bt_str body,
                                            bt_str *out_reason);

#endif
