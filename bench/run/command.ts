import { join } from 'node:path'
import { createCommand, UsageError } from '#base/command.ts'
import { complain, print } from '#base/print.ts'
import { positive } from '../arguments.ts'
import { divideCores, pin } from './cpu/cores.ts'
import { measures } from './measures/all.ts'
import type { Measure } from './measures/measure.ts'
import { type Other, others } from './others.ts'
import { describeTurn } from './progress.ts'
import { verdicts } from './promise/check.ts'
import { reportOf } from './report/document.ts'
import { writeResults } from './report/write.ts'
import { runPlan } from './run.ts'
import { subjects } from './subjects/all.ts'
import type { Subject } from './subjects/subject.ts'

/** What was asked for. */
interface Options {
  readonly quick?: true
  readonly check?: true
  readonly json?: true
  readonly only?: string[]
  readonly rounds?: string
  readonly seconds?: string
}

const HOME = join(import.meta.dirname, '..', '..')

const WHOLE = { rounds: 3, turnMs: 3_000, heatMs: 60_000, warmMs: 1_000 }
const QUICK = { rounds: 2, turnMs: 1_200, heatMs: 4_000, warmMs: 400 }

/** The command of `npm run bench`. */
export function createBench(signal: AbortSignal) {
  return createCommand(
    'npm run bench --',
    'Measures the router side by side with its peers, and the promise of speed.',
  )
    .option('--quick', 'the few measures that fit into three minutes; writes nothing')
    .option('--check', 'exit with 1 when a ratio is worse than promised by more than the noise of this run')
    .option(
      '--only <words...>',
      'measures, subjects and other benchmarks of these names alone, such as requests-64 router; writes nothing',
    )
    .option('--rounds <count>', 'how often each turn is taken')
    .option('--seconds <seconds>', 'how long a turn is counted')
    .option('--json', 'print what was found as one JSON document to stdout')
    .action((options: Options) => bench(options, signal))
}

async function bench(options: Options, signal: AbortSignal): Promise<void> {
  const usual = options.quick ? QUICK : WHOLE
  const rounds = options.rounds === undefined ? usual.rounds : positive('--rounds', options.rounds)
  const turnMs = options.seconds === undefined ? usual.turnMs : positive('--seconds', options.seconds) * 1_000
  const chosen = choose(options)
  const cores = divideCores()
  if (cores.subject !== undefined) pin(process.pid, cores.others)
  const results = await runPlan({
    ...chosen,
    cores,
    rounds,
    turnMs,
    heatMs: usual.heatMs,
    warmMs: usual.warmMs,
    signal,
    // People follow on stderr, so that stdout holds what was found alone.
    say: complain,
    onTurn: (round, measure, subject, outcome) =>
      complain(describeTurn({ round, of: rounds }, measure, subject, outcome)),
  })
  print(options, results, reportOf(results))
  if (isWhole(options)) for (const file of writeResults(results, HOME)) complain(`Written: ${file}`)
  else complain('A part of a run is written nowhere.')
  const broken = [
    ...verdicts(results).flatMap(({ row, outcome }) => (outcome === 'BROKEN' ? [row.name] : [])),
    ...results.others.flatMap(({ promise, isKept }) => (isKept ? [] : [promise])),
  ]
  for (const name of broken) complain(`Broken: ${name}.`)
  if (options.check && broken.length > 0) process.exitCode = 1
}

/** A word is the name of a measure, a subject or another benchmark, or what several measures begin with. */
export function choose({ quick, only = [] }: Pick<Options, 'quick' | 'only'>): {
  readonly measures: readonly Measure[]
  readonly subjects: readonly Subject[]
  readonly others: readonly Other[]
} {
  const isMeant = (word: string, name: string): boolean => name === word || name.startsWith(`${word}-`)
  const known = [...measures.map(({ id }) => id), ...[...subjects, ...others].map(({ name }) => name)]
  const stranger = only.find((word) => !known.some((name) => isMeant(word, name)))
  if (stranger !== undefined)
    throw new UsageError(`Nothing is called ${stranger}. There are: ${known.join(', ')}.`)
  const among = <Thing>(things: readonly Thing[], nameOf: (thing: Thing) => string): readonly Thing[] =>
    things.filter((thing) => only.some((word) => isMeant(word, nameOf(thing))))
  const chosenMeasures = among(measures, ({ id }) => id)
  // A subject by its whole name: `router` is not `router-grown`, which takes minutes to be readied.
  const chosenSubjects = subjects.filter(({ name }) => only.includes(name))
  const chosenOthers = among(others, ({ name }) => name)
  // Who names another benchmark alone wants no turns.
  const isBeside = chosenOthers.length > 0 && chosenMeasures.length + chosenSubjects.length === 0
  const usual = isBeside ? [] : measures.filter(({ isQuick }) => isQuick || !quick)
  return {
    measures: chosenMeasures.length > 0 ? chosenMeasures : usual,
    subjects:
      chosenSubjects.length > 0
        ? chosenSubjects
        : isBeside
          ? []
          : subjects.filter(({ isQuick }) => isQuick !== false || !quick),
    others: quick || only.length > 0 ? chosenOthers : others,
  }
}

/** What is written down is of one run: a part of one would stand beside figures of another. */
function isWhole({ quick, only, rounds, seconds }: Options): boolean {
  return !quick && [only, rounds, seconds].every((option) => option === undefined)
}
