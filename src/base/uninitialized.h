/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uninitialized.h - scratch arrays that stay as they are.
 *
 * The build clears every automatic variable (-ftrivial-auto-var-init=zero), as a net. An array of
 * some kilobytes of which each run writes a few elements, and reads only those, opts out.
 */
#ifndef BATON_SRC_BASE_UNINITIALIZED_H
#define BATON_SRC_BASE_UNINITIALIZED_H

#define BT_UNCLEARED __attribute__((uninitialized))

#endif
