import { expect, test } from 'vitest'
import { countPromptTokens, sizeMessages } from './sizing.ts'
import { eachText } from './texts.ts'

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
  [
    'the input of a custom tool',
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ type: 'custom', custom: { name: 'f', input: 'ls -l' } }],
      },
    ],
    5,
    false,
  ],
  ['shapes that no client should send', [null, 5, 'text', [], { content: 7, tool_calls: 'x' }], 0, false],
])('%s is sized without being kept', (_, messages, textBytes, hasOtherParts, parts = {}) => {
  const bytes = Buffer.from(JSON.stringify(messages))
  expect(sizeMessages(bytes, 0)).toEqual({ textBytes, hasOtherParts, images: 0, audios: 0, ...parts })
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
  const sizes: number[][] = []
  const bytes = Buffer.from(JSON.stringify(prompt))
  expect(eachText(bytes, 0, (_start, _end, textBytes, tokens) => sizes.push([textBytes, tokens]))).toBe(true)
  expect(sizes).toEqual(expected)
})

const image = '[{"type":"image_url","image_url":{"url":"http://a.example/b.png"}}]'

test.each([
  ['in another case', `{"role":"user","content":"x","Content":${image}}`],
  ['in another case alone', `{"role":"user","conTent":${image}}`],
  [
    'folded',
    '{"role":"user","cont\\u00e9nt":"","content":"","tool_call\\u017f":[{"function":{"arguments":"long"}}]}',
  ],
  ['twice', `{"role":"user","content":${image},"content":"x"}`],
  ['with something invisible', `{"role":"user","content":"x","con\\u200btent":${image}}`],
  ['with space around it', `{"role":"user","content":"x"," content ":${image}}`],
  ['behind an end of C', `{"role":"user","content":"x","content\\u0000":${image}}`],
  ['in a part', '{"role":"user","content":[{"type":"text","Text":"long","text":""}]}'],
  ['in a part’s kind', '{"role":"user","content":[{"type":"text","TYPE":"image_url"}]}'],
  ['in a call', '{"role":"user","tool_calls":[{"function":{"Arguments":"long"}}]}'],
])('a message with a name %s counts whole, and as if there were an image in it', (_, message) => {
  const bytes = Buffer.from(`[{"role":"user","content":"ab"}, ${message} ]`)
  expect(sizeMessages(bytes, 0)).toMatchObject({
    textBytes: 2 + Buffer.byteLength(message),
    hasOtherParts: true,
  })
})

test.each([
  '{"role":"user","content":"ab","name":"Content","toolCallId":"x","Größe":1,"x\\u0000":2}',
  '{"cont\\u0065nt":"ab","other":{"Content":"long"}}',
  '{"content":[{"type":"t\\u0065xt","text":"ab","cache_control":{"Type":"ephemeral"}}]}',
])('names that nobody takes for others are no reason: %s', (message) => {
  expect(sizeMessages(Buffer.from(`[${message}]`), 0)).toMatchObject({ textBytes: 2, hasOtherParts: false })
})

test('images and audio parts are told apart and counted', () => {
  const types = ['image_url', 'input_image', 'input_audio', 'file', 'text', 'image_\\u0075rl']
  const parts = types.map((type) => `{"type":"${type}"}`)
  const bytes = Buffer.from(`[{"content":[${parts.join(',')}]},{"content":[{"type":7},{"type":"audio"}]}]`)
  expect(sizeMessages(bytes, 0)).toEqual({ textBytes: 0, hasOtherParts: true, images: 3, audios: 2 })
})
