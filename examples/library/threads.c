/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - a program that uses libbaton: one engine per thread, one schema for all of them.
 *
 *     cc -pthread threads.c -o threads $(pkg-config --cflags --libs baton)
 *     ./threads
 *
 * A compiled schema does not change, so threads share it; an engine, an arena and a runner belong
 * to one thread at a time.
 */
#include <pthread.h>
#include <stdio.h>

#include <baton/baton.h>

enum { THREADS = 4, ROUNDS = 1000, TEXT_BYTES = 64 };

struct job {
    const struct bt_schema *schema; /* shared */
    unsigned first;
    unsigned valid;      /* documents that the schema accepts */
    unsigned operations; /* replies of the thread's own engine */
};

/* Judge numbers from 0 to ROUNDS - 1, of which the schema accepts the even ones. */
static void judge_numbers(struct job *job, struct bt_arena *arena, struct bt_schema_runner *runner)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        char text[TEXT_BYTES];
        struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
        bt_arena_reset(arena);
        snprintf(text, sizeof(text), "{\"n\":%u}", job->first + i);
        if (bt_json_read(arena, bt_str_of(text), NULL, &read) == BT_OK && read.document) {
            job->valid += bt_schema_run(job->schema, runner, read.document) == BT_SCHEMA_VALID;
        }
    }
}

static void *work(void *context)
{
    struct job *job = (struct job *)context;
    struct bt_arena *arena = bt_arena_create(1 << 20);
    struct bt_schema_runner *runner = NULL;
    struct bt_engine *engine = NULL;
    struct bt_reply *reply = NULL;
    if (arena && bt_schema_runner_create(NULL, &runner) == BT_OK) {
        judge_numbers(job, arena, runner);
    }
    if (bt_engine_create(bt_str_of(""), &engine, NULL) == BT_OK &&
        bt_call(engine, bt_str_of("version"), bt_str_of("{}"), &reply, NULL) == BT_OK) {
        job->operations += bt_reply_is_done(reply);
    }
    bt_reply_destroy(reply);
    bt_engine_destroy(engine);
    bt_schema_runner_destroy(runner);
    bt_arena_destroy(arena);
    return NULL;
}

static struct bt_schema *compile_schema(void)
{
    struct bt_arena *arena = bt_arena_create(1 << 20);
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    struct bt_schema *schema = NULL;
    const bt_str text = bt_str_of("{\"properties\":{\"n\":{\"multipleOf\":2}}}");
    if (!arena || bt_json_read(arena, text, NULL, &read) != BT_OK || !read.document ||
        bt_schema_compile(read.document, NULL, NULL, &schema) != BT_OK) {
        schema = NULL;
    }
    bt_arena_destroy(arena); /* the schema owns all it needs */
    return schema;
}

int main(void)
{
    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    unsigned started = 0;
    unsigned valid = 0;
    unsigned operations = 0;
    struct bt_schema *schema = compile_schema();
    for (; schema && started < THREADS; started++) {
        struct job *job = &jobs[started];
        job->schema = schema;
        job->first = started * ROUNDS;
        job->valid = 0;
        job->operations = 0;
        if (pthread_create(&threads[started], NULL, work, job) != 0) {
            break;
        }
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        valid += jobs[i].valid;
        operations += jobs[i].operations;
    }
    bt_schema_destroy(schema);
    printf("%u threads, %u of %u documents valid, %u replies\n", started, valid, THREADS * ROUNDS,
           operations);
    return started == THREADS && operations == THREADS ? 0 : 2;
}
