import { expect, test } from 'vitest'
import { countPromptTokens, sizeMessages, sizeTexts } from './sizing.ts'

test.each<[string, unknown[], number, boolean, object?]>([
  ['a text', [{ role: 'user', content: 'hello' }], 5, false],
  ['a text of several bytes per character', [{ role: 'user', content: 'größe 🙂' }], 12, false],
  [
    'text parts',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'ab' },
          { type: 'text', text: 'c' },
        ],
      },
    ],
    3,
    false,
  ],
  [
    'an image, whose base64 is not counted',
    [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] }],
    0,
    true,
    { images: 1 },
  ],
  [
    'sounds and an image beside a text',
    [
      {
        role: 'user',
        content: [{ type: 'input_audio' }, { type: 'audio_url' }, { type: 'text', text: 'ab' }],
      },
      { role: 'user', content: [{ type: 'image_url' }] },
    ],
    2,
    true,
    { images: 1, audios: 2 },
  ],
  [
    'tool arguments',
    [{ role: 'assistant', content: null, tool_calls: [{ function: { name: 'f', arguments: '{"a":1}' } }] }],
    7,
    false,
  ],
  ['shapes that no client should send', [null, 5, 'text', [], { content: 7, tool_calls: 'x' }], 0, false],
])('%s is sized without being kept', (_, messages, textBytes, hasOtherParts, parts = {}) => {
  expect(sizeMessages(messages)).toEqual({ textBytes, tokens: 0, hasOtherParts, ...parts })
})

test.each([
  [0, 0],
  [1, 1],
  [4, 1],
  [5, 2],
])('%i bytes are counted as %i tokens', (bytes, tokens) => {
  expect(countPromptTokens(bytes)).toBe(tokens)
})

test.each([
  ['a text', 'größe', [[7, 0]]],
  ['the tokens of one', [1, 2, 3], [[0, 3]]],
  [
    'several texts',
    ['a', 'bc'],
    [
      [1, 0],
      [2, 0],
    ],
  ],
  [
    'the tokens of several',
    [[1], [2, 3]],
    [
      [0, 1],
      [0, 2],
    ],
  ],
  ['one text in an array', ['abc'], [[3, 0]]],
])('%s is sized prompt by prompt', (_, prompt, expected) => {
  const sizes = [...sizeTexts(prompt)].map(({ textBytes, tokens }) => [textBytes, tokens])
  expect(sizes).toEqual(expected)
})
