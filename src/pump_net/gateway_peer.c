/* SPDX-License-Identifier: Apache-2.0 */
/* gateway_peer.c - another pump: address, keys, and the format of the messages between the two. */
#define _GNU_SOURCE /* struct addrinfo */
#include "pump_net/gateway_peer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/file.h"
#include "dialect/xml/message_check.h"
#include "json/emit.h"
#include "net/socket_address.h"
#include "net/tls.h"
#include "pump/fragments.h"

enum { KEY_BYTES_MAX = 65536, SIGNATURE_BYTES = 64 };

static enum bt_status read_key(struct bt_arena *arena, const struct bt_pump *pump, bt_str file,
                               bool is_private, EVP_PKEY **out)
{
    bt_str path;
    bt_str pem;
    BT_TRY(bt_arena_printf(arena, &path, "%.*s/%.*s", BT_STR_ARG(pump->launch.context.root),
                           BT_STR_ARG(file)));
    BT_TRY(bt_file_read(arena, path, KEY_BYTES_MAX, &pem, NULL));
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    *out = !bio         ? NULL
           : is_private ? PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL)
                        : PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL);
    BIO_free(bio);
    ERR_clear_error();
    return *out ? BT_OK : BT_EINVAL;
}

/* Its address; paths are relative to the organism's folder. */
static enum bt_status find_place(struct bt_arena *arena, const struct bt_pump *pump,
                                 struct bt_gateway_peer *remote, struct bt_error *error)
{
    const bt_str path = remote->url.path;
    if (path.len == 0) {
        return bt_tls_client_create(BT_TLS_TRUST_PEER_KEY, NULL, &remote->tls, error);
    }
    const bool is_absolute = path.ptr[0] == '/';
    return bt_arena_printf(arena, &remote->url.path, "%.*s%s%.*s",
                           BT_STR_ARG(is_absolute ? BT_STR("") : pump->launch.context.root),
                           is_absolute ? "" : "/", BT_STR_ARG(path));
}

/* The name of a client: lower case, without blanks. */
static enum bt_status name_of(struct bt_arena *arena, bt_str organism, bt_str *out)
{
    BT_TRY(bt_ascii_lower_copy(arena, organism, out));
    char *text = bt_arena_alloc(arena, out->len + 1);
    if (!text) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < out->len; i++) {
        text[i] = out->ptr[i] == ' ' ? '-' : out->ptr[i];
    }
    *out = (bt_str){text, out->len};
    return BT_OK;
}

enum bt_status bt_gateway_peer_open(struct bt_arena *arena, struct bt_pump *pump,
                                    const struct bt_organism_gateway *gateway,
                                    struct bt_gateway_peer *remote, struct bt_error *error)
{
    const bt_str identity =
        bt_organism_node_text(bt_organism_node_get(pump->organism->root, "organism"), "identity");
    BT_TRY(name_of(arena, pump->organism->name, &remote->name));
    if (read_key(arena, pump, gateway->trusted_identity, false, &remote->trusted) != BT_OK) {
        return bt_error_set(error, BT_EINVAL, "the trusted_identity of %.*s is not a public key",
                            BT_STR_ARG(gateway->name));
    }
    if (identity.len > 0 && read_key(arena, pump, identity, true, &remote->own) != BT_OK) {
        return bt_error_set(error, BT_EINVAL, "organism.identity is not a private key");
    }
    if (!bt_organism_gateway_url_read(gateway->remote_url, &remote->url)) {
        return bt_error_set(error, BT_EINVAL, "the remote_url of %.*s is neither tls:// nor unix:",
                            BT_STR_ARG(gateway->name));
    }
    return find_place(arena, pump, remote, error);
}

void bt_gateway_peer_close(struct bt_gateway_peer *remote)
{
    bt_dns_free(remote->lookup);
    bt_tls_context_destroy(remote->tls);
    EVP_PKEY_free(remote->trusted);
    EVP_PKEY_free(remote->own);
}

/* Use the next address at each attempt. */
static const struct addrinfo *next_address(struct bt_gateway_peer *remote,
                                           const struct addrinfo *first)
{
    const struct addrinfo *at = first;
    for (uint32_t i = 0; at && i < remote->tries; i++) {
        at = at->ai_next;
    }
    remote->tries = at ? remote->tries + 1 : 1;
    return at ? at : first;
}

enum bt_status bt_gateway_peer_connect(struct bt_gateway_peer *remote, int *out_fd)
{
    const char *why = NULL;
    *out_fd = -1;
    if (remote->url.path.len > 0) {
        return bt_unix_connect(remote->url.path.ptr, out_fd, NULL);
    }
    if (!remote->lookup) {
        BT_TRY(bt_dns_start(remote->url.host, remote->url.port, &remote->lookup));
    }
    if (!bt_dns_wait(remote->lookup, 0)) {
        return BT_OK;
    }
    const struct addrinfo *found = bt_dns_addresses(remote->lookup, &why);
    const enum bt_status status =
        found ? bt_tcp_connect(next_address(remote, found), out_fd) : BT_EIO;
    bt_dns_free(remote->lookup);
    remote->lookup = NULL;
    return status;
}

static bool sign_challenge(EVP_PKEY *key, bt_str challenge, uint8_t out[SIGNATURE_BYTES])
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t size = SIGNATURE_BYTES;
    const bool is_signed = context && EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 &&
                           EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
                           EVP_DigestSign(context, out, &size, (const unsigned char *)challenge.ptr,
                                          challenge.len) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return is_signed && size == SIGNATURE_BYTES;
}

void bt_gateway_peer_put_hello(struct bt_buf *buf, const struct bt_gateway_peer *remote,
                               bt_str challenge)
{
    uint8_t signature[SIGNATURE_BYTES];
    struct bt_buf coded;
    struct bt_emit emit;
    bt_buf_init(&coded, 256);
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "protocol", 1);
    bt_emit_member_string(&emit, "client", remote->name);
    if (remote->own && sign_challenge(remote->own, challenge, signature)) {
        bt_base64_put(&coded, (bt_str){(const char *)signature, sizeof(signature)});
        bt_emit_member_string(&emit, "signature", bt_buf_str(&coded));
    }
    bt_emit_end(&emit);
    bt_buf_free(&coded);
}

/* A canonical payload begins with its name and ends with it: <gw.add.p>...</gw.add.p> */
static void put_payload(struct bt_buf *buf, bt_str gateway, bt_str payload)
{
    const size_t prefix = gateway.len + 1;
    size_t end = payload.len;
    while (end > 0 && payload.ptr[end - 1] != '/') {
        end--;
    }
    bt_buf_put_char(buf, '<');
    bt_buf_put(buf, bt_str_slice(payload, 1 + prefix, end));
    bt_buf_put(buf, bt_str_slice(payload, end + prefix, payload.len));
}

void bt_gateway_peer_put_call(struct bt_buf *buf, bt_str gateway,
                              const struct bt_gateway_peer *remote,
                              const struct bt_gateway_call *call)
{
    const struct bt_pump_message *message = call->message;
    bt_buf_put_text(buf, "<m:message xmlns:m=\"https://xml-pipeline.org/ns/envelope/v1\"><m:meta>");
    bt_pump_put_leaf(buf, "m:from", remote->name);
    bt_pump_put_leaf(buf, "m:thread", bt_str_of(message->thread->uuid));
    bt_buf_printf(buf, "<b:id xmlns:b=\"urn:baton:pump:1\">%s.%" PRIu64 "</b:id></m:meta>",
                  message->thread->uuid, message->call);
    put_payload(buf, gateway, call->payload);
    bt_buf_put_text(buf, "</m:message>");
}

enum bt_status bt_gateway_peer_read(struct bt_arena *arena, struct bt_env *env, bt_str text,
                                    struct bt_gateway_reply *out)
{
    const struct bt_xml_options options = {.mode = BT_XML_STRICT,
                                           .bytes_max = text.len,
                                           .depth_max = BT_XML_DEPTH_MAX,
                                           .seed = {env->hash_seed[0], env->hash_seed[1]}};
    struct bt_xml_result read;
    *out = (struct bt_gateway_reply){.payload = BT_STR(""), .thread = BT_STR("")};
    BT_TRY(bt_xml_read(arena, text, &options, &read));
    const struct bt_xml_node *root = read.code == BT_XML_FINE ? read.document->root : NULL;
    const struct bt_xml_node *meta = root ? bt_xml_first(root) : NULL;
    const struct bt_xml_node *body = meta ? bt_xml_next(meta) : NULL;
    const struct bt_xml_node *thread = meta ? bt_xml_first(meta) : NULL;
    while (thread && !bt_xml_is(thread, BT_SPACE_ENV, BT_STR("thread"))) {
        thread = bt_xml_next(thread);
    }
    if (!body || !thread || !bt_xml_is(root, BT_SPACE_ENV, BT_STR("message"))) {
        return BT_OK;
    }
    BT_TRY(bt_xml_canonical(arena, read.document, body, SIZE_MAX, &out->payload));
    out->is_core = bt_str_eq(body->space, BT_SPACE_CORE);
    return bt_xml_text(arena, thread, &out->thread);
}

enum bt_status bt_gateway_peer_deliver_reply(struct bt_pump *pump, struct bt_arena *arena,
                                             const struct bt_gateway_reply_target *to,
                                             bt_str payload)
{
    const struct bt_organism_listener emitter = {.number = to->thread->listener,
                                                 .takes = *to->called};
    struct bt_pump_fragments fragments;
    const struct bt_pump_fragment_reader reader = {
        .env = pump->env, .organism = pump->organism, .now = pump->organism, .emitter = &emitter};
    BT_TRY(bt_pump_fragments_read(&reader, arena, payload, &fragments));
    return to->message
               ? bt_pump_core_handle_result(&pump->core, to->message, payload, &fragments)
               : bt_pump_core_handle_late_result(&pump->core, to->thread, payload, &fragments);
}
