#!/usr/bin/env bash
# Asks GNU objdump (2.40, Debian's binutils-aarch64-linux-gnu) about the words of tests/golden/a64/objdump.tsv, and writes that file again: each word, and
# its instruction or `?`. With the name of a file, prints the same of its words.
set -euo pipefail
instructions() {
  aarch64-linux-gnu-objdump -z -D -b binary -m aarch64 "$1" |
    sed -nE 's/^ *[0-9a-f]+:\t([0-9a-f]{8}) \t/\1 /; T; s/ *(\/\/|; ).*//; s/ \.inst.*/ ?/; s/\t/ /; s/ /\t/; s/[ \t]*$//; p'
}
if [[ $# -gt 0 ]]; then instructions "$1"; exit; fi
cd "$(dirname "$0")/../../tests/golden/a64"
words=$(mktemp); trap 'rm "$words"' EXIT
cut -f1 objdump.tsv | sed -E 's/(..)(..)(..)(..)/\4\3\2\1/' | xxd -r -p >"$words"
instructions "$words" >objdump.new; mv objdump.new objdump.tsv
wc -l objdump.tsv
