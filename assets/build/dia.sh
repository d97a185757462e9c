#!/usr/bin/env bash
# Asks Microsoft's own reader of native PDBs, DIA, about the C++ samples, and writes tests/golden/dia/NAME.tsv: functions with their lines, public
# symbols, types. `dia PDB OUT`, a function of env.sh, runs msdia140.dll under wine and writes JSON: compilands with functions and lines, publics, types.
set -euo pipefail
cd "$(dirname "$0")"; . "${TOOLS:-$HOME/pdblens-tools}/env.sh"; cd ../../tests/golden/dia; rm -f ./*.tsv
for pdb in ../../../assets/samples/parcel*/parcel.pdb; do
  json=$(mktemp --suffix=.json); dia "$pdb" "$json" >/dev/null
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
  rm -f "$json"
done
ls
