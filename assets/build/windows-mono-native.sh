#!/usr/bin/env bash
# Builds the samples that need no newer SDK than 3.1: Windows-format managed PDBs (Roslyn under wine,
# whose native symbol writer exists for Windows only), mono's mcs, and native PDBs (clang + lld-link).
# Needs what `setup.sh` installs: TOOLS names its folder. The sources are built under /src, so that no builder's path
# gets into a symbol file.
set -euo pipefail
cd "$(dirname "$0")"
. "${TOOLS:-$HOME/pdblens-tools}/env.sh"
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
[[ ! -e /src ]] || { echo "/src is in the way" >&2; exit 1; }
out=$PWD/../samples; mkdir -p "$out"; cp -r ../sources /src
ref=$WIN_SDK/packs/Microsoft.NETCore.App.Ref/3.1.0/ref/netcoreapp3.1
win() { printf 'Z:%s' "${1//\//\\}"; }
refs=$(mktemp); trap 'rm -rf "$refs" /src' EXIT
for dll in "$ref"/*.dll; do printf -- '-r:%s\r\n' "$(win "$dll")"; done >"$refs"
roslyn() { # roslyn csc|vbc SOURCE-FOLDER OUT-FOLDER NAME DEBUG-KIND [OPTION…] SOURCE…
  local tool=$1 src=/src/$2 to=$out/$3 name=$4 kind=$5; shift 5; mkdir -p "$to"
  (cd "$src" && wine "$WIN_SDK/dotnet.exe" "$(win "$WIN_SDK/sdk/3.1.102/Roslyn/bincore/$tool.dll")" -nologo -deterministic \
    "@$(win "$refs")" "-pathmap:Z:\\src=C:\\src" "-debug:$kind" -target:exe "-out:$name.dll" "$@" && mv "$name".??? "$to/")
}
roslyn csc ticker ticker-windows Ticker full Program.cs Clock.cs
roslyn csc ticker ticker-windows-release Ticker pdbonly -o Program.cs Clock.cs
legacy=(-langversion:8 Columns.cs Parts.First.cs Parts.Second.cs Program.cs Scopes.cs StateMachines.cs)
roslyn csc workshop workshop-windows Workshop full "${legacy[@]}"
roslyn csc workshop workshop-roslyn3 Workshop portable "${legacy[@]}"
roslyn vbc ledger-vb ledger-windows Ledger full -rootnamespace:Books -optionstrict- -optioninfer+ '-define:_MYTYPE=\"Empty\"' \
  "-sdkpath:$(win "$ref")" "-vbruntime:$(win "$ref/Microsoft.VisualBasic.Core.dll")" Ledger.vb
mkdir -p "$out/ticker-mono"; (cd /src/ticker && mcs -debug -out:Ticker.exe Program.cs Clock.cs && mv Ticker.exe Ticker.exe.mdb "$out/ticker-mono/")
(cd "$out/ticker-mono" && { mono Ticker.exe x >trace.txt 2>&1 || true; mono --debug Ticker.exe x >trace-with-lines.txt 2>&1 || true; })
# The line program of DWARF that mono's ahead-of-time compiler makes of the same program, and what LLVM reads in it.
(cd "$(mktemp -d)" && cp "$out"/ticker-mono/Ticker.exe* . && mono --debug --aot=dwarfdebug,asmonly Ticker.exe >/dev/null && as -o Ticker.o Ticker.exe.s && ld -shared -o Ticker.exe.so Ticker.o &&
  objcopy -O binary --only-section=.debug_line --set-section-flags .debug_line=alloc Ticker.exe.so "$out/ticker-mono/Ticker.debug_line" &&
  llvm-dwarfdump --debug-line Ticker.exe.so | sed -n '/^Address/,$ { s/ *$//; p }' >"$out/ticker-mono/debug-line.txt")
mkdir -p "$out/native"; (cd /src/native && clang --target=x86_64-pc-windows-msvc -g -gcodeview -gcolumn-info -O0 -ffreestanding -fno-stack-protector \
  -mno-stack-arg-probe -c tally.c -o tally.obj && lld-link /nologo /debug /entry:entry /subsystem:console /nodefaultlib /Brepro \
  /pdbaltpath:%_PDB% /pdbstream:srcsrv=srcsrv.txt /out:tally.exe /pdb:tally.pdb tally.obj && mv tally.exe tally.pdb "$out/native/")
chmod 644 "$out"/*/*; ls -l "$out"/*
