import { createBodyCheck } from '../server/admission/body-fields.ts'
import { parseModel, parseRequest } from '../server/admission/request.ts'
import { testModel } from '../server/admission/testing.ts'
import { createCatalogue } from '../server/catalogue.ts'
import { ApiError } from '../server/errors.ts'
import { mixed, shapes } from './hostile-bodies.ts'

/** What is promised, in milliseconds of processor time for each MiB. */
const MOST_MS_A_MIB = 10
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

function msAMib(body: string): number {
  const bytes = Buffer.from(body)
  const times = Array.from({ length: TIMES }, () => judge(bytes))
  return (Math.min(...times) * MIB) / bytes.length
}

/** Small and repeatable: a run that finds something can be run again. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** What this core takes to add up the bytes of a MiB: the same unit, without anything of ours. */
function reference(): number {
  const bytes = Buffer.alloc(MIB, 'x')
  const times = Array.from({ length: 10 * TIMES }, () => {
    const before = process.cpuUsage()
    let sum = 0
    for (let at = 0; at < bytes.length; at++) sum = (sum + bytes[at]!) | 0
    const { user, system } = process.cpuUsage(before)
    return sum === 0 ? 0 : (user + system) / 1_000
  })
  return Math.min(...times)
}

const seed = Number(process.argv[2] ?? 1)
const random = createRandom(seed)
const found: { name: string; ms: number }[] = []
for (const { name, write } of shapes) {
  for (const mib of [1, 4]) found.push({ name: `${name}, ${mib} MiB`, ms: msAMib(write(mib * MIB, random)) })
}
for (let count = 0; count < MIXTURES; count++) {
  const [one, other] = [0, 1].map(() => shapes[Math.floor(random() * shapes.length)]!)
  const bytes = MIB * (0.25 + random())
  const body = mixed(one!.write(bytes, random), other!.write(bytes, random))
  found.push({ name: `${one!.name} beside ${other!.name}`, ms: msAMib(body) })
}
found.sort((one, other) => other.ms - one.ms)
for (const { name, ms } of found.slice(0, 12)) console.log(`${ms.toFixed(2).padStart(7)} ms a MiB  ${name}`)
console.log(
  `\nThe slowest of ${found.length} bodies, seed ${seed}: ${found[0]!.ms.toFixed(2)} ms a MiB; at most ${MOST_MS_A_MIB} are promised.`,
)
console.log(
  `To add up the bytes of a MiB takes ${reference().toFixed(2)} ms here; much over 0.5 is a core that is not left alone.`,
)
if (found[0]!.ms > MOST_MS_A_MIB) process.exitCode = 1
