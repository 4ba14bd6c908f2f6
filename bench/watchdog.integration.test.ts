import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { afterEach, expect, test } from 'vitest'
import { parseDigest } from '#attestation'
import { createAttest } from '#egress/evidence/attest.ts'
import { HOSTNAME } from '#egress/testing/identity.ts'
import { SNAPSHOT_DIGEST } from '../conformance/vectors/generator/bundle.ts'
import { chainOf, NOW } from '../conformance/vectors/generator/chain.ts'
import { type Name, nameConstraints, subjectNames } from '../conformance/vectors/generator/extensions.ts'
import { closeWorlds, eventStream, send, startWorld } from '../proxy/testing/world.ts'
import { type Case, caseOf } from './bundles/case.ts'
import { chains } from './bundles/chains.ts'
import { documents } from './bundles/documents.ts'
import { randomOf } from './bundles/search.ts'

const BUNDLES_OF_A_SHAPE = 6
const TICK_MS = 10
const NANOSECONDS = 1_000_000

afterEach(closeWorlds)

/** What once stopped the process for 42 seconds: names and constraints by the thousand, 264 KB of them. */
function namesByTheThousand(): Case {
  const names = (count: number, mark: string): Name[] =>
    Array.from({ length: count }, (_, index) => ['dns', `${mark}${index}.x`])
  const crowd = [subjectNames(...names(5_000, 'n')), nameConstraints([], names(2_400, 'x'))]
  const chain = chainOf('p256', {
    leaf: { extensions: crowd },
    intermediate: { extensions: crowd },
    root: { extensions: crowd },
  })
  const [leaf, intermediate, root] = chain.certificates as [Buffer, Buffer, Buffer]
  const certificates = [leaf, ...Array.from({ length: 6 }, () => intermediate), root]
  return caseOf({ chain: { ...chain, certificates } })
}

/** Bundles of every shape that the benchmark climbs. */
function slowCases(): readonly Case[] {
  const random = randomOf(1)
  const cases = [...documents, ...chains].flatMap((shape) =>
    Array.from({ length: BUNDLES_OF_A_SHAPE }, () => shape.make(Array.from({ length: shape.genes }, random))),
  )
  return [namesByTheThousand(), ...cases]
}

/** The same bundle for the endpoint of this test, or it would end at its hostname. */
function forTheEndpoint({ bytes }: Case): Buffer {
  const text = bytes.toString('latin1').replace('"hostname":"router.example"', `"hostname":"${HOSTNAME}"`)
  return Buffer.from(text, 'latin1')
}

/** The loop's longest stop while something goes on. */
async function longestStopMs(during: () => Promise<void>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  await during()
  delay.disable()
  return delay.max / NANOSECONDS
}

test('no bundle stops a stream that runs through the proxy for long', async () => {
  const cases = slowCases()
  const bundles = cases.map(forTheEndpoint)
  const stream = eventStream()
  let served: Uint8Array = Buffer.from('{}')
  const world = await startWorld({
    script: (request, response) => {
      if (request.method === 'POST') stream.script(request, response)
      else response.writeHead(200, { 'content-type': 'application/json' }).end(served)
    },
  })
  const target = { hostname: HOSTNAME, host: '127.0.0.1', port: world.gateway.port }
  const attest = createAttest(target, () => new Date(NOW))
  const expectation = {
    // Each root is trusted, so that every stage does its work.
    roots: cases.flatMap(({ expected }) => expected.roots),
    pins: [parseDigest(SNAPSHOT_DIGEST)],
    maxBundleAgeMs: Number.MAX_SAFE_INTEGER,
  }
  const judge = async (all: readonly Buffer[]) => {
    for (const bytes of all) {
      served = bytes
      expect(await attest(expectation, undefined, AbortSignal.timeout(60_000))).toMatchObject({
        kind: 'failed',
      })
    }
  }
  const response = await send(world, { method: 'POST', body: '{}' })
  let arrived = 0
  let longestGapMs = 0
  let lastMs = performance.now()
  response.on('data', () => {
    longestGapMs = Math.max(longestGapMs, performance.now() - lastMs)
    lastMs = performance.now()
    arrived += 1
  })
  const ticker = setInterval(() => stream.write('data: {}\n\n'), TICK_MS)
  // What the machine does to a loop that judges next to nothing, twenty times as much, is no fault of a bundle.
  const usualMs = await longestStopMs(() => judge(bundles.map(() => Buffer.from('{}'))))
  longestGapMs = 0
  const stoppedMs = await longestStopMs(() => judge(bundles))
  clearInterval(ticker)
  stream.end()
  expect(arrived).toBeGreaterThan(0)
  expect(Math.max(stoppedMs, longestGapMs)).toBeLessThan(1_000 + 20 * usualMs)
})
