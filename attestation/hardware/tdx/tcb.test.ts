import { expect, test } from 'vitest'
import type { JsonObject } from '../../json-value.ts'
import { reasonOf } from '../testing/judging.ts'
import { tdxSamples } from '../testing/real.ts'
import type { GuestReport } from './body.ts'
import type { Machine } from './pck.ts'
import { judgeTcb } from './tcb.ts'

const [, [, { collateral }]] = tdxSamples
const tcbInfo: JsonObject = JSON.parse(collateral.tcb_info ?? '')
const enclave = { status: 'UpToDate', advisories: [] } as const
const components = [4, 4, 2, 2, 4, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0]
const svns = (...first: number[]) => Buffer.concat([Buffer.from(first)], 16)

const machine = {
  fmspc: Buffer.from('b0c06f000000', 'hex'),
  pceId: Buffer.alloc(2),
  componentSvns: components,
  pceSvn: 11,
} as unknown as Machine
const guest = {
  tcbSvns: [svns(5, 0, 4)],
  seamSigner: Buffer.alloc(48),
  seamAttributes: Buffer.alloc(8),
} as unknown as GuestReport

const judge = (
  guestChange: Partial<GuestReport> = {},
  machineChange: Partial<Machine> = {},
  info = tcbInfo,
) => judgeTcb({ ...guest, ...guestChange }, { ...machine, ...machineChange }, info, enclave).status

test.each<readonly [string, Partial<GuestReport>, Partial<Machine>, string]>([
  ['the newest of everything', {}, {}, 'UpToDate'],
  ['older microcode for TDX', { tcbSvns: [svns(5, 0, 3)] }, {}, 'OutOfDate'],
  ['an older component', {}, { componentSvns: components.with(0, 3) }, 'OutOfDate'],
  ['an older PCE', {}, { pceSvn: 10 }, 'OutOfDate'],
  ['a newer module by its own levels', { tcbSvns: [svns(5, 3, 4)] }, {}, 'UpToDate'],
  ['an older module by its own levels', { tcbSvns: [svns(4, 3, 4)] }, {}, 'OutOfDate'],
  [
    'a module that was renewed since the launch',
    { tcbSvns: [svns(4, 3, 4), svns(5, 3, 4)] },
    {},
    'TDRelaunchAdvised',
  ],
])('a machine with %s is judged', (_, guestChange, machineChange, word) => {
  expect(judge(guestChange, machineChange)).toBe(word)
})

test.each<readonly [string, () => unknown, string]>([
  ['of another kind', () => judge({}, { fmspc: Buffer.alloc(6) }), 'collateral_invalid'],
  ['with another PCE', () => judge({}, { pceId: Buffer.from([1, 0]) }), 'collateral_invalid'],
  [
    'whose levels compare in another way',
    () => judge({}, {}, { ...tcbInfo, tcbType: 1 }),
    'collateral_invalid',
  ],
  [
    'whose levels cannot be read',
    () => judge({}, {}, { ...tcbInfo, tcbLevels: [{ tcb: {} }] }),
    'collateral_invalid',
  ],
  ['below every level', () => judge({}, { componentSvns: components.map(() => 0) }), 'tcb_not_accepted'],
  ['whose module is below every level', () => judge({ tcbSvns: [svns(2, 3, 4)] }), 'tcb_not_accepted'],
  [
    'whose module today is below every level',
    () => judge({ tcbSvns: [svns(5, 3, 4), svns(2, 3, 4)] }),
    'tcb_not_accepted',
  ],
  ['with a module that is not known', () => judge({ tcbSvns: [svns(5, 9, 4)] }), 'tcb_not_accepted'],
  ['with a module of somebody else', () => judge({ seamSigner: Buffer.alloc(48, 1) }), 'tcb_not_accepted'],
  [
    'with a module that can be debugged',
    () => judge({ seamAttributes: Buffer.alloc(8, 1) }),
    'tcb_not_accepted',
  ],
])('a machine %s is refused', (_, judged, reason) => {
  expect(reasonOf(judged)).toBe(reason)
})
