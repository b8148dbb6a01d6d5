"""Calls by what they do, in the words of whatever version declares the tools."""

# What a tool is called over the versions, newest first.
NAMES = {"grep": ["grep_search", "search_file_content"], "agent": ["codebase_investigator", "invoke_agent", "delegate_to_agent"]}
ARGUMENTS = {"file": ["file_path", "absolute_path", "path"], "dir": ["dir_path", "path"]}


def declared(body):
    """The tools that a request declares, by name."""
    tools = body.get("tools") or []
    return {each["name"]: each for tool in tools for each in tool.get("functionDeclarations", [])}


def fitted(name, arguments, declarations, project):
    """The call as this client declares it; None if it has no such tool."""
    called = next((each for each in NAMES.get(name, [name]) if each in declarations), None)
    if called is None:
        return None
    schema = declarations[called].get("parametersJsonSchema") or declarations[called].get("parameters") or {}
    known, given = schema.get("properties", {}), {}
    for key, value in arguments.items():
        spelled = next((each for each in ARGUMENTS.get(key, [key]) if each in known), None)
        if spelled:
            given[spelled] = value.replace("{P}", str(project)) if isinstance(value, str) else value
    if called in ("invoke_agent", "delegate_to_agent"):
        given["agent_name"] = "codebase_investigator"
        given["prompt" if "prompt" in known else "objective"] = arguments["objective"]
    for needed in schema.get("required", []):
        given.setdefault(needed, fill(known.get(needed, {}), needed))
    return called, given


def fill(schema, key=""):
    """A smallest value that fits a JSON schema."""
    routed = {"next_speaker": "user", "model_choice": "flash"}
    if key in routed:
        return routed[key]
    if schema.get("enum"):
        return schema["enum"][0]
    if schema.get("anyOf"):
        return fill(schema["anyOf"][0], key)
    kind = schema.get("type", "string")
    kind = (kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        members = schema.get("properties", {})
        return {name: fill(members.get(name, {}), name) for name in schema.get("required", members)}
    return {"array": [], "number": 1, "integer": 1, "boolean": False}.get(kind, "scripted")
