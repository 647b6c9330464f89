/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixing.c - check --fix: one document fixed, written or shown.
 */
#include "fixing.h"

#include <assert.h>

#include <baton/json.h>

#include "document_out.h"
#include "input.h"
#include "say.h"
#include "text_diff.h"

enum { DIFFS_BYTES_MAX = 1 << 30 };

/* clang-format off */
const struct cli_flag flag_fix = {"fix", 0, NULL, CLI_ANY,
    "mend in place what can be mended without doubt", NULL};
const struct cli_flag flag_unsafe_fixes = {"unsafe-fixes", 0, NULL, CLI_ANY,
    "with --fix: also what may lose something; the old bytes are kept as FILE.orig", NULL};
/* clang-format on */

bool cli_fixing_begin(const struct cli_options *options, struct cli_fixing *out)
{
    assert(out);
    const bool fix = cli_given(options, &flag_fix) != NULL;
    *out = (struct cli_fixing){
        .unsafe = cli_given(options, &flag_unsafe_fixes) != NULL,
        .diff = cli_given(options, &flag_diff) != NULL,
    };
    out->wanted = fix || out->diff;
    bt_buf_init(&out->shown, DIFFS_BYTES_MAX);
    if (out->unsafe && !out->wanted) {
        (void)cli_misused(options->command, "--unsafe-fixes wants --fix or --diff beside it");
        return false;
    }
    for (size_t i = 0; fix && i < options->operand_count; i++) {
        if (cli_is_stdin(options->operands[i])) {
            (void)cli_misused(options->command, "--fix cannot change standard input");
            return false;
        }
    }
    return true;
}

void cli_fixing_end(struct cli_fixing *fixing)
{
    bt_buf_free(&fixing->shown);
}

bool cli_fixing_is_alone(const struct cli_options *options, const struct cli_fixing *fixing)
{
    return fixing->diff && options->output_count == 0;
}

/* What was shown from `from` on is a member of the document, too. */
static enum bt_status keep_diff(const struct cli_fixing *fixing, size_t from,
                                struct bt_arena *arena, struct bt_judged *judged)
{
    struct bt_buf member;
    bt_buf_init(&member, DIFFS_BYTES_MAX);
    bt_buf_put_text(&member, "\"diff\":");
    bt_json_put_string(&member, bt_str_slice(bt_buf_str(&fixing->shown), from, SIZE_MAX));
    const enum bt_status status = bt_buf_keep(&member, arena, &judged->members);
    bt_buf_free(&member);
    return status;
}

enum bt_status cli_fix(struct cli_fixing *fixing, struct bt_universal *universal,
                       struct bt_arena *arena, const struct bt_universal_input *input,
                       struct bt_judged *out, bool *out_written)
{
    struct bt_universal_result result;
    BT_TRY(bt_universal_fix(universal, arena, input, fixing->unsafe, &result));
    *out_written = true;
    if (fixing->diff) {
        const size_t from = fixing->shown.len;
        BT_TRY(cli_document_diff(&fixing->shown, arena, input->path, input->text, result.text));
        BT_TRY(keep_diff(fixing, from, arena, &result.judged));
    } else if (result.outcome == BT_FIXED) {
        *out_written = cli_document_replace(input->path, result.text, fixing->unsafe);
    }
    *out = result.judged;
    return BT_OK;
}

enum bt_status cli_fix_contract(struct cli_fixing *fixing, struct bt_contract *contract,
                                struct bt_arena *arena, const struct bt_contract_document *document,
                                struct bt_judged *out, bool *out_written)
{
    struct bt_contract_fixed fixed;
    BT_TRY(bt_contract_fix(contract, arena, document, fixing->unsafe, &fixed));
    *out_written = true;
    if (fixing->diff) { /* of what may be shown: secrets are blotted out in both */
        const size_t from = fixing->shown.len;
        BT_TRY(
            cli_put_diff(&fixing->shown, arena, document->path, fixed.before, fixed.judged.source));
        BT_TRY(keep_diff(fixing, from, arena, &fixed.judged));
    } else if (fixed.count > 0) {
        *out_written = cli_document_replace(document->path, fixed.text, fixing->unsafe);
    }
    *out = fixed.judged;
    return BT_OK;
}
