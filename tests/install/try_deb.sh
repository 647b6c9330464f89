#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# try_deb.sh DIR - in a root of Debian or Ubuntu: install the packages in DIR, use them, remove and purge them.
#
# Run as root inside a fresh root that has gcc, pkg-config, python3 and the libraries that the packages need. The last line is
# "packages: as they should be"; anything that is not as it should be ends the script with exit 1 and a line that says what.
set -eu
debs=$1
work=$(mktemp -d)

fail()
{
    printf 'try_deb.sh: %s\n' "$*" >&2
    exit 1
}

# files_now: everything that packages may write to, except what dpkg, ldconfig and Python keep for themselves.
files_now()
{
    find /etc /usr /lib /var /opt -xdev ! -type d 2>/dev/null |
        grep -v -e '^/var/lib/dpkg/' -e '^/var/lib/systemd/' -e '^/var/log/' -e '^/var/cache/' -e '^/etc/ld.so.cache' -e '/__pycache__/' \
            -e '^/etc/passwd-\{0,1\}$' -e '^/etc/group-\{0,1\}$' -e '^/etc/g\{0,1\}shadow-\{0,1\}$' -e '^/etc/.pwd.lock$' | LC_ALL=C sort
}

wants_python=yes
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || wants_python=
packages="baton libbaton0 libbaton-dev"
[ -z "$wants_python" ] || packages="$packages python3-baton"
files_now >"$work/before"
for package in $packages; do
    set -- "$@" "$debs/${package}_"*.deb
done
shift
dpkg -i "$@" >"$work/install.log" 2>&1 || { cat "$work/install.log"; fail "the packages cannot be installed"; }

[ "$(baton version | cut -d ' ' -f 1)" = baton ] || fail "baton version"
printf '{"handoff":{"version":"3.0"}}\n' >"$work/x.handoff.json"
code=0
baton check -f concise "$work/x.handoff.json" >"$work/found" || code=$?
[ "$code" -eq 1 ] || fail "baton check: exit $code"
grep -q SCHEMA_REQUIRED "$work/found" || fail "baton check does not say what is wrong"
for file in man/man1/baton.1.gz man/man5/baton.yaml.5.gz bash-completion/completions/baton.bash zsh/vendor-completions/_baton \
    fish/vendor_completions.d/baton.fish doc/baton/README.Debian doc/baton/rules.html; do
    [ -s "/usr/share/$file" ] || fail "/usr/share/$file is missing"
done

# An example, linked with the shared library and with the static one.
example=/usr/share/doc/libbaton-dev/examples/judge.c
[ -f "$example" ] || fail "libbaton-dev has no example"
# The flags are meant to be split.
# shellcheck disable=SC2046
cc -std=c17 "$example" $(pkg-config --cflags --libs baton) -o "$work/shared"
"$work/shared" "$work/x.handoff.json" >"$work/judged" || code=$?
[ -s "$work/judged" ] || fail "the example says nothing"
# shellcheck disable=SC2046
cc -std=c17 "$example" $(pkg-config --cflags baton) -Wl,-Bstatic -lbaton -Wl,-Bdynamic $(pkg-config --static --libs baton | sed 's/-lbaton//') -o "$work/static"
"$work/static" "$work/x.handoff.json" >"$work/judged-static" || code=$?
cmp "$work/judged" "$work/judged-static" || fail "the static library judges differently"
[ -z "$wants_python" ] || python3 -c 'import baton' || fail "import baton"
# Every symbol has the version that added it, and every function a manual page.
nm -D --defined-only /usr/lib/*/libbaton.so.0 | sed -n 's/.* T //p' >"$work/symbols"
[ -s "$work/symbols" ] || fail "the library exports nothing"
grep -v '^bt_[a-z0-9_]*@@BATON_[0-9.]*$' "$work/symbols" && fail "these symbols have no version"
while IFS=@ read -r name rest; do
    [ -s "/usr/share/man/man3/$name.3.gz" ] || fail "$name$rest has no manual page"
done <"$work/symbols"

# Units are there, and none is enabled. The account exists, and its folder is not made by the package.
for unit in baton.service baton.socket baton-pump@.service; do
    [ -f "/lib/systemd/system/$unit" ] || [ -f "/usr/lib/systemd/system/$unit" ] || fail "$unit is missing"
done
find /etc/systemd -name '*baton*' | grep . && fail "a unit is enabled"
getent passwd baton >/dev/null || fail "there is no account baton"
grep -q '^store: sqlite:/var/lib/baton/store.db$' /etc/baton/serve.yaml || fail "serve.yaml"
[ ! -e /etc/baton/config.yaml ] || fail "config.yaml is installed, which every command reads"
mkdir -p /var/lib/baton && chown baton: /var/lib/baton && chmod 700 /var/lib/baton
setpriv --reuid=baton --regid=baton --clear-groups env HOME=/var/lib/baton \
    baton ledger init --origin try.example/deb --store sqlite:/var/lib/baton/store.db >/dev/null || fail "baton ledger init"

# The packages are meant to be split, here and below.
# shellcheck disable=SC2086
dpkg --remove $packages >/dev/null
[ -f /etc/baton/serve.yaml ] || fail "removing took away a conffile"
[ -f /var/lib/baton/store.db ] || fail "removing took away the record"
# shellcheck disable=SC2086
dpkg --purge $packages >"$work/purge.log" 2>&1
grep -q '/var/lib/baton is kept' "$work/purge.log" || fail "purging does not say where the record is"
[ -f /var/lib/baton/store.db ] || fail "purging took away the record"
files_now >"$work/after"
left=$(LC_ALL=C comm -13 "$work/before" "$work/after" | grep -v '^/var/lib/baton/' || :)
[ -z "$left" ] || fail "left behind: $left"
gone=$(LC_ALL=C comm -23 "$work/before" "$work/after")
[ -z "$gone" ] || fail "taken away: $gone"
rm -rf "$work"
echo "packages: as they should be"
