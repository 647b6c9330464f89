/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class.c - the classes of all code points, as tools/gen_tokens.py wrote them.
 */
#include "token/class.h"

#include "token/classes.inc"
