import { performance } from 'node:perf_hooks'
import { AttestationError, type HardwareCondition, type Json } from '#attestation'
import { verifyHardware } from '../attestation/hardware/hardware.ts'
import { snpSamples, tdxSamples } from '../attestation/hardware/testing/real.ts'
import { readArguments } from './arguments.ts'

/** What a verification may take at most (ours). */
const PROMISED_MS = 20
const { runs: RUNS } = await readArguments(
  'hardware',
  'Measures what judging quotes of hardware takes; exits with 1 when one takes longer than is promised.',
  { runs: ['how often each is judged; the median counts', 101] },
)
/** No sample is about a key of ours: the key is compared last, when all else has been done. */
const KEY = Buffer.from('a key')

type Sample = readonly [title: string, member: Json, at: string, condition: HardwareCondition]

const genoa: Sample = snpSamples[4]
const tdx: Sample = tdxSamples[tdxSamples.length - 1]!

console.log('| quote | median ms |\n|---|---|')
let slowestMs = 0
for (const sample of [genoa, tdx]) {
  const ms = medianOf(sample)
  slowestMs = Math.max(slowestMs, ms)
  console.log(`| ${sample[0]} | ${ms.toFixed(1)} |`)
}
console.log(`\nThe slower takes ${slowestMs.toFixed(1)} ms; promised are ${PROMISED_MS}.`)
if (slowestMs > PROMISED_MS) process.exitCode = 1

/** The middle of several times, each the clock's or the process's own, whichever is less. */
function medianOf(sample: Sample): number {
  const times = Array.from({ length: RUNS }, () => {
    const startedMs = performance.now()
    const before = process.cpuUsage()
    judge(sample)
    const { user, system } = process.cpuUsage(before)
    return Math.min(performance.now() - startedMs, (user + system) / 1_000)
  })
  return times.toSorted((one, other) => one - other)[RUNS >> 1]!
}

/** Throws where anything but the key is found wrong: then it was not all done. */
function judge([title, member, at, condition]: Sample): void {
  try {
    verifyHardware(member, KEY, [condition], new Date(at))
  } catch (thrown) {
    if (thrown instanceof AttestationError && thrown.reason === 'root_key_not_bound') return
    throw new Error(`${title} was not judged to its end.`, { cause: thrown })
  }
  throw new Error(`${title} is about a key that it cannot be about.`)
}
