#!/usr/bin/env bash
# Makes assets/cores: deadlock, a program whose two threads wait for each other, and a core with the memory that `pdblens live` reads of it.
# Needs setup.sh's tools ($T/env.sh) and pdblens on the path.
set -euo pipefail
# shellcheck disable=SC1091
. "$T/env.sh"
out=$(realpath "$(dirname "$0")/../cores/deadlock")
work=$(mktemp -d)
references=$(for file in "$FX10"/System.*.dll; do case $file in *Native*) ;; *) echo "-r:$file" ;; esac; done)
# shellcheck disable=SC2086
csc5 -debug:portable -deterministic -pathmap:"$out"=/src -out:"$work/Deadlock.dll" $references "$out/Deadlock.cs"
cp "$T/net10.json" "$work/Deadlock.runtimeconfig.json"
"$DN10" exec --runtimeconfig "$T/net10.json" --fx-version "$fx" "$work/Deadlock.dll" >"$work/out" &
pid=$!
until grep -q ready "$work/out"; do sleep 0.1; done
sleep 1
pdblens live "$pid" --save "$work/deadlock.core"
kill "$pid"
gzip -9 -n <"$work/deadlock.core" >"$out/deadlock.core.gz"
cp "$work/Deadlock.dll" "$work/Deadlock.pdb" "$out"
# The program of the tests that run one, in a debug and a release build.
cases=$(realpath "$out/../cases")
for build in debug release; do
    # shellcheck disable=SC2086,SC2046
    csc5 -debug:portable -deterministic $([[ $build == debug ]] || echo -optimize+) -pathmap:"$cases"=/src -out:"$cases/$build/Cases.dll" $references "$cases/Cases.cs"
done
rm -r "$work"
