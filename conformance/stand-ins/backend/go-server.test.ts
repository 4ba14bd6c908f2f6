import { expect, test } from 'vitest'
import { createBackend } from './backend.ts'

/** What a stream of the backend says when it reads this body as a server in Go. */
async function stream(body: string): Promise<string> {
  await using backend = await open()
  const response = await fetch(`${backend.url}/chat/completions`, { method: 'POST', body })
  return await response.text()
}

async function open() {
  const backend = await createBackend({ script: { rules: [{ reads: 'go', chunks: 3 }] } })
  return { url: backend.url, [Symbol.asyncDispose]: () => backend.close() }
}

const messages = '"messages":[{"role":"user","content":"Hello"}]'

test('names are folded, and the last one wins', async () => {
  const asked = `{${messages},"stream":true,"stream_options":{"include_usage":true}}`
  expect(await stream(asked)).toContain('"usage"')
  const unasked = `{${messages},"stream":true,"stream_options":{"include_usage":true},"ſtream_optionſ":{"Include_Usage":false}}`
  expect(await stream(unasked)).not.toContain('"usage"')
  expect(await stream(`{${messages},"stream":false,"Stream":true}`)).toContain('data:')
})

test('what does not fit into the declared types is refused', async () => {
  expect(await stream(`{${messages},"stream":"yes"}`)).toContain('cannot be decoded')
})
