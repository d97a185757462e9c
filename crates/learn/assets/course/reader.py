"""A reader of portable PDBs: README.md has the exercises."""

import json
import sys
import traceback
from pathlib import Path


def guid(data):
    # Exercise 1: data is bytes; data[0] is its first byte.
    raise NotImplementedError


def rsds(data):
    raise NotImplementedError


def unsigned(data):
    raise NotImplementedError


def signed(data):
    raise NotImplementedError


def root(data):
    raise NotImplementedError


def msf(data):
    raise NotImplementedError


def pdb(data):
    raise NotImplementedError


def tables(data):
    raise NotImplementedError


def points(data):
    raise NotImplementedError


def layout(data):
    raise NotImplementedError


def documents(data):
    raise NotImplementedError


def methods(data):
    raise NotImplementedError


def frames(data):
    raise NotImplementedError


def bounds(data):
    raise NotImplementedError


def symbols(data):
    raise NotImplementedError


def mdb(data):
    raise NotImplementedError


def c13(data):
    raise NotImplementedError


def program(data):
    raise NotImplementedError


def addresses(data):
    raise NotImplementedError


def main():
    answers = {}
    for path in map(Path, sys.argv[1:]):
        exercise = path.parent.name
        try:
            answers[f"{exercise}/{path.stem}"] = globals()[exercise](path.read_bytes())
        except Exception as error:
            if not isinstance(error, NotImplementedError):
                traceback.print_exc()
            answers[f"{exercise}/{path.stem}"] = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
