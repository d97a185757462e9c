#!/usr/bin/env bash
# Builds sources/known, for debugging and optimised, and writes it to tests/golden/known with the lines that .NET 10 gives its frames.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); . "${TOOLS:-$HOME/pdblens-tools}/env.sh"
golden=$here/../../tests/golden/known; mkdir -p "$golden"
refs=(); for file in "$FX10"/{System,Microsoft}*.dll; do [[ $file == *Native* ]] || refs+=("-r:$file"); done
cd "$here/../sources/known"
for build in debug release; do
  csc5 -debug:embedded -deterministic -pathmap:"$PWD"=/src $([[ $build == debug ]] || echo -o) -target:exe "${refs[@]}" -out:"$golden/known-$build.dll" Known.cs
  dn10 "$golden/known-$build.dll" >"$golden/known-$build.tsv"
done
