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


def replayed(path):
    """The messages that are left when a client reads its own file: later records of an id replace earlier ones, a checkpoint replaces all,
    a rewind takes back."""
    left = {}
    for value in values(path):
        if not isinstance(value, dict):
            continue
        whole = value.get("messages") or (value.get("$set") or {}).get("messages")
        if isinstance(whole, list):
            left = {each.get("id"): each for each in whole}
        elif "$rewindTo" in value:
            kept = list(left)
            kept = kept[:kept.index(value["$rewindTo"])] if value["$rewindTo"] in left else []
            left = {identity: left[identity] for identity in kept}
        elif "id" in value and "type" in value:
            left[value["id"]] = value
    return list(left.values())


def session_of(path):
    """The id of the session that a file belongs to."""
    return next((each["sessionId"] for value in values(path) for each in objects(value) if "sessionId" in each), None)


class Files:
    """All session files of a home."""

    def __init__(self, dot_gemini):
        self.texts, self.calls, self.statuses, self.tokens = set(), {}, {}, {}
        self.journals = sorted((dot_gemini / "tmp").glob("*/chats/session-*"), key=lambda path: path.stat().st_mtime)
        for path in sorted((dot_gemini / "tmp").glob("*/chats/**/*.json*")):
            for value in values(path):
                for each in objects(value):
                    self._take(each)

    def left(self):
        """The texts of people that are left in the newest file of each session."""
        newest = {session_of(path): path for path in self.journals if replayed(path)}
        messages = [message for path in newest.values() for message in replayed(path)]
        return [text_of(message.get("content")) for message in messages if message.get("type") == "user"]

    def _take(self, each):
        if each.get("type") in ("user", "gemini") and "content" in each:
            self.texts.add(text_of(each["content"]).strip())
        for call in each.get("toolCalls") or []:
            if isinstance(call, dict):
                self.calls[call.get("id")] = call.get("name")
                self.statuses[call.get("id")] = call.get("status")
        if each.get("type") == "gemini" and isinstance(each.get("tokens"), dict):
            self.tokens[each.get("id")] = each["tokens"].get("total", 0)

    def has(self, text):
        return any(text in known for known in self.texts)
