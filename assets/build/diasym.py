#!/usr/bin/env python3
"""Compares what Microsoft.DiaSymReader.Native says of a managed Windows PDB (JSON of Diasym.cs) with `pdblens dump --json`: documents,
sequence points, and the names, slots and ranges of variables and constants.

    diasym.py DIASYM.json DLL PDB      prints the number of values and how many differ; the exit code is 1 if any does
PDBLENS names the program (default: target/release/pdblens of this repository)."""
import json, os, subprocess, sys

HIDDEN, NIL = 0xFEEFEE, "00000000-0000-0000-0000-000000000000"
answer, image, pdb = sys.argv[1:]
program = os.environ.get("PDBLENS", os.path.join(os.path.dirname(__file__), "../../target/release/pdblens"))
ours = json.loads(subprocess.run([program, "dump", "--json", image, pdb], capture_output=True, check=True).stdout)["pairs"][0]
theirs = json.load(open(answer))
names = {document["row"]: document["name"] for document in ours["documents"]}
visual_basic = any(document.get("language") in ("Visual Basic", "VB") for document in ours["documents"])

def document(one, language):
    return one["name"], one.get(language) or NIL, one.get("hash_algorithm") or NIL, one.get("hash") or ""

def points_of_theirs(method):
    return [(p["il"], p["doc"]) if p["sl"] == HIDDEN else (p["il"], p["doc"], p["sl"], p["sc"], p["el"], p["ec"]) for p in method["points"]]

def points_of_ours(method):
    return [(p["il"], names[p["document"]]) if p.get("start_line") is None
            else (p["il"], names[p["document"]], p["start_line"], p["start_column"], p["end_line"], p["end_column"])
            for p in method.get("points") or []]

def variables_of_theirs(method):
    scopes = method.get("scopes") or []
    for scope in scopes:
        if scope["depth"] == 0:  # The reader puts a scope of its own around those of the file.
            continue
        # A scope of Visual Basic has the offset of its last byte, but that of the method has its length.
        end = scope["end"] + (visual_basic and scope["end"] != scopes[0]["end"])
        yield from ((v["name"], v["slot"], v["attr"], scope["start"], end) for v in scope["variables"])
        yield from ((c["name"], scope["start"], end) for c in scope["constants"])

def variables_of_ours(scopes):
    for scope in scopes:
        start, end = scope["start"], scope["start"] + scope["length"]
        yield from ((v["name"], v["slot"], int(v["hidden"]), start, end) for v in scope["variables"])
        yield from ((c["name"], start, end) for c in scope["constants"])

methods = {method["token"]: method for method in ours["methods"]}
scopes = {}
for scope in ours["scopes"]:
    scopes.setdefault(scope["token"], []).append(scope)
want = sorted(document(one, "language") for one in theirs["documents"])
have = sorted(document(one, "language_id") for one in ours["documents"])
values, differing = sum(map(len, want)), [] if want == have else [("documents", want, have)]
for method in theirs["methods"]:
    token = method["token"]
    for what, want, have in (
        ("points", points_of_theirs(method), points_of_ours(methods.get(token, {}))),
        ("variables", sorted(variables_of_theirs(method)), sorted(variables_of_ours(scopes.get(token, [])))),
    ):
        values += sum(map(len, want))
        if want != have:
            differing.append((what, token, want, have))
for one in differing[: int(os.environ.get("SHOWN", 5))]:
    print(str(one)[:400], file=sys.stderr)
print(f"{pdb}: {values} values, {len(differing)} differ")
sys.exit(bool(differing))
