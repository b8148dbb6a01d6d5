"""The MCP server with real clients: Gemini CLI itself, and the official SDK where it can be installed.

Gemini CLI: the stand-in asks for a tool, and sees gemtrail's answer. The SDK: `sdk_client.py`, in an environment of its own.
"""
import json
import pathlib
import subprocess
import sys

from gemini import ROOT, Gemini, cache
from stand_in import StandIn

FIRST, SECOND = "Remember the word albatross.", "What did we say about birds?"
SCRIPT = {
    FIRST: [{"text": "Noted: albatross."}],
    SECOND: [{"calls": [("mcp_gemtrail_search", {"query": "albatross", "include_active": True})]},
             {"text": "We spoke of an albatross."}],
}
SDK = "mcp==2.3.0"


def scenario(version, program, check):
    with StandIn(SCRIPT) as api, Gemini(version, api) as gemini:
        server = {"command": program, "args": ["mcp"], "trust": True}
        gemini.change_settings({"mcpServers": {"gemtrail": server}})
        first = gemini.run("-p", FIRST)
        check(first.code == 0, "the client starts with the server", first)
        answered(gemini.run("-p", SECOND), check)
    with_sdk(program, check)


def answered(asked, check):
    check(asked.code == 0 and "We spoke of an albatross." in asked.out, "the client goes on after the call", asked)
    parts = [part for turn in asked.turns for part in turn.parts]
    calls = [part["functionCall"]["name"] for part in parts if "functionCall" in part]
    check("mcp_gemtrail_search" in calls, "the stand-in's call is in the conversation", calls)
    answers = [json.dumps(part["functionResponse"]["response"], ensure_ascii=False) for part in parts
               if part.get("functionResponse", {}).get("name") == "mcp_gemtrail_search"]
    check(any("> Remember the word albatross." in answer and "quote earlier sessions" in answer for answer in answers),
          "and gemtrail's answer, as a quotation", answers)


def with_sdk(program, check):
    python = sdk()
    if python is None:
        print("SKIPPED: the MCP SDK cannot be installed here")
        return
    client = pathlib.Path(__file__).with_name("sdk_client.py")
    home = ROOT / "examples" / "home"
    ran = subprocess.run([python, str(client), program, str(home)], capture_output=True, text=True, timeout=300)
    for line in ran.stdout.splitlines():
        mark, _, what = line.partition(" ")
        check(mark == "ok", f"SDK: {what}", ran.stderr)
    check(ran.returncode == 0, "the SDK's client ends well", f"{ran.stdout}\n{ran.stderr}")


def sdk():
    """A Python with the SDK, installed once; None without a package index."""
    place = cache() / SDK.replace("==", "-sdk-")
    python, done = place / "bin" / "python", place / "installed"
    if not done.exists():
        made = subprocess.run([sys.executable, "-m", "venv", str(place)], capture_output=True)
        command = [str(python), "-m", "pip", "install", "--quiet", SDK]
        if made.returncode or subprocess.run(command, capture_output=True, timeout=600).returncode:
            return None
        done.touch()
    return str(python)
