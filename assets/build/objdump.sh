#!/usr/bin/env bash
# Asks llvm-objdump about the machine code of the C++ and Rust samples, and writes tests/golden/objdump/NAME.tsv: address and name of each instruction.
# With the name of an image, prints those of that image.
set -euo pipefail
instructions() {
  llvm-objdump-19 -d --no-show-raw-insn --x86-asm-syntax=intel "$1" | sed -nE 's/^ *([0-9a-f]+): *\t([^ \t]+).*/\1\t\2/p'
}
if [[ $# -gt 0 ]]; then instructions "$1"; exit; fi
cd "$(dirname "$0")/../../tests/golden/objdump"; rm -f ./*.tsv
for image in ../../../assets/samples/{parcel*,sorter*}/*.exe; do
  instructions "$image" >"$(basename "$(dirname "$image")").tsv"
done
wc -l ./*.tsv
