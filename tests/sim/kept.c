/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept.c - roots and threads, kept in two lists.
 */
#include "kept.h"

#include <string.h>

bool kept_put_root(struct kept *kept, const struct bt_pump_root_thread *root)
{
    size_t i = 0;
    while (i < kept->roots_count && strcmp(kept->roots[i].id, root->id) != 0) {
        i++;
    }
    if (root->is_gone) {
        if (i < kept->roots_count) {
            kept->roots[i] = kept->roots[--kept->roots_count];
        }
        return true;
    }
    if (i == KEPT_ROOTS_MAX) {
        return false;
    }
    kept->roots_count += i == kept->roots_count;
    struct kept_root *row = &kept->roots[i];
    *row = (struct kept_root){.client = root->client,
                              .tokens = root->tokens_stored,
                              .number = root->number,
                              .is_spent = root->budget_is_spent};
    memcpy(row->id, root->id, sizeof(row->id));
    memcpy(row->uuid, root->uuid, sizeof(row->uuid));
    return true;
}

bool kept_put_thread(struct kept *kept, const struct bt_pump_thread *thread)
{
    size_t i = 0;
    while (i < kept->threads_count && strcmp(kept->threads[i].uuid, thread->uuid) != 0) {
        i++;
    }
    if (thread->is_gone) {
        if (i < kept->threads_count) {
            memmove(&kept->threads[i], &kept->threads[i + 1],
                    (kept->threads_count - i - 1) * sizeof(kept->threads[0]));
            kept->threads_count--;
        }
        return true;
    }
    if (i == KEPT_THREADS_MAX) {
        return false;
    }
    kept->threads_count += i == kept->threads_count;
    struct kept_thread *row = &kept->threads[i];
    *row = (struct kept_thread){.client = thread->root->client,
                                .listener = thread->listener,
                                .depth = thread->depth,
                                .request = thread->request,
                                .has_replied = thread->has_replied};
    memcpy(row->uuid, thread->uuid, sizeof(row->uuid));
    memcpy(row->parent, thread->parent ? thread->parent->uuid : thread->root->id,
           sizeof(row->parent));
    memcpy(row->client_uuid, thread->root->uuid, sizeof(row->client_uuid));
    return true;
}

struct bt_pump_core_row kept_root_row(const struct kept_root *root)
{
    return (struct bt_pump_core_row){.id = bt_str_of(root->id),
                                     .uuid = bt_str_of(root->uuid),
                                     .client = root->client,
                                     .number = root->number,
                                     .tokens = root->tokens,
                                     .is_spent = root->is_spent};
}

struct bt_pump_core_row kept_thread_row(const struct kept_thread *thread)
{
    return (struct bt_pump_core_row){.id = bt_str_of(thread->uuid),
                                     .parent = bt_str_of(thread->parent),
                                     .uuid = bt_str_of(thread->client_uuid),
                                     .client = thread->client,
                                     .owner = thread->listener,
                                     .number = thread->request,
                                     .has_replied = thread->has_replied};
}
