import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Vector } from '#contract/models'
import { pem } from '../certificate.ts'
import { chainOf, NOW } from '../chain.ts'
import { attested, type Condition, type Word } from '../hardware/attested.ts'
import { type Question, refused, trusted } from '../vector.ts'

/** Published test data of others, with their licences beside them. */
const SAMPLES = join(import.meta.dirname, '../../../../attestation/hardware/testing/samples')
const read = (file: string) => readFileSync(join(SAMPLES, file))
const ANY = { bootloader: 0, tee: 0, snp: 0, microcode: 0 }
const PEM_END = '-----END CERTIFICATE-----'

/** What differs from a sample as it was published: the time, and what stands behind its bytes. */
interface Changes {
  readonly now?: string
  readonly behind?: string
}

/** A report of a real chip with the first certificate of a file, and the guest that it shows. */
function onRealAmd(
  product: 'Milan' | 'Genoa',
  report: string,
  file: string,
  { now = NOW, behind = '' }: Changes = {},
): Question {
  const bytes = read(`snp/${report}.bin`)
  const kind = file.includes('.vlek.') ? 'vlek' : 'vcek'
  const member = {
    format: 'amd-sev-snp-report',
    data: Buffer.concat([bytes, Buffer.from(behind)]).toString('base64'),
    collateral: { [kind]: firstOf(file) },
  }
  const measurement = bytes.subarray(0x90, 0xc0).toString('hex')
  const guest = { tee: 'snp', product, measurement, minimumTcb: ANY, vmpl: 3 } as const
  return asOf(now, member, kind === 'vlek' ? { ...guest, vlek: true } : guest)
}

function firstOf(file: string): string {
  const certificate = read(`snp/${file}`)
  if (file.endsWith('.der')) return pem(certificate)
  const [first] = certificate.toString().replace(/\r/g, '').split(PEM_END)
  return `${first}${PEM_END}\n`
}

interface IntelChanges extends Pick<Changes, 'behind'> {
  /** Another sample, whose collateral is taken. */
  readonly collateralOf?: string
  readonly tcbStatus?: readonly Word[]
}

/** A quote of a real machine with the collateral of this or another sample, and the guest that it shows. */
function onRealIntel(
  version: 4 | 5,
  name: string,
  now: string,
  { collateralOf = name, behind = '', tcbStatus }: IntelChanges = {},
): Question {
  const bytes = read(`tdx/${name}.bin`)
  const body = version === 4 ? 48 : 54
  const register = (at: number) => bytes.subarray(body + at, body + at + 48).toString('hex')
  const own = JSON.parse(read(`tdx/${collateralOf}_collateral.json`).toString()) as Record<string, unknown>
  // The certificates of another machine have no place beside this one's quote.
  const { pck_certificate_chain: _, ...others } = own
  const member = {
    format: `intel-tdx-quote-v${version}`,
    data: Buffer.concat([bytes, Buffer.from(behind)]).toString('base64'),
    collateral: collateralOf === name ? own : others,
  }
  const guest = { tee: 'tdx', mrtd: register(136), rtmr1: register(376), rtmr2: register(424) } as const
  return asOf(now, member, tcbStatus ? { ...guest, tcbStatus: [...tcbStatus] } : guest)
}

/** A question at some time. Samples that hold in 2025 alone are asked about with certificates that hold then, too. */
function asOf(now: string, member: unknown, guest: Condition): Question {
  const question = attested(member, [guest], { vendors: null, now })
  if (now === NOW) return question
  const since = { notBefore: '2025-01-01T00:00:00Z' }
  const chain = chainOf('p256', { leaf: since, intermediate: since, root: since })
  const root = { ...trusted(chain.certificates.at(-1)!), attested: { measurements: [guest] } }
  return {
    ...question,
    chain,
    payload: { issuedAt: now },
    envelope: { ...question.envelope, issuedAt: now },
    expect: { ...question.expect, roots: [root] },
  }
}

const V4_AT = '2025-06-20T00:00:00Z'
const V5_AT = '2026-10-08T01:09:46Z'
const VLEK_AT = '2025-06-01T00:00:00Z'

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
    'snp-real-vlek': [
      'A report that the key of a real cloud signed holds, at its time, but for the key that it is about',
      onRealAmd('Milan', 'milan-v3-vlek', 'milan-v3-vlek.vlek.der', { now: VLEK_AT }),
    ],
    'snp-real-version-5': [
      'A report of version 5 of a real Milan holds but for the key that it is about',
      onRealAmd('Milan', 'milan-v5-gcp', 'milan-v5-gcp.vcek.pem'),
    ],
    'tdx-real-version-4': [
      'A quote of version 4 of a real machine holds, at its time, but for the key that it is about',
      onRealIntel(4, 'tdx_quote', V4_AT),
    ],
    'tdx-real': [
      'A quote of a real machine with TDX 1.5 holds, at its time, but for the key that it is about',
      onRealIntel(5, 'tdx_quote_td15ex', V5_AT),
    ],
    'tdx-real-out-of-date-accepted': [
      'A real machine that is out of date by what Intel says later holds where the condition accepts that',
      onRealIntel(4, 'tdx_quote', V5_AT, {
        collateralOf: 'tdx_quote_td15ex',
        tcbStatus: ['UpToDate', 'OutOfDate'],
      }),
    ],
  }),
  ...refused('untrusted-root', 'quote_malformed', 'VRFY-26', {
    'snp-real-text-behind': [
      'A report of a real Milan with text behind it is refused',
      onRealAmd('Milan', 'milan-v2', 'milan-v2.vcek.der', { behind: 'text' }),
    ],
    'tdx-real-text-behind': [
      'A quote of a real machine with text behind it is refused',
      onRealIntel(4, 'tdx_quote', V4_AT, { behind: 'text' }),
    ],
  }),
  ...refused('untrusted-root', 'guest_unprotected', 'VRFY-31', {
    'snp-real-debug': [
      'A report of a real Milan whose guest can be debugged is refused',
      onRealAmd('Milan', 'milan-v2-debug', 'milan-v2-debug.vcek.der'),
    ],
  }),
  ...refused('untrusted-root', 'endorsement_invalid', 'VRFY-32', {
    'snp-real-other-chip': [
      'A report of a real Milan with the certificate of another chip is refused',
      onRealAmd('Milan', 'milan-v2-other-chip', 'milan-v2-other-chip.certs.pem'),
    ],
  }),
  ...refused('untrusted-root', 'endorsement_expired', 'VRFY-32', {
    'snp-real-vlek-expired': [
      'A report that the key of a real cloud signed is refused once its certificate has ended',
      onRealAmd('Milan', 'milan-v3-vlek', 'milan-v3-vlek.vlek.der'),
    ],
  }),
  ...refused('untrusted-root', 'collateral_expired', 'VRFY-32', {
    'tdx-real-expired': [
      'A quote of a real machine is refused a month later, by the age of its collateral alone',
      onRealIntel(5, 'tdx_quote_td15ex', '2026-12-08T01:09:46Z'),
    ],
  }),
  ...refused('untrusted-root', 'tcb_not_accepted', 'VRFY-30', {
    'tdx-real-out-of-date': [
      'A real machine is refused once Intel says that it is out of date',
      onRealIntel(4, 'tdx_quote', V5_AT, { collateralOf: 'tdx_quote_td15ex' }),
    ],
    'tdx-real-no-level': [
      'A real machine that reaches no level is refused',
      onRealIntel(5, 'tdx_quote_outdated', '2026-02-19T00:00:00Z'),
    ],
  }),
]
