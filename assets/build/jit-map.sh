#!/usr/bin/env bash
# Records the machine code that the JIT makes of the sample ticker: event traces with maps of IL to native offsets, of the debug build
# unoptimised, of the release build optimised.
set -euo pipefail
cd "$(dirname "$0")/../.."; . "${TOOLS:-$HOME/pdblens-tools}/env.sh"
# Keywords: loader (modules), JIT (methods), maps of IL to native offsets.
export DOTNET_EnableEventPipe=1 DOTNET_EventPipeConfig='Microsoft-Windows-DotNETRuntime:0x20018:5' DOTNET_EventPipeRundown=0
record() {
  (export "$2" DOTNET_EventPipeOutputPath="assets/samples/$1/Ticker.nettrace"; dn10 "assets/samples/$1/Ticker.dll" >/dev/null)
}
record ticker DOTNET_JITMinOpts=1
record ticker-release DOTNET_TieredCompilation=0
