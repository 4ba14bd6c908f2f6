import type { Vector } from '#contract/models'
import { CHIP, endorsement, type Report, report, TCB, tcbOf } from '../hardware/amd.ts'
import {
  AMD_GUEST,
  amdQuote,
  attested,
  BOUND,
  type Condition,
  onAmd,
  vendorsOf,
} from '../hardware/attested.ts'
import { keyOf } from '../keys.ts'
import { admitted, type Questions, refused } from '../vector.ts'

const other = '66'.repeat(48)
const lower = (name: keyof typeof TCB) => ({ ...TCB, tee: 1, [name]: { ...TCB, tee: 1 }[name] - 1 })
const demanding = { ...AMD_GUEST, minimumTcb: { ...TCB, tee: 1 } }

/** What is published by a cloud that has one key for its machines. */
function vlekQuote(said: Partial<Report> = {}) {
  return {
    format: 'amd-sev-snp-report',
    data: report({ reportData: BOUND, signingKey: 1, isMasked: true, ...said }).toString('base64'),
    collateral: { vlek: endorsement('vlek') },
  }
}

const milan: Condition = { ...AMD_GUEST, product: 'Milan' }
const turin: Condition = { ...AMD_GUEST, product: 'Turin', minimumTcb: { ...TCB, fmc: 1 } }

/** A root's key in a guest under AMD SEV-SNP. */
export const amdVectors: readonly Vector[] = [
  ...admitted('untrusted-root', 'VRFY-26', {
    'snp-genoa': ['A report of a Genoa about the root’s key is accepted', onAmd()],
    'snp-milan-version-2': [
      'A report of version 2, which names no product, is accepted by its certificate’s',
      onAmd(
        { product: 'Milan', version: 2 },
        { vcek: { product: 'Milan' }, vendors: vendorsOf('Milan'), conditions: [milan] },
      ),
    ],
    'snp-turin': [
      'A report of a Turin, whose firmware has one more part, is accepted',
      onAmd(
        { product: 'Turin' },
        { vcek: { product: 'Turin' }, vendors: vendorsOf('Turin'), conditions: [turin] },
      ),
    ],
    'snp-version-5': [
      'A report of version 5 is accepted, with its vectors of mitigations',
      onAmd({ version: 5, edit: (bytes) => bytes.writeUInt8(0xb, 0x1f8) }),
    ],
    'snp-genoa-of-a-later-model': [
      'A report of a later model that is endorsed as a Genoa is accepted as one',
      onAmd({ edit: (bytes) => bytes.writeUInt8(0xa1, 0x189) }),
    ],
    'snp-more-in-report-data': [
      'What stands behind the first 32 bytes of the report data is the guest’s own',
      onAmd({ reportData: Buffer.concat([BOUND, Buffer.alloc(32, 7)]) }),
    ],
  }),
  ...admitted('untrusted-root', 'VRFY-30', {
    'snp-one-of-several': [
      'Of several conditions one has to fit',
      onAmd({}, { conditions: [milan, { ...AMD_GUEST, measurement: other }, AMD_GUEST] }),
    ],
    'snp-newer-firmware': [
      'Firmware that is newer than demanded is accepted',
      onAmd(
        {},
        { conditions: [{ ...AMD_GUEST, minimumTcb: { bootloader: 0, tee: 0, snp: 0, microcode: 0 } }] },
      ),
    ],
  }),
  ...admitted('untrusted-root', 'VRFY-31', {
    'snp-vmpl-allowed': [
      'A report from a less privileged level is accepted where the condition says so',
      onAmd({ vmpl: 1 }, { conditions: [{ ...AMD_GUEST, vmpl: 1 }] }),
    ],
    'snp-vlek-allowed': [
      'A report that a cloud’s key signed is accepted where the condition says so',
      attested(vlekQuote(), [{ ...AMD_GUEST, vlek: true }]),
    ],
  }),
  ...refused('untrusted-root', 'quote_malformed', 'VRFY-26', {
    'snp-byte-missing': [
      'A report that ends too early is refused',
      onAmd({ spoil: (made) => made.subarray(0, -1) }),
    ],
    'snp-byte-behind': [
      'A report with a byte behind it is refused',
      onAmd({ spoil: (made) => Buffer.concat([made, Buffer.alloc(1)]) }),
    ],
    'snp-reserved-byte': [
      'A report with something at a place where nothing may stand is refused',
      onAmd({ edit: (bytes) => bytes.writeUInt8(1, 0x18b) }),
    ],
    'snp-reserved-bit': [
      'A report that says of its key what nobody knows is refused',
      onAmd({ edit: (bytes) => bytes.writeUInt8(1 << 5, 0x48) }),
    ],
    ...Object.fromEntries(
      ([0x4c, 0x1eb, 0x1ef, 0x1f8] as const).map((place) => [
        `snp-reserved-at-${place.toString(16)}`,
        [
          `A report with something at 0x${place.toString(16)}, where nothing may stand, is refused`,
          onAmd({ edit: (bytes) => bytes.writeUInt8(1, place) }),
        ] as const,
      ]),
    ),
    'snp-product-in-version-2': [
      'A report of version 2 that names a product, which it has no place for, is refused',
      onAmd(
        { product: 'Milan', version: 2, edit: (bytes) => bytes.writeUInt8(0x19, 0x188) },
        { vcek: { product: 'Milan' }, vendors: vendorsOf('Milan'), conditions: [milan] },
      ),
    ],
    'snp-more-in-version-5': [
      'A report of version 5 with something behind its vectors of mitigations is refused',
      onAmd({ version: 5, edit: (bytes) => bytes.writeUInt8(1, 0x208) }),
    ],
    'snp-byte-behind-the-signature': [
      'A report with something behind its signature is refused, which nobody has signed',
      onAmd({ spoil: edited((bytes) => bytes.writeUInt8(1, 0x330)) }),
    ],
  } satisfies Questions),
  ...refused('untrusted-root', 'quote_unsupported', 'VRFY-26', {
    'snp-version-6': ['A report of a version that nobody knows is refused', onAmd({ version: 6 })],
    'snp-algorithm-unknown': ['A report that names another algorithm is refused', onAmd({ algorithm: 2 })],
    'snp-processor-unknown': [
      'A report of a processor that nobody knows is refused',
      onAmd({ edit: (bytes) => bytes.writeUInt8(0x1b, 0x188) }),
    ],
    'snp-model-unknown': [
      'A report of a processor of a known family that nobody knows is refused',
      onAmd({ edit: (bytes) => bytes.writeUInt8(0x50, 0x189) }),
    ],
    'snp-signed-by-nobody': ['A report that says that no key signed it is refused', onAmd({ signingKey: 7 })],
  }),
  ...refused('untrusted-root', 'collateral_missing', 'VRFY-26', {
    'snp-no-collateral': [
      'A report without its certificate is refused',
      attested({ ...amdQuote(), collateral: undefined }, [AMD_GUEST]),
    ],
    'snp-vlek-for-vcek': [
      'A report that a chip signed needs the chip’s certificate',
      attested({ ...amdQuote(), collateral: { vlek: endorsement('vlek') } }, [AMD_GUEST]),
    ],
  }),
  ...refused('untrusted-root', 'endorsement_invalid', 'VRFY-32', {
    'snp-vcek-by-a-stranger': [
      'A chip’s certificate that its authority did not sign is refused',
      onAmd({}, { vcek: { signer: keyOf('stranger', 'rsa') } }),
    ],
    'snp-vcek-by-the-root': [
      'A chip’s certificate that AMD’s root issued itself is refused',
      onAmd({}, { vcek: { issuer: 'ARK-Genoa (simulated)', signer: keyOf('root', 'rsa') } }),
    ],
    'snp-vcek-of-another-chip': [
      'A certificate of another chip is refused',
      onAmd({}, { vcek: { chip: Buffer.alloc(CHIP.length, 1) } }),
    ],
    'snp-vcek-of-other-firmware': [
      'A certificate for other firmware than the report names is refused',
      onAmd({}, { vcek: { tcb: { ...TCB, microcode: TCB.microcode + 1 } } }),
    ],
    'snp-vcek-of-another-product': [
      'A certificate under another product’s authorities is refused',
      onAmd({}, { vcek: { product: 'Milan' } }),
    ],
    'snp-product-of-the-report': [
      'A report that names another product than its certificate is refused',
      onAmd({ edit: (bytes) => bytes.set([0x19, 0x01], 0x188) }, { vendors: vendorsOf('Genoa', 'Milan') }),
    ],
    'snp-turin-of-another-chip': [
      'A certificate of another chip is refused where it names eight bytes of it',
      onAmd(
        { product: 'Turin' },
        {
          vcek: { product: 'Turin', chip: Buffer.alloc(CHIP.length, 1) },
          vendors: vendorsOf('Turin'),
          conditions: [turin],
        },
      ),
    ],
    'snp-vlek-by-the-chips-authority': [
      'A cloud’s certificate by the authority for chips is refused',
      attested(
        {
          ...vlekQuote(),
          collateral: {
            vlek: endorsement('vlek', {
              issuer: 'SEV-Genoa (simulated)',
              signer: keyOf('intermediate', 'rsa'),
            }),
          },
        },
        [{ ...AMD_GUEST, vlek: true }],
      ),
    ],
    'snp-chip-masked': [
      'A report that hides its chip cannot be told from another chip’s',
      onAmd({ isMasked: true }, { vcek: { chip: Buffer.alloc(CHIP.length) } }),
    ],
    'snp-vcek-no-certificate': [
      'A chip’s certificate that is none is refused',
      attested({ ...amdQuote(), collateral: { vcek: 'none' } }, [AMD_GUEST]),
    ],
    'snp-two-vceks': [
      'Two certificates in place of the chip’s one are refused',
      attested({ ...amdQuote(), collateral: { vcek: endorsement('vcek').repeat(2) } }, [AMD_GUEST]),
    ],
  }),
  ...refused('untrusted-root', 'endorsement_invalid', 'VRFY-31', {
    'snp-vlek-not-allowed': [
      'A report that a cloud’s key signed is refused unless the condition allows it',
      attested(vlekQuote(), [AMD_GUEST]),
    ],
  }),
  ...refused('untrusted-root', 'endorsement_expired', 'VRFY-32', {
    'snp-vcek-expired': [
      'A chip’s certificate past its last day is refused',
      onAmd({}, { vcek: { notAfter: '2026-06-01T11:59:59Z' } }),
    ],
    'snp-vcek-not-yet-valid': [
      'A chip’s certificate before its first day is refused',
      onAmd({}, { vcek: { notBefore: '2026-06-01T12:00:01Z' } }),
    ],
  }),
  ...refused('untrusted-root', 'quote_signature_invalid', 'VRFY-26', {
    'snp-measurement-written-in': [
      'A measurement that was written into a report after it was signed is refused',
      onAmd({
        measurement: other,
        spoil: edited((bytes) => bytes.write(AMD_GUEST.measurement, 0x90, 'hex')),
      }),
    ],
    'snp-key-written-in': [
      'A key that was written into a report after it was signed is refused',
      onAmd({ reportData: Buffer.alloc(64), spoil: edited((bytes) => bytes.set(BOUND, 0x50)) }),
    ],
    'snp-signature-written-otherwise': [
      'A signature with something above its numbers is refused',
      onAmd({ spoil: edited((bytes) => bytes.writeUInt8(1, 0x2a0 + 71)) }),
    ],
  }),
  ...refused('untrusted-root', 'guest_unprotected', 'VRFY-31', {
    'snp-debug': ['A guest that can be debugged is refused', onAmd({ policy: 0xb_0000n })],
    'snp-migration': ['A guest that can be moved is refused', onAmd({ policy: 0x7_0000n })],
    'snp-vmpl-1': [
      'A report from a less privileged level is refused unless the condition allows it',
      onAmd({ vmpl: 1 }),
    ],
    'snp-vmpl-2': [
      'A report from a less privileged level than the condition allows is refused',
      onAmd({ vmpl: 2 }, { conditions: [{ ...AMD_GUEST, vmpl: 1 }] }),
    ],
  }),
  ...refused('untrusted-root', 'tcb_not_accepted', 'VRFY-30', {
    ...Object.fromEntries(
      (['bootloader', 'tee', 'snp', 'microcode'] as const).map((name) => [
        `snp-old-${name}`,
        [
          `Firmware whose ${name} alone is older than demanded is refused`,
          onAmd({ reported: lower(name) }, { vcek: { tcb: lower(name) }, conditions: [demanding] }),
        ] as const,
      ]),
    ),
    'snp-old-fmc': [
      'A Turin whose first mutable code alone is older than demanded is refused',
      onAmd(
        { product: 'Turin', reported: { ...tcbOf('Turin'), fmc: 0 } },
        {
          vcek: { product: 'Turin', tcb: { ...tcbOf('Turin'), fmc: 0 } },
          vendors: vendorsOf('Turin'),
          conditions: [turin],
        },
      ),
    ],
    'snp-not-committed': [
      'Firmware that can be taken back to an older one is as old as that',
      onAmd({ committed: { ...TCB, snp: TCB.snp - 1 } }),
    ],
    'snp-launched-with-older': [
      'A guest that was launched under older firmware is as old as that',
      onAmd({ launch: { ...TCB, microcode: TCB.microcode - 1 } }),
    ],
  } satisfies Questions),
  ...refused('untrusted-root', 'measurement_not_listed', 'VRFY-30', {
    'snp-another-measurement': ['A guest that is not listed is refused', onAmd({ measurement: other })],
    'snp-another-product': [
      'A listed measurement on another product than the condition’s is refused',
      onAmd({}, { conditions: [milan] }),
    ],
    'snp-halves-of-two': [
      'Two conditions that fit in part are none that fits',
      onAmd(
        {},
        {
          conditions: [
            { ...AMD_GUEST, measurement: other },
            { ...AMD_GUEST, minimumTcb: { ...TCB, snp: TCB.snp + 1 } },
          ],
        },
      ),
    ],
  }),
  ...refused('untrusted-root', 'root_key_not_bound', 'VRFY-29', {
    'snp-another-key': [
      'A genuine report about another key is refused',
      onAmd({ reportData: Buffer.alloc(64, 9) }),
    ],
    'snp-key-in-the-second-half': [
      'A key in the second half of the report data is none',
      onAmd({ reportData: Buffer.concat([Buffer.alloc(32), BOUND]) }),
    ],
    'snp-last-byte-of-the-key': [
      'A report about a key that differs in the last byte of its hash is refused',
      onAmd({ reportData: Buffer.concat([BOUND.subarray(0, 31), Buffer.of((BOUND[31] ?? 0) ^ 1)]) }),
    ],
  }),
]

/** Changes the bytes in place. */
function edited(edit: (bytes: Buffer) => unknown): (bytes: Buffer) => Buffer {
  return (bytes) => {
    edit(bytes)
    return bytes
  }
}
