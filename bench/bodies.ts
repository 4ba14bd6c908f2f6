import { createBodyCheck } from '../server/admission/body-fields.ts'
import { parseModel, parseRequest } from '../server/admission/request.ts'
import { testModel } from '../server/admission/testing.ts'
import { createCatalogue } from '../server/catalogue.ts'
import { ApiError } from '../server/errors.ts'
import { readArguments } from './arguments.ts'
import { mixed, shapes } from './hostile-bodies.ts'

/** What is promised for a core that is left alone. */
const MOST_MS_A_MIB = 10

/**
 * The same as a ratio, for a core that is slower or not left alone: so many times what adding up the bytes takes, which
 * was 0.5 ms a MiB where the promise was made. Cores differ in what they add up fast, so that either is enough.
 */
const MOST_TIMES_THE_SUM = 20
const MIB = 1_048_576
const PIECE_BYTES = 65_536

/** How often a body is judged; the least time counts, as other programs only add to it. */
const TIMES = 7
const MIXTURES = 40

const catalogue = createCatalogue([testModel({ id: 'm', contextLength: 1_000_000 })])

/** Judges a body as the router does, piece by piece, and gives milliseconds of processor time; a refusal counts too. */
function judge(bytes: Buffer): number {
  const before = process.cpuUsage()
  const check = createBodyCheck()
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      if (!check.push(bytes.subarray(at, at + PIECE_BYTES))) break
    }
    const operation = bytes.includes('"prompt":') ? 'completions' : 'chat'
    parseRequest(operation, parseModel(operation, bytes, catalogue, check))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** Judges a body several times, and adds up as many bytes in between: both see the same core. */
function measure(name: string, body: string): Found {
  const bytes = Buffer.from(body)
  let [ms, sumMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let time = 0; time < TIMES; time++) {
    ms = Math.min(ms, (judge(bytes) * MIB) / bytes.length)
    sumMs = Math.min(sumMs, addUp(), addUp())
  }
  return { name, ms, ratio: ms / sumMs }
}

interface Found {
  readonly name: string
  /** For each MiB. */
  readonly ms: number
  readonly ratio: number
}

/** Small and repeatable: a run that finds something can be run again. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const plain = Buffer.alloc(MIB, 'x')

/** Milliseconds that this core takes to add up the bytes of a MiB, without anything of ours. */
function addUp(): number {
  const before = process.cpuUsage()
  let sum = 0
  for (let at = 0; at < plain.length; at++) sum = (sum + plain[at]!) | 0
  const { user, system } = process.cpuUsage(before)
  return sum === 0 ? 0 : (user + system) / 1_000
}

const { seed } = await readArguments(
  'bodies',
  'Searches for the body that takes longest to judge; exits with 1 when one takes longer than is promised.',
  { seed: ['of the search; the same one finds the same', 1] },
)
const random = createRandom(seed)
for (let time = 0; time < 10 * TIMES; time++) addUp()
const found: Found[] = []
for (const { name, write } of shapes) {
  for (const mib of [1, 4]) found.push(measure(`${name}, ${mib} MiB`, write(mib * MIB, random)))
}
for (let count = 0; count < MIXTURES; count++) {
  const [one, other] = [0, 1].map(() => shapes[Math.floor(random() * shapes.length)]!)
  const bytes = MIB * (0.25 + random())
  const body = mixed(one!.write(bytes, random), other!.write(bytes, random))
  found.push(measure(`${one!.name} beside ${other!.name}`, body))
}
found.sort((one, other) => other.ratio - one.ratio)
for (const { name, ms, ratio } of found.slice(0, 12))
  console.log(`${ratio.toFixed(1).padStart(6)} times the sum ${ms.toFixed(2).padStart(7)} ms a MiB  ${name}`)
const slowest = found[0]!
console.log(
  `\nThe slowest of ${found.length} bodies, seed ${seed}: ${slowest.ms.toFixed(2)} ms a MiB, ${slowest.ratio.toFixed(1)} times the ${(slowest.ms / slowest.ratio).toFixed(2)} ms that adding up its bytes takes here.`,
)
console.log(
  `At most ${MOST_MS_A_MIB} ms a MiB are promised, or ${MOST_TIMES_THE_SUM} times the sum where a core is slower.`,
)
const isKept = ({ ms, ratio }: Found): boolean => ms <= MOST_MS_A_MIB || ratio <= MOST_TIMES_THE_SUM
if (!found.every(isKept)) process.exitCode = 1
