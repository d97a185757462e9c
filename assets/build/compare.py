#!/usr/bin/env python3
"""Compares what System.Reflection.Metadata says of images and portable PDBs with `pdblens dump --json`, value by value.

    compare.py FOLDER… [--limit N]      every DLL and EXE with metadata below the folders, with the PDB beside it if that is portable

What pdblens says more is no difference; a value that is missing or another one is. Lists must have equal lengths. Needs what
`setup.sh` installs (TOOLS names its folder), and the program (PDBLENS names it; `target/release/pdblens` without that).
"""
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = os.environ.get("TOOLS", str(Path.home() / "pdblens-tools"))
PDBLENS = os.environ.get("PDBLENS", str(ROOT / "target/release/pdblens"))
ASK = f'. {TOOLS}/env.sh; oracle "$@"'


def differences(want, have, path="$"):
    if isinstance(want, dict) and isinstance(have, dict):
        for key, value in want.items():
            if key not in have:
                yield f"{path}.{key}", value, "(missing)"
            else:
                yield from differences(value, have[key], f"{path}.{key}")
    elif isinstance(want, list) and isinstance(have, list) and len(want) == len(have):
        for index, (one, other) in enumerate(zip(want, have)):
            yield from differences(one, other, f"{path}[{index}]")
    elif want != have or isinstance(want, bool) != isinstance(have, bool):
        yield path, want, have


def leaves(value):
    if isinstance(value, dict):
        return sum(map(leaves, value.values()))
    return sum(map(leaves, value)) if isinstance(value, list) else 1


def answer(command):
    found = subprocess.run(command, capture_output=True, check=False)
    try:
        return json.loads(found.stdout)
    except ValueError:
        return None


def in_our_words(want):
    """The oracle gives methods by token and full name, and languages by id."""
    for rows, old, new in (("methods", "name", "full_name"), ("scopes", "method", "token"), ("documents", "language", "language_id")):
        for row in want.get(rows, []):
            if old in row:
                row[new] = row.pop(old)
    for method in want.get("methods", []):
        for other in ("kickoff", "move_next"):
            if method.get(other):
                method[other] = {"token": method[other]}
    return want


def files(folders):
    for folder in folders:
        for image in sorted(Path(folder).rglob("*")):
            if image.suffix.lower() not in (".dll", ".exe") or not image.is_file():
                continue
            pdb = image.with_suffix(".pdb")
            yield [image, pdb] if pdb.is_file() and pdb.read_bytes()[:4] == b"BSJB" else [image]


def main():
    arguments, limit = sys.argv[1:], None
    if "--limit" in arguments:
        at = arguments.index("--limit")
        limit = int(arguments[at + 1])
        del arguments[at:at + 2]
    images = pdbs = values = wrong = 0
    for pair in files(arguments):
        if limit is not None and images == limit:
            break
        want = answer(["bash", "-c", ASK, "oracle", *map(str, pair)])
        if want is None:  # no metadata
            continue
        have = answer([PDBLENS, "dump", "--json", *map(str, pair)])
        found = list(differences(in_our_words(want), have and have["pairs"][0]))
        for path, one, other in found[:5]:
            print(f"{pair[0]}: {path}: {json.dumps(one)[:100]}, here {json.dumps(other)[:100]}")
        images, pdbs, values, wrong = images + 1, pdbs + len(pair) - 1, values + leaves(want), wrong + len(found)
    print(f"{images} images, {pdbs} portable PDBs, {values} values, {wrong} differences")
    return 1 if wrong else 0


sys.exit(main())
