/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge_yaml.c - the judges of documents that are written in YAML.
 */
#include "engine/dialect.h"

#include <assert.h>

#include "base/civil_time.h"
#include "config/config.h"
#include "dialect/xml/message_check.h"

enum bt_status bt_config_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    char today[BT_DATE_BYTES + 1];
    bt_civil_date_format(bt_env_now(judging->env).seconds, today);
    const struct bt_config_source source = {.path = BT_STR(""),
                                            .text = judging->content,
                                            .store = BT_STR(""),
                                            .today = bt_str_of(today)};
    const struct bt_config *config = NULL;
    *out_facts = BT_STR("{}");
    return bt_config_read(bt_findings_arena(judging->findings), &source, judging->findings,
                          &config);
}

enum bt_status bt_organism_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    static const struct bt_organism_options alone = {.has_files = false};
    const struct bt_message_options *options = judging->options->xml;
    const bool has_options = options && options->organism_options;
    struct bt_organism_reader reading = {.env = judging->env,
                                         .options =
                                             has_options ? options->organism_options : &alone,
                                         .findings = judging->findings};
    *judging->skipped |= reading.options->hosts ? 0 : 1U << BT_SKIPPED_HANDLERS;
    return bt_organism_judge(&reading, judging->path, judging->content, out_facts);
}
