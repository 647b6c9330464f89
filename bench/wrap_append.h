/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_append.h - records of calls without a conversation: what recording alone costs. */
#ifndef BATON_BENCH_WRAP_APPEND_H
#define BATON_BENCH_WRAP_APPEND_H

/* What recording alone reaches. */
struct wrap_append {
    double rate;         /* records a second */
    double processor_us; /* of all threads, for one record */
};

/* Hash requests and answers of 300 bytes, and append their records to a new store in FOLDER. */
struct wrap_append bench_wrap_append(const char *folder);

#endif
