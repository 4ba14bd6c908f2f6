import type { Vector } from '#contract/models'
import { onIntel } from '../hardware/attested.ts'
import { admitted, refused } from '../vector.ts'

const SEPT_VE_DISABLE = 1n << 28n
const PROFILING = 1n << 4n
/** Keys for pages of the guest's own, and counters of events. */
const HARMLESS = (1n << 30n) | (1n << 63n)

/** What a quote of Intel's says of itself, and what its parts say of one another. */
export const intelFormVectors: readonly Vector[] = [
  ...refused('untrusted-root', 'quote_malformed', 'VRFY-26', {
    'tdx-version-in-its-header': [
      'A quote whose header names another version than its label and its form is refused',
      onIntel({ editHeader: (header) => header.writeUInt16LE(5, 0) }),
    ],
    'tdx-size-of-its-body': [
      'A quote that gives its body another size than such bodies have is refused',
      onIntel({ version: 5, saysSize: 649 }),
    ],
    'tdx-byte-within': [
      'A quote with something behind its certificates, where nobody has signed it, is refused',
      onIntel({ behindCertification: Buffer.of(1) }),
    ],
  }),
  ...refused('untrusted-root', 'quote_unsupported', 'VRFY-26', {
    'tdx-another-kind-of-key': [
      'A quote that names another kind of attestation key is refused',
      onIntel({ editHeader: (header) => header.writeUInt16LE(3, 2) }),
    ],
    'tdx-another-kind-of-body': [
      'A quote with a body of a kind that nobody knows is refused',
      onIntel({ version: 5, saysType: 7 }),
    ],
    'tdx-another-certification': [
      'A quote that is certified in another way than by its enclave’s report is refused',
      onIntel({ certification: 7 }),
    ],
  }),
  ...refused('untrusted-root', 'quote_signature_invalid', 'VRFY-26', {
    'tdx-more-in-the-enclaves-report': [
      'An enclave’s report that names more than the hash of the key is refused',
      onIntel({ editEnclave: (report) => report.writeUInt8(1, 383) }),
    ],
  }),
  ...refused('untrusted-root', 'endorsement_invalid', 'VRFY-32', {
    'tdx-enclave-of-another-product': [
      'A quote by another enclave of Intel’s than the one that makes quotes of guests is refused',
      onIntel({ editEnclave: (report) => report.writeUInt16LE(1, 256) }),
    ],
    'tdx-enclave-with-other-attributes': [
      'A quote by an enclave with other attributes than its identity has is refused',
      onIntel({ editEnclave: (report) => report.writeUInt8(0x31, 48) }),
    ],
    'tdx-enclave-with-more-selected': [
      'A quote by an enclave that selects more than its identity does is refused',
      onIntel({ editEnclave: (report) => report.writeUInt32LE(1, 16) }),
    ],
  }),
  ...refused('untrusted-root', 'guest_unprotected', 'VRFY-31', {
    'tdx-profiled': [
      'A guest under TDX that can be profiled is refused',
      onIntel({ attributes: SEPT_VE_DISABLE | PROFILING }),
    ],
  }),
  ...admitted('untrusted-root', 'VRFY-31', {
    'tdx-harmless-attributes': [
      'A guest under TDX may have what lets nobody in',
      onIntel({ attributes: SEPT_VE_DISABLE | HARMLESS }),
    ],
  }),
]
