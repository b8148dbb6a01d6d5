"""What stands in session files, read as naively as possible: the judge of what a client wrote at all."""
import json


def values(path):
    """Every JSON value of a file: one, or one on each line; what cannot be parsed is left out."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        yield json.loads(text)
        return
    except ValueError:
        pass
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def objects(value):
    """Every object in a value."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from objects(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner)


def text_of(content):
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "".join(part.get("text", "") for part in parts if isinstance(part, dict) and not part.get("thought"))


class Files:
    """All session files of a home."""

    def __init__(self, dot_gemini):
        self.texts, self.calls, self.tokens = set(), {}, {}
        for path in sorted((dot_gemini / "tmp").glob("*/chats/**/*.json*")):
            for value in values(path):
                for each in objects(value):
                    self._take(each)

    def _take(self, each):
        if each.get("type") in ("user", "gemini") and "content" in each:
            self.texts.add(text_of(each["content"]).strip())
        for call in each.get("toolCalls") or []:
            if isinstance(call, dict):
                self.calls[call.get("id")] = call.get("name")
        if each.get("type") == "gemini" and isinstance(each.get("tokens"), dict):
            self.tokens[each.get("id")] = each["tokens"].get("total", 0)

    def has(self, text):
        return any(text in known for known in self.texts)
