/* SPDX-License-Identifier: Apache-2.0 */
/* timer_wheel.c - many deadlines that are often moved and rarely reached. */
#include <assert.h>
#include <time.h>

#include "http/http_internal.h"

void http_wheel_begin(struct http_timer_wheel *wheel, uint64_t now_ms)
{
    *wheel = (struct http_timer_wheel){.now_slot = now_ms / HTTP_SLOT_MS};
}

static void insert_timer(struct http_timer_wheel *wheel, struct http_timer *timer)
{
    const uint64_t last = wheel->now_slot + HTTP_SLOTS - 1;
    uint64_t slot = timer->due_ms / HTTP_SLOT_MS + 1; /* never early */
    slot = slot > wheel->now_slot ? slot : wheel->now_slot + 1;
    slot = slot < last ? slot : last;
    struct http_timer **head = &wheel->slots[slot % HTTP_SLOTS];
    timer->next = *head;
    timer->link = head;
    if (*head) {
        (*head)->link = &timer->next;
    }
    *head = timer;
}

void http_wheel_drop(struct http_timer *timer)
{
    if (!timer->link) {
        return;
    }
    *timer->link = timer->next;
    if (timer->next) {
        timer->next->link = timer->link;
    }
    timer->next = NULL;
    timer->link = NULL;
}

void http_wheel_set(struct http_timer_wheel *wheel, struct http_timer *timer, uint64_t due_ms)
{
    const bool is_later = timer->link && due_ms >= timer->due_ms;
    timer->due_ms = due_ms;
    if (is_later) {
        return; /* its slot comes first, and then it is moved */
    }
    http_wheel_drop(timer);
    insert_timer(wheel, timer);
}

struct http_timer *http_wheel_take(struct http_timer_wheel *wheel, uint64_t now_ms)
{
    const uint64_t now_slot = now_ms / HTTP_SLOT_MS;
    while (wheel->now_slot < now_slot) {
        struct http_timer **head = &wheel->slots[(wheel->now_slot + 1) % HTTP_SLOTS];
        struct http_timer *timer = *head;
        if (!timer) {
            wheel->now_slot++;
            continue;
        }
        http_wheel_drop(timer);
        if (timer->due_ms <= now_ms) {
            return timer;
        }
        wheel->now_slot++; /* so that it cannot return to this slot */
        insert_timer(wheel, timer);
        wheel->now_slot--;
    }
    return NULL;
}
