#!/usr/bin/env python3
"""Writes the packages of a release, with fixed times, orders and modes, so that the same files make the same bytes.

  packages.py archive FOLDER OUT EPOCH      a .tar.gz of the folder, or a .zip for a Windows program
  packages.py deb FOLDER TARGET VERSION OUT EPOCH   the Debian package of the folder, for Linux
  packages.py tool PROGRAM TARGET VERSION OUT   the RID-specific .NET tool package of a target
  packages.py pointer VERSION OUT           the .NET tool package that names the packages of all targets in OUT
  packages.py manifests VERSION OUT         Homebrew formula, Scoop manifest and winget manifests of the archives in OUT
  packages.py readme FOLDER                 README.md without pictures and links to files that are not in the packages
  packages.py verify VERSION OUT            checks the tool packages as `dotnet tool install` needs them
"""

import gzip
import hashlib
import io
import json
import os
import re
import sys
import tarfile
import zipfile
from xml.etree import ElementTree

# The address of the project. Releases are GitHub's.
with open("Cargo.toml", encoding="utf-8") as manifest:
    REPOSITORY = re.search(r'^repository = "(.*)"', manifest.read(), re.MULTILINE)[1]
ABOUT = "An interactive terminal explorer of .NET symbol files"
LICENSE = "MIT OR Apache-2.0"
# Runtime identifier of .NET, and the magic number of its programs, by target. A static musl program serves every Linux.
RIDS = {
    "x86_64-unknown-linux-musl": ("linux-x64", b"\x7fELF", 62),
    "aarch64-unknown-linux-musl": ("linux-arm64", b"\x7fELF", 183),
    "x86_64-pc-windows-gnu": ("win-x64", b"MZ", 0x8664),
    "x86_64-pc-windows-msvc": ("win-x64", b"MZ", 0x8664),
    "aarch64-pc-windows-gnullvm": ("win-arm64", b"MZ", 0xAA64),
    "aarch64-pc-windows-msvc": ("win-arm64", b"MZ", 0xAA64),
    "x86_64-apple-darwin": ("osx-x64", b"\xcf\xfa\xed\xfe", 0x01000007),
    "aarch64-apple-darwin": ("osx-arm64", b"\xcf\xfa\xed\xfe", 0x0100000C),
}
NAMESPACE = "http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"
# The time of entries in packages: the earliest that a zip file can have.
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def files_of(folder):
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            yield path, os.path.relpath(path, os.path.dirname(folder)).replace(os.sep, "/")


def is_program(name):
    return os.path.basename(name) in ("pdblens", "pdblens.exe")


def write_zip(path, entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content, executable in entries:
            entry = zipfile.ZipInfo(name, ZIP_TIME)
            entry.create_system = 3
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            package.writestr(entry, content)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def packed_readme():
    """The README without what leads to files of the repository: its pictures, and the targets of its links."""
    lines = read("README.md").decode("utf-8").split("\n")
    kept = [line for line in lines if not re.fullmatch(r"!\[[^\]]*\]\((?!https?:)[^)]*\)", line)]
    # Lists of pages, and hints in brackets, are nothing without their targets.
    kept = [line for line in kept if not re.match(r"- \[[^\]]*\]\((?!https?:|#)", line)]
    text = re.sub(r" \(\[[^\]]*\]\((?!https?:|#)[^)]*\)\)", "", "\n".join(kept))
    text = re.sub(r"\[([^\]]*)\]\((?!https?:|#)[^)]*\)", r"\1", text)
    return re.sub(r"\n{3,}", "\n\n", text)


def readme(folder):
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8", newline="\n") as file:
        file.write(packed_readme())


def archive(folder, out, epoch):
    name = os.path.basename(folder)
    if os.path.exists(os.path.join(folder, "pdblens.exe")):
        entries = [(inside, read(path), is_program(inside)) for path, inside in files_of(folder)]
        return write_zip(os.path.join(out, name + ".zip"), entries)
    write(os.path.join(out, name + ".tar.gz"), tar_gz(((inside, read(path)) for path, inside in files_of(folder)), epoch))


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def packed(content):
    data = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=data, mtime=0) as file:
        file.write(content)
    return data.getvalue()


def tar_gz(entries, epoch, folders=()):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in [(folder, None) for folder in folders] + list(entries):
            entry = tarfile.TarInfo(name)
            entry.type, entry.size = (tarfile.DIRTYPE, 0) if content is None else (tarfile.REGTYPE, len(content))
            entry.mode = 0o755 if content is None or is_program(name) else 0o644
            entry.mtime, entry.uname, entry.gname = int(epoch), "root", "root"
            tar.addfile(entry, io.BytesIO(content or b""))
    return packed(data.getvalue())


def deb(folder, target, version, out, epoch):
    """An archive of three members (deb(5)): the format, the control file, and the files as they lie below the root."""
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}[target.split("-")[0]]
    files = {
        "usr/bin/pdblens": "pdblens",
        "usr/share/bash-completion/completions/pdblens": "completions/pdblens.bash",
        "usr/share/fish/vendor_completions.d/pdblens.fish": "completions/pdblens.fish",
        "usr/share/zsh/vendor-completions/_pdblens": "completions/pdblens.zsh",
    }
    entries = {name: read(os.path.join(folder, source)) for name, source in files.items()}
    licences = [read(os.path.join(folder, name)) for name in ("LICENSE-MIT", "LICENSE-APACHE")]
    entries["usr/share/doc/pdblens/copyright"] = b"\n".join(licences)
    for page in os.listdir(os.path.join(folder, "man")):
        entries[f"usr/share/man/man1/{page}.gz"] = packed(read(os.path.join(folder, "man", page)))
    folders = sorted({"/".join(name.split("/")[:depth]) for name in entries for depth in range(1, name.count("/") + 1)})
    control = f"""Package: pdblens
Version: {version}
Architecture: {architecture}
Maintainer: pdblens <pdblens@users.noreply.github.com>
Installed-Size: {sum(map(len, entries.values())) // 1024 + 1}
Section: devel
Priority: optional
Homepage: {REPOSITORY}
Description: {ABOUT[0].lower() + ABOUT[1:]}
 It shows everything in a DLL/PDB pair, down to the byte: tables, streams, sequence points, IL and source. The same
 questions can be asked from a script.
"""
    sums = "".join(f"{hashlib.md5(content).hexdigest()}  {name}\n" for name, content in sorted(entries.items()))
    members = {
        "debian-binary": b"2.0\n",
        "control.tar.gz": tar_gz([("control", control.encode()), ("md5sums", sums.encode())], epoch),
        "data.tar.gz": tar_gz(sorted(entries.items()), epoch, folders),
    }
    data = b"!<arch>\n"
    for name, content in members.items():
        data += f"{name:<16}{epoch:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)
    write(os.path.join(out, f"pdblens_{version}_{architecture}.deb"), data)


def nuspec(identifier, version, kind):
    return f"""<?xml version="1.0" encoding="utf-8"?>
<package xmlns="{NAMESPACE}">
  <metadata>
    <id>{identifier}</id>
    <version>{version}</version>
    <authors>pdblens</authors>
    <description>{ABOUT}. Needs the .NET 10 SDK or a later one to install.</description>
    <license type="expression">{LICENSE}</license>
    <projectUrl>{REPOSITORY}</projectUrl>
    <repository type="git" url="{REPOSITORY}" />
    <licenseUrl>https://licenses.nuget.org/{LICENSE.replace(" ", "%20")}</licenseUrl>
    <readme>README.md</readme>
    <packageTypes>
      <packageType name="{kind}" />
    </packageTypes>
  </metadata>
</package>
"""


def package(identifier, version, kind, tool_files, out):
    relations = f"""<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/{identifier}.nuspec" Id="R1" />
</Relationships>
"""
    types = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
  <Default Extension="nuspec" ContentType="application/octet" />
  <Default Extension="xml" ContentType="application/octet" />
  <Default Extension="md" ContentType="application/octet" />
  <Default Extension="exe" ContentType="application/octet" />
  <Default Extension="" ContentType="application/octet" />
</Types>
"""
    entries = [
        ("[Content_Types].xml", types, False),
        ("_rels/.rels", relations, False),
        (f"{identifier}.nuspec", nuspec(identifier, version, kind), False),
        ("README.md", packed_readme(), False),
    ]
    write_zip(os.path.join(out, f"{identifier}.{version}.nupkg"), entries + tool_files)


def tool(program, target, version, out):
    if target not in RIDS:
        return print(f"{target}: no .NET tool package (linux: build for musl)")
    rid = RIDS[target][0]
    name = os.path.basename(program)
    settings = f"""<?xml version="1.0" encoding="utf-8"?>
<DotNetCliTool Version="2">
  <Commands>
    <Command Name="pdblens" EntryPoint="{name}" Runner="executable" />
  </Commands>
</DotNetCliTool>
"""
    folder = f"tools/any/{rid}/"
    files = [(folder + "DotnetToolSettings.xml", settings, False), (folder + name, read(program), True)]
    package(f"pdblens.{rid}", version, "DotnetToolRidPackage", files, out)


def rids_in(version, out):
    pattern = re.compile(r"pdblens\.([a-z]+-[a-z0-9]+)\." + re.escape(version) + r"\.nupkg")
    return sorted(match[1] for match in map(pattern.fullmatch, os.listdir(out)) if match)


def pointer(version, out):
    rids = rids_in(version, out)
    if not rids:
        return
    lines = "".join(f'    <RuntimeIdentifierPackage RuntimeIdentifier="{rid}" Id="pdblens.{rid}" />\n' for rid in rids)
    settings = f"""<?xml version="1.0" encoding="utf-8"?>
<DotNetCliTool Version="2">
  <Commands>
    <Command Name="pdblens" />
  </Commands>
  <RuntimeIdentifierPackages>
{lines}  </RuntimeIdentifierPackages>
</DotNetCliTool>
"""
    package("pdblens", version, "DotnetTool", [("tools/any/any/DotnetToolSettings.xml", settings, False)], out)


def sha256(path):
    return hashlib.sha256(read(path)).hexdigest()


def manifests(version, out):
    url = f"{REPOSITORY}/releases/download/v{version}"
    names = [name for name in sorted(os.listdir(out)) if name.startswith(f"pdblens-{version}-")]
    by_target = {re.sub(r"\.(tar\.gz|zip)$", "", name)[len(f"pdblens-{version}-"):]: name for name in names}
    hashes = {target: sha256(os.path.join(out, name)) for target, name in by_target.items()}

    def first(*targets):
        return next((target for target in targets if target in by_target), None)

    def write_text(name, text):
        write(os.path.join(out, name), text.encode())

    formula = f'class Pdblens < Formula\n  desc "{ABOUT}"\n  homepage "{REPOSITORY}"\n  version "{version}"\n  license any_of: ["MIT", "Apache-2.0"]\n'
    systems = {
        "macos": (first("aarch64-apple-darwin"), first("x86_64-apple-darwin")),
        "linux": (
            first("aarch64-unknown-linux-musl", "aarch64-unknown-linux-gnu"),
            first("x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu"),
        ),
    }
    for system, pair in systems.items():
        if not any(pair):
            continue
        formula += f"\n  on_{system} do\n"
        for processor, target in zip(("arm", "intel"), pair):
            if target:
                formula += f'    on_{processor} do\n      url "{url}/{by_target[target]}"\n      sha256 "{hashes[target]}"\n    end\n'
        formula += "  end\n"
    formula += """
  def install
    bin.install "pdblens"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/pdblens.bash" => "pdblens"
    fish_completion.install "completions/pdblens.fish"
    zsh_completion.install "completions/pdblens.zsh" => "_pdblens"
  end

  test do
    assert_match "PDB matches DLL", shell_output("#{bin}/pdblens info --sample")
  end
end
"""
    write_text("pdblens.rb", formula)

    windows = {
        "64bit": first("x86_64-pc-windows-msvc", "x86_64-pc-windows-gnu"),
        "arm64": first("aarch64-pc-windows-msvc", "aarch64-pc-windows-gnullvm"),
    }
    windows = {processor: target for processor, target in windows.items() if target}
    if windows:
        scoop = {
            "version": version,
            "description": ABOUT,
            "homepage": REPOSITORY,
            "license": "MIT|Apache-2.0",
            "architecture": {
                processor: {
                    "url": f"{url}/{by_target[target]}",
                    "hash": hashes[target],
                    "extract_dir": f"pdblens-{version}-{target}",
                }
                for processor, target in windows.items()
            },
            "bin": "pdblens.exe",
        }
        write_text("pdblens.json", json.dumps(scoop, indent=4) + "\n")
        head = f"PackageIdentifier: pdblens.pdblens\nPackageVersion: {version}\n"
        tail = "ManifestVersion: 1.10.0\n"
        write_text("pdblens.pdblens.yaml", head + "DefaultLocale: en-US\nManifestType: version\n" + tail)
        write_text(
            "pdblens.pdblens.locale.en-US.yaml",
            head
            + "PackageLocale: en-US\nPublisher: pdblens\nPackageName: pdblens\n"
            + f"PackageUrl: {REPOSITORY}\nLicense: {LICENSE}\nShortDescription: {ABOUT}\nManifestType: defaultLocale\n"
            + tail,
        )
        installers = "".join(
            f"- Architecture: {'x64' if processor == '64bit' else processor}\n  InstallerUrl: {url}/{by_target[target]}\n"
            f"  InstallerSha256: {hashes[target].upper()}\n  NestedInstallerFiles:\n"
            f"  - RelativeFilePath: pdblens-{version}-{target}\\pdblens.exe\n    PortableCommandAlias: pdblens\n"
            for processor, target in windows.items()
        )
        write_text(
            "pdblens.pdblens.installer.yaml",
            head + "InstallerType: zip\nNestedInstallerType: portable\nInstallers:\n" + installers + "ManifestType: installer\n" + tail,
        )


def machine_of(program, magic):
    if magic == b"MZ":
        header = int.from_bytes(program[0x3C:0x40], "little")
        return int.from_bytes(program[header + 4 : header + 6], "little")
    if magic == b"\x7fELF":
        return int.from_bytes(program[18:20], "little")
    return int.from_bytes(program[4:8], "little")


def verify(version, out):
    """Every RID package has one program of its machine, which may be executed; the pointer names exactly these packages."""
    rids = rids_in(version, out)
    for rid in rids:
        with zipfile.ZipFile(os.path.join(out, f"pdblens.{rid}.{version}.nupkg")) as made:
            folder = f"tools/any/{rid}/"
            payload = [entry for entry in made.infolist() if entry.filename.startswith(folder)]
            programs = [entry for entry in payload if not entry.filename.endswith(".xml")]
            assert len(payload) == 2 and len(programs) == 1, rid
            assert programs[0].external_attr >> 16 == 0o100755, rid
            program = made.read(programs[0])
            _, magic, machine = next(known for known in RIDS.values() if known[0] == rid)
            assert program.startswith(magic) and machine_of(program, magic) == machine, rid
            if rid.startswith("linux-"):
                assert b"ld-linux" not in program, f"{rid} needs glibc: build for musl"
            settings = ElementTree.fromstring(made.read(folder + "DotnetToolSettings.xml"))
            command = settings.find("Commands/Command")
            assert settings.get("Version") == "2" and command.get("Runner") == "executable", rid
            assert folder + command.get("EntryPoint") == programs[0].filename, rid
            checked(made, f"pdblens.{rid}", version, "DotnetToolRidPackage")
    if rids:
        with zipfile.ZipFile(os.path.join(out, f"pdblens.{version}.nupkg")) as made:
            settings = ElementTree.fromstring(made.read("tools/any/any/DotnetToolSettings.xml"))
            named = settings.findall("RuntimeIdentifierPackages/RuntimeIdentifierPackage")
            assert [(one.get("RuntimeIdentifier"), one.get("Id")) for one in named] == [(rid, f"pdblens.{rid}") for rid in rids]
            checked(made, "pdblens", version, "DotnetTool")
    print(f"{len(rids)} RID packages are as dotnet tool install needs them")


def checked(made, identifier, version, kind):
    metadata = ElementTree.fromstring(made.read(f"{identifier}.nuspec"))[0]
    links = re.findall(r"\]\(([^)]*)\)", made.read("README.md").decode("utf-8"))
    assert all(link.startswith(("http", "#")) for link in links), links

    def text(name):
        return metadata.find(f"{{{NAMESPACE}}}{name}")

    assert text("id").text == identifier and text("version").text == version, identifier
    assert text("packageTypes")[0].get("name") == kind, identifier
    types = ElementTree.fromstring(made.read("[Content_Types].xml"))
    known = {one.get("Extension") for one in types}
    for entry in made.namelist():
        extension = os.path.splitext(entry)[1].lstrip(".")
        assert extension in known or entry == "[Content_Types].xml", entry


if __name__ == "__main__":
    commands = {"archive": archive, "deb": deb, "tool": tool, "pointer": pointer, "manifests": manifests, "readme": readme, "verify": verify}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
