#!/usr/bin/env bash
# Asks the debugger of .NET 10 for the map of each method, and for the IL offsets where it accepts a breakpoint.
#
# usage: debugger.sh             writes tests/golden/debugger: the samples that have a recorded trace, and images of the framework
#        debugger.sh OUT DLL…    writes OUT/NAME-optimised and OUT/NAME-unoptimised of each assembly: answers (.tsv), trace (.nettrace), copy (.dll)
# The test `debugger` reads the first, and the second in the folder that PDBLENS_DEBUGGER names. `setup.sh` brings compiler and runtime.
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
  env "${@:4}" "$work/debugger" "$FX10" "$3" 65535 \
    "$DN10" exec --runtimeconfig "$work/net10.json" --fx-version "$fx" "$work/prepare.dll" "$2" >"$1"
}
echo '{"runtimeOptions":{"tfm":"net10.0","framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"}}}' >"$work/net10.json"

if (($# == 0)); then
  golden=$here/../../tests/golden/debugger samples=$here/../samples; mkdir -p "$golden"
  ask "$golden/ticker.tsv" "$samples/ticker/Ticker.dll" Ticker.dll DOTNET_JITMinOpts=1
  ask "$golden/ticker-release.tsv" "$samples/ticker-release/Ticker.dll" Ticker.dll DOTNET_TieredCompilation=0
  for name in System.Private.Uri System.Collections; do ask "$golden/$name.tsv" $name $name.dll DOTNET_TieredCompilation=0; done
  exit
fi
out=$1; shift; mkdir -p "$out"
for file; do
  name=$(basename "$file" .dll)
  for build in optimised:TieredCompilation=0 unoptimised:JITMinOpts=1; do
    to=$out/$name-${build%%:*}; cp "$file" "$to.dll"
    ask "$to.tsv" "$file" "$name.dll" "DOTNET_${build#*:}" DOTNET_EnableEventPipe=1 DOTNET_EventPipeOutputPath="$to.nettrace"
  done
done
