#!/usr/bin/env bash
# Asks the debugger of .NET 10 for the map of each method, and for the IL offsets where it accepts a breakpoint.
#
# usage: debugger.sh             writes tests/golden/debugger: the samples that have a recorded trace, and images of the framework;
#                                and tests/golden/binding: accepted offsets of samples by kind of code, and the stops of programs that run
#        debugger.sh OUT DLL…    writes OUT/NAME-optimised, -unoptimised and -debuggable of each assembly: answers (.tsv), copy (.dll), traces
#                                from the start (.nettrace) and of the same process attached to (-attached.nettrace), and where pdblens is on the
#                                path its core (.core)
#        debugger.sh homes OUT NAME…   writes OUT/NAME.homes of images of the framework: the homes of variables instead of the accepted offsets
# The test `debugger` reads the first, and the second in the folder that PDBLENS_DEBUGGER names; so do the tests of the crate nodes whose name
# contains `binding`. `setup.sh` brings compiler and runtime.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); . "${TOOLS:-$HOME/pdblens-tools}/env.sh"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
refs=(); for file in "$FX10"/{System,Microsoft}*.dll; do [[ $file == *Native* ]] || refs+=("-r:$file"); done
gcc -O1 -Wall -Wextra -o "$work/debugger" "$here/debugger.c" -ldl
csc5 -o -out:"$work/prepare.dll" -target:exe "${refs[@]}" "$here/Prepare.cs" >/dev/null
# Keywords: loader (modules), JIT (methods), maps of IL to native offsets.
export DOTNET_EventPipeConfig='Microsoft-Windows-DotNETRuntime:0x20018:5'

ask() { # ask OUT ASSEMBLY MODULE VARIABLE=VALUE…
  echo "$3" >&2
  env "${@:4}" "$work/debugger" "$FX10" "$3" ${hits:-}65535 \
    "$DN10" exec --runtimeconfig "$work/net10.json" --fx-version "$fx" "$work/prepare.dll" "$2" ${hits:+${program:-run}} >"$1"
}
echo '{"runtimeOptions":{"tfm":"net10.0","framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"}}}' >"$work/net10.json"

# Kinds of code. `debuggable` copies an assembly and sets the modes of its DebuggableAttribute to those of a debug build.
kinds=(optimised:TieredCompilation=0 unoptimised:JITMinOpts=1 debuggable:TieredCompilation=0)
debuggable() { # debuggable DLL
  python3 - "$1" <<'PYTHON'
import sys
image = bytearray(open(sys.argv[1], 'rb').read())
for modes in (0, 1, 2, 3):
    at = image.find(bytes((8, 1, 0, modes, 0, 0, 0, 0, 0)))
    if at >= 0: image[at + 3:at + 5] = b'\7\1'
open(sys.argv[1], 'wb').write(image)
PYTHON
}

accepted() { # accepted OUT DLL: a line for each method: token, and the accepted offsets of each kind of code, or = for those of the kind before
  local folder=$work/$(basename "$2" .dll) kind
  mkdir -p "$folder"
  for kind in "${kinds[@]}"; do
    cp "$2" "$fsharp" "$folder/"
    [[ $kind != debuggable:* ]] || debuggable "$folder/$(basename "$2")"
    ask "$folder/${kind%%:*}" "$folder/$(basename "$2")" "$(basename "$2")" "DOTNET_${kind#*:}"
  done
  python3 - "$folder" >"$1" <<'PYTHON'
import sys
kinds = [dict((line.split('\t')[0], line.rstrip('\n').split('\t')[3]) for line in open(f'{sys.argv[1]}/{kind}')) for kind in ('debuggable', 'unoptimised', 'optimised')]
for token in sorted(set().union(*kinds)):
    found = [kind.get(token, '-') for kind in kinds]
    print(token, *(text if not at or text != found[at - 1] else '=' for at, text in enumerate(found)), sep='\t')
PYTHON
}

if (($# == 0)); then
  golden=$here/../../tests/golden/debugger samples=$here/../samples; mkdir -p "$golden"
  ask "$golden/ticker.tsv" "$samples/ticker/Ticker.dll" Ticker.dll DOTNET_JITMinOpts=1
  ask "$golden/ticker-release.tsv" "$samples/ticker-release/Ticker.dll" Ticker.dll DOTNET_TieredCompilation=0
  for name in System.Private.Uri System.Collections; do ask "$golden/$name.tsv" $name $name.dll DOTNET_TieredCompilation=0; done
  for name in System.Linq System.Collections; do ask "$golden/$name.homes" $name $name.dll DOTNET_TieredCompilation=0 HOMES=1; done
  golden=$here/../../tests/golden/binding sources=$(realpath "$here/../sources"); mkdir -p "$golden"
  fsharp=$(find "$(dirname "$REF31")"/../../../../sdk -path '*/FSharp/FSharp.Core.dll' -print -quit)
  refs31=("$REF31"/*.dll); refs31=("${refs31[@]/#/-r:}")
  common=(-deterministic -debug:embedded -pathmap:"$sources"=/src)
  csc5 "${common[@]}" -out:"$golden/hits-debug.dll" -target:exe "${refs[@]}" "$sources/hits/Hits.cs" >/dev/null
  csc5 -o "${common[@]}" -out:"$golden/hits-release.dll" -target:exe "${refs[@]}" "$sources/hits/Hits.cs" >/dev/null
  vbc31 -optimize+ "${common[@]}" '-define:_MYTYPE="Empty"' -optionstrict- -optioninfer+ -rootnamespace:Books -target:exe -sdkpath:"$REF31" \
    -out:"$golden/ledger-release.dll" "${refs31[@]}" "$sources/ledger-vb/Ledger.vb" >/dev/null
  # F# writes the folder that it runs in.
  (golden=$(realpath "$golden") && cd / && fsc31 --optimize- --deterministic+ --debug:embedded --noframework --pathmap:"$sources"=/src --target:exe \
    -r:"$fsharp" "${refs31[@]}" -o:"$golden/shapes-debug.dll" "$sources/shapes-fs/Shapes.fs" >/dev/null)
  rm -f "$golden/FSharp.Core.dll"
  for file in "$golden"/*-{debug,release}.dll "$samples"/{workshop,workshop-release,ledger,shapes}/*.dll; do
    name=$(basename "$file" .dll); [[ $file == "$golden"/* ]] || name=$(basename "$(dirname "$file")")
    accepted "$golden/$name.tsv" "$file"
  done
  for build in debug:TieredCompilation=0 release:JITMinOpts=1 release:TieredCompilation=0; do
    name=hits-${build%%:*}; to=$golden/$name-stops.tsv; [[ $build != release:T* ]] || to=$golden/$name-stops-optimised.tsv
    hits=hits: ask "$to" "$(realpath "$golden/$name.dll")" "$name.dll" "DOTNET_${build#*:}"
  done
  # Stops at the start of each method of an image of the framework while a program runs: in its own code, and where each method is compiled by itself.
  csc5 -o -out:"$work/uris.dll" -target:exe "${refs[@]}" "$sources/uris/Uris.cs" >/dev/null
  for kind in TieredCompilation=0 JITMinOpts=1; do
    [[ $kind != J* ]] || export DOTNET_ReadyToRun=0
    hits=hits: program=$work/uris.dll ask "$work/$kind" System.Private.Uri System.Private.Uri.dll DOTNET_$kind
    grep -o '^0x[0-9a-f]*.0:[0-9]*' "$work/$kind" | tr '\t' ' ' | sed 's/0://' | sort >"$work/$kind.first"
  done
  join -a 2 -e - -o 0,1.2,2.2 "$work"/{TieredCompilation=0,JITMinOpts=1}.first | tr ' ' '\t' >"$golden/System.Private.Uri-stops.tsv"
  exit
elif [[ ${1-} == homes ]]; then
  for name in "${@:3}"; do ask "$2/$name.homes" $name $name.dll DOTNET_TieredCompilation=0 HOMES=1; done
  exit
fi
out=$1; shift; mkdir -p "$out"
for file; do
  name=$(basename "$file" .dll)
  for build in "${kinds[@]}"; do
    to=$out/$name-${build%%:*}; folder=$work/$name; mkdir -p "$folder"
    # The assemblies beside it, and a copy that may be changed.
    ln -sf "$(realpath "$(dirname "$file")")"/*.dll "$folder/"; rm -f "$folder/$name.dll"; cp "$file" "$folder/"
    [[ $build != debuggable:* ]] || debuggable "$folder/$name.dll"
    cp "$folder/$name.dll" "$to.dll"
    ask "$to.tsv" "$folder/$name.dll" "$name.dll" "DOTNET_${build#*:}" DOTNET_EnableEventPipe=1 DOTNET_EventPipeOutputPath="$to.nettrace" \
      ADDRESSES=1 AFTER="python3 '$here/attach.py' \$PID '$to-attached.nettrace'; ! command -v pdblens >/dev/null || pdblens live \$PID --save '$to.core'"
  done
done
