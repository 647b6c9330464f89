/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args_read.h - JSON -> the arguments of a call: an object of parameters, or an envelope around
 * documents.
 *
 * Functions that return a status return BT_EINVAL when the result of the call says what is wrong
 * with the request, and BT_ENOMEM when the arena reached its limit.
 */
#ifndef BATON_SRC_OPERATION_ARGS_READ_H
#define BATON_SRC_OPERATION_ARGS_READ_H

#include "operation/operation.h"

/* Read a JSON object; it lives in the arena of the call. */
BT_MUST_USE enum bt_status bt_args_read_object(struct bt_call *work, bt_str text,
                                               struct bt_arg *out);
/* The member of an object; absent when there is none. */
struct bt_arg bt_arg_member(const struct bt_arg *object, const char *name);
/* Check an object of parameters against those of the row in these places, and add them. */
BT_MUST_USE enum bt_status bt_args_add_members(struct bt_call *work, struct bt_args *args,
                                               const struct bt_arg *object, unsigned places);

/* Read what is given as a text, or as base64 in another parameter: exactly one of both. */
BT_MUST_USE enum bt_status bt_args_read_bytes(struct bt_call *work, const struct bt_args *args,
                                              size_t text_place, size_t base64_place, bt_str *out);

/* Read the items of an array of documents, each a text or its base64, with a path and a dialect;
 * the array of them lives in the arena and has as many items. */
BT_MUST_USE enum bt_status bt_args_read_documents(struct bt_call *work, const struct bt_arg *list,
                                                  const struct bt_arg_document **out);

/*
 * Begin the arguments of an operation with what an envelope has but its options. There is room for
 * these and for so many `others`. Members besides documents, options and input: parameters in
 * `more_places`; 0: the answer of a model.
 */
BT_MUST_USE enum bt_status bt_args_begin_envelope(struct bt_call *work, struct bt_args *args,
                                                  const struct bt_operation *operation,
                                                  const struct bt_arg *envelope,
                                                  unsigned more_places, size_t others);
/* Add the options of an envelope: parameters of the query, and options that judge a document. */
BT_MUST_USE enum bt_status bt_args_add_options(struct bt_call *work, struct bt_args *args,
                                               const struct bt_arg *envelope);

#endif
