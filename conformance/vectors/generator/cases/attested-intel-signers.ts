import type { Vector } from '#contract/models'
import { int, objectId, seq } from '../der.ts'
import { basicConstraints, extension, keyUsage, nameConstraints, subjectNames } from '../extensions.ts'
import { onIntel } from '../hardware/attested.ts'
import { ECDSA_SHA384 } from '../hardware/crl.ts'
import type { Published } from '../hardware/intel.ts'
import { keyOf } from '../keys.ts'
import { admitted, refused } from '../vector.ts'

const future = '2026-06-01T12:00:01Z'
const weak = keyOf('weak', 'rsa')
const PROCESSOR = 'Intel SGX PCK Processor CA'
/** Nobody knows it. */
const UNKNOWN = extension('1.2.3.4', int(1))
/** Says that a list tells of some certificates alone. */
const PARTIAL = extension('2.5.29.28', seq())
/** Says that an entry is another authority's. */
const INDIRECT = extension('2.5.29.29', seq(objectId('1.2.3.4')))

const publishing = (published: Published) => onIntel({}, { published })

/** Changes the last byte, which is one of the signature. */
function damaged(list: Buffer): Buffer {
  list.writeUInt8(list.readUInt8(list.length - 1) ^ 1, list.length - 1)
  return list
}

/** Who vouches for a machine of Intel's, and who says what has been revoked. */
export const intelSignerVectors: readonly Vector[] = [
  ...admitted('untrusted-root', 'VRFY-32', {
    'tdx-processor-authority': [
      'A machine may have its certificate from Intel’s other authority',
      publishing({
        authority: { subject: PROCESSOR },
        pck: { issuer: PROCESSOR },
        pckCrl: { issuer: PROCESSOR },
      }),
    ],
  }),
  ...refused('untrusted-root', 'endorsement_invalid', 'VRFY-32', {
    'tdx-authority-that-is-none': [
      'A machine’s certificate by one that may issue none is refused',
      publishing({ authority: { extensions: [basicConstraints(false), keyUsage('digitalSignature')] } }),
    ],
    'tdx-authority-with-a-weak-key': [
      'An authority for machines with a key of 1,024 bits is refused',
      publishing({ authority: { key: weak }, pck: { signer: weak }, pckCrl: { signer: weak } }),
    ],
    'tdx-pck-over-sha-1': [
      'A machine’s certificate that is signed over SHA-1 is refused',
      publishing({ pck: { hash: 'sha1' } }),
    ],
    'tdx-pck-outside-its-names': [
      'A machine’s certificate with a name that its authority may not certify is refused',
      publishing({
        authority: {
          extensions: [
            basicConstraints(true),
            keyUsage('keyCertSign', 'cRLSign'),
            nameConstraints([['dns', 'intel.example']]),
          ],
        },
        pck: { moreExtensions: [subjectNames(['dns', 'other.example'])] },
      }),
    ],
    'tdx-pck-with-something-critical': [
      'A machine’s certificate with a critical extension that nobody knows is refused',
      publishing({ pck: { moreExtensions: [UNKNOWN] } }),
    ],
  }),
  ...refused('untrusted-root', 'collateral_invalid', 'VRFY-32', {
    'tdx-revocations-damaged': [
      'A list of revoked machines with a damaged signature is refused',
      publishing({ pckCrl: { spoil: damaged } }),
    ],
    'tdx-root-revocations-damaged': [
      'A list of the root’s with a damaged signature is refused',
      publishing({ rootCrl: { spoil: damaged } }),
    ],
    'tdx-root-revocations-garbage': [
      'A list of the root’s that is none is refused',
      publishing({ collateral: { root_ca_crl: '00' } }),
    ],
    'tdx-revocations-of-another-name': [
      'A list of revoked machines that names another issuer is refused',
      publishing({ pckCrl: { issuer: PROCESSOR } }),
    ],
    'tdx-revocations-of-version-1': [
      'A list of revoked machines of another version is refused',
      publishing({ pckCrl: { version: 0 } }),
    ],
    'tdx-revocations-with-another-algorithm-within': [
      'A list of revoked machines that names another algorithm within its signature is refused',
      publishing({ pckCrl: { inner: ECDSA_SHA384 } }),
    ],
    'tdx-revocations-with-another-algorithm-beside': [
      'A list of revoked machines that names another algorithm beside its signature is refused',
      publishing({ pckCrl: { outer: ECDSA_SHA384 } }),
    ],
    'tdx-revocations-of-some': [
      'A list that says that it tells of some machines alone is refused',
      publishing({ pckCrl: { extensions: [PARTIAL] } }),
    ],
    'tdx-revocations-of-others': [
      'A list with an entry that says something critical is refused',
      publishing({ pckCrl: { revoked: [7], entryExtensions: [INDIRECT] } }),
    ],
    'tdx-statement-of-another-version': [
      'A statement about the TCB of a version that nobody reads is refused',
      publishing({ tcbInfo: { version: 2 } }),
    ],
    'tdx-other-certifier': [
      'A statement about machines that are certified in another way is refused',
      publishing({ tcbInfo: { pceId: '0100' } }),
    ],
    'tdx-levels-of-another-type': [
      'A statement whose levels compare in another way is refused',
      publishing({ tcbInfo: { tcbType: 1 } }),
    ],
  }),
  ...refused('untrusted-root', 'collateral_expired', 'VRFY-32', {
    'tdx-revocations-of-tomorrow': [
      'A list of revoked machines before its date is refused',
      publishing({ pckCrl: { thisUpdate: future } }),
    ],
  }),
]
