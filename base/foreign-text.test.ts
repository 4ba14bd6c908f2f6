import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quote, shorten, visible, visibleJson } from './foreign-text.ts'
import { forbidden, hostileText } from './testing/hostile-text.ts'

test.each([
  ['an escape sequence', '\u001b[2J', '\\u001b[2J'],
  ['a control of eight bits', '\u009b2J', '\\u009b2J'],
  ['a line end', 'a\r\nb', 'a\\u000d\\u000ab'],
  ['a rubout', '\u007f', '\\u007f'],
  ['a turned line', '\u202edeit\u2069\u061c\u200f', '\\u202edeit\\u2069\\u061c\\u200f'],
  ['a line separator', '\u2028\u2029', '\\u2028\\u2029'],
  ['what has no width', '\u200b\u200d\ufeff\u00ad', '\\u200b\\u200d\\ufeff\\u00ad'],
  ['half a character', 'a\ud83d', 'a\\ud83d'],
  ['a space that is none', 'a\u00a0b\u2003c\u3000', 'a\\u00a0b\\u2003c\\u3000'],
  ['a letter that is a blank', 'a\u2800', 'a\\u2800'],
  ['a character that nobody has', 'a\ufdd0', 'a\\ufdd0'],
  ['a tag', '\u{e0041}', '\\udb40\\udc41'],
  ['a letter of any language', 'Größe 木 😀 …', 'Größe 木 😀 …'],
])('%s is shown', (_, text, shown) => {
  expect(visible(text)).toBe(shown)
})

test('nothing that is forbidden passes, whatever the text', () => {
  fc.assert(
    fc.property(fc.oneof(hostileText, fc.string({ unit: 'binary' })), (text) => {
      for (const shown of [visible(text), shorten(text), quote(text)]) expect(shown).not.toMatch(forbidden)
      expect(visible(visible(text))).toBe(visible(text))
    }),
  )
})

test('what is too long is cut, and says so', () => {
  expect(shorten('a'.repeat(200))).toBe('a'.repeat(200))
  expect(shorten('a'.repeat(201))).toBe(`${'a'.repeat(200)}…`)
  expect(shorten('😀\u001b[2J', 6)).toBe('😀…')
  fc.assert(
    fc.property(hostileText, fc.nat(40), (text, columns) => {
      expect(shorten(text, columns).length).toBeLessThanOrEqual(columns + 1)
    }),
  )
})

test('a JSON text keeps its value and its form', () => {
  fc.assert(
    fc.property(fc.jsonValue(), hostileText, hostileText, (value, name, text) => {
      const document = { value, [name]: text }
      const shown = visibleJson(JSON.stringify(document, undefined, 2))
      expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(document)))
      expect(shown.replaceAll('\n', '')).not.toMatch(forbidden)
    }),
  )
})
