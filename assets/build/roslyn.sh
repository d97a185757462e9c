#!/usr/bin/env bash
# Builds the samples that want the newest compilers: C# with Roslyn 5.9 on .NET 10, Visual Basic and F# with those of SDK 3.1, and
# runs `faults` for its traces and `outage` for its crash reports. Needs what `setup.sh` installs: TOOLS names its folder. The sources are built under
# /src, so that no builder's path gets into a symbol file.
set -euo pipefail
cd "$(dirname "$0")"
. "${TOOLS:-$HOME/pdblens-tools}/env.sh"
[[ ! -e /src && ! -e /refs ]] || { echo "/src or /refs is in the way" >&2; exit 1; }
out=$PWD/../samples; mkdir -p "$out" /refs; cp -r ../sources /src; trap 'rm -rf /src /refs' EXIT
cat >/src/sourcelink.json <<'JSON'
{"documents":{"/_/*":"https://example.com/pdblens/samples/*","/_/workshop/templates/*":"https://example.com/pdblens/templates/*?raw=1"}}
JSON
refs=(); for name in System.Runtime System.Console System.Private.CoreLib System.Linq System.Linq.Expressions System.Collections System.Threading \
  Microsoft.CSharp System.Reflection.Metadata System.Collections.Immutable; do cp "$FX10/$name.dll" /refs/; refs+=("-r:/refs/$name.dll"); done
modern() { # modern SOURCE-FOLDER OUT-FOLDER NAME DEBUG-KIND [OPTION…] SOURCE…
  local src=/src/$1 to=$out/$2 name=$3 kind=$4; shift 4; mkdir -p "$to"
  (cd "$src" && csc5 -deterministic "${refs[@]}" "-pathmap:/src=/_" "-debug:$kind" -target:exe "-out:$name.dll" "$@" && mv "$name".??? "$to/")
}
modern ticker ticker Ticker portable Program.cs Clock.cs
modern ticker ticker-release Ticker portable -o Program.cs Clock.cs
modern ticker ticker-embedded Ticker embedded -embed Program.cs Clock.cs
modern ticker ticker-sha1 Ticker portable -checksumalgorithm:SHA1 Program.cs Clock.cs
modern faults faults Faults portable Program.cs Report.cs
modern faults faults-release Faults portable -o Program.cs Report.cs
modern outage outage Outage portable Program.cs
workshop=(-langversion:latest -sourcelink:/src/sourcelink.json Columns.cs Modern.cs Parts.First.cs Parts.Second.cs Program.cs Scopes.cs StateMachines.cs)
modern workshop workshop Workshop portable "${workshop[@]}"
modern workshop workshop-release Workshop portable -o "${workshop[@]}"
modern workshop workshop-embedded Workshop embedded -embed "${workshop[@]}"

python3 warehouse.py /src/warehouse # five thousand methods, whose sources are not kept
(cd /src/warehouse && find . -name '*.cs' | sort >sources.rsp)
modern warehouse warehouse Acme.Warehouse portable -target:library @sources.rsp

# Two builds of which the second has one method more.
modern orders ../../tests/golden/diff/before Orders portable Orders.cs
modern orders ../../tests/golden/diff/after Orders portable -define:AFTER Orders.cs

# Two builds of which the second has other lambdas, lines and methods.
for v in before after; do
  rm -rf /src/parcel; cp -r /src/parcels/$v /src/parcel; modern parcel ../../tests/golden/diff/$v Parcels portable -target:library -embed Parcels.cs
done

# A base and two hot-reload deltas: metadata, IL and PDB each.
mkdir -p "$out/relay"; dn10 "$T/csc5/minidelta.dll" Relay "$out/relay" /refs/System.Runtime.dll /refs/System.Private.CoreLib.dll /refs/System.Console.dll -- \
  /src/relay/Relay.cs /src/relay/Relay.1.cs /src/relay/Relay.2.cs

mkdir -p "$out/ledger" "$out/shapes" "$out/shapes-embedded" /refs/31; cp "$REF31"/*.dll /refs/31/
old=(); for dll in /refs/31/*.dll; do old+=("-r:$dll"); done
(cd /src/ledger-vb && vbc31 -deterministic "${old[@]}" -pathmap:/src=/_ -debug:portable -target:exe -out:Ledger.dll -rootnamespace:Books -optionstrict- \
  -optioninfer+ '-define:_MYTYPE="Empty"' -sdkpath:/refs/31 -vbruntime:/refs/31/Microsoft.VisualBasic.Core.dll Ledger.vb && mv Ledger.dll Ledger.pdb "$out/ledger/")
fscore=$(find "$T/sdk31/sdk" -name FSharp.Core.dll | head -n 1)
for kind in portable embedded; do
  to=$out/shapes; [[ $kind == portable ]] || to=$out/shapes-embedded
  (cd /src/shapes-fs && fsc31 --noframework --targetprofile:netcore --deterministic+ "${old[@]}" "-r:$fscore" --pathmap:/src=/_ "--debug:$kind" --embed+ --target:exe \
    --out:/refs/Shapes.dll Shapes.fs); mv /refs/Shapes.dll "$to/"; [[ $kind == embedded ]] || mv /refs/Shapes.pdb "$to/"
done

config() { printf '{"runtimeOptions":{"tfm":"net10.0","framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"configProperties":{"System.Globalization.Invariant":true%s}}}' "$1"; }
for v in faults faults-release; do # with its PDB the truth, without it what a production log holds
  run=/src/run; rm -rf $run; mkdir $run; cp "$out/$v"/Faults.??? $run/; config "" >$run/Faults.runtimeconfig.json
  "$DN10" $run/Faults.dll >"$out/$v/with-lines.txt"; rm $run/Faults.pdb
  "$DN10" $run/Faults.dll >"$out/$v/plain.txt"; "$DN10" $run/Faults.dll --production >"$out/$v/production.txt"
  config ',"Switch.System.Diagnostics.StackTrace.ShowILOffsets":true' >$run/Faults.runtimeconfig.json; "$DN10" $run/Faults.dll >"$out/$v/il-offsets.txt"
done
run=/src/run; rm -rf $run; mkdir $run; cp "$out/outage"/Outage.??? $run/; config "" >$run/Outage.runtimeconfig.json; chmod +x "$FX10/createdump"
for end in abort overflow; do # it ends as it should: by a signal
  DOTNET_DbgEnableMiniDump=1 DOTNET_EnableCrashReportOnly=1 DOTNET_DbgMiniDumpName="$out/outage/$end" "$DN10" $run/Outage.dll $end || true
done
chmod 644 "$out"/*/*; ls "$out"
