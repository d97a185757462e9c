#!/usr/bin/env bash
# Asks the runtime for the native and the IL offset of each frame of many exceptions, and writes them to tests/golden/r2r/frames.tsv.
# The test that reads it looks for the same framework in PDBLENS_R2R.
set -euo pipefail
cd "$(dirname "$0")"; here=$PWD; . "${TOOLS:-$HOME/pdblens-tools}/env.sh"
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
csc31 -langversion:latest -o -out:"$out/frames.dll" -target:exe $(ls "$REF31"/*.dll | sed 's/^/-r:/') "$here/Frames.cs"
mkdir -p ../../tests/golden/r2r
DOTNET_TieredCompilation=0 dn10 "$out/frames.dll" >../../tests/golden/r2r/frames.tsv
