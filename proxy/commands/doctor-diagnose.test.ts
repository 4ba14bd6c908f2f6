import { expect, test } from 'vitest'
import { AttestationError } from '#attestation'
import { diagnose, type Symptoms } from './doctor-diagnose.ts'
import { type CheckName, failed, ok } from './doctor-finding.ts'

const well: Symptoms = {
  findings: [ok('dns', ''), ok('connect', ''), ok('tls', ''), ok('clock', '')],
  refusal: undefined,
  isTunnelled: false,
  observedIssuer: 'O=Platform',
  issuers: ['O=Platform'],
}
const wrongClock = failed('clock', '', {})
const refused = (stage: string, reason: string) => new AttestationError(...([stage, reason] as never))
const broken = (check: CheckName) => [failed(check, '', {})]

test.each<[string, Partial<Symptoms>]>([
  ['none', {}],
  ['dns', { findings: broken('dns') }],
  ['unreachable', { findings: broken('connect') }],
  ['connect_proxy', { findings: broken('connect'), isTunnelled: true }],
  ['unreachable', { findings: broken('tls') }],
  ['unreachable', { refusal: refused('fetch', 'timeout') }],
  ['no_evidence', { refusal: refused('fetch', 'http_status') }],
  ['clock_skew', { findings: [wrongClock] }],
  ['clock_skew', { findings: [wrongClock], refusal: refused('cert-chain', 'certificate_not_yet_valid') }],
  ['clock_skew', { findings: [wrongClock], refusal: refused('jws', 'bundle_stale') }],
  ['clock_skew', { refusal: refused('jws', 'issued_in_future') }],
  ['stale_bundle', { refusal: refused('jws', 'bundle_stale') }],
  ['invalid_evidence', { refusal: refused('cert-chain', 'certificate_expired') }],
  ['invalid_evidence', { findings: [wrongClock], refusal: refused('jws', 'digest_mismatch') }],
  ['untrusted_root', { refusal: refused('untrusted-root', 'root_not_trusted') }],
  ['hardware', { refusal: refused('untrusted-root', 'measurement_not_listed') }],
  ['certificate_renewal', { refusal: refused('tls-fingerprint', 'leaf_mismatch') }],
  [
    'tls_interception',
    { refusal: refused('tls-fingerprint', 'leaf_mismatch'), observedIssuer: 'O=Firewall' },
  ],
  ['tls_interception', { refusal: refused('tls-fingerprint', 'leaf_mismatch'), issuers: [] }],
  ['wrong_pin', { refusal: refused('policy', 'digest_not_pinned') }],
  ['policy', { refusal: refused('policy', 'policy_refused') }],
])('%s is what %o is taken for', (diagnosis, change) => {
  expect(diagnose({ ...well, ...change })).toBe(diagnosis)
})
