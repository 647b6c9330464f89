/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump.h - a running pump: messages of clients go to listeners, each in a process of its own, and
 * what they answer goes where the organism lets it go.
 *
 *     bt_pump_open(&env, organism, &options, &pump, &error);
 *     bt_pump_submit(pump, &arena, &input, &judged, &error);     // as often as there is input
 *     while (bt_pump_pending(pump) > 0) {
 *         bt_pump_turn(pump, 100, &error);
 *     }
 *     bt_pump_close(pump);
 *
 * A message is accepted when it is durable; bt_pump_turn() makes it so. What happens after that is
 * told through the ears that were given. One thread drives a pump.
 */
#ifndef BATON_PUMP_H
#define BATON_PUMP_H

#include <baton/organism.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bt_pump;

/* Something that happened after a message was accepted. */
struct bt_pump_event {
    const struct bt_rule *rule;
    bool security;
    bt_str pointer;    /* /ROOT of the fragment, "": the whole result */
    bt_str listener;   /* the emitter; "": none */
    uint64_t document; /* number of the input that led there; 0: none */
    bt_str params;     /* a JSON object, or "" */
};

/* Something for a client. */
struct bt_pump_delivery {
    uint64_t id; /* counted per client */
    bt_str client;
    bt_str from; /* the listener, or core */
    bt_str thread;
    bt_str root;
    bt_str payload;
    bt_str message; /* all of it, canonical */
};

/* Who hears what happens; each may be NULL. What is pointed at lives until the call returns. */
struct bt_pump_ears {
    void *context;
    void (*event)(void *context, const struct bt_pump_event *event);
    /* True: the client has it. Without this, deliveries wait in the store. */
    bool (*delivery)(void *context, const struct bt_pump_delivery *delivery);
    /* Every call and reply between listeners, as a canonical message; for operators only. */
    void (*trace)(void *context, bt_str message);
    /* What a host printed, and what became of it. */
    void (*log)(void *context, bt_str listener, bt_str text);
};

struct bt_pump_options {
    const char *store; /* URL; NULL: where the organism says */
    const struct bt_organism_hosts *hosts;
    bool is_stopped; /* start no hosts and write no schemas: only take messages into the store */
    bool without_seccomp;
    bool without_landlock;
    struct bt_pump_ears ears;
};

/*
 * Open the store, which is made when it is missing, take up what earlier runs left, and start the
 * hosts. `env`, `organism` and what the options point at must outlive the pump.
 */
BT_API BT_MUST_USE enum bt_status bt_pump_open(struct bt_env *env,
                                               const struct bt_organism *organism,
                                               const struct bt_pump_options *options,
                                               struct bt_pump **out, struct bt_error *error);
/* Stop the hosts and close the store; what is not done stays there. NULL is allowed. */
BT_API void bt_pump_close(struct bt_pump *pump);

struct bt_pump_input {
    bt_str path; /* as people know it */
    bt_str text;
    bt_str client;     /* who is known to send; "": whoever the message names */
    uint64_t document; /* its number, from 1; events name it */
    bool is_told;      /* the sender hears of a refusal at once: no huh is delivered */
};

/* What was told to the sender of a message. */
struct bt_pump_taken {
    bt_str thread;     /* as replies carry it */
    bool is_repeated;  /* it was accepted before, and is not processed again */
    const char *error; /* refused: the words of the huh; NULL: the sender learns nothing */
};

/* Whether another message may be submitted now. */
BT_API bool bt_pump_has_room(const struct bt_pump *pump);
/*
 * Judge a message and take it, or refuse it. It is durable, and may be called accepted, after the
 * next bt_pump_turn(); until then *out must stay in place, and what it points at in `arena`.
 */
BT_API BT_MUST_USE enum bt_status bt_pump_submit(struct bt_pump *pump, struct bt_arena *arena,
                                                 const struct bt_pump_input *input,
                                                 struct bt_judged *out, struct bt_error *error);
/* What its sender is told about the last message that was submitted; lives until the next. */
BT_API struct bt_pump_taken bt_pump_taken(const struct bt_pump *pump);
/* Keep what was decided, and nothing else. */
BT_API BT_MUST_USE enum bt_status bt_pump_keep(struct bt_pump *pump, struct bt_error *error);

/*
 * Keep what was decided, make the calls that can be made, hand over deliveries, and wait up to
 * wait_ms for hosts. A failure of the store ends the pump: nothing may be acknowledged after it.
 */
BT_API BT_MUST_USE enum bt_status bt_pump_turn(struct bt_pump *pump, uint32_t wait_ms,
                                               struct bt_error *error);

/* The name of its organism. */
BT_API bt_str bt_pump_organism(const struct bt_pump *pump);
/* Messages that are queued or in flight. */
BT_API uint64_t bt_pump_pending(const struct bt_pump *pump);

struct bt_pump_count {
    bt_str name;
    uint64_t calls; /* made, repetitions included */
};
/* What was called how often, one listener after the other; false when there are no more. */
BT_API bool bt_pump_count_at(const struct bt_pump *pump, size_t index, struct bt_pump_count *out);

/* The answer to a question about a pump. */
struct bt_pump_answer {
    bt_str result;  /* JSON; "null" when refused */
    int error;      /* a code of JSON-RPC; 0: there is a result */
    bt_str message; /* of the error */
};

/*
 * Answer `status`, `list`, `graph` or `thread-history`; `params` is a JSON object, or "". What is
 * in *out lives in the arena.
 */
BT_API BT_MUST_USE enum bt_status bt_pump_ask(struct bt_pump *pump, struct bt_arena *arena,
                                              bt_str method, bt_str params,
                                              struct bt_pump_answer *out);

#ifdef __cplusplus
}
#endif

#endif
