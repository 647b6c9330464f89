/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect_xml.c - messages of the pump, judged by src/dialect/xml, and organism files, judged by
 * src/organism. Both are reported as xml.
 */
#include <assert.h>

#include "dialect/xml/message_check.h"
#include "engine/dialect.h"

static const struct bt_message_options defaults = {.client = {"", 0}};

enum bt_status bt_message_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    struct bt_message_check message = {.env = judging->env,
                                       .options = judging->options->xml ? judging->options->xml
                                                                        : &defaults,
                                       .findings = judging->findings,
                                       .text = judging->content};
    BT_TRY(bt_message_check_judge(&message));
    return bt_message_check_facts(&message, NULL, out_facts);
}

enum bt_status bt_organism_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    static const struct bt_organism_options alone = {.has_files = false};
    const struct bt_message_options *options =
        judging->options->xml ? judging->options->xml : &defaults;
    struct bt_organism_reader reading = {
        .env = judging->env,
        .options = options->organism_options ? options->organism_options : &alone,
        .findings = judging->findings};
    return bt_organism_judge(&reading, judging->path, judging->content, out_facts);
}
