import type { Vector } from '#contract/models'
import { type Certificate, issue, pem } from '../certificate.ts'
import { AUTHORITY, chainOf, LEAF, usualChain } from '../chain.ts'
import { bitString, endlessTlv, longTlv, nil, objectId, seq, tlv } from '../der.ts'
import { basicConstraints, extension, keyUsage, nameConstraints } from '../extensions.ts'
import { type Question, refused } from '../vector.ts'

const { certificates } = chainOf('p256')
const [leaf, intermediate, root] = certificates as [Buffer, Buffer, Buffer]
const [leafPem, intermediatePem, rootPem] = certificates.map((der) => pem(der)) as [string, string, string]
const entries = (...certChain: string[]): Question => ({ envelope: { certChain } })
const leafAs = (text: string): Question => entries(text, intermediatePem, rootPem)
const intermediateSays = (...extensions: Certificate['extensions']): Question => ({
  chain: chainOf('p256', { intermediate: { extensions } }),
})
/** What stands in a certificate, without its own tag and length. */
const content = (der: Buffer) => der.subarray(4)
const described = usualChain('p256')
/** The base64 of the leaf with its idle last bits set; it is padded so that there are some. */
const paddedLeaf = [0, 1, 2]
  .map((more) => issue({ ...described.leaf, subject: `Evidence Signer${'.'.repeat(more)}` }))
  .find((der) => der.length % 3 === 2)!

/** Entries that are not exactly one certificate in DER. */
export const malformedChains: readonly Vector[] = [
  ...refused('cert-chain', 'certificate_malformed', 'BNDL-06', {
    'entry-is-no-pem': ['An entry that is no PEM is refused', { ...leafAs('certificate'), isHopeless: true }],
    'entry-is-empty': ['An empty entry is refused', { ...leafAs(''), isHopeless: true }],
    'entry-is-a-key': [
      'A key is no certificate',
      { ...leafAs(pem(described.leaf.key.spki, { label: 'PUBLIC KEY' })), isHopeless: true },
    ],
    'entry-with-another-label': [
      'A certificate under another label is refused',
      leafAs(pem(leaf, { label: 'X509 CERTIFICATE' })),
    ],
    'two-in-one-entry': [
      'Two certificates in one entry are refused',
      entries(leafPem + intermediatePem, intermediatePem, rootPem),
    ],
    'whole-chain-in-one-entry': [
      'A whole chain in one entry is refused',
      { ...entries(leafPem + intermediatePem + rootPem), isHopeless: true },
    ],
    'text-before': ['Text before a certificate is refused', leafAs(`subject=Evidence Signer\n${leafPem}`)],
    'text-behind': [
      'Text behind a certificate is refused',
      leafAs(`${leafPem}issuer=Platform Intermediate\n`),
    ],
    'nothing-in-it': [
      'A PEM with nothing in it is refused',
      { ...leafAs(pem(Buffer.alloc(0))), isHopeless: true },
    ],
    'foreign-characters': [
      'Characters that are no base64 are refused',
      leafAs(leafPem.replace('MII', 'M!II')),
    ],
    'base64-of-urls': ['The alphabet of URLs is not that of PEM', leafAs(urlAlphabet())],
    'base64-without-padding': [
      'Base64 whose padding is missing is refused',
      leafAs(pem(paddedLeaf).replace('=\n', '\n')),
    ],
    'base64-with-stray-bits': ['Base64 with stray last bits is refused', leafAs(strayBits(pem(paddedLeaf)))],
  }),
  ...refused('cert-chain', 'certificate_malformed', 'VRFY-08', {
    'byte-behind-the-leaf': [
      'A byte behind the DER of a leaf is refused',
      leafAs(pem(Buffer.concat([leaf, Buffer.of(0)]))),
    ],
    'certificate-behind-the-root': [
      'A second certificate behind the DER of a root is refused',
      entries(leafPem, intermediatePem, pem(Buffer.concat([root, intermediate]))),
    ],
    'cut-off': [
      'A certificate that is cut off is refused',
      { ...leafAs(pem(leaf.subarray(0, -1))), isHopeless: true },
    ],
    'endless-length': [
      'A certificate in BER of no definite length is refused',
      { ...leafAs(pem(endlessTlv(0x30, content(leaf)))), isHopeless: true },
    ],
    'long-length': [
      'A certificate with a length in more bytes than it takes is refused',
      { ...leafAs(pem(longTlv(0x30, content(leaf)))), isHopeless: true },
    ],
    'extension-twice': [
      'An extension that stands twice is refused',
      { ...intermediateSays(...AUTHORITY, basicConstraints(true, 3)), isHopeless: true },
    ],
    'extensions-in-version-1': [
      'Extensions in a certificate of version 1 are refused',
      {
        chain: chainOf('p256', { intermediate: { version: 0 } }),
        isHopeless: true,
      },
    ],
    'constraints-unreadable': [
      'Basic constraints that cannot be read are refused',
      intermediateSays(extension('2.5.29.19', seq(objectId('1.2.3'))), keyUsage('keyCertSign')),
    ],
    'constraints-with-more-behind': [
      'Name constraints with something behind them are refused',
      intermediateSays(...AUTHORITY, withMore(nameConstraints([['dns', 'example']]))),
    ],
    'name-constraints-unreadable': [
      'Name constraints that cannot be read are refused',
      intermediateSays(...AUTHORITY, extension('2.5.29.30', nil())),
    ],
    'odd-truth': [
      'A truth that is neither 0 nor 255 is refused',
      intermediateSays(extension('2.5.29.19', seq(tlv(0x01, Buffer.of(1)))), keyUsage('keyCertSign')),
    ],
    'names-unreadable': [
      'Names that cannot be read are refused',
      {
        chain: chainOf('p256', {
          leaf: { extensions: [extension('2.5.29.17', bitString(Buffer.of(1)), false), ...LEAF.slice(1)] },
        }),
      },
    ],
  }),
]

function withMore(given: Certificate['extensions'][number]): Certificate['extensions'][number] {
  return { ...given, value: seq(Buffer.from(given.value).subarray(2), nil()) }
}

/** The leaf in the alphabet of URLs; only one whose base64 holds a letter that differs will do. */
function urlAlphabet(): string {
  for (let serial = 1; ; serial++) {
    const body = issue({ ...described.leaf, serial }).toString('base64')
    if (/[+/]/.test(body))
      return `-----BEGIN CERTIFICATE-----\n${body.replaceAll('+', '-').replaceAll('/', '_')}\n-----END CERTIFICATE-----\n`
  }
}

function strayBits(text: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  return text.replace(/(.)=\n/, (_, last: string) => `${letters[letters.indexOf(last) + 1]}=\n`)
}
