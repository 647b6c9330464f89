# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# lib.sh - what the scripts share: where we are, progress lines, quiet phases, build folders.
#
# Sourced first by every script, it moves to the root of the tree. Only build/ and TMPDIR are written to;
# script/console also writes console/bundle.
set -eu
cd "$(dirname "$0")/.."

say()
{
    printf '==> %s\n' "$*"
}

die()
{
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

usage()
{
    printf 'usage: script/%s %s\n' "${0##*/}" "$*" >&2
    exit 2
}

# quietly NAME COMMAND...: the output goes to build/log/NAME.log; its end is shown when the command
# fails, and the failure is handed on.
quietly()
{
    log=build/log/$1.log
    shift
    mkdir -p build/log
    if "$@" >"$log" 2>&1; then
        return 0
    fi
    tail -n 40 "$log" >&2
    printf '%s: failed: %s (all of it: %s)\n' "${0##*/}" "$*" "$log" >&2
    return 1
}

# temporary_folder: make TMPDIR a new folder for tests: one with a short path, since sockets have names of 107 bytes at most;
# that other accounts can enter; and from which programs can be run. It is removed when the script ends.
temporary_folder()
{
    TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/baton-test.XXXXXX")
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    chmod 755 "$TMPDIR"
    printf '#!/bin/sh\n' >"$TMPDIR/run"
    chmod 755 "$TMPDIR/run"
    "$TMPDIR/run" 2>/dev/null || die "programs cannot be run from $TMPDIR; set TMPDIR to another folder"
}

# flat DIR: the folder as a word for a file name.
flat()
{
    echo "$1" | tr / -
}

# configure DIR COMPILER OPTION...: set up a build folder, or keep the one that has these options.
configure()
{
    dir=$1
    compiler=$2
    shift 2
    wanted="$compiler $*"
    if [ -f "$dir/build.ninja" ] && [ "$(cat "$dir/options" 2>/dev/null)" = "$wanted" ]; then
        return 0
    fi
    rm -rf "$dir"
    quietly "configure-$(flat "$dir")" env CC="$compiler" meson setup "$dir" "$@" || return 1
    printf '%s' "$wanted" >"$dir/options"
}

# Warnings are for the plain build: sanitizers make compilers see paths that are not there. What runs
# once is built quickly: a little optimised, with no more than lines for whoever reads a report; and
# at a fixed address a program starts sooner, which most tests make it do often. Undefined behaviour is
# a trap, whose line the sanitizer for addresses prints: messages would be 10 MB of data, which the
# search for leaks reads at the end of every process.
instrumented='-Db_lundef=false -Ddebug=false -Doptimization=1'
# shellcheck disable=SC2034
sanitized="$instrumented -Db_pie=false -Db_sanitize=address,undefined -Dc_args=['-g1','-fsanitize-undefined-trap-on-error']"
export ASAN_OPTIONS="${ASAN_OPTIONS:-halt_on_error=1:abort_on_error=1:print_summary=1:handle_sigill=1}"
# shellcheck disable=SC2034
threaded="$instrumented -Db_sanitize=thread -Dc_args=-g1"

# follow LOG: how far ninja is, on one line, until it is ended or the script is gone.
follow()
{
    while sleep 1 && kill -0 $$ 2>/dev/null; do
        printf '\r    %s\033[K' "$(tail -n 1 "$1" 2>/dev/null | sed -n 's/^\[\([0-9]*\)\/\([0-9]*\)\].*/\1 of \2/p')"
    done
}

# compile DIR TARGET...: build the targets, or everything. A terminal is shown how far it is.
compile()
{
    dir=$1
    step=compile-$(flat "$dir")
    shift
    if [ ! -t 1 ]; then
        quietly "$step" ninja -C "$dir" "$@"
        return
    fi
    rm -f "build/log/$step.log"
    follow "build/log/$step.log" &
    follower=$!
    built=0
    quietly "$step" ninja -C "$dir" "$@" || built=$?
    kill "$follower" 2>/dev/null || :
    wait "$follower" 2>/dev/null || :
    printf '\r\033[K'
    return "$built"
}
