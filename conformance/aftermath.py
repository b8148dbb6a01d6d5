"""What became of a conversation at the terminal: what was taken back, what was kept beside it, what a shell said."""
import json
import re
import subprocess

from compare import LESS, OK, WRONG, listed, loose

# Between the entries of a shared page.
RULE = "\n\n---\n\n"
# Whose entry it is; versions up to 0.20 have other headings than later ones.
HEADING = re.compile(r"(user|model).*", re.IGNORECASE)
SHELL = "I ran the following shell command:"


def judge(comparison, scenario, own, typed, program):
    """Fills the cell of states, and takes a cell back where a file beside the sessions is read wrong."""
    comparison.cells["states"] = states(comparison, scenario, typed)
    wrong = [*shell(comparison)]
    for pattern, prompts in scenario["kept"]:
        # A page has the calls, too: no page can be made from a session without them.
        if not pattern.endswith(".md") or comparison.cells["calls"][0] == OK:
            wrong += kept(own, pattern, prompts, scenario["script"], program)
    if wrong:
        comparison.cells["texts"] = (WRONG, "; ".join(wrong))


def states(comparison, scenario, typed):
    """A prompt is current if the client would still find it in its file; if not, the command has taken it away, and its name is given."""
    gone, by = scenario["gone"]
    left = [loose(text) for text in comparison.files.left()]
    wrong = []
    for message in comparison.said:
        if message["role"] != "human" or message["text"] not in typed:
            continue
        is_left = any(loose(message["text"]) in text for text in left)
        wanted = ("current", None) if is_left else ("superseded", by)
        found = (message["state"], message.get("superseded_by"))
        if found != wanted and not (wanted == ("superseded", None) and found[0] == "superseded"):
            wrong.append(f"{message['text']!r} is {found}, not {wanted}")
    if wrong:
        return WRONG, "; ".join(wrong)
    traceless = [prompt for prompt in gone if any(loose(prompt) in text for text in left)]
    return (LESS, f"the file says nothing of the command: {listed(traceless)} is still in it") if traceless else (OK, "")


def kept(own, pattern, prompts, script, program):
    """Problems with a file that holds these prompts and their answers."""
    files = list(own.glob(pattern))
    if not files:
        yield f"the client wrote no {pattern}"
    for path in files:
        problem = same_page(path, own, program) if path.suffix == ".md" else same_words(path, prompts, script, program)
        if problem:
            yield f"{path.name}: {problem}"


def same_words(path, prompts, script, program):
    ran = run(program, "convert", str(path), "--to", "json")
    if ran.returncode:
        return ran.stderr.strip()
    messages = json.loads(ran.stdout)["messages"]
    read = [message["text"] for message in messages if message["role"] in ("human", "assistant") and message["text"]]
    said = [text for prompt in prompts for text in (prompt, *(step["text"] for step in script[prompt]))]
    is_same = [loose(text) for text in read] == [loose(text) for text in said]
    return None if is_same else f"{read} instead of {said}"


def same_page(path, own, program):
    """`share-md` writes what the client wrote; what no session file has, the context at the beginning, may be missing."""
    ran = run(program, "--home", str(own / "home/.gemini"), "export", "latest", "--format", "share-md", "-o", "-")
    if ran.returncode:
        return ran.stderr.strip()
    theirs, ours = turns(path.read_text()), turns(ran.stdout)
    first, *others = zip(theirs[-len(ours):], ours)
    differs = [(one, other) for one, other in others if one != other]
    (owner, said), (our_owner, our_said) = first
    if owner != our_owner or not said.endswith(our_said):
        differs.append(first)
    if len(ours) > len(theirs) or differs:
        return f"share-md differs: {differs[:1]}"
    return None


def turns(page):
    """Whose each turn of a page is, and what it says. From 0.44 to 0.52 one turn can be several entries, and files do not tell."""
    found = []
    for entry in page.split(RULE):
        heading, _, said = entry.partition("\n")
        owner = HEADING.search(heading)
        owner = owner and owner.group(1).lower()
        if found and found[-1][0] == owner:
            found[-1] = (owner, found[-1][1] + said.strip())
        else:
            found.append((owner, said.strip()))
    return found


def run(program, *args):
    return subprocess.run([program, *args, "--quiet"], capture_output=True, text=True, timeout=120)


def shell(comparison):
    """What a shell said to the person is in the files of some versions; it is not something that the person said."""
    written = [text for text in comparison.files.texts if text.startswith(SHELL)]
    read = [message for message in comparison.said if loose(SHELL) in loose(json.dumps(message.get("content")))]
    if written and not any(message["role"] == "shell" for message in read):
        yield f"a command of the person is not read: {written}"
