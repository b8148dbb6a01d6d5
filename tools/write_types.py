#!/usr/bin/env python3
"""Writes the types of the Python and the npm package from docs/schema.

    tools/write_types.py            write them
    tools/write_types.py --check    exit with 1 if a file differs
"""
import json
import keyword
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "docs" / "schema"
PYTHON = ROOT / "packaging" / "python" / "gemtrail" / "documents.py"
TYPESCRIPT = ROOT / "packaging" / "npm" / "documents.d.ts"
HEAD = "The documents that gemtrail prints as JSON. Made from docs/schema by tools/write_types.py."
# Only documents of early releases lack these; the program of a package always writes them.
ALWAYS = {"ref"}
DOCUMENTS = (
    "chat", "doctor", "error", "event", "list", "message", "note", "projects", "search", "session", "session-footer",
    "session-header", "signals", "stats", "transcript", "usage", "validation", "verdict",
)


def definitions():
    """Every type by its name. What two schemas call the same and is not gets the name of the schema as well."""
    found = {}
    for document in DOCUMENTS:
        schema = json.loads((SCHEMAS / f"{document}.json").read_text())
        prefix = "".join(word.capitalize() for word in document.split("-"))
        parts = schema.pop("$defs", {})
        del schema["$schema"]
        root = schema.get("title", prefix)
        if schema.get("type") == "array":
            root = prefix
        parts[root] = schema
        parts = _named(parts, root)
        names = {name: name for name in parts}
        for name, part in parts.items():
            if name in found and _bare(found[name]) != _bare(part):
                names[name] = prefix + name
        for name, part in parts.items():
            found[names[name]] = _renamed(part, names)
    return dict(sorted(found.items()))


def _required(part):
    return set(part.get("required", [])) | ALWAYS


def _bare(part):
    """What counts in a comparison: no words for people."""
    if isinstance(part, dict):
        return {key: _bare(value) for key, value in part.items() if key not in ("description", "title")}
    return [_bare(it) for it in part] if isinstance(part, list) else part


def _named(part, root):
    """The same with the name of what it refers to in place of the address."""
    if isinstance(part, list):
        return [_named(it, root) for it in part]
    if not isinstance(part, dict):
        return part
    part = {key: _named(value, root) for key, value in part.items()}
    if isinstance(part.get("$ref"), str):
        part["$ref"] = root if part["$ref"] == "#" else part["$ref"].removeprefix("#/$defs/")
    return part


def _renamed(part, names):
    """The same under other names."""
    if isinstance(part, list):
        return [_renamed(it, names) for it in part]
    if not isinstance(part, dict):
        return part
    part = {key: _renamed(value, names) for key, value in part.items()}
    if isinstance(part.get("$ref"), str):
        part["$ref"] = names[part["$ref"]]
    return part


class Python:
    union, null, anything, truth, text, whole, number = " | ", "None", "Any", "bool", "str", "int", "float"

    @staticmethod
    def words(words):
        return "Literal[" + ", ".join(json.dumps(it) for it in words) + "]"

    @staticmethod
    def list_of(item):
        return f"List[{item}]"

    @staticmethod
    def table_of(value):
        return f"Dict[str, {value}]"


class TypeScript:
    union, null, anything, truth, text, whole, number = " | ", "null", "unknown", "boolean", "string", "number", "number"

    @staticmethod
    def words(words):
        return " | ".join(json.dumps(it) for it in words)

    @staticmethod
    def list_of(item):
        return f"Array<{item}>"

    @staticmethod
    def table_of(value):
        return f"Record<string, {value}>"


def type_of(part, language):
    if part is True or not set(part) - {"description", "title", "default"}:
        return language.anything
    if "$ref" in part:
        return part["$ref"]
    if "const" in part:
        return language.words([part["const"]])
    if "enum" in part:
        return language.words([it for it in part["enum"] if it is not None])
    for key in ("oneOf", "anyOf"):
        if key in part:
            constants = [it["const"] for it in part[key] if "const" in it]
            others = [type_of(it, language) for it in part[key] if "const" not in it]
            return language.union.join(([language.words(constants)] if constants else []) + others)
    kinds = part["type"] if isinstance(part["type"], list) else [part["type"]]
    simple = {"null": language.null, "boolean": language.truth, "string": language.text, "integer": language.whole,
              "number": language.number}
    if "array" in kinds:
        simple["array"] = language.list_of(type_of(part.get("items", {}), language))
    if "object" in kinds:
        values = part.get("additionalProperties", {})
        simple["object"] = language.table_of(type_of(values or {}, language))
    return language.union.join(simple[kind] for kind in kinds)


def python():
    lines = [f'"""{HEAD}"""', "from __future__ import annotations", ""]
    lines += ["from typing import Any, Dict, List, Literal, TypedDict", ""]
    aliases = []
    for name, part in definitions().items():
        members = part.get("properties")
        if members is None:
            alias = f"{name} = {type_of(part, Python)}"
            # It is evaluated where it stands, and Python before 3.10 has no such unions.
            assert Python.union not in alias, alias
            aliases.append(alias)
            continue
        required = _required(part)
        must = {key: it for key, it in members.items() if key in required}
        may = {key: it for key, it in members.items() if key not in required}
        if must and may:
            lines += [*_typed_dict(f"_{name}", "TypedDict", {}, must), *_typed_dict(name, f"_{name}, total=False", part, may)]
        else:
            lines += _typed_dict(name, "TypedDict" if must else "TypedDict, total=False", part, must or may)
    return "\n".join(lines + ["", *aliases]) + "\n"


def _typed_dict(name, bases, part, members):
    lines = ["", f"class {name}({bases}):"]
    if any(map(keyword.iskeyword, members)):
        # Only a call can have such names.
        fields = ", ".join(f"{json.dumps(key)}: {json.dumps(type_of(it, Python))}" for key, it in members.items())
        return ["", f'{name} = TypedDict("{name}", {{{fields}}})', ""] if bases == "TypedDict" else _refuse(name)
    lines += [f'    """{_sentence(part)}"""', ""] if part.get("description") else []
    for key, it in members.items():
        lines += [f"    #: {_sentence(it)}"] if it.get("description") else []
        lines.append(f"    {key}: {type_of(it, Python)}")
    return [*lines, ""]


def _refuse(name):
    raise NotImplementedError(f"an optional member of {name} has the name of a keyword")


def _sentence(part):
    return " ".join(part["description"].split()).replace("\\", "\\\\").replace('"""', "'''")


def typescript():
    lines = [f"// {HEAD}", ""]
    for name, part in definitions().items():
        lines += _comment(part, "")
        members = part.get("properties")
        if members is None:
            lines.append(f"export type {name} = {type_of(part, TypeScript)};\n")
            continue
        required = _required(part)
        lines.append(f"export interface {name} {{")
        for key, it in members.items():
            lines += _comment(it, "  ")
            lines.append(f"  {key}{'' if key in required else '?'}: {type_of(it, TypeScript)};")
        lines.append("}\n")
    return "\n".join(lines)


def _comment(part, indent):
    text = " ".join(part.get("description", "").split()).replace("*/", "* /")
    return [f"{indent}/** {text} */"] if text else []


def main():
    stale = []
    for path, text in ((PYTHON, python()), (TYPESCRIPT, typescript())):
        if "--check" not in sys.argv[1:]:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(str(path.relative_to(ROOT)))
    if stale:
        print(f"not as docs/schema has it: {', '.join(stale)}; `just docs` writes them anew")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
