"""The official MCP SDK as a client of both eras: sdk_client.py PROGRAM HOME

Prints a line for each thing checked: "ok WHAT" or "FAIL WHAT". Run by mcp_server.py in an environment that has the SDK.
"""
import asyncio
import json
import sys

from mcp import Client, StdioServerParameters

TOOLS = ["search", "list_sessions", "read_session", "get_item", "origin", "stats"]
# With a handshake, and without.
ERAS = ["legacy", "2026-07-28"]
failures = []


def check(holds, what):
    print(f"{'ok' if holds else 'FAIL'} {what}", flush=True)
    if not holds:
        failures.append(what)


async def talk(program, home, era):
    server = StdioServerParameters(command=program, args=["--home", home, "mcp"])
    async with Client(server, mode=era) as client:
        tools = (await client.list_tools()).tools
        check([tool.name for tool in tools] == TOOLS, f"{era}: six tools in order")
        hints = [(tool.annotations.read_only_hint, tool.annotations.open_world_hint) for tool in tools]
        check(hints == [(True, False)] * len(TOOLS), f"{era}: all only read, in a closed world")

        async def ask(tool, **arguments):
            return await client.call_tool(tool, arguments)

        listed = await ask("list_sessions", budget=1200)
        text = listed.content[0].text
        check(len(text) <= 1200 and listed.structured_content is None, f"{era}: text within its budget, and nothing twice")
        session = text.splitlines()[1].split()[1]
        read = await ask("read_session", session=session)
        check(not read.is_error and session in read.content[0].text, f"{era}: a listed session can be read")
        found = await ask("search", query="cart", format="json")
        hits = found.structured_content["items"]
        check(hits and len(found.content[0].text) < 300, f"{era}: data if asked for, with a caption only")
        item = await ask("get_item", id=hits[0]["id"])
        check(not item.is_error and hits[0]["id"] in item.content[0].text, f"{era}: a hit's id gets the item")
        check(not (await ask("stats", by="model")).is_error, f"{era}: statistics")
        check(not (await ask("search", query='"(')).is_error, f"{era}: any string is a query")
        wrong = await ask("read_session", session="zzzzzzzz")
        check(wrong.is_error and len(wrong.content[0].text) < 300, f"{era}: an error is one sentence")
        sizes = [len(json.dumps(tool.model_dump(exclude_none=True, by_alias=True))) for tool in tools]
        check(sum(sizes) < 4 * 1200, f"{era}: the definitions take less than 1,200 tokens")


def main():
    for era in ERAS:
        try:
            asyncio.run(talk(*sys.argv[1:3], era))
        except Exception as error:  # whatever the SDK raises is a finding
            check(False, f"{era}: {type(error).__name__}: {error}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
