import { withoutCertificates } from '../../attestation/hardware/testing/judging.ts'
import { tdxSamples } from '../../attestation/hardware/testing/real.ts'
import { seq } from '../../conformance/vectors/generator/der.ts'
import { between, type Case, caseOf, choose, fill, MEBIBYTE, type Shape } from './case.ts'
import { chains } from './chains.ts'

/** Room for what a bundle has beside its chain and its quote, in bytes. */
const REST = 40_000
/** The largest list of what is revoked that is read, in bytes. */
const LIST_BYTES = 131_000
const END = '-----END CERTIFICATE-----\n'

const [, [, member, now, condition]] = tdxSamples
const { collateral } = member
const bare = withoutCertificates(member)
const quote = Buffer.from(member.data, 'base64')
const [, intel = ''] = collateral.tcb_info_issuer_chain?.split(END) ?? []

type Members = Readonly<Record<string, string>>
const beside = (changes: Members) => ({ ...member, collateral: { ...collateral, ...changes } })

/** A real quote, under a root of which hardware is demanded, with as much as there is room for where it may stand. */
export const quotes: Shape = {
  name: 'quotes of hardware',
  genes: 11,
  make([kind, size, shape, ...genes]) {
    const base = choose(shape, chains as [Shape, ...Shape[]]).make(genes)
    const envelope = JSON.parse(base.bytes.toString())
    const room = between(size, 0, Math.max(0, MEBIBYTE - REST - base.bytes.length))
    const rootCaTeeQuote = choose<() => unknown>(kind, [
      () => member,
      () => ({ ...member, data: Buffer.concat([quote, Buffer.alloc((room * 3) / 4)]).toString('base64') }),
      () => ({ ...member, data: fill('-_', room) }),
      () => beside({ root_ca_crl: listOf(fill('0500', Math.min(room, 2 * LIST_BYTES))) }),
      () => beside({ pck_crl: listOf(fill('30020500', Math.min(room, 2 * LIST_BYTES))) }),
      () => beside({ root_ca_crl: fill('ab', room) }),
      () => beside({ tcb_info: collateral.tcb_info + fill(' ', room) }),
      () => beside({ qe_identity_issuer_chain: fill(END, (room * 9) / 10) }),
      () => ({
        ...beside({ pck_certificate_chain: [...envelope.certChain.slice(0, 2), intel + END].join('') }),
        data: bare.data,
      }),
    ])()
    const bytes = Buffer.from(JSON.stringify({ ...envelope, rootCaTeeQuote }))
    return demanding(bytes.length > MEBIBYTE ? caseOf({}) : { ...base, bytes })
  },
}

/** What may be a list of what is revoked, until it is read whole: signed by nobody, and filled with this. */
function listOf(filling: string): string {
  return seq(seq(Buffer.from(filling, 'hex')), seq(), Buffer.from('03020000', 'hex')).toString('hex')
}

/** At the quote's time, hardware is demanded of the root: its guest, so that all but the key is as it should be. */
function demanding({ bytes, expected }: Case): Case {
  const roots = expected.roots.map((root) => ({ ...root, attested: [condition] }))
  return { bytes, expected: { ...expected, roots, now: new Date(now) } }
}
