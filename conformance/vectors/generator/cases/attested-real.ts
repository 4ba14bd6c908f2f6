import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Vector } from '#contract/models'
import { pem } from '../certificate.ts'
import { attested, type Condition } from '../hardware/attested.ts'
import { type Question, refused } from '../vector.ts'

/** Published test data of others, with their licences beside them. */
const SAMPLES = join(import.meta.dirname, '../../../../attestation/hardware/testing/samples')
const read = (file: string) => readFileSync(join(SAMPLES, file))
const ANY = { bootloader: 0, tee: 0, snp: 0, microcode: 0 }

/** A report of a real chip, and the guest that it shows. */
function onRealAmd(product: 'Milan' | 'Genoa', report: string, vcek: string, minimumTcb = ANY): Question {
  const bytes = read(`snp/${report}.bin`)
  const certificate = read(`snp/${vcek}`)
  const measurement = bytes.subarray(0x90, 0xc0).toString('hex')
  const text = vcek.endsWith('.der') ? pem(certificate) : certificate.toString().replace(/\r/g, '')
  const member = {
    format: 'amd-sev-snp-report',
    data: bytes.toString('base64'),
    collateral: { vcek: `${text.trimEnd()}\n` },
  }
  const guest: Condition = { tee: 'snp', product, measurement, minimumTcb, vmpl: 3 }
  return attested(member, [guest], { vendors: null })
}

/** A quote of a real machine as of some time, and the guest that it shows at this place of it. */
function onRealIntel(version: 4 | 5, name: string, collateral: string, now: string): Question {
  const bytes = read(`tdx/${name}.bin`)
  const body = version === 4 ? 48 : 54
  const register = (at: number) => bytes.subarray(body + at, body + at + 48).toString('hex')
  const member = {
    format: `intel-tdx-quote-v${version}`,
    data: bytes.toString('base64'),
    collateral: JSON.parse(read(`tdx/${collateral}_collateral.json`).toString()) as unknown,
  }
  const guest: Condition = { tee: 'tdx', mrtd: register(136), rtmr1: register(376), rtmr2: register(424) }
  const question = attested(member, [guest], { vendors: null, now })
  return { ...question, payload: { issuedAt: now }, envelope: { ...question.envelope, issuedAt: now } }
}

/** Real hardware can vouch for no key of ours: that the key is another one is all that is wrong with it. */
export const realVectors: readonly Vector[] = [
  ...refused('untrusted-root', 'root_key_not_bound', 'VRFY-28', {
    'snp-real-genoa': [
      'A report of a real Genoa holds but for the key that it is about',
      onRealAmd('Genoa', 'genoa-v3-azure', 'genoa-v3-azure.vcek.pem'),
    ],
    'snp-real-milan': [
      'A report of a real Milan holds but for the key that it is about',
      onRealAmd('Milan', 'milan-v2', 'milan-v2.vcek.der'),
    ],
    'tdx-real': [
      'A quote of a real machine with TDX 1.5 holds, at its time, but for the key that it is about',
      onRealIntel(5, 'tdx_quote_td15ex', 'tdx_quote_td15ex', '2026-10-08T01:09:46Z'),
    ],
  }),
  ...refused('untrusted-root', 'guest_unprotected', 'VRFY-31', {
    'snp-real-debug': [
      'A report of a real Milan whose guest can be debugged is refused',
      onRealAmd('Milan', 'milan-v2-debug', 'milan-v2-debug.vcek.der'),
    ],
  }),
  ...refused('untrusted-root', 'collateral_expired', 'VRFY-32', {
    'tdx-real-expired': [
      'A quote of a real machine is refused a month later, by the age of its collateral alone',
      onRealIntel(5, 'tdx_quote_td15ex', 'tdx_quote_td15ex', '2026-12-08T01:09:46Z'),
    ],
  }),
]
