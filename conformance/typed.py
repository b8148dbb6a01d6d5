"""The scenarios at the terminal: what a person does there, and what becomes of it.

Each is a dict: `act` (a function that types), `since` (the first version that has the command), `args` of the client, `script`, `files`,
  gone    prompts that the command takes back or away, and how that is called: `superseded_by`
  kept    files that the client writes of the conversation: a pattern, and which prompts are in them
  has_worked  whether it did what it should, by what the model is told afterwards: a busy machine loses keys
"""
from scenarios import FILES
from stand_in import SNAPSHOT

CART, TAX, GREETING, MORE = ("Tell me about the cart.", "And what about tax.", "Write a greeting file.",
                             "One more question after the break.")
SLOW = "Think about it for a while."
SCRIPT = {
    CART: [{"thoughts": ["**Thinking of carts**\nIt sums prices."], "text": "I look it up.", "usage": (1400, 11, 9, 0),
            "calls": [("read_file", {"file": "{P}/notes.txt"})]},
           {"text": "The cart sums item prices.", "usage": (1500, 8, 0, 700)}],
    TAX: [{"text": "Tax is a flat rate.", "usage": (1600, 9, 4, 700)}],
    GREETING: [{"text": "I write it.", "calls": [("write_file", {"file": "{P}/hello.txt", "content": "hello\n"})],
                "usage": (1700, 15, 0, 700)},
               {"text": "hello.txt is written.", "usage": (1750, 6, 0, 700)}],
    SLOW: [{"late": 20, "text": "never seen", "usage": (1760, 4, 0, 700)}],
    MORE: [{"text": "Here is one more answer.", "usage": (1800, 7, 2, 700)}],
}


def chat(terminal):
    terminal.say(CART)
    terminal.command("/chat save demo", "saved")
    terminal.say(TAX)
    terminal.command("/chat resume demo")
    terminal.rest()
    terminal.say(MORE)


def share(terminal):
    terminal.say(CART)
    terminal.say(TAX)
    terminal.command("/chat share out.md", "out.md")
    terminal.command("/chat share out.json", "out.json")


def compress(terminal):
    terminal.say(CART)
    terminal.say(TAX)
    terminal.command("/compress", "compressed")
    terminal.rest()
    terminal.say(MORE)


def rewind(terminal):
    terminal.say(CART)
    terminal.say(TAX)
    terminal.say(GREETING)
    terminal.command("/rewind", "Stay at current position")
    terminal.press_until("Up", f"● {TAX}")
    terminal.press("Enter")
    terminal.see("Confirm Rewind")
    terminal.press("Enter")
    terminal.rest()
    # The prompt is put back to be edited.
    terminal.press("C-u")
    terminal.say(MORE)


def clear(terminal):
    terminal.say(CART)
    terminal.command("/clear")
    terminal.rest()
    terminal.say(MORE)


def cancel(terminal):
    terminal.say(CART)
    terminal.say(SLOW, see="esc to cancel")
    terminal.press("Escape")
    terminal.see("cancelled")
    terminal.rest()
    # Some versions put it back to be edited.
    terminal.press("C-u")
    terminal.say(MORE)


def refuse(terminal):
    terminal.say(CART)
    terminal.say(GREETING, see="Apply this change")
    terminal.press("Escape")
    terminal.rest()
    terminal.press("C-u")
    terminal.say(MORE)


def shell(terminal):
    terminal.shell("echo hello-$((40 + 2))-shell", "hello-42-shell")
    terminal.say(TAX)


def without(*prompts):
    return lambda told: not any(prompt in told for prompt in prompts)


def scenario(act, *, since=(0, 0), args=("--yolo",), gone=((), None), kept=(), has_worked=lambda told: True):
    return {"act": act, "since": since, "args": args, "gone": gone, "kept": kept, "has_worked": has_worked, "script": SCRIPT,
            "files": FILES}


TYPED = {
    "chat": scenario(chat, gone=((TAX,), "resume"), kept=[("home/.gemini/tmp/*/checkpoint-demo.json", [CART])], has_worked=without(TAX)),
    "share": scenario(share, since=(0, 6), kept=[("acme-shop/out.md", [CART, TAX]), ("acme-shop/out.json", [CART, TAX])]),
    # The newest turns are left as they are.
    "compress": scenario(compress, gone=((CART,), "compress"), has_worked=lambda told: SNAPSHOT in told),
    "rewind": scenario(rewind, since=(0, 27), gone=((TAX, GREETING), "rewind"), has_worked=without(TAX, GREETING)),
    "clear": scenario(clear, has_worked=without(CART)),
    "cancel": scenario(cancel, gone=((SLOW,), "rollback")),
    "refuse": scenario(refuse, args=(), gone=((GREETING,), "rollback")),
    "shell": scenario(shell),
}
