import { fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { type Account, startService } from '../tests/service.ts'
import { attacks } from './attacks.ts'

/** What is promised of a payer beside an aggressor. */
const MOST_LOSS = 0.2
const MOST_P99_MS = 50

const MEASURED_MS = Number(process.argv[2] ?? 10_000)
/** The payer's own connections, each with one request after the other. */
const PARALLEL = 8

const MIB = 1_048_576
const service = await startService({
  // A workspace has what the deployment gives all: it is the aggressor's key that has the 600 of production.
  limits: {
    maxBodyBytes: 32 * MIB,
    bodyMemoryBytes: 256 * MIB,
    requestsPerMinute: 10_000_000,
    tokensPerMinute: 1e10,
  },
})
const payer = await service.createAccount(1_000_000_000n, {
  requestsPerMinute: 10_000_000,
  tokensPerMinute: 1e10,
})
await service.backend.play({ rules: [{ chunks: 2 }] })
const agent = new Agent({ connections: PARALLEL })
const hello = JSON.stringify({ model: 'demo/tiny-chat', messages: [{ role: 'user', content: 'Hello' }] })

interface Measured {
  readonly perSecond: number
  readonly p99Ms: number
  readonly failed: number
}

/** Sends the payer's requests for `MEASURED_MS`: rate, p99 and how many were not answered 200. */
async function measure(): Promise<Measured> {
  const times: number[] = []
  let failed = 0
  const until = performance.now() + MEASURED_MS
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const begun = performance.now()
      const { statusCode, body } = await request(`${service.baseUrl}/chat/completions`, {
        dispatcher: agent,
        method: 'POST',
        headers: { authorization: `Bearer ${payer.apiKey}` },
        body: hello,
      })
      await body.dump()
      if (statusCode !== 200) failed++
      times.push(performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, one))
  times.sort((a, b) => a - b)
  return {
    perSecond: (times.length * 1_000) / MEASURED_MS,
    p99Ms: times[Math.floor(times.length * 0.99)]!,
    failed,
  }
}

/** Keeps an aggressor busy until it is stopped. */
function attack(place: number, { apiKey }: Account): () => void {
  const child = fork(join(import.meta.dirname, 'aggressor.ts'), [service.baseUrl, apiKey, String(place)])
  return () => child.disconnect()
}

const show = ({ perSecond, p99Ms, failed }: Measured): string =>
  `${perSecond.toFixed(0).padStart(6)} requests a second, p99 ${p99Ms.toFixed(1).padStart(6)} ms, ${failed} failed`

await measure()
let isKept = true
for (const [place, { name }] of attacks.entries()) {
  const alone = await measure()
  const hostile = await service.createAccount(1_000_000_000n, { requestsPerMinute: 600 })
  const stop = attack(place, hostile)
  await sleep(2_000)
  const beside = await measure()
  stop()
  const loss = 1 - beside.perSecond / alone.perSecond
  const slower = beside.p99Ms - alone.p99Ms
  isKept &&= loss <= MOST_LOSS && slower <= MOST_P99_MS && beside.failed === 0
  console.log(`${name}\n  alone   ${show(alone)}\n  beside  ${show(beside)}`)
  console.log(`  ${(loss * 100).toFixed(0)} % less, p99 ${slower.toFixed(1)} ms more`)
  await sleep(2_000)
}
console.log(`\nAt most ${MOST_LOSS * 100} % less and ${MOST_P99_MS} ms more are promised.`)
await agent.close()
await service.stop()
process.exitCode = isKept ? 0 : 1
