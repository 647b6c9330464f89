/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fyaml_streams.h - the standard streams of the wheel's copy of libfyaml.
 */
#ifndef BATON_PYTHON_FYAML_STREAMS_H
#define BATON_PYTHON_FYAML_STREAMS_H

#include <stdio.h>

extern FILE *core_stdin;
extern FILE *core_stdout;
extern FILE *core_stderr;

#endif
