//! Reads each line, a JSON string with a body in it, as a server in Rust would, and prints what it found.
use serde::Deserialize;
use serde_json::{json, Value};

#[derive(Deserialize)]
struct Message {
    content: Option<Value>,
}

#[derive(Deserialize)]
struct Options {
    include_usage: Option<bool>,
}

#[derive(Deserialize)]
struct Request {
    model: Option<String>,
    messages: Option<Vec<Message>>,
    stream: Option<bool>,
    max_tokens: Option<i64>,
    stream_options: Option<Options>,
}

fn main() {
    for line in std::io::stdin().lines() {
        let body: String = serde_json::from_str(&line.unwrap()).unwrap();
        let found = serde_json::from_str::<Request>(&body).ok().map(|read| {
            json!({
                "model": read.model.unwrap_or_default(),
                "contents": read.messages.unwrap_or_default().into_iter().map(|each| each.content).collect::<Vec<_>>(),
                "stream": read.stream.unwrap_or(false),
                "max_tokens": read.max_tokens,
                "include_usage": read.stream_options.and_then(|options| options.include_usage).unwrap_or(false),
            })
        });
        println!("{}", json!(found));
    }
}
