#!/usr/bin/env python3
"""Checks that everything depends in one direction.

Between crates: core, then query and origin side by side, attest, homes and export, the store, the doctor, then the faces, then the program. Between modules: at the
top level of every crate, and at every level of the modules in DEEP, siblings must not need each other in a
circle. There, code in a `mod.rs` counts as a sibling named `mod`, so a parent with logic of its own shows too.

Reads `use` declarations and paths that begin with `crate::` or `super::`; follows re-exports to where a thing
is defined. Code for tests is left out.
"""
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CRATES = ROOT / "crates"

# A crate may need crates with a smaller number.
RANK = {"gemtrail-core": 0, "gemtrail-antigravity": 1, "gemtrail-query": 1, "gemtrail-origin": 1, "gemtrail-home": 2, "gemtrail-store": 3, "gemtrail-doctor": 4, "gemtrail-export": 2, "gemtrail-attest": 2,
        "gemtrail-setup": 1, "gemtrail-lake": 5, "gemtrail-mcp": 5, "gemtrail-tui": 5, "gemtrail-web": 5, "gemtrail": 6}

# Modules that are checked at every level.
DEEP = {("gemtrail-store", "archive")}

# Circles that are known and not broken yet: where, and between which modules. Keep it empty.
ALLOWED = []


class Module:
    """A file, as a module of its crate."""

    def __init__(self, path, name):
        self.path = path
        self.name = name  # ("archive", "db", "schema")
        self.children = {}
        self.exports = {}  # a name to the path that it stands for
        self.code = without_tests(without_comments(path.read_text()))


def without_comments(text):
    """The code without comments and without what stands in strings."""
    token = r'//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\''
    return re.sub(token, lambda found: '""' if found[0][0] in 'br"' else " ", text, flags=re.S)


def without_tests(code):
    """The code without items that only tests have."""
    while found := re.search(r"#\[cfg\((?:all\()?test\b[^\]]*\)\]", code):
        end = found.end()
        stop = re.compile(r"[;{]").search(code, end)
        if stop is None:
            return code[: found.start()]
        end = stop.end()
        depth = int(stop[0] == "{")
        while depth and end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        code = code[: found.start()] + code[end:]
    return code


def expand(tree):
    """The paths of a `use` tree, each with the name that it gets."""
    tree = tree.strip()
    brace = tree.find("{")
    if brace < 0:
        path, _, alias = (part.strip() for part in tree.partition(" as "))
        segments = path.split("::")
        if segments[-1] == "self":
            segments.pop()
        return [(segments, alias or segments[-1])]
    before, inner = tree[:brace], tree[brace + 1 : tree.rindex("}")]
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(inner + ","):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(inner[start:at])
            start = at + 1
    return [path for part in parts if part.strip() for path in expand(before + part.strip())]


def modules_of(crate):
    """All modules of a crate by name."""
    source = CRATES / crate / "src"
    modules = {}
    for path in sorted(source.rglob("*.rs")):
        name = path.relative_to(source).with_suffix("").parts
        if name[-1] in ("lib", "main", "mod"):
            name = name[:-1]
        modules[name] = Module(path, name)
    # Parents come first: what only tests declare is dropped with all that is in it.
    for name in sorted(modules, key=len):
        parent = modules.get(name[:-1])
        if name and (parent is None or not re.search(rf"\bmod {name[-1]};", parent.code)):
            del modules[name]
        elif name:
            parent.children[name[-1]] = modules[name]
    for module in modules.values():
        for tree in re.findall(r"\bpub(?:\([^)]*\))?\s+use\s+([^;]+);", module.code):
            for segments, alias in expand(re.sub(r"\s+", " ", tree)):
                module.exports[alias] = segments
    return modules


def resolve(modules, here, segments, depth=0):
    """The module that defines what a path means; nothing for a path into another crate."""
    segments = list(segments)
    if segments[0] == "crate":
        at, segments = (), segments[1:]
    elif segments[0] in ("self", "super"):
        at = here.name
        while segments and segments[0] in ("self", "super"):
            if segments.pop(0) == "super":
                at = at[:-1]
    elif segments[0] in here.children:
        at = here.name
    else:
        return None
    while segments:
        module = modules[at]
        if segments[0] in module.children:
            at += (segments.pop(0),)
        elif segments[0] in module.exports and depth < 8:
            target = module.exports[segments[0]]
            return resolve(modules, module, target, depth + 1) or module
        else:
            break
    return modules[at]


def needs(modules):
    """Which module needs which, as pairs of names."""
    pairs = set()
    for module in modules.values():
        own_exports = re.sub(r"\bpub(?:\([^)]*\))?\s+use\s+[^;]+;", "", module.code)
        paths = []
        for tree in re.findall(r"\buse\s+([^;]+);", own_exports):
            paths += [segments for segments, _ in expand(re.sub(r"\s+", " ", tree))]
        rest = re.sub(r"\buse\s+[^;]+;", "", own_exports)
        paths += [path.split("::") for path in re.findall(r"\b(?:crate|super)(?:::\w+)+", rest)]
        for segments in paths:
            target = resolve(modules, module, segments)
            if target is not None and target is not module:
                pairs.add((module.name, target.name))
    return pairs


def siblings(pairs, parent, with_parent):
    """The same between the children of a module. Its own code is its child `mod`."""
    depth = len(parent)

    def child(name):
        if name[:depth] != parent:
            return None
        return name[depth] if len(name) > depth else ("mod" if with_parent else None)

    graph = {}
    for one, other in pairs:
        one, other = child(one), child(other)
        if one is not None and other is not None and one != other:
            graph.setdefault(one, set()).add(other)
    return graph


def circles(graph):
    """Groups of nodes that all need each other, by Tarjan's algorithm."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = []
            while not group or group[-1] != node:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(set(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def shortest(graph, group):
    """One circle within a group, to show."""
    best = None
    for start in sorted(group):
        ways = [[start]]
        seen = {start}
        for way in ways:
            for other in sorted(graph.get(way[-1], set()) & group):
                if other == start and (best is None or len(way) + 1 < len(best)):
                    best = way + [start]
                if other not in seen:
                    seen.add(other)
                    ways.append(way + [other])
    return best


def check_modules(crate, used):
    """How many modules a crate has, and its circles. Those that are allowed are added to `used`."""
    modules = modules_of(crate)
    pairs = needs(modules)
    levels = [((), False)]
    for deep_crate, *deep in DEEP:
        if deep_crate == crate:
            inner = [name for name in modules if name[: len(deep)] == tuple(deep) and modules[name].children]
            levels += [(name, True) for name in inner]
    problems = []
    for parent, with_parent in levels:
        graph = siblings(pairs, parent, with_parent)
        for group in circles(graph):
            place = "::".join((crate,) + parent)
            known = next((entry for entry in ALLOWED if entry[0] == place and group <= entry[1]), None)
            if known:
                used.append(known)
            else:
                way = " -> ".join(shortest(graph, group))
                problems.append(f"{place}: {way} (all of {{{', '.join(sorted(group))}}})")
    return len(modules), problems


def check_crates():
    problems = []
    for manifest in sorted(CRATES.glob("*/Cargo.toml")):
        package = tomllib.loads(manifest.read_text())
        name = package["package"]["name"]
        for other in package.get("dependencies", {}):
            if other in RANK and name in RANK and RANK[other] >= RANK[name]:
                problems.append(f"{name} must not need {other}")
            elif other in RANK and name not in RANK:
                problems.append(f"{name}, which is for tests, must not need {other}")
            elif other.startswith("gemtrail") and other not in RANK:
                problems.append(f"{name} needs {other}, which has no place in the order")
    return problems


def main():
    problems, count, used = check_crates(), 0, []
    for crate in RANK:
        modules, found = check_modules(crate, used)
        count += modules
        problems += found
    problems += [f"{place}: broken, take it off the list" for place, group in ALLOWED if (place, group) not in used]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"cycles: {count} modules in {len(RANK)} crates checked, {len(problems)} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
