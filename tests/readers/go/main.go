// Reads each line, a JSON string with a body in it, as a server in Go would, and prints what it found.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type message struct {
	Content any `json:"content"`
}

type request struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Stream        bool      `json:"stream"`
	MaxTokens     *int      `json:"max_tokens"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var body string
		if err := json.Unmarshal(lines.Bytes(), &body); err != nil {
			panic(err)
		}
		var read request
		if err := json.Unmarshal([]byte(body), &read); err != nil {
			fmt.Println("null")
			continue
		}
		contents := []any{}
		for _, each := range read.Messages {
			contents = append(contents, each.Content)
		}
		found, _ := json.Marshal(map[string]any{
			"model": read.Model, "contents": contents, "stream": read.Stream, "max_tokens": read.MaxTokens,
			"include_usage": read.StreamOptions != nil && read.StreamOptions.IncludeUsage,
		})
		fmt.Println(string(found))
	}
}
