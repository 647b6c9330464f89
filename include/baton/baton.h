/* SPDX-License-Identifier: Apache-2.0 */
/*
 * baton.h - everything that is public.
 *
 * Threads: each header says what may be used by many threads.
 */
#ifndef BATON_BATON_H
#define BATON_BATON_H

#include <baton/base.h>
#include <baton/call.h>
#include <baton/check.h>
#include <baton/handler.h>
#include <baton/json.h>
#include <baton/receipt.h>
#include <baton/regex.h>
#include <baton/report.h>
#include <baton/schema.h>
#include <baton/tokens.h>
#include <baton/version.h>

#endif
