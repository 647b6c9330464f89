/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - one program run over one subject, by either of two machines that must agree.
 *
 * nfa.c follows all ways through the automaton at once and needs no more memory than the automaton
 * has. dfa.c remembers the sets of states it has met, so that mostly one look-up per character is
 * left. Both visit each character once.
 */
#ifndef BATON_SRC_REGEX_RUN_H
#define BATON_SRC_REGEX_RUN_H

#include "regex/closure.h"

struct bt_re_run {
    const struct bt_re_programs *programs;
    const struct bt_re_program *program;
    struct bt_regex_matcher *matcher;
    bt_str subject;
    uint64_t steps_left;   /* at zero the answer is BT_REGEX_UNDECIDED */
    uint64_t *const *bits; /* for each look-around, a bit for each position that it holds at */
    uint64_t *record;      /* of a recording program: the bits to be set */
    bool is_plain;         /* no automaton built ahead or on the way: for tests */
};

/* A point between two characters, with what the run knows there. */
struct bt_re_place {
    size_t at;              /* byte offset in the subject */
    bool is_first;          /* nothing has been read */
    bool is_after_word;     /* what was read last is a word character */
    const uint32_t *kernel; /* the instructions that the run stands before */
    uint32_t kernel_count;
};

/* Pay for work; false when there is nothing left to pay with. */
static inline bool bt_re_spend(struct bt_re_run *run, uint64_t steps)
{
    if (steps > run->steps_left) {
        run->steps_left = 0;
        return false;
    }
    run->steps_left -= steps;
    return true;
}

/* The length of the sequence at `bytes`; a byte that is not valid UTF-8 counts as U+FFFD. */
static inline size_t bt_re_decode(const unsigned char *bytes, size_t left, uint32_t *out_point)
{
    const unsigned lead = bytes[0];
    const size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint32_t point = length == 1 ? lead : lead & (0x7fU >> length);
    bool is_fine = lead < 0x80 || (lead >= 0xc2 && lead <= 0xf4 && length <= left);
    for (size_t i = 1; is_fine && i < length; i++) {
        is_fine = (bytes[i] & 0xc0) == 0x80;
        point = point << 6 | (bytes[i] & 0x3fU);
    }
    *out_point = is_fine && point <= BT_RE_POINT_MAX ? point : 0xfffd;
    return is_fine ? length : 1;
}

/* The length of the sequence that ends before `end`; a byte that is not valid UTF-8 counts as
 * U+FFFD. */
static inline size_t bt_re_decode_back(const unsigned char *bytes, size_t end, uint32_t *out_point)
{
    size_t length = 1;
    while (length < 4 && length < end && (bytes[end - length] & 0xc0) == 0x80) {
        length++;
    }
    if (bt_re_decode(bytes + end - length, length, out_point) != length) {
        *out_point = 0xfffd;
        return 1;
    }
    return length;
}

/* Read the next symbol in the direction of the run; at the end it is the count of symbols. */
static inline uint32_t bt_re_read(const struct bt_re_run *run, size_t *at)
{
    const struct bt_re_alphabet *alphabet = &run->programs->alphabet;
    const unsigned char *bytes = (const unsigned char *)run->subject.ptr;
    const bool is_backward = run->program->is_backward;
    if (*at == (is_backward ? 0 : run->subject.len)) {
        return alphabet->count;
    }
    const unsigned char byte = bytes[is_backward ? *at - 1 : *at];
    if (byte < 0x80) {
        *at = is_backward ? *at - 1 : *at + 1;
        return alphabet->ascii[byte];
    }
    uint32_t point = 0;
    if (is_backward) {
        *at -= bt_re_decode_back(bytes, *at, &point);
    } else {
        *at += bt_re_decode(bytes + *at, run->subject.len - *at, &point);
    }
    return bt_re_alphabet_symbol(alphabet, point);
}

static inline bool bt_re_is_word(const struct bt_re_run *run, uint32_t symbol)
{
    return run->program->has_word && symbol < run->programs->alphabet.count &&
           bt_re_alphabet_has(&run->programs->alphabet, run->programs->word_set, symbol);
}

static inline void bt_re_record(struct bt_re_run *run, size_t at)
{
    run->record[at / 64] |= UINT64_C(1) << (at % 64);
}

/* Which of the program's look-arounds hold at a position, a bit each. */
static inline uint64_t bt_re_looks_at(const struct bt_re_run *run, size_t at)
{
    uint64_t holding = 0;
    for (uint32_t i = 0; i < run->program->looks_count; i++) {
        const uint64_t *bits = run->bits[run->program->looks[i]];
        holding |= (bits[at / 64] >> (at % 64) & 1) << i;
    }
    return holding;
}

/*
 * Run on from a place to the end of the subject. A recording program answers YES when it is done;
 * any other says whether it matched. LIMIT: fuel or memory was spent.
 */
enum bt_regex_match_result bt_re_nfa_run(struct bt_re_run *run, const struct bt_re_place *from);

/* The place where a run begins. `start` must outlive it. */
static inline struct bt_re_place bt_re_begin(const struct bt_re_run *run, const uint32_t *start)
{
    return (struct bt_re_place){.at = run->program->is_backward ? run->subject.len : 0,
                                .is_first = true,
                                .kernel = start,
                                .kernel_count = 1};
}

#endif
