/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ssh_agent.h - signatures by a key that an SSH agent holds (draft-ietf-sshm-ssh-agent).
 */
#ifndef BATON_SRC_NET_SSH_AGENT_H
#define BATON_SRC_NET_SSH_AGENT_H

#include <baton/base.h>

enum { BT_SSH_KEY_BYTES = 32, BT_SSH_SIGNATURE_BYTES = 64 };

/*
 * Ask the agent at the Unix socket `path` for the Ed25519 signature of `message` by a public key,
 * within `wait_ms`. The agent may be anybody's, so the caller verifies the signature. BT_ELIMIT:
 * the message is longer than agents take. BT_EIO: no agent, no such key, a refusal, another answer
 * than a signature, or none in time; `error` says which.
 */
BT_MUST_USE enum bt_status
bt_ssh_agent_sign(const char *path, const uint8_t public_key[BT_SSH_KEY_BYTES], bt_str message,
                  uint64_t wait_ms, uint8_t out[BT_SSH_SIGNATURE_BYTES], struct bt_error *error);

/*
 * Read the Ed25519 key of an OpenSSH public key file: one line `ssh-ed25519 BASE64 [COMMENT]`.
 * BT_EINVAL: it is something else, or a key of another type; `error` says which.
 */
BT_MUST_USE enum bt_status bt_ssh_public_key_parse(bt_str text, uint8_t out[BT_SSH_KEY_BYTES],
                                                   struct bt_error *error);

#endif
