#!/usr/bin/env bash
# Makes tests/golden/samples: a program with a hot loop, and two profiles of one run of it: the samples of the runtime with its map (hot.nettrace), and what
# `perf script` prints (hot.perf) of about every 60th sample. Needs setup.sh's tools ($T/env.sh) and perf.
set -euo pipefail
# shellcheck disable=SC1091
. "$T/env.sh"
here=$(cd "$(dirname "$0")" && pwd)
out=$(realpath "$here/../../tests/golden/samples") source=$(realpath "$here/../sources/hot")
work=$(mktemp -d); trap 'rm -r "$work"' EXIT
references=$(for file in "$FX10"/System.*.dll; do case $file in *Native*) ;; *) echo "-r:$file" ;; esac; done)
# shellcheck disable=SC2086
csc5 -debug:embedded -deterministic -pathmap:"$source"=/src -out:"$out/hot.dll" $references "$source/Hot.cs"
# Without W^X, code is in memory of no file, for which perf reads the map of .NET.
DOTNET_EnableWriteXorExecute=0 DOTNET_PerfMapEnabled=1 DOTNET_EnableEventPipe=1 DOTNET_EventPipeOutputPath="$work/hot.nettrace" \
    DOTNET_EventPipeConfig='Microsoft-DotNETCore-SampleProfiler:0:5,Microsoft-Windows-DotNETRuntime:0x20018:5' \
    perf record -q -F 997 -g -o "$work/perf.data" "$DN10" exec --runtimeconfig "$T/net10.json" --fx-version "$fx" "$out/hot.dll" 3
perf script -i "$work/perf.data" 2>/dev/null | awk 'BEGIN { RS = ""; ORS = "\n\n" } NR % 60 == 0' | sed "s|$T|/tools|" >"$out/hot.perf"
python3 "$here/trim_trace.py" "$work/hot.nettrace" "$out/hot.nettrace" hot.dll
