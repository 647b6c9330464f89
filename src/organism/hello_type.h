/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hello_type.h - a class as its host describes it -> a type.
 */
#ifndef BATON_SRC_ORGANISM_HELLO_TYPE_H
#define BATON_SRC_ORGANISM_HELLO_TYPE_H

#include "organism/organism.h"
#include "sandbox/hello.h"

/* *out stays NULL when the description has a type or a name that is not supported. */
BT_MUST_USE enum bt_status bt_payload_type_from_hello(struct bt_organism_reader *reader,
                                                      const struct bt_host_hello_class *described,
                                                      const struct bt_payload_type **out);

#endif
