"""Reduces an event trace (nettrace 4) to the events that pdblens reads of one assembly: its module, its methods, and their maps, in the order of the file.
Samples are kept with their stacks.

usage: trim_trace.py TRACE OUT ASSEMBLY [TOKEN…]   ASSEMBLY: the name of the file of the module, such as Ticker.dll; TOKEN: of the methods, else all
"""
import struct
import sys

START = b"Nettrace\x14\0\0\0!FastSerialization.1"
METHODS, MAPS, MODULES = (143, 144), (149, 150, 190), (152, 153, 154)


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, at


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def text(data, at):
    end = at
    while data[end:end + 2] != b"\0\0":
        end += 2
    return data[at:end].decode("utf-16le"), end + 2


def events(block):
    """Kind, payload and number of the stack of each event of a block with compressed heads."""
    at, kind, stack, size = struct.unpack_from("<H", block)[0], 0, 0, 0
    while at < len(block):
        flags, at = block[at], at + 1
        if flags & 1:
            kind, at = number(block, at)
        # Sequence, thread and processor; thread.
        for _ in range((3 if flags & 2 else 0) + (flags >> 2 & 1)):
            _, at = number(block, at)
        if flags & 8:
            stack, at = number(block, at)
        # Time.
        _, at = number(block, at)
        at += (flags & 16) + (flags & 32) // 2
        if flags & 128:
            size, at = number(block, at)
        yield kind & 0x7fffffff, block[at:at + size], stack
        at += size


def objects(data):
    """Head, name and content of each object: its bytes, or those of its block."""
    at = len(START)
    while data[at] == 5:
        size = struct.unpack_from("<I", data, at + 11)[0]
        body = at + 16 + size
        head, name = data[at:body], data[at + 15:at + 15 + size].decode()
        if name == "Trace":
            content, at = data[body:body + 48], body + 48
        else:
            start = body + 4 + -(body + 4) % 4
            at = start + struct.unpack_from("<I", data, body)[0]
            content = data[start:at]
        yield head, name, content
        assert data[at] == 6
        at += 1


def main():
    trace, out, assembly, *tokens = sys.argv[1:]
    tokens = [int(token, 0) for token in tokens]
    parts = list(objects(open(trace, "rb").read()))
    kinds, samples = {}, set()
    for _, name, content in parts:
        for _, payload, _ in events(content) if name == "MetadataBlock" else ():
            provider, at = text(payload, 4)
            if provider.startswith("Microsoft-Windows-DotNETRuntime"):
                kinds[struct.unpack_from("<I", payload)[0]] = struct.unpack_from("<I", payload, at)[0]
            elif provider == "Microsoft-DotNETCore-SampleProfiler":
                samples.add(struct.unpack_from("<I", payload)[0])
    # Numbers of stacks begin again; each stack is written once.
    known, stacks, taken = {}, {}, b""
    for _, name, content in parts:
        if name == "StackBlock":
            first, count = struct.unpack_from("<II", content)
            at = 8
            for number_of in range(first, first + count):
                size = struct.unpack_from("<I", content, at)[0]
                known[number_of] = content[at + 4:at + 4 + size]
                at += 4 + size
        for kind, payload, stack in events(content) if name == "EventBlock" else ():
            if kind in samples:
                at = stacks.setdefault(known[stack], len(stacks) + 1)
                taken += b"\x89" + varint(kind) + varint(at) + b"\0" + varint(len(payload)) + payload
    found = [(kind, payload) for _, name, content in parts if name == "EventBlock" for kind, payload, _ in events(content)]
    of = lambda wanted: [payload for kind, payload in found if kinds.get(kind) in wanted]
    modules = {payload[:8] for payload in of(MODULES) if text(payload, 24)[0].endswith("/" + assembly)}
    is_named = lambda payload: not tokens or struct.unpack_from("<I", payload, 28)[0] in tokens
    methods = {payload[:8] for payload in of(METHODS) if payload[8:16] in modules and is_named(payload)}
    is_wanted = lambda kind, payload: payload[:8] in (modules if kinds.get(kind) in MODULES else methods if kinds.get(kind) in METHODS + MAPS else ())
    # Each event has its kind and size in its head, and a time of 0 after the one before it.
    kept = b"".join(b"\x81" + varint(kind) + b"\0" + varint(len(payload)) + payload for kind, payload in found if is_wanted(kind, payload))
    data = bytearray(START)
    # All definitions, before all events.
    [last] = [part for part in parts if part[1] == "EventBlock"][-1:]
    wanted = [part for part in parts if part[1] in ("Trace", "MetadataBlock")]
    if stacks:
        [block] = [part for part in parts if part[1] == "StackBlock"][-1:]
        content = struct.pack("<II", 1, len(stacks)) + b"".join(struct.pack("<I", len(stack)) + stack for stack in stacks)
        wanted.append((block[0], block[1], content))
    for head, name, content in wanted + [(last[0], last[1], struct.pack("<HH", 4, 1) + kept + taken)]:
        data += head
        if name != "Trace":
            data += struct.pack("<I", len(content)) + bytes(-(len(data) + 4) % 4)
        data += content + b"\6"
    open(out, "wb").write(data + b"\1")


main()
