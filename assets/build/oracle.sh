#!/usr/bin/env bash
# Asks System.Reflection.Metadata about every sample and writes NAME.json (a portable pair) or NAME.image.json (the image alone).
set -euo pipefail
cd "$(dirname "$0")"; . "${TOOLS:-$HOME/pdblens-tools}/env.sh"; cd ../../tests/golden/oracle; rm -f ./*.json
for folder in ../../../assets/samples/*/; do
  name=$(basename "$folder"); image=$(find "$folder" -name "*.dll" -o -name "*.exe"); pdb=$(find "$folder" -name "*.pdb")
  if [[ -n $pdb && $(head -c 4 "$pdb" | tr -d '\0') == BSJB ]]; then oracle "$image" "$pdb" >"$name.json"
  elif [[ -z $pdb && $name == *-embedded ]]; then oracle "$image" >"$name.json"
  else oracle "$image" >"$name.image.json"; fi
done
ls
