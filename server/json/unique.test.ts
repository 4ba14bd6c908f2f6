import { expect, test } from 'vitest'
import { uniqueMembers } from './unique.ts'

test.each([
  ['{}', '{}'],
  ['{"a":1,"b":2}', '{"a":1,"b":2}'],
  ['{"a":1,"a":2}', '{"a":2}'],
  ['{"a":1 , "b":{"a":0,"a":1},"a" : 2, "c":3}', '{"b":{"a":0,"a":1},"a" : 2, "c":3}'],
  ['{"a":1,"\\u0061":2,"a":3,"b":4}', '{"a":3,"b":4}'],
])('%s is %s once each name stands once', (text, unique) => {
  const { bytes, object } = uniqueMembers(Buffer.from(text))
  expect(bytes.toString()).toBe(unique)
  expect(JSON.parse(bytes.toString())).toEqual(JSON.parse(text))
  expect(object.members).toHaveLength(Object.keys(JSON.parse(text)).length)
})

test.each([15, 16, 17, 40])('of %d members a name that stands first and last is kept once', (count) => {
  const others = Array.from({ length: count - 2 }, (_, place) => `"n${place}":${place}`)
  const { bytes } = uniqueMembers(Buffer.from(`{"a":1,${others.join(',')},"a":2}`))
  expect(bytes.toString()).toBe(`{${others.join(',')},"a":2}`)
})
