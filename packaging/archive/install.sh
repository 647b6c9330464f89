#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh - install what lies beside this file: the program, its manual, completions and pages.
#
#   install.sh                  below ~/.local; for root below /usr/local
#   install.sh --prefix DIR     below another folder
#   install.sh --uninstall      remove what was installed below the folder, and nothing else
#
# PREFIX/share/baton/files.txt lists what was installed, relative to PREFIX, one per line. A line that ends in a slash is a folder
# that was made. script/install of the source uses this file, too, with --from DIR: install what is in DIR.
set -eu

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
    printf 'usage: %s [--prefix DIR] [--uninstall]\n' "${0##*/}" >&2
    exit 2
}

# absolute PATH: the path from the current folder.
absolute()
{
    case $1 in
        /*) printf '%s' "$1" ;;
        *) printf '%s/%s' "$PWD" "$1" ;;
    esac
}

tree=$(absolute "$(dirname "$0")")
prefix=
uninstall=
while [ $# -gt 0 ]; do
    case $1 in
        --prefix | --from)
            [ -n "${2:-}" ] || usage
            if [ "$1" = --prefix ]; then prefix=$2; else tree=$(absolute "$2"); fi
            shift
            ;;
        --uninstall) uninstall=yes ;;
        *) usage ;;
    esac
    shift
done
if [ -z "$prefix" ] && [ "$(id -u)" -eq 0 ]; then
    prefix=/usr/local
elif [ -z "$prefix" ]; then
    prefix=${HOME:?HOME is not set; give --prefix DIR}/.local
fi
prefix=$(absolute "$prefix")
list=$prefix/share/baton/files.txt

# remove_listed: remove the files of the list, then the folders that it names and that are empty. Nothing outside the prefix.
remove_listed()
{
    if grep -n -E '^/|(^|/)\.\.(/|$)|^$' "$list" >&2; then
        die "$list has lines that are not files below $prefix; nothing was removed"
    fi
    # The list is one of its own files, so it is read before anything is removed.
    lines=$(cat "$list")
    printf '%s\n' "$lines" | grep -v '/$' | while IFS= read -r file; do
        rm -f "$prefix/$file"
    done
    # Deeper folders come first.
    printf '%s\n' "$lines" | grep '/$' | LC_ALL=C sort -r | while IFS= read -r folder; do
        rmdir "$prefix/$folder" 2>/dev/null || :
    done
}

if [ -n "$uninstall" ]; then
    [ -f "$list" ] || die "nothing is installed below $prefix: there is no $list"
    remove_listed
    say "removed what was installed below $prefix"
    exit 0
fi

# may_write: a prefix that exists, or the folder in which it can be made, is writable.
may_write()
{
    folder=$prefix
    while [ ! -e "$folder" ]; do
        folder=$(dirname "$folder")
    done
    [ -d "$folder" ] && [ -w "$folder" ]
}
may_write || die "$prefix cannot be written to; give another folder with --prefix DIR, or run this as root"
[ -f "$tree/bin/baton" ] || die "there is no program to install in $tree"
# The program runs at all: an older libc is told by the loader, in its own words.
"$tree/bin/baton" version >/dev/null || die "the program does not run on this system; see the lines above, and README"

say "installing below $prefix"
[ ! -f "$list" ] || remove_listed # an older version may have other files
new=$(mktemp "${TMPDIR:-/tmp}/baton-install.XXXXXX")
trap 'rm -f "$new"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
parts=
for part in bin include lib lib64 share; do
    [ ! -d "$tree/$part" ] || parts="$parts $part"
done
# The parts are meant to be split.
# shellcheck disable=SC2086
(
    cd "$tree"
    find $parts -type d | LC_ALL=C sort | while IFS= read -r folder; do
        [ -d "$prefix/$folder" ] || printf '%s/\n' "$folder"
    done
    [ -d "$tree/share/baton" ] || [ -d "$prefix/share/baton" ] || printf 'share/baton/\n'
    {
        find $parts -type f -o -type l
        printf 'share/baton/files.txt\n'
    } | LC_ALL=C sort -u
) >"$new"
mkdir -p "$prefix/share/baton"
for part in $parts; do
    cp -R -P "$tree/$part" "$prefix/"
done
cat "$new" >"$list"
chmod 644 "$list"
# Units name the program by its path.
escaped=$(printf '%s' "$prefix" | sed 's/[&|\\]/\\&/g')
for unit in "$prefix"/share/baton/systemd/*.service; do
    if [ -f "$unit" ]; then
        sed "s|^ExecStart=/usr/bin/baton|ExecStart=$escaped/bin/baton|" "$unit" >"$new"
        cat "$new" >"$unit"
    fi
done

say "checking the installation"
"$prefix/bin/baton" doctor ||
    say "baton doctor found a problem, which its lines name; the installation itself is complete"
case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *)
        say "$prefix/bin is not on PATH; add this line to ~/.profile, and start a new shell:"
        # shellcheck disable=SC2016 # the shell that reads the line expands it
        printf 'export PATH="%s/bin:$PATH"\n' "$prefix"
        ;;
esac
