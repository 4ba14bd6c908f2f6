import { expect, test } from 'vitest'
import { readDemand } from './demand.ts'

const register = '0'.repeat(96)
const guest = { tee: 'tdx', mrtd: register, rtmr1: register, rtmr2: register, tcbStatus: ['UpToDate'] }

test.each([
  [
    'as discover prints it, where it stands further in',
    `          measurements:\n            - ${JSON.stringify(guest)}\n`,
  ],
  ['as JSON', JSON.stringify({ measurements: [guest] })],
  [
    'with a digest between quotation marks',
    `measurements:\n  - tee: tdx\n    mrtd: "${register}"\n    rtmr1: "${register}"\n    rtmr2: "${register}"\n    tcbStatus: [UpToDate]`,
  ],
])('a demand is read %s', (_, text) => {
  expect(readDemand(text)).toEqual({ measurements: [guest] })
})

test('where nothing is written nothing is demanded', () => {
  expect(readDemand(' \n')).toBeUndefined()
})

test.each(['measurements: [', 'a: 1\na: 2', 'a: &x 1\nb: *x'])('what is no YAML is told: %j', (text) => {
  expect(() => readDemand(text)).toThrow()
})
