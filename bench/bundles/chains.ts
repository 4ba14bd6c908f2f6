import { bundleOf } from '../../conformance/vectors/generator/bundle.ts'
import { type Certificate, issue, pem } from '../../conformance/vectors/generator/certificate.ts'
import { AUTHORITY, type Chain, HOSTNAME, usualChain } from '../../conformance/vectors/generator/chain.ts'
import { octetString, seq } from '../../conformance/vectors/generator/der.ts'
import {
  commonName,
  extension,
  keyUsage,
  type Name,
  nameConstraints,
  subjectNames,
} from '../../conformance/vectors/generator/extensions.ts'
import { type Kind, keyOf, kinds } from '../../conformance/vectors/generator/keys.ts'
import { between, caseOf, choose, fill, type Genes, MEBIBYTE, type Shape } from './case.ts'

const CERTIFICATES = 8
const NAMES = 200
const CERTIFICATE_BYTES = 65_536
const HOST: Name = ['dns', HOSTNAME]

/** A chain of so many; each says the same but for its name, and all keys are of one kind. */
function chainOf(
  length: number,
  kind: Kind,
  says: Certificate['extensions'],
  holder: 'root' | 'long',
): Chain {
  const key = keyOf(holder, kind)
  const { intermediate } = usualChain('p256')
  const certificates = Array.from({ length }, (_, index) =>
    issue({
      ...intermediate,
      subject: `Place ${index}`,
      issuer: `Place ${Math.min(index + 1, length - 1)}`,
      key,
      signer: key,
      extensions: index === 0 ? [...says, keyUsage('digitalSignature')] : [...AUTHORITY, ...says],
    }),
  )
  return { key, certificates }
}

/** Names by genes: of one kind, all different, as long as there is room. */
function namesOf(count: number, [kind, labels, width]: Genes, mark: string): Name[] {
  const label = fill('a', between(width, 1, 60))
  const below = Array.from({ length: between(labels, 0, 30) }, () => label).join('.')
  const host = (index: number) => [`${mark}${index}`, below, 'example'].filter(Boolean).join('.').slice(-240)
  const octets = (index: number) => [...Buffer.from('20010db8000000000000000000', 'hex'), 0, index, 1]
  return Array.from(
    { length: count },
    (_, index): Name =>
      choose<(at: number) => Name>(kind, [
        (at) => ['dns', host(at)],
        (at) => ['dns', `*.${host(at)}`],
        (at) => ['ip', Buffer.from(mark === 'n' ? octets(at) : [...octets(at), ...Buffer.alloc(16, 0xff)])],
        (at) => ['directory', commonName(`${mark}${at} ${label}`)],
        (at) => ['uri', `https://${host(at)}`],
        (at) => ['mail', `${mark}${at}@${below || 'example'}`],
      ])(index),
  )
}

const names: Shape = {
  name: 'names and name constraints',
  genes: 8,
  make([length, count, subtrees, permitted, ...genes]) {
    const allowed = Math.floor(NAMES * (permitted ?? 0))
    const constraints = between(subtrees, 0, NAMES)
    const says = [
      subjectNames(HOST, ...namesOf(between(count, 0, NAMES - 1), genes, 'n')),
      nameConstraints(
        allowed > 0
          ? [HOST, ['dns', 'example'], ...namesOf(Math.min(allowed, constraints, NAMES - 2), genes, 'n')]
          : [],
        namesOf(Math.max(0, constraints - allowed - 2), genes, 'x'),
      ),
    ]
    return caseOf({ chain: chainOf(between(length, 1, CERTIFICATES), 'p256', says, 'root') })
  },
}

const keys: Shape = {
  name: 'kinds of keys and signatures',
  genes: 2,
  make([kind, length]) {
    const one = choose<Kind | 'long'>(kind, [...kinds, 'long'] as [Kind, ...(Kind | 'long')[]])
    const says = [subjectNames(HOST)]
    const count = between(length, 1, CERTIFICATES)
    return caseOf({
      chain: one === 'long' ? chainOf(count, 'rsa', says, 'long') : chainOf(count, one, says, 'root'),
    })
  },
}

/** Certificates that hold as much as they may of what is not looked at. */
const bulk: Shape = {
  name: 'large certificates',
  genes: 4,
  make([length, kind, size, parts]) {
    const bytes = between(size, 0, CERTIFICATE_BYTES - 1_000)
    const count = between(parts, 1, Math.max(1, Math.floor(bytes / 20)))
    const part = Math.max(0, Math.floor(bytes / count) - 20)
    const crowd = (make: (index: number) => Buffer) =>
      seq(...Array.from({ length: count }, (_, index) => make(index)))
    const says = choose<() => Certificate['extensions']>(kind, [
      () => [extension('1.2.3.4', octetString(Buffer.alloc(bytes)), false)],
      () => Array.from({ length: count }, (_, at) => extension(`1.2.3.${at + 9}`, Buffer.alloc(part), false)),
      () => [
        extension(
          '2.5.29.31',
          crowd(() => seq()),
          false,
        ),
      ],
      () => [
        extension(
          '1.2.3.4',
          crowd(() => commonName('a'.repeat(part))),
          false,
        ),
      ],
    ])()
    return caseOf({
      chain: chainOf(between(length, 1, CERTIFICATES), 'p256', [subjectNames(HOST), ...says], 'root'),
    })
  },
}

/** Entries that are many, long, or hardly certificates. */
const entries: Shape = {
  name: 'entries of the chain',
  genes: 3,
  make([count, kind, width]) {
    const [der = Buffer.alloc(0)] =
      usualChain('p256') && chainOf(1, 'p256', [subjectNames(HOST)], 'root').certificates
    const certChain = (entry: string) => Array.from({ length: between(count, 1, 950) }, () => entry)
    const room = (MEBIBYTE - 8_192) / between(count, 1, 950)
    const entry = choose<() => string>(kind, [
      () => pem(der),
      () => pem(Buffer.alloc(Math.max(1, Math.floor(room / 2)))),
      () => pem(der, { width: 1 }),
      () => pem(der).replace('\n', fill('\n', room / 4)),
      () => fill('-----BEGIN CERTIFICATE-----', room * (width ?? 0)),
      () => `-----BEGIN CERTIFICATE-----${fill('A ', room / 2)}-----END CERTIFICATE-----`,
    ])()
    const made = Buffer.from(bundleOf({ envelope: { certChain: certChain(entry) } }))
    return caseOf({}, made.length > MEBIBYTE ? Buffer.from(bundleOf()) : made)
  },
}

export const chains: readonly Shape[] = [names, keys, bulk, entries]
