import { readArguments } from './arguments.ts'
import { attacks } from './fairness/attacks.ts'
import { compare, MOST_LOSS, MOST_P99_MS, median, type Turn } from './fairness/compare.ts'
import { startWorld } from './fairness/world.ts'

// What drifts in a round drifts for both of its turns.
const { rounds: ROUNDS, only: wanted = '' } = await readArguments(
  'fairness',
  'Measures what one hostile workspace costs another; exits with 1 when a kind of it costs more than is promised.',
  { rounds: ['how often a turn with and one without is taken', 5] },
  { texts: { only: 'the kinds whose names hold these words' } },
)
const TURN_MS = 2_500

const world = await startWorld()
const broken: string[] = []
let isByThread = false
for (const [place, { name }] of attacks.entries()) {
  if (!name.includes(wanted)) continue
  const aggressor = await world.ready(place)
  const alone: Turn[] = []
  const beside: Turn[] = []
  // The first tells the sink what to take, and is not counted.
  await aggressor.turn('router', TURN_MS)
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await aggressor.turn('sink', TURN_MS))
    beside.push(await aggressor.turn('router', TURN_MS))
  }
  aggressor.stop()
  const found = compare(alone, beside)
  if (!found.isKept) broken.push(name)
  isByThread ||= found.judge === 'thread'
  const percent = (part: number): string => `${(part * 100).toFixed(0)} %`
  console.log(`${name}`)
  console.log(`  alone   ${show(alone)}`)
  console.log(`  beside  ${show(beside)}`)
  console.log(
    `  clock   ${percent(found.loss)} less, p99 ${found.slowerMs.toFixed(1)} ms more; turns alone lie ${percent(found.spread)} and ${found.p99SpreadMs.toFixed(0)} ms apart`,
  )
  console.log(
    `  thread  ${found.threadAloneMs.toFixed(2)} ms a request alone, ${found.threadBesideMs.toFixed(2)} beside; the aggressor takes ${percent(found.share)} of it, waits ${found.waitsMs.toFixed(1)} ms more at p99`,
  )
  console.log(`  ${found.isKept ? 'kept' : 'BROKEN'}, by the ${found.judge}; ${found.failed} failed`)
}
await world.stop()
console.log(`\nAt most ${MOST_LOSS * 100} % less and ${MOST_P99_MS} ms more are promised.`)
if (isByThread)
  console.log(
    "Where the turns alone lie further apart than that, this machine's clock cannot tell, and the router's own thread decides.",
  )
for (const name of broken) console.log(`Broken by ${name}.`)
process.exitCode = broken.length === 0 ? 0 : 1

function show(turns: readonly Turn[]): string {
  const of = (read: (turn: Turn) => number, digits: number): string => median(turns.map(read)).toFixed(digits)
  return `${of((turn) => turn.perSecond, 0).padStart(6)} requests a second, p99 ${of((turn) => turn.p99Ms, 1).padStart(6)} ms, waits p99 ${of((turn) => turn.waitP99Ms, 1)} ms, longest stretch ${of((turn) => turn.standMaxMs, 0)} ms, thread ${of((turn) => (turn.threadMs / turn.ms) * 100, 0)} %, process ${of((turn) => (turn.processMs / turn.ms) * 100, 0)} %, read ${of((turn) => turn.readBytes / turn.ms / 1_048.576, 1)} MiB a second`
}
