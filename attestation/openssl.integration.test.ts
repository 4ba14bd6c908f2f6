// @module-tag openssl

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkChain, readChain } from './chain.ts'
import { AttestationError } from './errors.ts'
import { arbitraryChain } from './testing/arbitrary-chain.ts'
import { type Extension, toPem } from './testing/certificates.ts'
import { goodChain, HOSTNAME, makeChain, NOW, type Place } from './testing/chains.ts'
import { apply, edit } from './testing/edits.ts'
import { type Changes, makeEnvelope } from './testing/evidence.ts'
import { alternativeNames, basicConstraints, keyUsage, nameConstraints } from './testing/extensions.ts'
import { algorithms } from './testing/keys.ts'
import { askOpenssl } from './testing/openssl.ts'
import { chainRefusals } from './testing/refusals/chain.ts'

/** What we refuse and OpenSSL was not asked about, or lets pass. */
const OURS_ALONE = [
  'a leaf for another hostname',
  'a leaf with the hostname as its common name alone',
  'a short curve',
  'SHA-1 at the root',
  'a certificate with 201 names',
  'an authority with 201 constraints',
  'a root of more than 64 KiB',
]

/** A ceiling for a process for each of a thousand chains, on a busy machine. */
const PROCESSES_MS = 900_000

const faults = Object.values(chainRefusals).flatMap((byTitle) =>
  Object.entries(byTitle).map(([title, make]) => ({
    title,
    make,
    openssl: OURS_ALONE.includes(title) ? 'accepts' : 'refuses',
  })),
)

test.each(algorithms)('OpenSSL accepts the chain of %s that we accept', async (algorithm) => {
  const pems = goodChain(algorithm).certificates.map(toPem)
  expect([judge(pems), await askOpenssl(pems, NOW)]).toEqual(['OK', 'OK'])
})

test.each(faults)('OpenSSL $openssl $title, which we refuse', async ({ make, openssl }) => {
  const { certChain } = makeEnvelope(make() as Changes)
  expect((await askOpenssl(certChain as string[], NOW)) === 'OK').toBe(openssl === 'accepts')
})

test(
  'OpenSSL and we agree on any chain',
  async () => {
    const tally = { accepted: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(arbitraryChain, async (certificates) => {
        const pems = certificates.map(toPem)
        const [ours, theirs] = [judge(pems), await askOpenssl(pems, NOW)]
        expect(`${ours}: ${theirs}`).toMatch(/^(OK: OK$|(?!OK)\w+: (?!OK))/)
        tally[ours === 'OK' ? 'accepted' : 'refused'] += 1
      }),
      { numRuns: 300 },
    )
    expect(Math.min(tally.accepted, tally.refused)).toBeGreaterThan(10)
  },
  PROCESSES_MS,
)

test(
  'OpenSSL accepts what we accept, whatever stands in an extension',
  async () => {
    const authority = [basicConstraints(true, 1), keyUsage({ certSign: true })]
    const network = Buffer.from([11, 0, 0, 0, 255, 0, 0, 0])
    const constrained = nameConstraints([['dns', 'example']], [['ip', network]])
    const named = [alternativeNames(['dns', HOSTNAME], ['ip', network.subarray(0, 4)])]
    // A directory's name that is none, where an address stood.
    const found = { at: 992_138_897, removed: 2 as const, put: Uint8Array.from([0, 164]) }
    const place = fc.constantFrom<readonly [Place, number, readonly Extension[]]>(
      ['intermediate', 0, authority],
      ['intermediate', 1, authority],
      ['intermediate', 0, [constrained, ...authority]],
      ['leaf', 0, named],
    )
    await fc.assert(
      fc.asyncProperty(place, edit, async ([place, changed, all], change) => {
        const extensions = all.map((extension, index) =>
          index === changed ? { ...extension, content: apply(extension.content, change) } : extension,
        )
        const pems = makeChain({ [place]: { extensions } }).certificates.map(toPem)
        if (judge(pems) === 'OK') expect(await askOpenssl(pems, NOW)).toBe('OK')
      }),
      { numRuns: 1_000, examples: [[['leaf', 0, named], found]] },
    )
  },
  PROCESSES_MS,
)

/** The reason for which we refuse a chain, whoever it is for; OK when we do not. */
function judge(pems: readonly string[]): string {
  try {
    checkChain(readChain(pems), { hostname: HOSTNAME, now: NOW, requireLeafName: false })
    return 'OK'
  } catch (error) {
    if (error instanceof AttestationError) return error.reason
    throw error
  }
}
