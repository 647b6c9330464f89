/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect_xml.c - messages of the pump, judged by src/dialect/xml, and organism files, judged by
 * src/organism. Both are reported as xml.
 */
#include <assert.h>

#include "dialect/xml/message.h"
#include "engine/dialect.h"

static const struct bt_xml_check_options defaults = {.client = {"", 0}};

enum bt_status bt_xml_judge(const struct bt_judging *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    struct bt_message message = {.env = judging->env,
                                 .options =
                                     judging->options->xml ? judging->options->xml : &defaults,
                                 .findings = judging->findings,
                                 .text = judging->content};
    BT_TRY(bt_message_judge(&message));
    return bt_message_facts(&message, NULL, out_facts);
}

enum bt_status bt_organism_check(const struct bt_judging *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    static const struct bt_organism_options alone = {.has_files = false};
    const struct bt_xml_check_options *options =
        judging->options->xml ? judging->options->xml : &defaults;
    struct bt_reading reading = {.env = judging->env,
                                 .options = options->organisms ? options->organisms : &alone,
                                 .findings = judging->findings};
    return bt_organism_judge(&reading, judging->path, judging->content, out_facts);
}
