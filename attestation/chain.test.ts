import { describe, expect, test } from 'vitest'
import { checkChain, readChain } from './chain.ts'
import { AttestationError } from './errors.ts'
import { type CertificateRequest, issueCertificate, nameOf, toPem } from './testing/certificates.ts'
import {
  type ChainChanges,
  HOSTNAME,
  keysFor,
  makeChain,
  NOW,
  type Place,
  requestsFor,
} from './testing/chains.ts'
import {
  alternativeNames,
  basicConstraints,
  keyUsage,
  nameConstraints,
  type TestName,
} from './testing/extensions.ts'

const authority = [basicConstraints(true), keyUsage({ certSign: true })]
const ANY = { hostname: HOSTNAME, now: NOW, requireLeafName: true }

/** The reason for which a chain is refused; undefined when it is not. */
function reasonOf(certificates: readonly Buffer[], expected: Partial<typeof ANY> = {}): string | undefined {
  try {
    checkChain(readChain(certificates.map(toPem)), { ...ANY, ...expected })
    return undefined
  } catch (error) {
    if (error instanceof AttestationError && error.stage === 'cert-chain') return error.reason
    throw error
  }
}

const judge = (changes: ChainChanges, expected?: Partial<typeof ANY>) =>
  reasonOf(makeChain(changes).certificates, expected)

describe('validity', () => {
  const from = new Date('2026-06-01T12:00:00Z')
  const until = new Date('2026-06-01T13:00:00Z')
  test.each<[string, string, string | undefined]>([
    ['a second before it begins', '2026-06-01T11:59:59Z', 'certificate_not_yet_valid'],
    ['a millisecond before it begins', '2026-06-01T11:59:59.999Z', 'certificate_not_yet_valid'],
    ['at its first second', '2026-06-01T12:00:00Z', undefined],
    ['at its last second', '2026-06-01T13:00:00Z', undefined],
    ['a second after its last', '2026-06-01T13:00:01Z', 'certificate_expired'],
  ])('of any certificate, %s', (_, now, reason) => {
    for (const place of ['leaf', 'intermediate', 'root'])
      expect(judge({ [place]: { notBefore: from, notAfter: until } }, { now: new Date(now) })).toBe(reason)
  })

  test('years after 2049 are read', () => {
    expect(judge({ root: { notAfter: new Date('2126-01-01T00:00:00Z') } })).toBeUndefined()
  })

  test('nothing is valid under a clock that is broken', () => {
    expect(judge({}, { now: new Date(Number.NaN) })).toBe('certificate_not_yet_valid')
  })
})

describe('path length', () => {
  const limited = (length: number) => ({
    extensions: [basicConstraints(true, length), keyUsage({ certSign: true })],
  })

  test('an authority that allows none below it issues leaves', () => {
    expect(judge({ intermediate: limited(0), root: limited(1) })).toBeUndefined()
  })

  test('an authority that issued to itself does not lengthen the path', () => {
    const { leaf, root } = requestsFor('ES256')
    const renewed = keysFor('renewed root')
    const certificates = [
      issueCertificate({ ...leaf, issuer: 'Root', signer: renewed }),
      issueCertificate({ ...root, keys: renewed }),
      issueCertificate({ ...root, ...limited(0) }),
    ]
    expect(reasonOf(certificates)).toBeUndefined()
  })
})

describe('extensions', () => {
  const content = Buffer.from([0x0a, 0x00])
  test.each(['0.6.9.42.840.113741.1337.6', '1.3.6.1.3.8888.1', '1.3.6.1.3.8888.1.4'])(
    'the platforms’ %s may be critical, whatever it holds',
    (oid) => {
      expect(
        judge({ root: { extensions: [...authority, { oid, critical: true, content }] } }),
      ).toBeUndefined()
    },
  )

  test.each(['1.3.6.1.3.88889.1', '1.3.6.1.3.8888', '2.5.29.36', '2.5.29.54'])(
    '%s may not be critical',
    (oid) => {
      const extensions = [...authority, { oid, critical: true, content }]
      expect(judge({ root: { extensions } })).toBe('unknown_critical_extension')
    },
  )

  test('an unknown extension that is not critical is passed over', () => {
    expect(
      judge({ root: { extensions: [...authority, { oid: '1.2.3', critical: false, content }] } }),
    ).toBeUndefined()
  })

  test('an authority without a key usage may sign', () => {
    expect(judge({ intermediate: { extensions: [basicConstraints(true)] } })).toBeUndefined()
  })

  test.each<[string, Place]>([
    ['2.5.29.19', 'intermediate'],
    ['2.5.29.15', 'intermediate'],
    ['2.5.29.30', 'intermediate'],
    ['2.5.29.17', 'leaf'],
  ])('a %s of the %s that cannot be read counts against the chain', (oid, place) => {
    const others = authority.filter((extension) => extension.oid !== oid)
    for (const content of [Buffer.from([0x30, 0x05]), Buffer.from([0x05, 0x00]), Buffer.alloc(0)]) {
      const extensions = [...others, { oid, critical: false, content }]
      expect(judge({ [place]: { extensions } })).toBe('certificate_malformed')
    }
  })
})

describe('the leaf’s name', () => {
  test('a wildcard may name the hostname', () => {
    const leaf = { extensions: [alternativeNames(['dns', 'x.example'], ['dns', '*.router.example'])] }
    expect(judge({ leaf }, { hostname: 'a.router.example' })).toBeUndefined()
  })

  test('a leaf without a name passes where names are not asked for', () => {
    expect(judge({ leaf: { extensions: [] } }, { requireLeafName: false })).toBeUndefined()
  })

  test('an address that spells the hostname does not name it', () => {
    expect(judge({ leaf: { extensions: [alternativeNames(['ip', Buffer.from([127, 0, 0, 1])])] } })).toBe(
      'leaf_name_mismatch',
    )
  })
})

test('signatures of RSA may use PSS', () => {
  const pss = { pss: true }
  expect(
    reasonOf(makeChain({ leaf: pss, intermediate: pss, root: pss }, 'RS256').certificates),
  ).toBeUndefined()
})

describe('a chain of one', () => {
  test('holds when the certificate signed itself', () => {
    const { leaf } = requestsFor('ES256')
    expect(reasonOf([issueCertificate({ ...leaf, issuer: leaf.subject, signer: leaf.keys })])).toBeUndefined()
  })
})

describe('name constraints', () => {
  const ip = (...bytes: number[]): TestName => ['ip', Buffer.from(bytes)]
  const dns = (name: string): TestName => ['dns', name]
  const router = dns(HOSTNAME)
  interface Case {
    readonly title: string
    readonly names?: readonly TestName[]
    readonly permitted?: readonly TestName[]
    readonly excluded?: readonly TestName[]
    readonly holds: boolean
  }

  test.each<Case>([
    { title: 'a parent domain is permitted', permitted: [dns('example')], holds: true },
    { title: 'the name itself is permitted', permitted: [dns('Router.Example')], holds: true },
    { title: 'only names below it are permitted', permitted: [dns('.router.example')], holds: false },
    { title: 'a sibling is permitted', permitted: [dns('other.example')], holds: false },
    { title: 'a name that only ends alike is permitted', permitted: [dns('uter.example')], holds: false },
    { title: 'one of two is permitted', permitted: [dns('other.example'), dns('example')], holds: true },
    {
      title: 'one of two names is permitted',
      names: [router, dns('x.test')],
      permitted: [dns('example')],
      holds: false,
    },
    { title: 'only addresses are spoken of', permitted: [ip(10, 0, 0, 0, 255, 0, 0, 0)], holds: true },
    { title: 'all names are excluded', excluded: [dns('')], holds: false },
    { title: 'a sibling is excluded', excluded: [dns('other.example')], holds: true },
    {
      title: 'a wildcard reaches what is excluded',
      names: [router, dns('*.example')],
      excluded: [dns('x.example')],
      holds: false,
    },
    {
      title: 'a wildcard passes by what is excluded',
      names: [router, dns('*.a.example')],
      excluded: [dns('x.example')],
      holds: true,
    },
    {
      title: 'a wildcard is permitted',
      names: [router, dns('*.a.example')],
      permitted: [dns('example')],
      holds: true,
    },
    {
      title: 'a name that is no hostname is excluded',
      names: [router, dns('router.example.')],
      excluded: [dns('x.test')],
      holds: false,
    },
    {
      title: 'an address is permitted',
      names: [router, ip(10, 1, 2, 3)],
      permitted: [ip(10, 0, 0, 0, 255, 0, 0, 0)],
      holds: true,
    },
    {
      title: 'another address is permitted',
      names: [router, ip(11, 1, 2, 3)],
      permitted: [ip(10, 0, 0, 0, 255, 0, 0, 0)],
      holds: false,
    },
    {
      title: 'an address is excluded',
      names: [router, ip(10, 1, 2, 3)],
      excluded: [ip(10, 0, 0, 0, 255, 0, 0, 0)],
      holds: false,
    },
    {
      title: 'an address of IPv6 is excluded',
      names: [router, ip(10, 1, 2, 3)],
      excluded: [ip(...Array(32).fill(0))],
      holds: true,
    },
    {
      title: 'an address is constrained by half a mask',
      names: [router, ip(10, 1, 2, 3)],
      excluded: [ip(10, 0, 0, 0, 255)],
      holds: false,
    },
    { title: 'the subject is permitted', permitted: [['directory', nameOf('Signer')]], holds: true },
    { title: 'another subject is permitted', permitted: [['directory', nameOf('Other')]], holds: false },
    { title: 'every subject is permitted', permitted: [['directory', nameOf('')]], holds: true },
    { title: 'a subject is excluded', excluded: [['directory', nameOf('Other')]], holds: false },
    { title: 'mail is constrained and there is none', permitted: [['mail', 'example']], holds: true },
    {
      title: 'mail is constrained and there is some',
      names: [router, ['mail', 'a@example']],
      permitted: [['mail', 'example']],
      holds: false,
    },
  ])('$title: $holds', ({ names = [router], permitted = [], excluded = [], holds }) => {
    const constrained: Partial<CertificateRequest> = {
      extensions: [...authority, nameConstraints(permitted, excluded)],
    }
    const changes = { leaf: { extensions: [alternativeNames(...names)] }, intermediate: constrained }
    expect(judge(changes)).toBe(holds ? undefined : 'name_constraint')
  })

  test('what the root excludes stays excluded below every authority', () => {
    const root = { extensions: [...authority, nameConstraints([], [dns('router.example')])] }
    const intermediate = { extensions: [...authority, nameConstraints([dns('example')])] }
    expect(judge({ intermediate, root })).toBe('name_constraint')
  })
})
