"""Reads a stream that breaks off; it prints a line at each delta, and at the end what the SDK for Python threw."""

# Not openai.py: Python would find this file in place of the package.

import json

from openai import OpenAI

MODEL = "demo/tiny-chat"
MESSAGES = [{"role": "user", "content": "Hello"}]

text = ""
thrown = None
try:
    client = OpenAI(max_retries=0)
    for chunk in client.chat.completions.create(model=MODEL, messages=MESSAGES, stream=True):
        text += chunk.choices[0].delta.content or ""
        print("delta", flush=True)
except Exception as error:
    thrown = {"name": type(error).__name__, "code": getattr(error, "code", None)}

print(json.dumps({"text": text, "thrown": thrown}))
