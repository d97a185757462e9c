#!/usr/bin/env bash
# Builds the targets for OSS-Fuzz: each with its seeds, its options, and the dictionary of its inputs.
set -euo pipefail
here=$SRC/pdblens/fuzz
cd "$here"
RUSTFLAGS="" cargo run --release --example seeds
cargo fuzz build -O
for source in fuzz_targets/*.rs; do
  target=$(basename "$source" .rs)
  cp "target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
  zip -jqr "$OUT/${target}_seed_corpus.zip" "corpus/$target"
  case $target in
    keys | question) dictionary=text ;;
    *) dictionary=formats ;;
  esac
  cp "oss-fuzz/$dictionary.dict" "$OUT/$target.dict"
  cp oss-fuzz/default.options "$OUT/$target.options"
done
