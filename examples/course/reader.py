"""The nineteen exercises of `pdblens course`, solved: a reader of portable PDBs, of native formats, and of maps of machine code."""

import json
import struct
import sys
from pathlib import Path


class Reader:
    """Bytes that are read from front to back; reading past the end is an error."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, count):
        taken = self.data[self.at : self.at + count]
        if len(taken) < count:
            raise ValueError(f"{count} bytes needed at {self.at:#x}")
        self.at += count
        return taken

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def is_done(self):
        return self.at >= len(self.data)

    def compressed(self):
        return self.with_bits()[0]

    def compressed_signed(self):
        number, bits = self.with_bits()
        value = number >> 1 | (number & 1) << (bits - 1)
        return value - (1 << bits) if number & 1 else value

    def with_bits(self):
        first = self.take(1)[0]
        if first < 0x80:
            return first, 7
        if first < 0xC0:
            return (first & 0x3F) << 8 | int.from_bytes(self.take(1), "big"), 14
        if first < 0xE0:
            return (first & 0x1F) << 24 | int.from_bytes(self.take(3), "big"), 29
        raise ValueError(f"{first:#x} begins no compressed integer")

    def seven_bit(self):
        number, shift, byte = 0, 0, 0x80
        while byte & 0x80:
            byte = self.number(1)
            number, shift = number | (byte & 0x7F) << shift, shift + 7
        return number - (1 << 32) if number >> 31 & 1 else number

    def guid(self):
        a, b, c = struct.unpack("<IHH", self.take(8))
        rest = self.take(8).hex()
        return f"{a:08x}-{b:04x}-{c:04x}-{rest[:4]}-{rest[4:]}"

    def text(self):
        end = self.data.find(0, self.at)
        if end < 0:
            raise ValueError("a text without an end")
        text = self.data[self.at : end].decode("utf-8")
        self.at = end + 1
        return text


def unsigned(data):
    reader, values = Reader(data), []
    while not reader.is_done():
        values.append(reader.compressed())
    return {"values": values}


def signed(data):
    reader, values = Reader(data), []
    while not reader.is_done():
        values.append(reader.compressed_signed())
    return {"values": values}


def guid(data):
    return {"guid": Reader(data).guid()}


def rsds(data):
    reader = Reader(data)
    if reader.take(4) != b"RSDS":
        raise ValueError("no RSDS record")
    return {"guid": reader.guid(), "age": reader.number(4), "path": reader.text()}


def root(data):
    reader = Reader(data)
    if reader.take(4) != b"BSJB":
        raise ValueError("no metadata")
    reader.take(8)
    version = reader.take(reader.number(4)).rstrip(b"\0").decode()
    reader.take(2)
    streams = []
    for _ in range(reader.number(2)):
        offset, size, name = reader.number(4), reader.number(4), reader.text()
        reader.at = (reader.at + 3) & ~3
        streams.append({"offset": offset, "size": size, "name": name})
    return {"version": version, "streams": streams}


def stream(data, name):
    for found in root(data)["streams"]:
        if found["name"] == name:
            return found["offset"], data[found["offset"] : found["offset"] + found["size"]]
    return 0, b""


def counts(reader, mask):
    return [{"table": bit, "rows": reader.number(4)} for bit in range(64) if mask >> bit & 1]


def pdb(data):
    reader = Reader(stream(data, "#Pdb")[1])
    answer = {"guid": reader.guid(), "stamp": reader.number(4), "entryPoint": reader.number(4)}
    answer["typeSystemTables"] = counts(reader, reader.number(8))
    return answer


def header(data):
    """Heap sizes, row counts, and the place of the first row in the file."""
    start, content = stream(data, "#~")
    reader = Reader(content)
    reader.take(6)
    heap_sizes = reader.number(1)
    reader.take(1)
    valid = reader.number(8)
    reader.take(8)
    found = counts(reader, valid)
    return heap_sizes, found, start + reader.at


def tables(data):
    heap_sizes, found, _ = header(data)
    return {"heapSizes": heap_sizes, "tables": found}


CUSTOM_PARENTS = [
    0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0A, 0x00, 0x0E, 0x17, 0x14, 0x11, 0x1A, 0x1B,
    0x20, 0x23, 0x26, 0x27, 0x28, 0x2A, 0x2C, 0x2B, 0x30, 0x32, 0x33, 0x34, 0x35,
]  # fmt: skip
COLUMNS = {
    0x00: ["u2", "string", "guid", "guid", "guid"],
    0x01: [[0x00, 0x1A, 0x23, 0x01], "string", "string"],
    0x02: ["u4", "string", "string", [0x02, 0x01, 0x1B], 0x04, 0x06],
    0x03: [0x04],
    0x04: ["u2", "string", "blob"],
    0x05: [0x06],
    0x06: ["u4", "u2", "u2", "string", "blob", 0x08],
    0x30: ["blob", "guid", "blob", "guid"],
    0x31: [0x30, "blob"],
    0x32: [0x06, 0x35, 0x33, 0x34, "u4", "u4"],
    0x33: ["u2", "u2", "string"],
    0x34: ["string", "blob"],
    0x35: [0x35, "blob"],
    0x36: [0x06, 0x06],
    0x37: [CUSTOM_PARENTS, "guid", "blob"],
}


def widths(data, table):
    heap_sizes, own, _ = header(data)
    image = pdb(data)["typeSystemTables"] if stream(data, "#Pdb")[1] else []
    rows = {found["table"]: found["rows"] for found in image + own}
    result = []
    for column in COLUMNS[table]:
        if column in ("u2", "u4"):
            result.append(int(column[1]))
        elif isinstance(column, str):
            bit = {"string": 1, "guid": 2, "blob": 4}[column]
            result.append(4 if heap_sizes & bit else 2)
        elif isinstance(column, int):
            result.append(4 if rows.get(column, 0) > 0xFFFF else 2)
        else:
            tag = 5 if column is CUSTOM_PARENTS else 2
            result.append(4 if any(rows.get(parent, 0) > 0xFFFF >> tag for parent in column) else 2)
    return result


def layout(data):
    _, found, offset = header(data)
    result = []
    for table in found:
        if table["table"] not in COLUMNS:
            break
        size = sum(widths(data, table["table"]))
        result.append({"table": table["table"], "rowSize": size, "offset": offset})
        offset += size * table["rows"]
    return {"tables": result}


def rows(data, table):
    count = next((found["rows"] for found in header(data)[1] if found["table"] == table), 0)
    place = next((found["offset"] for found in layout(data)["tables"] if found["table"] == table), 0)
    reader, sizes = Reader(data, place), widths(data, table) if count else []
    return [[reader.number(size) for size in sizes] for _ in range(count)]


def blob(data, offset):
    reader = Reader(stream(data, "#Blob")[1], offset)
    return reader.take(reader.compressed())


def document_name(data, offset):
    reader = Reader(blob(data, offset))
    separator = reader.take(1).replace(b"\0", b"").decode()
    parts = []
    while not reader.is_done():
        part = reader.compressed()
        parts.append(blob(data, part).decode() if part else "")
    return separator.join(parts)


def documents(data):
    guids = stream(data, "#GUID")[1]

    def guid_at(index):
        return Reader(guids, (index - 1) * 16).guid() if index else None

    found = []
    for name, algorithm, content, language in rows(data, 0x30):
        found.append({
            "name": document_name(data, name),
            "hashAlgorithm": guid_at(algorithm),
            "hash": blob(data, content).hex() if content else "",
            "language": guid_at(language),
        })  # fmt: skip
    return {"documents": found}


def decode_points(data, document=None):
    """The local signature and the points; `document` is 0 where the blob names its documents, `None` where they are not asked for."""
    reader = Reader(data)
    signature = reader.compressed()
    if document == 0:
        document = reader.compressed()
    offset, line, column, found = 0, None, None, []
    while not reader.is_done():
        delta = reader.compressed()
        if delta == 0 and found:
            document = reader.compressed()
            continue
        offset += delta
        point = {"offset": offset}
        if document is not None:
            point["document"] = document
        lines = reader.compressed()
        columns = reader.compressed_signed() if lines else reader.compressed()
        point["hidden"] = lines == 0 and columns == 0
        if not point["hidden"]:
            if line is None:
                line, column = reader.compressed(), reader.compressed()
            else:
                line += reader.compressed_signed()
                column += reader.compressed_signed()
            point.update(startLine=line, startColumn=column, endLine=line + lines, endColumn=column + columns)
        found.append(point)
    return signature, found


def points(data):
    signature, found = decode_points(data)
    return {"localSignature": signature, "points": found}


def methods(data):
    found = []
    for row, (document, offset) in enumerate(rows(data, 0x31), 1):
        if offset:
            found.append({"method": row, "points": decode_points(blob(data, offset), document)[1]})
    return {"methods": found}


def msf(data):
    reader = Reader(data)
    if reader.take(32) != b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0":
        raise ValueError("no MSF file")
    page_size, _, pages_of_file, directory_size, _ = (reader.number(4) for _ in range(5))

    def page_count(size):
        return -(-size // page_size)

    def page_numbers(reader, count):
        numbers = [reader.number(4) for _ in range(count)]
        if any(number >= pages_of_file for number in numbers):
            raise ValueError(f"a page that the file does not have: {numbers}")
        return numbers

    def joined(numbers):
        return b"".join(Reader(data, number * page_size).take(page_size) for number in numbers)

    block_map = joined(page_numbers(reader, page_count(page_count(directory_size) * 4)))
    directory = joined(page_numbers(Reader(block_map), page_count(directory_size)))
    reader = Reader(directory[:directory_size])
    count = reader.number(4)
    sizes = [reader.number(4) for _ in range(count)]
    streams = []
    for size in sizes:
        size = None if size == 0xFFFFFFFF else size
        streams.append({"size": size, "pages": page_numbers(reader, page_count(size or 0))})
    return {"pageSize": page_size, "streamCount": count, "streams": streams}


def image_metadata(image):
    """The metadata of an image: by way of the CLI header, which directory 14 of the optional header leads to."""

    def number(at, size=4):
        return Reader(image, at).number(size)

    header = number(0x3C)
    count, optional = number(header + 6, 2), number(header + 20, 2)
    directories = header + 24 + (96 if number(header + 24, 2) == 0x10B else 112)

    def place(rva):
        for section in range(header + 24 + optional, header + 24 + optional + count * 40, 40):
            start = number(section + 12)
            if start <= rva < start + number(section + 16):
                return rva - start + number(section + 20)
        raise ValueError(f"no section has {rva:#x}")

    cli = place(number(directories + 14 * 8))
    return Reader(image, place(number(cli + 8))).take(number(cli + 12))


def method_names(metadata):
    """Names of the methods, in the order of their rows."""
    strings, types = stream(metadata, "#Strings")[1], rows(metadata, 0x02)
    methods, found = rows(metadata, 0x06), []

    def text(offset):
        return Reader(strings, offset).text()

    for (_, name, space, _, _, first), after in zip(types, types[1:] + [[0] * 5 + [len(methods) + 1]]):
        owner = (text(space) + "." if space else "") + text(name)
        found += [f"{owner}.{text(methods[row - 1][3])}" for row in range(first, after[5])]
    return found


def parse_frame(line, names):
    """The token and the IL offset; the token is `None` if not exactly one method has the name."""
    if not line.startswith("at "):
        return [int(number, 16) for number in line.split("+")]
    name, offset = line[3:].split("() +")
    token = 0x06000001 + names.index(name) if names.count(name) == 1 else None
    return token, int(offset, 16)


def frames(data):
    end = data.index(b"\n\n")
    lines, data, method_list = data[:end].decode().splitlines(), data[end + 2 :], []
    if lines[0].startswith("image "):
        split = len(data) - int(lines.pop(0)[6:])
        data, method_list = data[:split], method_names(image_metadata(data[split:]))
    table, names, found = rows(data, 0x31), documents(data)["documents"], []
    for line in lines:
        token, offset = parse_frame(line, method_list)
        document, place = table[(token & 0xFFFFFF) - 1] if token else (0, 0)
        known = decode_points(blob(data, place), document)[1] if place else []
        before = [point for point in known if point["offset"] <= offset]
        point = before[-1] if before and not before[-1]["hidden"] else None
        found.append(point and {"document": names[point["document"] - 1]["name"], "line": point["startLine"]})
    return {"frames": found}


MDB_MAGIC = 0x45E82623FD7FA614


def mdb_header(data):
    """The GUID, and the 20 numbers of the offset table."""
    reader = Reader(data)
    if reader.number(8) != MDB_MAGIC or (reader.number(4), reader.number(4)) != (50, 0):
        raise ValueError("no .mdb file of version 50.0")
    guid, numbers = reader.guid(), [reader.number(4) for _ in range(20)]
    if numbers[0] != len(data):
        raise ValueError(f"the header says {numbers[0]} bytes")
    return guid, numbers


def mdb(data):
    guid, numbers = mdb_header(data)
    table, sources = Reader(data, numbers[7]), []
    for _ in range(numbers[6]):
        table.take(4)
        source = Reader(data, table.number(4))
        path = source.take(source.seven_bit()).decode()
        source.take(16)
        sources.append({"path": path, "hash": source.take(16).hex()})
    return {"guid": guid, "sources": sources}


NATIVE_PROCEDURES = [0x110F, 0x1110, 0x1146, 0x1147]
MANAGED_PROCEDURES = [0x112A, 0x112B]


def symbols(data):
    reader, found = Reader(data), []
    if reader.number(4) != 4:
        raise ValueError("symbols of an old version")
    while not reader.is_done():
        size = reader.number(2)
        record = Reader(reader.take(size))
        symbol = {"kind": record.number(2), "size": size}
        if symbol["kind"] in NATIVE_PROCEDURES + MANAGED_PROCEDURES:
            record.take(12)
            symbol["codeSize"] = record.number(4)
            record.take(12)
            symbol["offset"], symbol["section"] = record.number(4), record.number(2)
            record.take(1 if symbol["kind"] in NATIVE_PROCEDURES else 3)
            symbol["name"] = record.text()
        found.append(symbol)
    return {"symbols": found}


def bounds(data):
    nibbles, place = [half for byte in data for half in (byte & 15, byte >> 4)], 0

    def number():
        nonlocal place
        value, nibble = 0, 8
        while nibble & 8:
            nibble, place = nibbles[place], place + 1
            value = value << 3 | nibble & 7
        return value

    count, native_bits, il_bits = number(), number() + 1, number() + 1
    packed = Reader(data, (place + 1) // 2).take((count * (2 + native_bits + il_bits) + 7) // 8)
    bits, native, found = int.from_bytes(packed, "little"), 0, []

    def take(width):
        nonlocal bits
        value, bits = bits & (1 << width) - 1, bits >> width
        return value

    for _ in range(count):
        source = take(2)
        native += take(native_bits)
        found.append({"native": native, "il": take(il_bits) - 3, "call": source & 1 == 1, "empty": source & 2 == 2})
    return {"bounds": found}


def line_subsection(reader):
    base, section, flags, _ = reader.number(4), reader.number(2), reader.number(2), reader.number(4)
    all_lines = []
    while not reader.is_done():
        start = reader.at
        file, count, size = reader.number(4), reader.number(4), reader.number(4)
        records = [(reader.number(4), reader.number(4)) for _ in range(count)]
        columns = [(reader.number(2), reader.number(2)) for _ in range(count if flags & 1 else 0)]
        reader.at = start + size
        for index, (offset, packed) in enumerate(records):
            start_line = packed & 0xFFFFFF
            line = {"section": section, "offset": base + offset, "file": file}
            line["hidden"] = start_line in (0xFEEFEE, 0xF00F00)
            if not line["hidden"]:
                line.update(startLine=start_line, endLine=start_line + (packed >> 24 & 0x7F))
                if columns:
                    line.update(startColumn=columns[index][0], endColumn=columns[index][1])
            all_lines.append(line)
    return all_lines


def checksum_subsection(reader):
    found = []
    while not reader.is_done():
        file = {"file": reader.at, "name": reader.number(4)}
        size, file["kind"] = reader.number(1), reader.number(1)
        file["checksum"] = reader.take(size).hex()
        reader.at = (reader.at + 3) & ~3
        found.append(file)
    return found


def c13(data):
    reader, lines, files = Reader(data), [], []
    while not reader.is_done():
        kind, size = reader.number(4), reader.number(4)
        content = Reader(reader.take(size))
        reader.at = (reader.at + 3) & ~3
        if kind == 0xF2:
            lines += line_subsection(content)
        if kind == 0xF4:
            files += checksum_subsection(content)
    return {"lines": lines, "files": files}


def line_program(reader, line_base, line_range, opcode_base):
    file, line, offset, hidden, is_changed, points = 1, 1, 0, False, False, []
    while True:
        opcode, is_point = reader.number(1), False
        if opcode >= opcode_base:
            offset += (opcode - opcode_base) // line_range
            line += line_base + (opcode - opcode_base) % line_range
            is_point = True
        elif opcode == 0:
            rest, extended = reader.number(1) - 1, reader.number(1)
            if extended == 1:
                is_point = is_changed
            elif extended < 0x40 or extended > 0x7F:
                raise ValueError(f"extended opcode {extended:#x}")
            else:
                hidden ^= extended == 0x40
                reader.take(rest)
        elif opcode == 1:
            is_point = True
        elif opcode == 2:
            offset += reader.seven_bit()
        elif opcode == 3:
            line += reader.seven_bit()
        elif opcode == 4:
            file = reader.seven_bit()
        elif opcode == 8:
            offset += (255 - opcode_base) // line_range
        else:
            raise ValueError(f"opcode {opcode}")
        is_changed = not is_point
        if is_point:
            is_hidden = hidden or line <= 0
            points.append({"offset": offset, "file": file, "hidden": is_hidden} | ({} if is_hidden else {"line": line}))
        if opcode == 0 and extended == 1:
            return points


def program(data):
    _, numbers = mdb_header(data)
    line_base = numbers[16] - (1 << 32) if numbers[16] >> 31 else numbers[16]
    table, found = Reader(data, numbers[10]), []
    for _ in range(numbers[9]):
        token, _, at = table.number(4), table.number(4), table.number(4)
        if at:
            found.append({"token": token, "points": line_program(Reader(data, at), line_base, *numbers[17:19])})
    return {"methods": found}


def stream_bytes(data):
    """The streams of a Windows PDB, each as bytes."""
    directory = msf(data)
    size = directory["pageSize"]

    def joined(found):
        pages = b"".join(data[page * size : (page + 1) * size] for page in found["pages"])
        return pages[: found["size"] or 0]

    return [joined(found) for found in directory["streams"]]


def named_stream(streams, name):
    reader = Reader(streams[1], 28)
    texts = Reader(reader.take(reader.number(4)))
    count, _ = reader.number(4), reader.number(4)
    for _ in range(2):
        reader.take(reader.number(4) * 4)
    for _ in range(count):
        texts.at, number = reader.number(4), reader.number(4)
        if texts.text() == name:
            return streams[number]
    raise ValueError(f"no stream {name}")


def modules(streams):
    """Symbols and C13 of each module."""
    dbi = Reader(streams[3], 24)
    end = 64 + dbi.number(4)
    dbi.at = 64
    while dbi.at < end:
        dbi.take(34)
        number, sizes = dbi.number(2), [dbi.number(4) for _ in range(3)]
        dbi.take(16)
        dbi.text(), dbi.text()
        dbi.at = (dbi.at + 3) & ~3
        if number != 0xFFFF:
            reader = Reader(streams[number])
            symbols_of_module, _, c13_of_module = [reader.take(size) for size in sizes]
            yield symbols_of_module, c13_of_module


def image_sections(streams):
    dbi = Reader(streams[3], 24)
    sizes = [dbi.number(4) for _ in range(5)]
    dbi.take(4)
    optional, ec = dbi.number(4), dbi.number(4)
    headers = Reader(streams[Reader(streams[3], 64 + sum(sizes) + ec + 10).number(2)])
    found = []
    while not headers.is_done():
        headers.take(8)
        size, start = headers.number(4), headers.number(4)
        headers.take(24)
        found.append((start, size))
    return found


def addresses(data):
    end = data.index(b"\n\n")
    text, streams = data[:end].decode(), stream_bytes(data[end + 2 :])
    sections, names, found = image_sections(streams), Reader(named_stream(streams, "/names")[12:]), []
    parts = [(symbols(part)["symbols"], c13(lines)) for part, lines in modules(streams)]
    for line in text.splitlines():
        found.append(None)
        rva = int(line, 16)
        for number, (start, size) in enumerate(sections, 1):
            if start <= rva < start + size:
                found[-1] = at_address(parts, names, number, rva - start)
    return {"addresses": found}


def at_address(parts, names, section, offset):
    for procedures, lines in parts:
        for one in procedures:
            if one.get("section") == section and one["offset"] <= offset < one["offset"] + one["codeSize"]:
                before = [line for line in lines["lines"] if one["offset"] <= line["offset"] <= offset]
                before = sorted((line for line in before if line["section"] == section), key=lambda line: line["offset"])
                last = before[-1] if before else None
                if not last or last["hidden"]:
                    return {"function": one["name"], "document": None, "line": None}
                names.at = next(file["name"] for file in lines["files"] if file["file"] == last["file"])
                return {"function": one["name"], "document": names.text(), "line": last["startLine"]}
    return None


def resolve(files, places):
    """The tools: reader.py resolve App.pdb 0x06000003+0xc, resolve App.pdb App.dll "at X.Y() +0xc", and resolve native.pdb 0x1010"""
    data = [Path(file).read_bytes() for file in files]
    if data[0].startswith(b"BSJB"):
        size = f"image {len(data[1])}\n" if len(data) > 1 else ""
        found = frames((size + "\n".join(places) + "\n\n").encode() + b"".join(data))["frames"]
    else:
        found = addresses("\n".join(places).encode() + b"\n\n" + data[0])["addresses"]
    for place, found in zip(places, found):
        print(place, f"{found['document']}:{found['line']}" if found and found["line"] else "no line")


def main():
    if sys.argv[1:2] == ["resolve"]:
        files = [word for word in sys.argv[2:] if word.endswith((".pdb", ".dll", ".exe"))]
        return resolve(files, sys.argv[2 + len(files) :])
    answers = {}
    for path in map(Path, sys.argv[1:]):
        exercise = path.parent.name
        try:
            answers[f"{exercise}/{path.stem}"] = globals()[exercise](path.read_bytes())
        except Exception as error:
            answers[f"{exercise}/{path.stem}"] = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
