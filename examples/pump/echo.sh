#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# echo.sh - a handler in shell: says how long its payload is. It speaks the frame protocol itself on standard input and output
# (transport: stdio) and runs other programs, so its listener needs `allow: [exec]`.
#
#   frame = length (4 bytes), type (1), call id (8), body; length counts what follows it

# number BYTES: read so many bytes as one decimal number, big endian.
number()
{
    value=0
    for byte in $(head -c "$1" | od -An -v -tu1); do
        value=$((value * 256 + byte))
    done
}

# bytes NUMBER SIZE: write a number in so many bytes, big endian.
bytes()
{
    shift_by=$((($2 - 1) * 8))
    while [ "$shift_by" -ge 0 ]; do
        # shellcheck disable=SC2059
        printf "\\$(printf %o $(($1 >> shift_by & 255)))"
        shift_by=$((shift_by - 8))
    done
}

# send TYPE ID TEXT
send()
{
    bytes $((9 + ${#3})) 4
    bytes "$1" 1
    bytes "$2" 8
    printf %s "$3"
}

send 1 0 '{"protocol":1,"host":"echo.sh 1","ok":true}'
while number 4 && length=$value && [ "$length" -ge 9 ]; do
    number 1
    type=$value
    number 8
    id=$value
    case $type in
        3) # CALL: size of the metadata (4 bytes), metadata, payload
            number 4
            size=$value
            head -c "$size" >/dev/null
            head -c $((length - 9 - 4 - size)) >payload
            send 4 "$id" "<result>$(wc -c <payload)</result>"
            ;;
        7) exit 0 ;; # BYE
        *) head -c $((length - 9)) >/dev/null ;;
    esac
done
