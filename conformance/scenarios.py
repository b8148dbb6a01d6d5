"""The fixed scenarios: what is typed, and what the stand-in answers.

Each is a dict: `runs` (a list of prompts, each typed into a client of its own; all but the first resume), `script` for the
stand-in, `files` of the project, and
  later   whether a resume comes in another minute, as the client names files by the minute
  first   the older version into which the first prompt is typed
  kill    after how many requests the client is killed
  states  whether every message must be current in the end
"""
import base64

FILES = {"README.md": "# acme-shop\n", "notes.txt": "first note\nsecond note\n",
         "src/tax.js": "export const RATE = 0.19;\n// TODO: per-country rates\n"}
UNICODE = "请用中文回答：東京の天気は？ Grüße, Ωμέγα, עברית done?"
LEDGER = "".join(f"{row:05d} lorem ipsum dolor sit amet, row {row} of the ledger\n" for row in range(1, 1201))
PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==")


def scenario(script, *, runs=None, files=None, **more):
    return {"script": script, "runs": runs or list(script), "files": {**FILES, **(files or {})}, "states": True, **more}


SCENARIOS = {
    "text": scenario({"What does this project do?": [
        {"thoughts": ["**Reading**\nA short question."], "text": "It is a tiny demo shop.", "usage": (1200, 14, 31, 400)}]}),
    "tools": scenario({"Tour the code, then fix the rate.": [
        {"text": "I look around first.", "calls": [("list_directory", {"dir": "{P}"})], "usage": (2000, 21, 40, 500)},
        {"text": "Several things at once.", "usage": (2300, 48, 0, 1500),
         "calls": [("read_file", {"file": "{P}/notes.txt"}), ("glob", {"pattern": "**/*.js"}), ("grep", {"pattern": "TODO"})]},
        {"text": "Now the shell, which fails.", "usage": (3000, 33, 9, 2000),
         "calls": [("run_shell_command", {"command": "cat src/tax.js; exit 3", "description": "show, then fail"})]},
        {"text": "And a file that is missing.", "calls": [("read_file", {"file": "{P}/missing.js"})], "usage": (3100, 18, 0, 9)},
        {"text": "All done.", "usage": (3400, 29, 12, 2500)}]}),
    "retries": scenario({"Answer after some trouble.": [
        {"fail": [429, 500], "text": "I read.", "calls": [("read_file", {"file": "{P}/notes.txt"})], "usage": (900, 10, 0, 0)},
        {"fail": [503], "text": "It worked in the end.", "usage": (950, 7, 3, 0)}]}),
    "cut": scenario({"Stream me something fragile.": [
        {"fail": ["cut", "empty"], "text": "The full answer arrived.", "usage": (800, 9, 4, 0)}]}, states=False),
    "fatal": scenario({"Read the notes and then break.": [
        {"text": "I read.", "calls": [("read_file", {"file": "{P}/notes.txt"})], "usage": (700, 11, 5, 0)},
        {"fail": [400] * 50, "text": "never sent"}]}, states=False),
    "resume": scenario({
        "Remember the word albatross.": [{"text": "Noted: albatross.", "usage": (1000, 5, 10, 0)}],
        "Read the notes file now.": [
            {"text": "Reading.", "calls": [("read_file", {"file": "{P}/notes.txt"})], "usage": (1100, 12, 0, 900)},
            {"text": "It has two lines.", "usage": (1200, 8, 0, 900)}],
        "Which word was it?": [{"text": "It was albatross.", "usage": (1300, 6, 7, 1100)}]}, states=False),
    "later": scenario({
        "Remember the word cormorant.": [{"text": "Noted: cormorant.", "usage": (1000, 5, 10, 0)}],
        "Which bird was it?": [{"text": "It was cormorant.", "usage": (1300, 6, 7, 1100)}]}, later=True, states=False),
    "migrated": scenario({
        "Remember the word kittiwake.": [
            {"text": "I note it.", "calls": [("read_file", {"file": "{P}/notes.txt"})], "usage": (1000, 5, 10, 0)},
            {"text": "Noted: kittiwake.", "usage": (1050, 4, 0, 900)}],
        "Which of the gulls was it?": [{"text": "It was kittiwake.", "usage": (1300, 6, 7, 1100)}]}, first="0.26.0", states=False),
    "unicode": scenario({UNICODE: [
        {"text": "書き込みます ✍️", "usage": (1500, 40, 22, 0),
         "calls": [("write_file", {"file": "{P}/メモ.txt", "content": "東京：晴れ \"quoted\" \\ back\ttab\n"})]},
        {"text": "你好！東京は晴れ。 Ελληνικά, עברית, हिन्दी, 한국어 e\u0301 é 𝒜𝒷", "usage": (1700, 77, 5, 800)}]}),
    "file": scenario({"Explain @notes.txt please.": [{"text": "The notes hold two lines.", "usage": (1800, 13, 6, 0)}]}),
    "image": scenario({"Describe @logo.png please.": [{"text": "It is a grey pixel.", "usage": (2058, 8, 3, 0)}]},
                      files={"logo.png": PIXEL}),
    "big": scenario({"Dump the ledger.": [
        {"text": "Printing.", "usage": (5000, 9, 0, 0),
         "calls": [("run_shell_command", {"command": "cat ledger.txt ledger.txt", "description": "print it twice"})]},
        {"text": "".join(f"Line {row} balances.\n\n" for row in range(600)).strip(), "usage": (90000, 21000, 12, 30000)}]},
                    files={"ledger.txt": LEDGER}),
    "agent": scenario({"Investigate how totals are computed.": [
        {"text": "I ask an agent.", "calls": [("agent", {"objective": "Find how totals are computed."})], "usage": (2100, 19, 8, 0)},
        {"text": "They are summed.", "usage": (2500, 16, 0, 1000)}]}),
    "killed": scenario({"Wait for the slow command.": [
        {"text": "Starting it.", "usage": (1010, 17, 6, 0),
         "calls": [("run_shell_command", {"command": "sleep 60", "description": "wait"})]}]}, kill=1, states=False),
}
