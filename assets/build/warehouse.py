#!/usr/bin/env python3
"""Writes the sources of the sample `warehouse`: 5 000 methods, counting those that the compiler makes, whose shape follows real
packages: two to seven sequence points a method, long names, overloads, generics, iterators, async methods and lambdas. The same
seed gives the same sources. They are not kept: the pair is one whose sources are not at hand.

    warehouse.py FOLDER
"""
import random
import sys
from pathlib import Path

METHODS, TYPES, SEED = 3240, 220, 20261122
VERBS = "Get Set Try Create Build Resolve Validate Write Read Convert Append Remove Find Merge Serialize Deserialize Register Dispatch Normalize Compute".split()
NOUNS = "Order Shipment Customer Address Invoice Payment Catalog Inventory Session Token Request Response Envelope Template Schedule Warehouse Pallet Carrier Route Discount".split()
TAILS = ["", "Async", "Core", "Internal", "OrDefault", "ForTenantWithinScope", "FromConfigurationSection", "UsingDefaultSerializerSettings"]
AREAS = "Orders Billing Shipping Catalog Identity Reporting Storage Messaging Scheduling Diagnostics".split()
PARAMETERS = [("int", "count"), ("string", "name"), ("long", "offset"), ("bool", "strict"), ("System.Guid", "id"),
              ("System.Collections.Generic.IReadOnlyList<string>", "names"), ("System.ReadOnlySpan<byte>", "data"), ("object", "state")]
# How many of 100 methods have so many statements: the two braces are points of their own.
STATEMENTS = [0] * 18 + [1] * 34 + [2] * 20 + [3] * 14 + [4] * 8 + [7] * 4 + [14] * 2


def statement(rng, n):
    kind = rng.choices(range(6), [6, 6, 6, 6, 6, 1])[0]
    if kind == 0:
        return [f"total += {rng.randrange(1, 999)};"]
    if kind == 1:
        return [f"if (total > {rng.randrange(9999)})", f"    total -= {rng.randrange(1, 99)};"]
    if kind == 2:
        return [f"for (int i{n} = 0; i{n} < {rng.randrange(2, 9)}; i{n}++)", f"    total += i{n};"]
    if kind == 3:
        return [f'System.Console.WriteLine("{rng.choice(NOUNS).lower()} {{0}}", total);']
    if kind == 4:
        return [f"int local{n} = total * {rng.randrange(2, 9)};", f"total ^= local{n};"]
    return [f"System.Func<int, int> step{n} = value => value + total;", f"total = step{n}({rng.randrange(9)});"]


def method(rng, name, taken):
    parameters = rng.sample(PARAMETERS[:-1], rng.choices([0, 1, 2, 3, 4], [3, 4, 3, 2, 1])[0])
    generic = "<T>" if rng.random() < 0.08 else ""
    kind = rng.choices(["plain", "iterator", "async"], [92, 3, 5])[0]
    if kind != "plain":
        parameters = [one for one in parameters if "Span" not in one[0]]
    key = (name, generic, tuple(kind for kind, _ in parameters))
    if key in taken:
        return None
    taken.add(key)
    count = rng.choice(STATEMENTS)
    lines = [line for n in range(count) for line in statement(rng, n)]
    if any("=>" in line for line in lines) and any("Span" in one for one, _ in parameters):
        lines = [line for line in lines if "step" not in line]
    result = {"plain": "int", "iterator": "System.Collections.Generic.IEnumerable<int>", "async": "System.Threading.Tasks.Task<int>"}[kind]
    head = f"public {'async ' if kind == 'async' else ''}{result} {name}{generic}({', '.join(f'{kind} {one}' for kind, one in parameters)})"
    if kind == "plain" and not lines and rng.random() < 0.5:
        return [f"{head} => {rng.randrange(999)};"]
    body = [f"int total = {rng.randrange(99)};", *lines]
    if kind == "async":
        body.append("await System.Threading.Tasks.Task.Yield();")
    body.append("yield return total;" if kind == "iterator" else "return total;")
    return [head, "{", *("    " + line for line in body), "}"]


def main(folder):
    rng, left = random.Random(SEED), METHODS
    for number in range(TYPES):
        area = rng.choice(AREAS)
        name = f"{rng.choice(NOUNS)}{rng.choice(NOUNS)}{rng.choice(['Service', 'Handler', 'Factory', 'Options', 'Repository', 'Extensions'])}{number}"
        share = left if number == TYPES - 1 else min(left, max(1, int(rng.expovariate(1 / (left / (TYPES - number))))))
        lines, taken, made = [f"namespace Acme.Warehouse.{area};", "", f"public sealed class {name}{'<TKey>' if rng.random() < 0.1 else ''}", "{"], set(), 0
        names = [rng.choice(VERBS) + rng.choice(NOUNS) + rng.choice(TAILS) for _ in range(max(1, share * 2 // 3))]
        while made < share:
            one = method(rng, rng.choice(names), taken)
            if one is None:
                names.append(rng.choice(VERBS) + rng.choice(NOUNS) + rng.choice(NOUNS) + rng.choice(TAILS))
                continue
            lines += ["    " + line for line in one] + [""]
            made += 1
        left -= share
        path = Path(folder) / area / f"{name}.cs"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([*lines[:-1], "}", ""]))


main(sys.argv[1])
