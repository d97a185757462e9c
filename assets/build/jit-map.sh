#!/usr/bin/env bash
# Records the machine code that the JIT makes of the sample ticker, each process twice: from its start, by variables, and at its end, by attaching.
# The debug build runs unoptimised, the release build optimised, and once in tiers. The samples have the attached traces, and tests/golden/recordings
# the others. Each trace is reduced to the events of Ticker.dll.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); cd "$here/../.."; . "${TOOLS:-$HOME/pdblens-tools}/env.sh"
[[ ! -e /src ]] || { echo "/src is in the way" >&2; exit 1; }
work=$(mktemp -d); mkdir /src; trap 'rm -rf "$work" /src' EXIT
golden=tests/golden/recordings; mkdir -p "$golden"
echo '{"runtimeOptions":{"tfm":"net10.0","framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"}}}' >"$work/net10.json"
record() { # record SAMPLE VARIABLE=VALUE FROM-START ATTACHED
  cp "assets/samples/$1/"Ticker.{dll,pdb} /src/
  # Keywords: loader (modules), JIT (methods), maps of IL to native offsets. Two hundred naps of 20 ms, for the tiers.
  env "$2" DOTNET_EnableEventPipe=1 DOTNET_EventPipeConfig='Microsoft-Windows-DotNETRuntime:0x20018:5' DOTNET_EventPipeOutputPath="$work/start" \
    "$DN10" exec --runtimeconfig "$work/net10.json" --fx-version "$fx" /src/Ticker.dll 200 >/dev/null &
  sleep 3; python3 "$here/attach.py" $! "$work/attached"; wait $!
  python3 "$here/trim_trace.py" "$work/start" "$3" Ticker.dll; python3 "$here/trim_trace.py" "$work/attached" "$4" Ticker.dll
}
record ticker DOTNET_JITMinOpts=1 "$golden/ticker.nettrace" assets/samples/ticker/Ticker.nettrace
record ticker-release DOTNET_TieredCompilation=0 "$golden/ticker-release.nettrace" assets/samples/ticker-release/Ticker.nettrace
record ticker-release DOTNET_TieredCompilation=1 "$golden/tiered.nettrace" "$golden/tiered-attached.nettrace"
