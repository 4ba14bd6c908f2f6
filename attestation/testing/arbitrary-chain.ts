import fc from 'fast-check'
import { type CertificateRequest, issueCertificate } from './certificates.ts'
import { keysFor, NOW, requestsFor } from './chains.ts'
import { alternativeNames, basicConstraints, keyUsage, nameConstraints, type TestName } from './extensions.ts'

const rarely = (value: boolean) =>
  fc.integer({ min: 0, max: 11 }).map((number) => (number === 0 ? !value : value))
const dns = fc
  .constantFrom('router.example', 'a.router.example', 'example', 'other.example', 'router.test')
  .map((name): TestName => ['dns', name])
const address = fc
  .constantFrom([10, 0, 0, 1], [10, 1, 2, 3], [192, 0, 2, 1])
  .map((bytes) => Buffer.from(bytes))
const network = fc
  .constantFrom([10, 0, 0, 0, 255, 0, 0, 0], [10, 1, 0, 0, 255, 255, 0, 0])
  .map((bytes) => Buffer.from(bytes))
const subtrees = fc.array(
  fc.oneof(
    dns,
    network.map((bytes): TestName => ['ip', bytes]),
  ),
  { maxLength: 2 },
)

const authority = fc.record({
  isAuthority: rarely(true),
  pathLength: fc.option(fc.nat(2), { nil: undefined, freq: 2 }),
  maySign: rarely(true),
  permitted: fc.oneof(fc.constant([]), subtrees),
  excluded: fc.oneof(fc.constant([]), fc.constant([]), subtrees),
  isSignedByNext: rarely(true),
  isNamedAfterNext: rarely(true),
  isValid: rarely(true),
})

type Authority = typeof authority extends fc.Arbitrary<infer T> ? T : never

/** Chains of two to four certificates in which anything may be wrong, most often nothing. */
export const arbitraryChain: fc.Arbitrary<readonly Buffer[]> = fc
  .record({
    authorities: fc.array(authority, { minLength: 1, maxLength: 3 }),
    leaf: authority,
    names: fc.tuple(
      dns,
      fc.array(
        fc.oneof(
          dns,
          address.map((bytes): TestName => ['ip', bytes]),
        ),
        { maxLength: 1 },
      ),
    ),
  })
  .map(({ authorities, leaf, names: [first, more] }) => {
    const leafExtensions = [alternativeNames(first, ...more), keyUsage({ certSign: false })]
    return [
      issueCertificate({ ...requestOf(leaf, 0, authorities.length), extensions: leafExtensions }),
      ...authorities.map((given, index) => issueCertificate(requestOf(given, index + 1, authorities.length))),
    ]
  })

function requestOf(given: Authority, height: number, top: number): CertificateRequest {
  const isRoot = height === top
  const next = isRoot ? height : height + 1
  const extensions = [
    basicConstraints(given.isAuthority, given.pathLength),
    keyUsage({ certSign: given.maySign }),
  ]
  const constrained = given.permitted.length + given.excluded.length > 0
  return {
    ...requestsFor('ES256').leaf,
    subject: `Place ${height}`,
    issuer: isRoot || given.isNamedAfterNext ? `Place ${next}` : 'Somebody',
    keys: keysFor(`place ${height}`),
    signer: keysFor(isRoot || given.isSignedByNext ? `place ${next}` : 'stranger'),
    notAfter: given.isValid ? new Date('2027-01-01T00:00:00Z') : new Date(NOW.getTime() - 1_000),
    extensions: constrained ? [...extensions, nameConstraints(given.permitted, given.excluded)] : extensions,
  }
}
