#!/usr/bin/env bash
# Makes assets/cores: deadlock, a program whose two threads wait for each other, and a core with the memory that `pdblens live` reads of it;
# windows, a minidump of such a program on Windows; native, a core of a thread in native code there; tiers, a core of methods with several bodies, and what the debugger of .NET says of each body of that process; cases, a program that crashes.
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
# Loops and calls that are few reach all tiers, because each breakpoint takes time.
tiers=$(realpath "$out/../tiers")
# shellcheck disable=SC2086
csc5 -o -debug:portable -deterministic -pathmap:"$tiers"=/src -out:"$tiers/Tiers.dll" $references "$tiers/Tiers.cs"
gcc -O1 -o "$work/debugger" "$(dirname "$0")/debugger.c" -ldl
AFTER="pdblens live \$PID --save $work/tiers.core" DOTNET_TC_OnStackReplacement_InitialCounter=10 DOTNET_OSR_HitLimit=1 \
    DOTNET_TC_BackgroundWorkerTimeoutMs=0 DOTNET_TC_CallCountingDelayMs=0 DOTNET_TC_CallCountThreshold=10 \
    "$work/debugger" "$FX10" Tiers.dll bodies:9 "$DN10" exec --runtimeconfig "$T/net10.json" --fx-version "$fx" "$tiers/Tiers.dll" >"$tiers/tiers.tsv"
gzip -9 -n <"$work/tiers.core" >"$tiers/tiers.core.gz"
# A minidump of Windows, where WIN10 is a folder with .NET 10 for Windows (PyPI's aspose-slides for win_amd64 has one) that wine can start.
if [[ -n ${WIN10-} ]]; then
    windows=$(realpath "$out/../windows")
    # shellcheck disable=SC2086
    csc5 -o -debug:portable -deterministic -pathmap:"$windows"=/src -out:"$windows/Windows.dll" $references "$windows/Windows.cs"
    cp "$windows"/Windows.{dll,pdb} "$work"
    cp "$T/net10.json" "$work/Windows.runtimeconfig.json"
    # 2 is MiniDumpWithFullMemory.
    (cd "$work" && wine "$WIN10/dotnet.exe" Windows.dll "$(winepath -w "$work/full.dmp")" 2)
    pdblens live "$work/full.dmp" --save "$work/windows.core"
    python3 "$(dirname "$0")/trim_dump.py" "$work/full.dmp" "$work/windows.core" "$work/windows.dmp"
    gzip -9 -n <"$work/windows.dmp" >"$windows/windows.dmp.gz"
    # A thread in a function of a native library that only its PDB names; a core of the dump, for the PDB has to be found by the id in its memory.
    native=$(realpath "$out/../native")
    # shellcheck disable=SC2086
    csc5 -o -debug:portable -deterministic -pathmap:"$native"=/src -out:"$native/Native.dll" $references "$native/Native.cs"
    cp "$native"/Native.{dll,pdb} "$work"
    cp "$T/net10.json" "$work/Native.runtimeconfig.json"
    (cd "$work" && clang --target=x86_64-pc-windows-msvc -O1 -g -gcodeview -fdebug-prefix-map="$native"=/src -fdebug-compilation-dir=/src -c "$native/worker.c" -o worker.obj &&
        lld-link /dll /noentry /nodefaultlib /debug /pdbaltpath:worker.pdb /pdbsourcepath:/src /out:worker.dll worker.obj &&
        wine "$WIN10/dotnet.exe" Native.dll "$(winepath -w "$work/native.dmp")" 2)
    pdblens live "$work/native.dmp" --save "$work/native.core"
    gzip -9 -n <"$work/native.core" >"$native/native.core.gz"
    gzip -9 -n <"$work/worker.pdb" >"$native/worker.pdb.gz"
fi
# The program of the tests that run one, in a debug and a release build.
cases=$(realpath "$out/../cases")
for build in debug release; do
    # shellcheck disable=SC2086,SC2046
    csc5 -debug:portable -deterministic $([[ $build == debug ]] || echo -optimize+) -pathmap:"$cases"=/src -out:"$cases/$build/Cases.dll" $references "$cases/Cases.cs"
done
# A core of a stack overflow, in a thread with a small stack.
cp "$cases"/release/Cases.{dll,pdb} "$work"
cp "$T/net10.json" "$work/Cases.runtimeconfig.json"
(cd "$work" && ! DOTNET_DbgEnableMiniDump=1 DOTNET_DbgMiniDumpType=2 DOTNET_DbgMiniDumpName="$work/deep" "$DN10" Cases.dll deep 2>"$work/said")
grep Repeated "$work/said"
pdblens live "$work/deep" --save "$work/deep.core"
gzip -9 -n <"$work/deep.core" >"$cases/deep.core.gz"
rm -r "$work"
