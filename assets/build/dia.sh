#!/usr/bin/env bash
# Asks Microsoft's own reader of native PDBs, DIA, about the C++ samples, and writes tests/golden/dia/NAME.tsv: functions with their lines, public
# symbols, types. Dia.cs calls msdia140.dll under wine, with the runtime that `setup.sh` brings, and writes JSON.
#   ./dia.sh           the samples, to tests/golden/dia
#   ./dia.sh PDB...    compares native PDBs with `pdblens dump` (dia.py)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); . "${TOOLS:-$HOME/pdblens-tools}/env.sh"
tool=$(mktemp -d); trap 'rm -rf "$tool"' EXIT
csc31 -langversion:latest -o -out:"$tool/dia.dll" -target:exe $(ls "$REF31"/*.dll | sed 's/^/-r:/') "$here/Dia.cs"
cp "$(find "$WIN_SDK/sdk" -path '*/x64/msdia140.dll' | head -n 1)" "$tool/"
echo '{"runtimeOptions":{"tfm":"netcoreapp3.1","framework":{"name":"Microsoft.NETCore.App","version":"3.1.0"}}}' >"$tool/dia.runtimeconfig.json"
path() { winepath -w "$(realpath -m "$1")"; }
ask() { wine "$WIN_SDK/dotnet.exe" exec --runtimeconfig "$(path "$tool/dia.runtimeconfig.json")" "$(path "$tool/dia.dll")" "$(path "$1")" "$(path "$2")"; }
if (($#)); then
  for pdb; do ask "$pdb" "$tool/answer.json" >&2; python3 "$here/dia.py" "$tool/answer.json" "$pdb" || differs=1; done
  exit "${differs:-0}"
fi
cd "$here/../../tests/golden/dia"; rm -f ./*.tsv
for pdb in ../../../assets/samples/parcel*/parcel.pdb; do
  json=$tool/answer.json
  ask "$pdb" "$json"
  python3 - "$json" >"$(basename "$(dirname "$pdb")").tsv" <<'EOF'
import json, sys
answer = json.load(open(sys.argv[1]))
row = lambda *cells: print(*cells, sep="\t")
for compiland in answer["compilands"]:
    for function in compiland["functions"]:
        row("function", compiland["name"], function["name"], hex(function["rva"]), function["length"])
        for line in function.get("lines", []):
            row("line", hex(line["rva"]), line["line"], line["end_line"], line["column"], line["end_column"], line["file"])
for public in answer["publics"]:
    row("public", hex(public["rva"]), public["name"], int(public["function"]))
for type in answer["types"]:
    row("type", type["kind"], type["name"], type["size"])
EOF
done
ls
