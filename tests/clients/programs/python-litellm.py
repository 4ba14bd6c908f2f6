"""What an application does with LiteLLM; it prints what came of it as one JSON object."""

# Not litellm.py: Python would find this file in place of the package.

import json
import os

# Else it asks the network for a list of prices before anything else, and waits where there is none.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm

# A refusal is no reason to print advice among what this program prints.
litellm.suppress_debug_info = True

KEY = os.environ["OPENAI_API_KEY"]
BASE = os.environ["OPENAI_BASE_URL"]
CHAT = {"model": "openai/demo/tiny-chat", "api_base": BASE}
TEXT = {"model": "text-completion-openai/demo/tiny-text", "api_base": BASE}


def say(text):
    return [{"role": "user", "content": text}]


def told(answer, texts):
    return {"id": answer.id, "texts": texts, "usage": answer.usage.model_dump()}


def chat():
    answer = litellm.completion(messages=say("Hello"), api_key=KEY, **CHAT)
    return told(answer, [answer.choices[0].message.content])


def stream():
    options = {"stream": True, "stream_options": {"include_usage": True}}
    chunks = list(litellm.completion(messages=say("Hello"), api_key=KEY, **options, **CHAT))
    texts = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
    return told(chunks[-1], ["".join(texts)])


def chats():
    several = [say(text) for text in ("Once", "twice", "thrice")]
    answers = litellm.batch_completion(messages=several, api_key=KEY, **CHAT)
    # They are asked for side by side; ids rise as the router takes them.
    return sorted((told(each, [each.choices[0].message.content]) for each in answers), key=lambda each: each["id"])


def prompts():
    answer = litellm.text_completion(prompt=["Once", "twice", "thrice"], api_key=KEY, **TEXT)
    return told(answer, [choice.text for choice in answer.choices])


def refused(key, kind):
    try:
        litellm.completion(messages=say("Hello"), api_key=key, **CHAT)
    except kind as error:
        return {"name": type(error).__name__, "status": error.status_code, "message": str(error)}


print(
    json.dumps(
        {
            "generations": [chat(), stream(), *chats(), prompts()],
            "wrong_key": refused(KEY + "x", litellm.exceptions.AuthenticationError),
            "no_credit": refused(os.environ["KEY_WITHOUT_CREDIT"], litellm.exceptions.APIError),
        }
    )
)
