import { expect, test } from 'vitest'
import { outlineOf } from './outline.ts'

test.each([
  ['"größe \\u00fc"', 'größe ü'],
  ['-1.5e3', -1_500],
  ['true', true],
  ['null', null],
  ['{"a":[1]}', {}],
  ['[ ]', []],
  ['[1, "b" ,{"c":2},[3,4]]', [1, 'b', {}, []]],
  ['[1,2,3,4,5,6,7,8,9,10]', [1, 2, 3, 4, 5, 6, 7, 8]],
])('of %s a schema sees no more than it can judge', (text, outline) => {
  expect(outlineOf(Buffer.from(text), 0, Buffer.byteLength(text))).toEqual(outline)
})
