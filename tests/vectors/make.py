#!/usr/bin/env python3
"""Makes the test vectors beside it: records, signatures and vCons that must be accepted or refused.

    tests/vectors/make.py GEMTRAIL

Signatures are made by the program and then damaged by hand, byte by byte. The keys are for tests only: that of
the worked example has the bytes 0 to 31 for a seed. A run with the same program changes nothing.
"""
import base64
import copy
import json
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORKED = ROOT / "crates/gemtrail-attest/tests/it/data/worked"
VCON = ROOT / "crates/gemtrail-attest/tests/it/data/vcon"
GEMTRAIL = sys.argv[1]

vectors = []


def gemtrail(*arguments):
    subprocess.run([GEMTRAIL, *map(str, arguments)], check=True, capture_output=True)


def add(kind, name, verdict, why, **files):
    vectors.append({"name": name, "kind": kind, "verdict": verdict, "why": why} | files)


def write(name, content):
    (HERE / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def written(value):
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def changed(value, change):
    value = copy.deepcopy(value)
    change(value)
    return value


# ---- records ----

def record(name, verdict, why, value):
    text = value if isinstance(value, (str, bytes)) else written(value)
    ending = "cbor" if isinstance(value, bytes) else "json"
    file = write(f"record-{name}.vac.{ending}", text)
    add("record", f"record-{name}", verdict, why, record=file)


def records():
    v3 = json.loads((WORKED / "record-v3.json").read_text())
    v2 = json.loads((WORKED / "record-v2-seed.json").read_text())
    dual = json.loads((WORKED / "record-dual.json").read_text())
    least = {"version": "3.0.0-draft", "id": "s", "session": {
        "session-id": "s", "agent-meta": {"model-id": "unknown", "model-provider": "unknown"}, "entries": []}}

    def least_with(change):
        return changed(least, change)

    def entry(**members):
        return changed(least, lambda it: it["session"]["entries"].append(members))

    record("v3", "valid", "The worked example: all kinds of entries but attribution.", v3)
    record("v2", "valid", "The same session under schema version 2, which is closed.", v2)
    record("dual", "valid", "The same session under both schemas: extensions are in `vendor-ext`.", dual)
    record("least", "valid", "Nothing but what is required; a record may have no entries.", least)
    record("native-members", "valid", "Maps of version 3 are open: members of the source keep their names.",
           least_with(lambda it: it["session"].update(projectHash="a5b8", directories=["/src"])))
    record("time-in-milliseconds", "valid", "A time may be a whole number.",
           entry(type="user", content="hello", timestamp=1772615702101))
    record("leap-second", "valid", "Second 60 and an offset are part of RFC 3339.",
           entry(type="user", content="hello", timestamp="2016-12-31T23:59:60.5+01:00"))
    record("content-null", "valid", "The input of a call may be anything, null included.",
           entry(type="tool-call", name="list", input=None))
    record("children-of-children", "valid", "Entries nest to any depth.",
           entry(type="assistant", children=[{"type": "tool-call", "name": "a", "input": {}, "children": [
               {"type": "tool-result", "output": "", "children": [{"type": "reasoning", "content": ""}]}]}]))

    record("no-version", "invalid", "`version` is required.", least_with(lambda it: it.pop("version")))
    record("no-session", "invalid", "Version 3 requires the session, which version 2 did not.",
           least_with(lambda it: it.pop("session")))
    record("null-end", "invalid", "An optional member is absent, never null.",
           least_with(lambda it: it["session"].update({"session-end": None})))
    record("lower-case-time", "invalid", "The T and the Z of a time are capitals.",
           entry(type="user", timestamp="2026-03-04t09:15:02z"))
    record("day-without-time", "invalid", "A day is no time.", entry(type="user", timestamp="2026-03-04"))
    record("fractional-time", "invalid", "Version 3 takes whole numbers only.",
           entry(type="user", timestamp=1772615702.5))
    record("unknown-entry", "invalid", "`type` decides what an entry is; version 3 has no others.",
           entry(type="vendor-entry", content="hello"))
    record("call-without-input", "invalid", "A call has an input, were it `{}`.", entry(type="tool-call", name="list"))
    record("negative-tokens", "invalid", "Counts start at zero.",
           entry(type="assistant", **{"token-usage": {"input": -1}}))
    record("broken-child", "invalid", "Children are entries as well.",
           entry(type="assistant", children=[{"type": "tool-result"}]))
    record("environment-without-directory", "invalid", "There is no environment without a directory.",
           least_with(lambda it: it["session"].update(environment={"sandboxes": []})))
    record("attribution-open", "invalid", "File attribution is closed in version 3, too.",
           least_with(lambda it: it.update({"file-attribution": {"files": [], "tool": "x"}})))
    record("v2-open", "invalid", "All maps of version 2 are closed.",
           changed(v2, lambda it: it["session"].update(projectHash="a5b8")))
    record("v2-result-without-output", "invalid", "Rules of entries hold in version 2 as well.",
           changed(v2, lambda it: it["session"]["entries"].append({"type": "tool-result"})))

    text = written(least)
    record("member-twice", "malformed", "Readers differ in which of two members of one name they take.",
           text.replace('"id": "s",', '"id": "s",\n "id": "t",', 1))
    record("half-a-character", "malformed", "Half of a surrogate pair is no character.",
           text.replace('"id": "s"', '"id": "\\ud83d"', 1))
    record("cut-off", "malformed", "The end is missing.", text[:-3])

    cbor = HERE / "record-v3.vac.cbor"
    gemtrail("convert", WORKED / "session-2026-03-04T09-15-5b1e0a52.json", "--to", "vac", "--encoding", "cbor",
             "-o", cbor, "--force", "--created", "2026-03-04T09:15:02.101Z")
    add("record", "record-cbor", "valid", "The same tree in CBOR, with text for keys.", record=cbor.name)
    data = cbor.read_bytes()
    record("cbor-more-bytes", "malformed", "There is nothing after a record.", data + b"\0")
    record("cbor-cut-off", "malformed", "The end is missing.", data[:-1])


# ---- signatures ----

def key(name, der):
    body = base64.b64encode(der).decode()
    private = write(f"{name}.pem", f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n")
    made = subprocess.run(["openssl", "pkey", "-in", HERE / private, "-pubout"], check=True, capture_output=True)
    return private, write(f"{name}.pub.pem", made.stdout)


def signature(name, verdict, why, data, record, public):
    file = write(f"signature-{name}.cbor", data)
    add("signature", f"signature-{name}", verdict, why, signature=file, key=public) if record is None else \
        add("signature", f"signature-{name}", verdict, why, signature=file, record=record, key=public)


def swapped(data, old, new, count=1):
    old, new = (it if isinstance(it, bytes) else it.encode() for it in (old, new))
    assert data.count(old) >= 1 and len(old) == len(new), (old, data.count(old))
    return data.replace(old, new, count)


def signatures():
    ed25519 = bytes.fromhex("302e020100300506032b657004220420")
    private, public = key("key", ed25519 + bytes(range(32)))
    _, other = key("other-key", ed25519 + bytes(range(1, 33)))
    worked = "record-v3.vac.json"

    def signed(*options, record=worked):
        out = HERE / "signed"
        gemtrail("sign", "--key", HERE / private, "--record", HERE / record, "-o", out, *options)
        data = out.read_bytes()
        out.unlink()
        return data

    reference = (WORKED / "record-v3.sig.cbor").read_bytes()
    signature("reference", "valid", "Made by the reference signer.", reference, worked, public)
    assert signed() == reference
    attached, protected = signed("--attached"), signed("--protect-metadata")
    signature("attached", "valid", "The payload is in the envelope; no record is needed.", attached, None, public)
    signature("attached-and-record", "valid", "The payload and the record given are the same.", attached, worked, public)
    signature("protected-metadata", "valid", "The metadata is in the protected header as well.", protected, worked, public)
    gemtrail("sign", "--key", HERE / private, "--record", WORKED / "session-2026-03-04T09-15-5b1e0a52.json",
             "-o", HERE / "signed")
    journal = (HERE / "signed").read_bytes()
    (HERE / "signed").unlink()
    shutil.copy(WORKED / "session-2026-03-04T09-15-5b1e0a52.json", HERE / "session.json")
    signature("journal", "valid", "A session file, signed byte by byte.", journal, "session.json", public)
    gemtrail("sign", "--key", HERE / private, "--record", HERE / "record-v3.vac.cbor", "-o", HERE / "signed")
    of_cbor = (HERE / "signed").read_bytes()
    (HERE / "signed").unlink()
    signature("of-cbor", "valid", "A record in CBOR; the signature is over its canonical JSON.", of_cbor,
              "record-v3.vac.cbor", public)

    signature("detached-alone", "undecided", "The payload is elsewhere, and no record is given.", reference, None, public)
    signature("other-key", "invalid", "Somebody else's key.", reference, worked, other)
    one_word = write("record-v3-one-word.vac.json",
                     (HERE / worked).read_text().replace("Only explain the change.", "Only explain the changE."))
    signature("one-word", "invalid", "One letter of the record differs.", reference, one_word, public)
    other_record = "record-v2.vac.json"
    signature("attached-other-record", "invalid", "The record given is not the payload.", attached, other_record, public)
    last = bytes([reference[-1] ^ 1])
    signature("last-bit", "invalid", "One bit of the signature differs.", reference[:-1] + last, worked, public)
    head, tail = reference[:reference.index(b"session-id")], reference[reference.index(b"session-id"):]
    signature("foreign-session", "invalid", "The unprotected metadata names another session than the record.",
              head + swapped(tail, "5b1e0a52", "5b1e0a53"), worked, public)
    signature("foreign-hash", "invalid", "The unprotected hash is not that of the payload.",
              swapped(reference, "sha-256", "sha-512"), worked, public)
    at = protected.index(b"session-id")
    signature("protected-changed", "invalid", "The protected metadata was changed after signing.",
              protected[:at] + swapped(protected[at:], "5b1e0a52", "5b1e0a53"), worked, public)
    at = protected.rindex(b"session-id")
    signature("two-metadata", "invalid", "The two headers have different metadata.",
              protected[:at] + swapped(protected[at:], "5b1e0a52", "5b1e0a53"), worked, public)
    signature("issuer", "invalid", "The issuer was changed after signing.",
              swapped(reference, b"\x01\x66google", b"\x01\x66Google"), worked, public)
    # The header starts with the algorithm: -8 becomes -7.
    signature("other-algorithm", "invalid", "The header names ES256, and the key is Ed25519.",
              swapped(reference, b"\x01\x27\x03", b"\x01\x26\x03"), worked, public)
    # Label 1 and -7 in the unprotected header, which had one label.
    marker = b"\xa1\x18\x64"
    signature("contradiction", "invalid", "The unprotected header, which anyone can change, names another algorithm.",
              reference.replace(marker, b"\xa2\x01\x26\x18\x64", 1), worked, public)
    assert marker in reference

    signature("critical", "malformed", "A label that is marked as critical and not understood.",
              reference.replace(marker, b"\xa2\x02\x81\x18\x63\x18\x64", 1), worked, public)
    signature("untagged", "malformed", "Without tag 18 it is just an array.", reference[1:], worked, public)
    signature("another-message", "malformed", "Tag 17 is a message authentication code.", b"\xd1" + reference[1:], worked, public)
    signature("cut-off", "malformed", "The end is missing.", reference[:-1], worked, public)
    signature("more-bytes", "malformed", "There is nothing after a signature.", reference + b"\0", worked, public)
    signature("of-no-record", "malformed", "The record given is none.", reference, "record-cut-off.vac.json", public)


# ---- vCons ----

def vcon(name, verdict, why, value):
    file = write(f"vcon-{name}.vcon.json", written(value))
    add("vcon", f"vcon-{name}", verdict, why, record=file)


def vcons():
    made = HERE / "made.vcon.json"
    journal = VCON / "session-2026-10-05T14-02-c0ffee12.jsonl"
    gemtrail("convert", journal, "--to", "vcon", "--project-root", "/home/dana/widget", "-o", made, "--force")
    whole = json.loads(made.read_text())
    made.unlink()

    def other(name, why, change, verdict="invalid"):
        vcon(name, verdict, why, changed(whole, change))

    vcon("whole", "valid", "A session with a change of a file and a working directory.", whole)

    def least(it):
        for name in ("updated_at", "subject", "attachments"):
            it.pop(name, None)
        it["dialog"] = []
        for analysis in it["analysis"]:
            analysis["dialog"] = []

    other("least", "Nobody said anything; there is still the record.", least, "valid")
    other("redacted", "Without secrets it has another id, and names the one with them.",
          lambda it: it.update(redacted={"uuid": it["uuid"], "type": "secrets"}), "valid")
    other("syntax", "Another syntax of vCon.", lambda it: it.update(vcon="0.3.0"))
    other("no-extension", "The extension is not named.", lambda it: it.update(extensions=[]))
    other("no-parties", "Nobody took part.", lambda it: it.update(parties=[]))
    other("uuid", "Not a UUID.", lambda it: it.update(uuid="01a10c5f"))
    other("zero-fraction", "A fraction of zero is left out of a time.", lambda it: it.update(created_at="2026-10-05T14:02:10.000Z"))
    other("mimetype", "The member had this name in older syntax.",
          lambda it: it["dialog"][0].update(mimetype=it["dialog"][0].pop("mediatype")))
    other("markdown", "text/markdown is not among the types of the core.", lambda it: it["dialog"][0].update(mediatype="text/markdown"))
    other("index", "A party that there is not.", lambda it: it["dialog"][0].update(parties=[7]))
    other("record-as-text", "With encoding json, the body is the value and not its text.",
          lambda it: it["analysis"][0].update(body=json.dumps(it["analysis"][0]["body"])))
    other("broken-record", "The record inside follows its own schema.", lambda it: it["analysis"][0]["body"].pop("version"))
    other("attachment-without-start", "Attachments have a time.", lambda it: it["attachments"][0].pop("start"))
    other("lines", "The last line is before the first.", lambda it: it["attachments"][1]["body"].update(line_range=[3, 2]))
    file = write("vcon-whole-record.vac.json", written(whole["analysis"][0]["body"]))
    gemtrail("sign", "--key", HERE / "key.pem", "--record", HERE / file, "-o", HERE / "signed")
    data = (HERE / "signed").read_bytes()
    (HERE / "signed").unlink()
    signature("of-vcon", "valid", "A signature over a record holds for the vCon that carries it.", data, "vcon-whole.vcon.json", "key.pub.pem")
    signature("of-broken-vcon", "malformed", "What this vCon carries is no record.", data, "vcon-broken-record.vcon.json", "key.pub.pem")


def page():
    """The table in docs/vectors.md."""
    page = ROOT / "docs" / "vectors.md"
    head = page.read_text().split("## Records\n")[0]
    parts = [head]
    for kind, title in (("record", "Records"), ("signature", "Signatures"), ("vcon", "vCons")):
        rows = [it for it in vectors if it["kind"] == kind]
        parts.append(f"## {title}\n\n| Vector | Verdict | Why |\n|---|---|---|\n")
        parts.extend(f"| `{it['name']}` | {it['verdict']} | {it['why']} |\n" for it in rows)
        parts.append("\n")
    page.write_text("".join(parts).rstrip("\n") + "\n")


records()
signatures()
vcons()
(HERE / "vectors.json").write_text("[\n" + ",\n".join(json.dumps(it, ensure_ascii=False) for it in vectors) + "\n]\n")
page()
