/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump_hostile.c - messages of up to 1 MiB that were made to hurt.
 */
#include "pump_hostile.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                       \
    "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\"><meta><from>bench</from><thread>"  \
    "550e8400-e29b-41d4-a716-446655440000</thread></meta>"
#define OPEN HEAD "<calculator.add.addpayload xmlns=\"\">"
#define CLOSE "</calculator.add.addpayload></message>"

enum { BYTES_MAX = 1 << 20, TURNS = 3 };

/* `again` is repeated as often as it fits below 1 MiB, or `times` if that is not 0; # stands for
 * the number of the repetition. */
static const struct family {
    const char *name;
    const char *before;
    const char *again;
    size_t times;
    const char *after;
} families[] = {
    {"entities that double", "<!DOCTYPE a [<!ENTITY b \"ha\">", "<!ENTITY c \"&b;&b;&b;\">", 10,
     "]>" OPEN "<a>&c;</a>" CLOSE},
    {"100,000 attributes", HEAD "<calculator.add.addpayload xmlns=\"\" ", "a#='' ", 100000,
     "/></message>"},
    {"1 MiB of depth", OPEN, "<a>", 0, CLOSE},
    {"text in UTF-16", "\xff\xfe<\0m\0", "\0x", 1000, ""},
    {"an end tag nobody opened", OPEN "<a>1</a></dummy><b>2</b>", "", 1, CLOSE},
    {"envelopes in envelopes", HEAD, HEAD, 100, CLOSE},
    {"150,000 fields nobody wants", OPEN, "<x/>", 150000, CLOSE},
    {"110,000 fields twice", OPEN, "<a>x</a>", 110000, CLOSE},
    {"fields with 64 attributes", OPEN,
     "<x a='' b='' c='' d='' e='' f='' g='' h='' i='' j='' k='' l='' m='' n='' o='' p='' q='' "
     "r='' s='' t='' u='' v='' w='' x='' y='' z='' A='' B='' C='' D='' E='' F='' G='' H='' I='' "
     "J='' K='' L='' M='' N='' O='' P='' Q='' R='' S='' T='' U='' V='' W='' X='' Y='' Z='' aa='' "
     "ab='' ac='' ad='' ae='' af='' ag='' ah='' ai='' aj='' ak='' al=''/>",
     0, CLOSE},
    {"one long number", OPEN "<a>", "1", 0, "</a><b>2</b>" CLOSE},
    {"references", OPEN "<a>", "&amp;", 0, "</a><b>2</b>" CLOSE},
    {"CDATA sections", OPEN "<a>", "<![CDATA[]]>", 0, "</a><b>2</b>" CLOSE},
    {"comments", OPEN, "<!-- -->", 0, "<a>x</a><b>2</b>" CLOSE},
    {"more than 1 MiB", OPEN, "<a>1</a>", 200000, CLOSE},
};

static void make(struct bt_buf *buf, const struct family *family)
{
    const size_t size = family->again[0] == '\0' && family->times > 1 ? 2 : strlen(family->again);
    const size_t rest = strlen(family->before) + strlen(family->after);
    const size_t times = family->times > 0 ? family->times : (BYTES_MAX - rest) / size;
    bt_buf_put_text(buf, family->before);
    for (size_t i = 0; i < times; i++) {
        const bt_str again = {family->again, size};
        const size_t mark = bt_str_find_byte(again, '#', 0);
        bt_buf_put(buf, bt_str_slice(again, 0, mark));
        if (mark < size) {
            bt_buf_printf(buf, "%zu", i);
            bt_buf_put(buf, bt_str_slice(again, mark + 1, size));
        }
    }
    bt_buf_put_text(buf, family->after);
}

/* Judge it, and keep the refusal. */
static double refuse(struct bt_pump *pump, struct bt_arena *arena, bt_str text,
                     struct bt_judgement *judged)
{
    const struct bt_pump_input input = {
        .path = BT_STR("hostile"), .text = text, .sender_is_waiting = true};
    struct bt_error error = {.text = ""};
    const double before = processor_s();
    if (bt_pump_submit(pump, arena, &input, judged, &error) != BT_OK ||
        judged->verdict != BT_VERDICT_REJECTED) {
        fail("hostile", error.text[0] ? error.text : "accepted");
    }
    const double took = (processor_s() - before) * 1e3;
    if (bt_pump_commit(pump, &error) != BT_OK) {
        fail("hostile", error.text);
    }
    return took;
}

void bench_hostile_messages(struct bt_pump *pump)
{
    double worst = 0;
    (void)printf("%-30s %9s %8s %10s  %s\n", "hostile message", "bytes", "CPU ms", "findings",
                 "the first");
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        struct bt_buf buf;
        double best = 1e9;
        bt_buf_init(&buf, (size_t)8 << 20);
        make(&buf, &families[i]);
        for (int turn = 0; turn < TURNS; turn++) {
            struct bt_arena arena;
            struct bt_judgement judged;
            bt_arena_init(&arena, (size_t)1 << 30);
            const double took = refuse(pump, &arena, bt_buf_str(&buf), &judged);
            best = took < best ? took : best;
            if (turn == TURNS - 1) {
                (void)printf("%-30s %9zu %8.2f %10zu  %.*s\n", families[i].name, buf.len, best,
                             bt_findings_count(judged.findings),
                             BT_STR_ARG(bt_findings_at(judged.findings, 0)->rule->code));
            }
            bt_arena_free(&arena);
        }
        worst = best > worst ? best : worst;
        bt_buf_free(&buf);
    }
    (void)printf("the worst takes %.1f ms of CPU\n", worst);
}
