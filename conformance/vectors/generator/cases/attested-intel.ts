import type { Vector } from '#contract/models'
import { ANY_WORD, accepting, attested, INTEL_GUEST, intelQuote, onIntel } from '../hardware/attested.ts'
import { INTEL, moduleLevels, pckChain, REGISTERS, SERIALS } from '../hardware/intel.ts'
import { keyOf } from '../keys.ts'
import { admitted, type Questions, refused } from '../vector.ts'

const other = '66'.repeat(48)
const past = '2026-06-01T11:59:59Z'
const future = '2026-06-01T12:00:01Z'
const stranger = keyOf('stranger', 'p256')
const SEPT_VE_DISABLE = 1n << 28n
const softened = accepting('UpToDate', 'SWHardeningNeeded')
const careless = accepting(...ANY_WORD)
const withModule = { editBody: (body: Buffer) => body.writeUInt8(3, 1) }

/** A root's key in a guest under Intel TDX. */
export const intelVectors: readonly Vector[] = [
  ...admitted('untrusted-root', 'VRFY-26', {
    'tdx-version-4': ['A quote of version 4 about the root’s key is accepted', onIntel()],
    'tdx-version-5': ['A quote of version 5 of TDX 1.5 is accepted', onIntel({ version: 5 })],
    'tdx-version-5-extended': [
      'A quote of version 5 of TDX 1.5 with its longer body is accepted',
      onIntel({ version: 5, bodyType: 4 }),
    ],
    'tdx-chain-beside': [
      'The chain of the machine’s key may stand beside the quote',
      onIntel({ isBare: true }, { published: { collateral: { pck_certificate_chain: pckChain() } } }),
    ],
    'tdx-padded': [
      'Zeros behind a quote, as platforms fill their buffers, change nothing',
      onIntel({ spoil: (quote) => Buffer.concat([quote, Buffer.alloc(64)]) }),
    ],
  }),
  ...admitted('untrusted-root', 'VRFY-30', {
    'tdx-word-accepted': [
      'Another word than UpToDate is accepted where the condition names it',
      onIntel({}, { ...softened, published: { pck: { sgxSvn: 4 } } }),
    ],
    'tdx-register-asked': [
      'A register that need not be asked for may be',
      onIntel({}, { conditions: [{ ...INTEL_GUEST, rtmr0: REGISTERS.rtmr0, rtmr3: REGISTERS.rtmr3 }] }),
    ],
    'tdx-module-identity': [
      'A module of its own version is judged by its own levels',
      onIntel(withModule, { published: { tcbInfo: moduleLevels([4, 'UpToDate'], [0, 'OutOfDate']) } }),
    ],
  }),
  ...refused('untrusted-root', 'quote_malformed', 'VRFY-26', {
    'tdx-labelled-otherwise': [
      'A quote of version 4 that is called one of version 5 is refused',
      attested({ ...intelQuote(), format: 'intel-tdx-quote-v5' }, [INTEL_GUEST], {
        vendors: { intel: INTEL },
      }),
    ],
    'tdx-byte-missing': [
      'A quote that ends too early is refused',
      onIntel({ spoil: (quote) => quote.subarray(0, -1) }),
    ],
    'tdx-byte-behind': [
      'A quote with something behind it is refused',
      onIntel({ spoil: (quote) => Buffer.concat([quote, Buffer.of(1)]) }),
    ],
  }),
  ...refused('untrusted-root', 'quote_unsupported', 'VRFY-26', {
    'tdx-of-an-enclave': [
      'A quote of an enclave is none of a guest',
      onIntel({ editHeader: (header) => header.writeUInt32LE(0, 4) }),
    ],
    'tdx-another-vendor': [
      'A quote of another maker of quotes is refused',
      onIntel({ editHeader: (header) => header.writeUInt8(0, 12) }),
    ],
  }),
  ...refused('untrusted-root', 'collateral_missing', 'VRFY-26', {
    'tdx-no-collateral': [
      'A quote without collateral is refused',
      attested({ ...intelQuote(), collateral: undefined }, [INTEL_GUEST], { vendors: { intel: INTEL } }),
    ],
    'tdx-no-revocations': [
      'A quote without the list of revoked machines is refused',
      onIntel({}, { published: { collateral: { pck_crl: undefined } } }),
    ],
    'tdx-no-tcb-info': [
      'A quote without what Intel says of its TCB is refused',
      onIntel({}, { published: { collateral: { tcb_info: undefined } } }),
    ],
  }),
  ...refused('untrusted-root', 'endorsement_invalid', 'VRFY-32', {
    'tdx-pck-by-a-stranger': [
      'A machine’s certificate that its authority did not sign is refused',
      onIntel({}, { published: { pck: { signer: stranger } } }),
    ],
    'tdx-authority-by-a-stranger': [
      'An authority for machines that Intel’s root did not sign is refused',
      onIntel({}, { published: { authority: { signer: stranger } } }),
    ],
    'tdx-authority-for-something-else': [
      'An authority that Intel has for something else vouches for no machine',
      onIntel(
        {},
        {
          published: {
            authority: { subject: 'Intel SGX TCB Signing' },
            pck: { issuer: 'Intel SGX TCB Signing' },
            pckCrl: { issuer: 'Intel SGX TCB Signing' },
          },
        },
      ),
    ],
    'tdx-enclave-of-another-signer': [
      'A quote by an enclave that is not Intel’s is refused',
      onIntel({ editEnclave: (report) => report.writeUInt8(0, 128) }),
    ],
    'tdx-enclave-with-debug': [
      'A quote by an enclave that can be debugged is refused, whatever its identity masks',
      onIntel(
        { editEnclave: (report) => report.writeUInt8(0x13, 48) },
        {
          published: {
            qeIdentity: {
              attributes: `11${'00'.repeat(15)}`,
              attributesMask: `f9${'ff'.repeat(7)}${'00'.repeat(8)}`,
            },
          },
        },
      ),
    ],
  }),
  ...refused('untrusted-root', 'endorsement_expired', 'VRFY-32', {
    'tdx-pck-expired': [
      'A machine’s certificate past its last day is refused',
      onIntel({}, { published: { pck: { notAfter: past } } }),
    ],
    'tdx-authority-expired': [
      'An authority for machines past its last day is refused',
      onIntel({}, { published: { authority: { notAfter: past } } }),
    ],
  }),
  ...refused('untrusted-root', 'endorsement_revoked', 'VRFY-32', {
    'tdx-pck-revoked': [
      'A machine that was revoked is refused',
      onIntel({}, { published: { pckCrl: { revoked: [7, SERIALS.pck] } } }),
    ],
    'tdx-authority-revoked': [
      'An authority for machines that was revoked is refused',
      onIntel({}, { published: { rootCrl: { revoked: [SERIALS.authority] } } }),
    ],
    'tdx-signer-revoked': [
      'A signer of statements that was revoked is refused',
      onIntel({}, { published: { rootCrl: { revoked: [SERIALS.signer] } } }),
    ],
  }),
  ...refused('untrusted-root', 'quote_signature_invalid', 'VRFY-26', {
    'tdx-register-written-in': [
      'A register that was written into a quote after it was signed is refused',
      onIntel({
        registers: { rtmr2: other },
        spoil(quote) {
          quote.write(REGISTERS.rtmr2, 48 + 424, 'hex')
          return quote
        },
      }),
    ],
    'tdx-key-that-the-enclave-did-not-name': [
      'A quote by a key that the enclave’s report does not name is refused',
      onIntel({ editEnclave: (report) => report.writeUInt8(report.readUInt8(320) ^ 1, 320) }),
    ],
    'tdx-enclave-not-signed': [
      'An enclave’s report that the machine’s key did not sign is refused',
      onIntel({}, { published: { pck: { key: stranger } } }),
    ],
  }),
  ...refused('untrusted-root', 'collateral_invalid', 'VRFY-32', {
    'tdx-revocations-empty': [
      'A list of revoked machines of no bytes is refused',
      onIntel({}, { published: { collateral: { pck_crl: '' } } }),
    ],
    'tdx-revocations-garbage': [
      'A list of revoked machines that is none is refused',
      onIntel({}, { published: { collateral: { pck_crl: '00' } } }),
    ],
    'tdx-revocations-by-a-stranger': [
      'A list of revoked machines that their authority did not sign is refused',
      onIntel({}, { published: { pckCrl: { signer: stranger } } }),
    ],
    'tdx-revocations-of-the-root': [
      'The root’s list in place of the one of its authority is refused',
      onIntel(
        {},
        {
          published: {
            pckCrl: { issuer: 'Intel SGX Root CA (simulated)', signer: keyOf('intel-root', 'p256') },
          },
        },
      ),
    ],
    'tdx-root-revocations-empty': [
      'A list of the root’s of no bytes is refused',
      onIntel({}, { published: { collateral: { root_ca_crl: '' } } }),
    ],
    'tdx-root-revocations-by-a-stranger': [
      'A list of the root’s that the root did not sign is refused',
      onIntel({}, { published: { rootCrl: { signer: stranger } } }),
    ],
    'tdx-statements-by-a-stranger': [
      'Statements that Intel did not sign are refused',
      onIntel({}, { published: { stater: stranger } }),
    ],
    'tdx-signer-by-a-stranger': [
      'Statements by a signer whom Intel’s root did not issue are refused',
      onIntel({}, { published: { signer: { signer: stranger } } }),
    ],
    'tdx-signer-of-something-else': [
      'Statements by somebody whom Intel has for something else are refused',
      onIntel({}, { published: { signer: { subject: 'Intel SGX PCK Certificate' } } }),
    ],
    'tdx-other-machines': [
      'A statement about another kind of machine is refused',
      onIntel({}, { published: { tcbInfo: { fmspc: '00a06f000000' } } }),
    ],
    'tdx-statement-of-sgx': [
      'A statement about enclaves is none about guests',
      onIntel({}, { published: { tcbInfo: { id: 'SGX' } } }),
    ],
    'tdx-identity-of-another-enclave': [
      'An identity of another enclave than the one that makes quotes of guests is refused',
      onIntel({}, { published: { qeIdentity: { id: 'QE' } } }),
    ],
  }),
  ...refused('untrusted-root', 'collateral_expired', 'VRFY-32', {
    'tdx-revocations-expired': [
      'A list of revoked machines past its date is refused',
      onIntel({}, { published: { pckCrl: { nextUpdate: past } } }),
    ],
    'tdx-root-revocations-expired': [
      'A list of the root’s past its date is refused',
      onIntel({}, { published: { rootCrl: { nextUpdate: past } } }),
    ],
    'tdx-tcb-info-expired': [
      'A statement about the TCB past its date is refused',
      onIntel({}, { published: { tcbInfo: { nextUpdate: past } } }),
    ],
    'tdx-tcb-info-of-tomorrow': [
      'A statement about the TCB before its date is refused',
      onIntel({}, { published: { tcbInfo: { issueDate: future } } }),
    ],
    'tdx-identity-expired': [
      'An identity of the enclave past its date is refused',
      onIntel({}, { published: { qeIdentity: { nextUpdate: past } } }),
    ],
    'tdx-signer-expired': [
      'A statement whose signer is past the last day is refused',
      onIntel({}, { published: { signer: { notAfter: past } } }),
    ],
  }),
  ...refused('untrusted-root', 'tcb_not_accepted', 'VRFY-30', {
    'tdx-hardening-needed': [
      'Another word than UpToDate is refused unless the condition names it',
      onIntel({}, { published: { pck: { sgxSvn: 4 } } }),
    ],
    'tdx-out-of-date': [
      'A machine that is out of date is refused, where only hardening may be needed',
      onIntel({}, { ...softened, published: { pck: { sgxSvn: 3 } } }),
    ],
    'tdx-revoked-level': [
      'A revoked level is refused whatever words are accepted',
      onIntel({}, { ...careless, published: { pck: { sgxSvn: 2 } } }),
    ],
    'tdx-no-level': [
      'A machine that reaches no level is refused',
      onIntel({}, { ...careless, published: { pck: { sgxSvn: 1 } } }),
    ],
    'tdx-enclave-out-of-date': [
      'A machine is as old as the enclave that makes its quotes',
      onIntel({ qeSvn: 3 }),
    ],
    'tdx-module-by-a-stranger': [
      'A guest under a module that is not Intel’s is refused',
      onIntel({ editBody: (body) => body.writeUInt8(1, 64) }, careless),
    ],
    'tdx-module-out-of-date': [
      'A machine is as old as its module',
      onIntel(withModule, { published: { tcbInfo: moduleLevels([5, 'UpToDate'], [0, 'OutOfDate']) } }),
    ],
    'tdx-module-unknown': ['A module that Intel does not name is refused', onIntel(withModule, careless)],
    'tdx-launched-under-older': [
      'A guest that was launched under an older module is refused unless the condition names that',
      onIntel({ version: 5, editBody: (body) => body.writeUInt8(3, 0) }, { published: { tcbInfo: {} } }),
    ],
  } satisfies Questions),
  ...refused('untrusted-root', 'guest_unprotected', 'VRFY-31', {
    'tdx-debug': [
      'A guest under TDX that can be debugged is refused',
      onIntel({ attributes: SEPT_VE_DISABLE | 1n }),
    ],
    'tdx-migratable': [
      'A guest under TDX that can be moved is refused',
      onIntel({ attributes: SEPT_VE_DISABLE | (1n << 29n) }),
    ],
    'tdx-pages-taken-unseen': [
      'A guest under TDX whose pages can be taken away unseen is refused',
      onIntel({ attributes: 0n }),
    ],
    'tdx-served-by-another': [
      'A guest under TDX that another guest serves is refused',
      onIntel({ version: 5, editBody: (body) => body.writeUInt8(1, 600) }),
    ],
  }),
  ...refused('untrusted-root', 'measurement_not_listed', 'VRFY-30', {
    ...Object.fromEntries(
      (['mrtd', 'rtmr1', 'rtmr2'] as const).map((name) => [
        `tdx-another-${name}`,
        [
          `A guest whose ${name.toUpperCase()} alone is not the listed one is refused`,
          onIntel({ registers: { [name]: other } }),
        ] as const,
      ]),
    ),
    ...Object.fromEntries(
      (['rtmr0', 'rtmr3'] as const).map((name) => [
        `tdx-another-${name}`,
        [
          `A guest whose ${name.toUpperCase()} is not the one that was asked for is refused`,
          onIntel(
            { registers: { [name]: other } },
            { conditions: [{ ...INTEL_GUEST, [name]: REGISTERS[name] }] },
          ),
        ] as const,
      ]),
    ),
    'tdx-halves-of-two': [
      'Two guests that fit in part are none that fits',
      onIntel(
        {},
        {
          conditions: [
            { ...INTEL_GUEST, rtmr1: other },
            { ...INTEL_GUEST, rtmr2: other },
          ],
        },
      ),
    ],
  } satisfies Questions),
  ...refused('untrusted-root', 'root_key_not_bound', 'VRFY-29', {
    'tdx-another-key': [
      'A genuine quote about another key is refused',
      onIntel({ reportData: Buffer.alloc(64, 9) }),
    ],
  }),
]
