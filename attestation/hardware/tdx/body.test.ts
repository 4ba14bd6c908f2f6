import { expect, test } from 'vitest'
import { reasonOf } from '../testing/judging.ts'
import { parseBody } from './body.ts'

function bodyWith(attributes: bigint, length = 648): Buffer {
  const body = Buffer.alloc(length)
  body.writeBigUInt64LE(attributes, 120)
  return body
}

const PROTECTED = 1n << 28n
/** ICSSD, LASS, SEPT_VE_DISABLE, PKS, key locker, PERFMON. */
const HARMLESS = [16, 27, 28, 30, 31, 63]

test.each(Array.from({ length: 64 }, (_, bit) => bit))('a guest with attribute %i is judged by it', (bit) => {
  const reason = reasonOf(() => parseBody(bodyWith(PROTECTED | (1n << BigInt(bit)))))
  expect(reason).toBe(HARMLESS.includes(bit) ? undefined : 'guest_unprotected')
})

test('a guest whose pages can be taken away unseen is refused', () => {
  expect(reasonOf(() => parseBody(bodyWith(0n)))).toBe('guest_unprotected')
})

test.each([648, 885])('a guest that another guest serves is refused in a body of %i bytes', (length) => {
  const body = bodyWith(PROTECTED, length)
  body.writeUInt8(1, 647)
  expect(reasonOf(() => parseBody(body))).toBe('guest_unprotected')
})

test('only a newer body names the TCB of today', () => {
  expect(parseBody(bodyWith(PROTECTED, 584)).tcbSvns).toHaveLength(1)
  expect(parseBody(bodyWith(PROTECTED)).tcbSvns).toHaveLength(2)
})
