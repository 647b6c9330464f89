/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - settings by name, as flags and configurations give them.
 */
#include <assert.h>

#include "base/str.h"
#include "dialect/governed/governed.h"

enum { CHOICES_MAX = 3, SHOWN_BYTES = 40 };

struct bt_governed_options bt_governed_options_default(void)
{
    return (struct bt_governed_options){
        .manifest = BT_STR("versions/prompt-manifest.json"),
        .lock = BT_STR("versions/prompt-lock.json"),
        .boundaries = BT_STR("boundaries.json"),
        .max_age_s = 300,
        .max_future_s = 60,
        .system_messages = BT_SEVERITY_HARD,
        .hidden_text = BT_SEVERITY_WARN,
        .injection_text = BT_SEVERITY_WARN,
    };
}

/* Zero is not an option. */
enum governed_option {
    NO_SETTING = 0,
    MANIFEST,
    LOCK,
    BOUNDARIES,
    BOUNDARY_MODE,
    RELATION_MODE,
    ARCHETYPE_MODE,
    MAX_AGE,
    MAX_FUTURE,
    BLOCK_ON,
    SYSTEM_MESSAGES,
    HIDDEN_TEXT,
    INJECTION_TEXT,
};

static const struct governed_option_row {
    bt_str name;
    enum governed_option setting;
    bt_str words[CHOICES_MAX]; /* none: a path or a number of seconds */
} rows[] = {
    {BT_STR_INIT("manifest"), MANIFEST, {{NULL, 0}}},
    {BT_STR_INIT("lock"), LOCK, {{NULL, 0}}},
    {BT_STR_INIT("boundaries"), BOUNDARIES, {{NULL, 0}}},
    {BT_STR_INIT("boundary_mode"),
     BOUNDARY_MODE,
     {BT_STR_INIT("source"), BT_STR_INIT("either"), BT_STR_INIT("mutual")}},
    {BT_STR_INIT("relation_mode"), RELATION_MODE, {BT_STR_INIT("strict"), BT_STR_INIT("literal")}},
    {BT_STR_INIT("archetype_mode"),
     ARCHETYPE_MODE,
     {BT_STR_INIT("constituent"), BT_STR_INIT("declared")}},
    {BT_STR_INIT("max_age_s"), MAX_AGE, {{NULL, 0}}},
    {BT_STR_INIT("max_future_s"), MAX_FUTURE, {{NULL, 0}}},
    {BT_STR_INIT("block_on"),
     BLOCK_ON,
     {BT_STR_INIT("bound"), BT_STR_INIT("root"), BT_STR_INIT("any")}},
    {BT_STR_INIT("system_messages"),
     SYSTEM_MESSAGES,
     {BT_STR_INIT("reject"), BT_STR_INIT("warn"), BT_STR_INIT("allow")}},
    {BT_STR_INIT("hidden_text"), HIDDEN_TEXT, {BT_STR_INIT("warn"), BT_STR_INIT("reject")}},
    {BT_STR_INIT("injection_text"),
     INJECTION_TEXT,
     {BT_STR_INIT("reject"), BT_STR_INIT("warn"), BT_STR_INIT("allow")}},
};

static const struct governed_option_row *find_row(bt_str name)
{
    for (size_t i = 0; i < BT_COUNT_OF(rows); i++) {
        if (bt_str_eq(rows[i].name, name)) {
            return &rows[i];
        }
    }
    return NULL;
}

/* `choice` is the index of the word; those of the modes are in the order of their enums. */
static enum bt_status set_choice(struct bt_governed_options *options, enum governed_option setting,
                                 size_t choice)
{
    static const enum bt_severity severities[CHOICES_MAX] = {BT_SEVERITY_HARD, BT_SEVERITY_WARN,
                                                             BT_SEVERITY_NONE};
    switch (setting) {
    case BOUNDARY_MODE:
        options->boundary_mode = (enum bt_governed_boundary_mode)choice;
        return BT_OK;
    case RELATION_MODE:
        options->relation_mode = (enum bt_governed_relation_mode)choice;
        return BT_OK;
    case ARCHETYPE_MODE:
        options->archetype_mode = (enum bt_governed_archetype_mode)choice;
        return BT_OK;
    case BLOCK_ON:
        options->block_on = (enum bt_governed_block_on)choice;
        return BT_OK;
    case SYSTEM_MESSAGES:
        options->system_messages = severities[choice];
        return BT_OK;
    case INJECTION_TEXT:
        options->injection_text = severities[choice];
        return BT_OK;
    case HIDDEN_TEXT:
        options->hidden_text = choice == 0 ? BT_SEVERITY_WARN : BT_SEVERITY_HARD;
        return BT_OK;
    case NO_SETTING:
    case MANIFEST:
    case LOCK:
    case BOUNDARIES:
    case MAX_AGE:
    case MAX_FUTURE:
        break;
    }
    return BT_EINVAL;
}

static enum bt_status set_plain(struct bt_governed_options *options, enum governed_option setting,
                                bt_str value)
{
    if (setting == MAX_AGE || setting == MAX_FUTURE) {
        /* What a clock can never differ by needs no number of its own. */
        return bt_str_to_u64(value,
                             setting == MAX_AGE ? &options->max_age_s : &options->max_future_s);
    }
    bt_str *path = setting == MANIFEST ? &options->manifest
                   : setting == LOCK   ? &options->lock
                                       : &options->boundaries;
    *path = value;
    return value.len > 0 ? BT_OK : BT_EINVAL;
}

enum bt_status bt_governed_options_set(struct bt_governed_options *options, bt_str name,
                                       bt_str value, struct bt_error *error)
{
    assert(options);
    const bt_str shown = bt_str_slice(value, 0, SHOWN_BYTES);
    const struct governed_option_row *row = find_row(name);
    if (!row) {
        return bt_error_set(error, BT_EINVAL, "unknown setting %.*s",
                            BT_STR_ARG(bt_str_slice(name, 0, SHOWN_BYTES)));
    }
    const size_t choice =
        value.len > 0 ? bt_str_index_in(value, row->words, CHOICES_MAX) : CHOICES_MAX;
    if (choice < CHOICES_MAX) {
        return set_choice(options, row->setting, choice);
    }
    if (row->words[0].len > 0 || set_plain(options, row->setting, value) != BT_OK) {
        return bt_error_set(error, BT_EINVAL, "%.*s cannot be %.*s", BT_STR_ARG(name),
                            BT_STR_ARG(shown));
    }
    return BT_OK;
}
