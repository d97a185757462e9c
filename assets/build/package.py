#!/usr/bin/env python3
"""Writes assets/packages: a package whose symbols are of another build, for README.md. The same bytes each time."""

import pathlib
import zipfile

ASSETS = pathlib.Path(__file__).resolve().parent.parent
NUSPEC = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>Ticker</id>
    <version>1.0.0</version>
    <description>A sample.</description>{more}
  </metadata>
</package>
"""
AUTHORS = """
    <authors>pdblens</authors>"""
SYMBOLS = """
    <packageTypes><packageType name="SymbolsPackage" /></packageTypes>"""


def write(name, more, path):
    with zipfile.ZipFile(ASSETS / "packages" / name, "w", zipfile.ZIP_DEFLATED) as package:
        files = [("Ticker.nuspec", NUSPEC.format(more=more).encode())]
        files.append(("lib/net8.0/" + path.rsplit("/", 1)[1], (ASSETS / "samples" / path).read_bytes()))
        for entry, content in files:
            info = zipfile.ZipInfo(entry, (2020, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            package.writestr(info, content)


write("Ticker.1.0.0.nupkg", AUTHORS, "ticker/Ticker.dll")
write("Ticker.1.0.0.snupkg", SYMBOLS, "ticker-release/Ticker.pdb")
