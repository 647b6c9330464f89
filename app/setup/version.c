/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - what this program was built from, and the libraries that are in use. */

#include "setup/version.h"

#include <libfyaml.h>
#include <zstd.h>
#include <openssl/crypto.h>

#include <baton/json.h>
#include <baton/version.h>

#include "base/buf.h"
#include "base/build_options.h"
#include "commit.h"
#include "json/emit.h"

#if BT_HAS_STORE
#include <sqlite3.h>
#endif

enum { COMMIT_BYTES = 40 }; /* without one, the build says something shorter */

void setup_version_put_json(struct bt_buf *buf)
{
    const bt_str built = bt_build_info(); /* {"version":...,"parts":[...]} */
    const bt_str members = bt_str_slice(built, 1, built.len - 1);
    const size_t first = bt_str_find_byte(members, ',', 0);
    struct bt_emit emit;
    bt_buf_put_text(buf, "{\"baton\":1,");
    bt_buf_put(buf, bt_str_slice(members, 0, first));
    bt_buf_put_text(buf, ",\"commit\":");
    if (sizeof(SETUP_COMMIT) == COMMIT_BYTES + 1) {
        bt_json_put_string(buf, BT_STR(SETUP_COMMIT));
    } else {
        bt_buf_put_text(buf, "null");
    }
    bt_buf_put(buf, bt_str_slice(members, first, members.len));
    bt_buf_put_text(buf, ",\"libraries\":");
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "openssl", bt_str_of(OpenSSL_version(OPENSSL_VERSION_STRING)));
#if BT_HAS_STORE
    bt_emit_member_string(&emit, "sqlite", bt_str_of(sqlite3_libversion()));
#endif
    bt_emit_member_string(&emit, "zstd", bt_str_of(ZSTD_versionString()));
    bt_emit_member_string(&emit, "fyaml", bt_str_of(fy_library_version()));
    bt_emit_end(&emit);
    bt_buf_printf(buf, ",\"static\":%s}\n", BT_STATIC_DEPS ? "true" : "false");
}
