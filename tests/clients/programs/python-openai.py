"""What an application does with the OpenAI SDK for Python; it prints what came of it as one JSON object."""

# Not openai.py: Python would find this file in place of the package.

import json
import os

from openai import AuthenticationError, OpenAI

MODEL = "demo/tiny-chat"
MESSAGES = [{"role": "user", "content": "Hello"}]

# Address and key come from OPENAI_BASE_URL and OPENAI_API_KEY, as the SDK reads them by itself.
client = OpenAI()


def chat():
    answer = client.chat.completions.create(model=MODEL, messages=MESSAGES)
    return {"id": answer.id, "text": answer.choices[0].message.content, "usage": answer.usage.model_dump()}


def stream():
    options = {"include_usage": True}
    chunks = list(
        client.chat.completions.create(model=MODEL, messages=MESSAGES, stream=True, stream_options=options)
    )
    texts = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
    return {"id": chunks[-1].id, "text": "".join(texts), "usage": chunks[-1].usage.model_dump()}


def refused():
    try:
        OpenAI(api_key=os.environ["OPENAI_API_KEY"] + "x").models.list()
    except AuthenticationError as error:
        return {"status": error.status_code, "code": error.code}


print(json.dumps({"chat": chat(), "stream": stream(), "refused": refused()}))
