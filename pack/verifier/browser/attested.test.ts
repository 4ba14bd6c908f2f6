import { expect, test } from 'vitest'
import { checkHardware, recheckHardware } from './attested.ts'

const fingerprint = 'sha256/a' as never
const root = { fingerprint, attested: [] } as never
const refused = expect.objectContaining({ stage: 'untrusted-root', reason: 'quote_unsupported' })

test('a page refuses a root of which hardware is demanded, and no other', () => {
  expect(() => checkHardware({}, { fingerprint }, { roots: [root] })).toThrow(refused)
  expect(() => recheckHardware({ admission: { rootFingerprint: fingerprint } }, [root])).toThrow(refused)
  const other = { fingerprint: 'sha256/b', attested: [] } as never
  expect(checkHardware({}, { fingerprint }, { roots: [{ fingerprint } as never, other] })).toBeNull()
})
