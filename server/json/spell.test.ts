import { expect, test } from 'vitest'
import { spell } from './spell.ts'

test('a text is spelled as JSON has it, at first, again, and after more were met than are kept', () => {
  const texts = ['model', 'a"b', '\\', 'ü', '\u0007', '\ud800', '', '__proto__']
  expect(spell(null)).toBe('null')
  const others = Array.from({ length: 3_000 }, (_, number) => `other/${number}`)
  for (const text of [...texts, ...texts, ...others, ...texts]) expect(spell(text)).toBe(JSON.stringify(text))
})
