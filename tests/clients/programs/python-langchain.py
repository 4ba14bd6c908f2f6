"""What an application does with LangChain for Python; it prints what came of it as one JSON object."""

import json
import os

from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI, OpenAI
from openai import APIStatusError, AuthenticationError

SEVERAL = ["Once", "twice", "thrice"]


# Address and key come from OPENAI_BASE_URL and OPENAI_API_KEY, as LangChain reads them by itself.
def connect(**options):
    return ChatOpenAI(model="demo/tiny-chat", **options)


def told(message):
    about = message.response_metadata
    return {"id": about["id"], "texts": [message.text], "usage": about["token_usage"]}


def chat():
    return told(connect().invoke("Hello"))


# Of a stream it shows the counts alone, by names of its own: neither the id nor what it cost.
def stream():
    chunks = list(connect(stream_usage=True).stream("Hello"))
    whole = sum(chunks[1:], chunks[0])
    counts = whole.usage_metadata
    usage = {"prompt_tokens": counts["input_tokens"], "completion_tokens": counts["output_tokens"]}
    return {"texts": [whole.text], "usage": usage}


def chats():
    result = connect().generate([[HumanMessage(text)] for text in SEVERAL])
    return [told(generation.message) for [generation] in result.generations]


# All prompts are one request, of which it shows the counts alone.
def prompts():
    result = OpenAI(model="demo/tiny-text").generate(SEVERAL)
    texts = [generation.text for [generation] in result.generations]
    return {"texts": texts, "usage": result.llm_output["token_usage"]}


def refused(key, kind):
    try:
        connect(api_key=key).invoke("Hello")
    except kind as error:
        status, code = error.status_code, error.code
        return {"name": type(error).__name__, "status": status, "code": code, "message": str(error)}


print(
    json.dumps(
        {
            "generations": [chat(), stream(), *chats(), prompts()],
            "wrong_key": refused(os.environ["OPENAI_API_KEY"] + "x", AuthenticationError),
            "no_credit": refused(os.environ["KEY_WITHOUT_CREDIT"], APIStatusError),
        }
    )
)
