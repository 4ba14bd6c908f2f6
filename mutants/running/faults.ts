import type { Edit } from '#base/testing/read-edited.ts'
import type { RuleId } from '#contract/rules'
import { ADMITTED, rows } from '../../conformance/vectors/served/rows.ts'
import { faults } from '../verifier/faults.ts'

/** A fault of a proxy that runs, the rules that it breaks, and the served vectors that have to tell. */
export interface RunningFault {
  readonly id: string
  readonly violates: readonly RuleId[]
  readonly edits: readonly Edit[]
  readonly expectKilledBy: readonly string[]
}

/** The given rules that go with a fault without whose check nothing is verified. */
const unverified: readonly RuleId[] = ['PRXY-02', 'PRXY-04']

const served = (ids: readonly string[]) => ids.filter((id) => rows[id] !== undefined)

/** One of the verifier's small faults, in the proxy. */
function small(id: string, more: readonly RuleId[] = []): RunningFault {
  const { violates, expectKilledBy, ...edit } = faults.find((one) => one.id === `verifier/${id}`)!
  return { id, violates: [...more, ...violates], edits: [edit], expectKilledBy: served(expectKilledBy) }
}

const checkOf = (file: string, find: string, put = ''): readonly Edit[] => [{ file, find, put }]
const chains = Object.keys(rows).filter((id) => id.startsWith('cert-chain/'))
/** Refused while the chain is read. */
const UNREADABLE = 'cert-chain/byte-behind-the-leaf'

/** Refuses whatever it is shown: by its refusals alone it would be the best of proxies. */
export const neverAdmits: RunningFault = {
  id: 'never-admits',
  violates: ['PRXY-02'],
  edits: checkOf('attestation/policy.ts', '!pins.includes(evidenceDigest)', 'true'),
  expectKilledBy: ['admitted', ...Object.keys(rows).filter((id) => id !== ADMITTED)],
}

/** Faults of which none was told by any request before the vectors were served. */
export const runningFaults: readonly RunningFault[] = [
  small('unsigned', unverified),
  small('alg-none', unverified),
  {
    id: 'no-chain',
    violates: [
      ...unverified,
      ...(['VRFY-06', 'VRFY-07', 'VRFY-08', 'VRFY-09', 'VRFY-10', 'VRFY-11', 'VRFY-12', 'VRFY-24'] as const),
    ],
    edits: checkOf(
      'attestation/verify.ts',
      'checkChain(chain, { ...expected, requireLeafName: requiresLeafName(root, expected.roots) })',
    ),
    expectKilledBy: chains.filter((id) => id !== UNREADABLE),
  },
  small('roots-by-name', unverified),
  small('never-stale'),
  small('from-the-future'),
  small('rolled-back'),
  small('envelope-unequal', ['CMD-24']),
  small('any-hostname', unverified),
  small('digest-on-faith', unverified),
  {
    id: 'any-certificate',
    violates: [...unverified, 'VRFY-20'],
    // The connection of a request is looked at by itself.
    edits: [
      ...small('any-connection').edits,
      { file: 'egress/dispatch/pinned.ts', find: 'if (leaf === expected)', put: 'if (true)' },
    ],
    expectKilledBy: ['tls-fingerprint/another-connection'],
  },
  {
    id: 'any-pin',
    violates: [...unverified, 'VRFY-22'],
    edits: checkOf('attestation/policy.ts', '!pins.includes(evidenceDigest)', 'false'),
    expectKilledBy: ['policy/another-pin'],
  },
  {
    id: 'no-policies',
    violates: ['VRFY-23'],
    edits: checkOf(
      'attestation/policy.ts',
      'for (const policy of policies)',
      'for (const policy of [] as Policy[])',
    ),
    expectKilledBy: ['policy/policy-asks-for-what-is-absent', 'policy/policy-says-no'],
  },
]
