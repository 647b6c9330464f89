/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approve.h - calls that need the consent of a person, in a session: passed, refused, or held while
 * the client asks the person.
 */
#ifndef BATON_SRC_WRAP_APPROVE_H
#define BATON_SRC_WRAP_APPROVE_H

#include "wrap/requests.h"

struct bt_wrap_session;

/*
 * Get the consent for a call that needs one. *line: what is passed on, without what was meant for
 * us. *out_is_done: the call was refused or is held. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_approve_call(struct bt_wrap_session *session,
                                                const struct bt_wrap_message *message,
                                                struct bt_wrap_request *request, bt_str *line,
                                                bool *out_is_done);
/* Take the answer of the client to a question of Baton. *out_is_ours: it is one. */
BT_MUST_USE enum bt_status bt_wrap_approve_take_reply(struct bt_wrap_session *session,
                                                      const struct bt_wrap_message *message,
                                                      bool *out_is_ours);
/*
 * The server asks something before it answers an approved call: tie the repeated call to the
 * approval. *line: the changed answer; unchanged when there is nothing to do. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_approve_answer(struct bt_wrap_session *session,
                                                  const struct bt_wrap_message *message,
                                                  const struct bt_wrap_request *request,
                                                  bt_str *line);

#endif
