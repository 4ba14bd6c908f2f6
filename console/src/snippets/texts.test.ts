import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { snippetsFor } from './texts.ts'

const terms = {
  baseUrl: 'http://127.0.0.1:8484/v1',
  apiKey: 'sk-tee-v1-abc',
  model: `it's "odd" $(id)/\\model`,
}
const textOf = (id: string) => snippetsFor(terms).find((snippet) => snippet.id === id)!.text

test('each of the four clients is given address, key and model', () => {
  expect(snippetsFor(terms).map(({ id }) => id)).toEqual(['shell', 'node', 'python', 'ai-sdk'])
  for (const { text } of snippetsFor(terms)) {
    expect(text).toContain(terms.baseUrl)
    expect(text).toContain(terms.apiKey)
  }
})

test('a shell reads from the curl line what was meant, whatever the model is called', () => {
  const shell = `curl() { for word; do printf '%s\\0' "$word"; done; }\n${textOf('shell')}`
  const { stdout } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' })
  const words = stdout.split('\0')
  expect(words.slice(0, 2)).toEqual(['-N', 'http://127.0.0.1:8484/v1/chat/completions'])
  expect(words[3]).toBe('Authorization: Bearer sk-tee-v1-abc')
  expect(JSON.parse(words[7]!)).toMatchObject({ model: terms.model, stream: true })
})

test.each(['node', 'python', 'ai-sdk'])('the program for %s holds the model as one text', (id) => {
  expect(textOf(id)).toContain(JSON.stringify(terms.model))
})
