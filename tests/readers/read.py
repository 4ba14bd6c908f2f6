"""Reads each line, a JSON string with a body in it, as a server in Python would, and prints what it found."""
import json
import sys

for line in sys.stdin:
    try:
        body = json.loads(json.loads(line))
        options = body.get("stream_options") or {}
        found = {
            "model": body.get("model") or "",
            "contents": [message.get("content") for message in body.get("messages") or []],
            "stream": body.get("stream") or False,
            "max_tokens": body.get("max_tokens"),
            "include_usage": options.get("include_usage") or False,
        }
    except (ValueError, AttributeError, TypeError):
        found = None
    print(json.dumps(found))
