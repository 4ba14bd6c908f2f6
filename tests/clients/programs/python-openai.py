"""What an application does with the OpenAI SDK for Python; it prints what came of it as one JSON object."""

# Not openai.py: Python would find this file in place of the package.

import json
import os

from openai import APIStatusError, AuthenticationError, OpenAI

MODEL = "demo/tiny-chat"

# Address and key come from OPENAI_BASE_URL and OPENAI_API_KEY, as the SDK reads them by itself.
client = OpenAI()


def say(text):
    return {"model": MODEL, "messages": [{"role": "user", "content": text}]}


def told(answer, texts):
    return {"id": answer.id, "texts": texts, "usage": answer.usage.model_dump()}


def chat(text):
    answer = client.chat.completions.create(**say(text))
    return told(answer, [answer.choices[0].message.content])


def stream():
    options = {"include_usage": True}
    chunks = list(client.chat.completions.create(**say("Hello"), stream=True, stream_options=options))
    texts = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
    return told(chunks[-1], ["".join(texts)])


# The SDK has no call for several chats.
def chats():
    return [chat(text) for text in ("Once", "twice", "thrice")]


def prompts():
    answer = client.completions.create(model="demo/tiny-text", prompt=["Once", "twice", "thrice"])
    return told(answer, [choice.text for choice in answer.choices])


def refused(key, kind):
    try:
        OpenAI(api_key=key).chat.completions.create(**say("Hello"))
    except kind as error:
        status, code = error.status_code, error.code
        return {"name": type(error).__name__, "status": status, "code": code, "message": str(error)}


print(
    json.dumps(
        {
            "generations": [chat("Hello"), stream(), *chats(), prompts()],
            "wrong_key": refused(os.environ["OPENAI_API_KEY"] + "x", AuthenticationError),
            "no_credit": refused(os.environ["KEY_WITHOUT_CREDIT"], APIStatusError),
        }
    )
)
