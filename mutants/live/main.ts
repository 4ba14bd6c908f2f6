import { InvalidArgumentError } from 'commander'
import { createCommand, options, runCommand } from '#base/command.ts'
import { visibleJson } from '#base/foreign-text.ts'
import { complain, complainOf } from '#base/print.ts'
import { EXIT } from '../../conformance/commands/exit.ts'
import { affordable, startCrew } from './crew.ts'
import type { LiveFault } from './fault.ts'
import { faults } from './faults.ts'
import { readReach, writeReach } from './kept-reach.ts'
import { isProved, selftest } from './selftest.ts'
import { describeTried, documentOf, summarize } from './tell.ts'

/** What `selftest` takes. */
interface Given {
  readonly grep: readonly string[]
  readonly deployments?: number
  readonly jobs: number
  readonly seed: number
  readonly full: boolean
  readonly slow: boolean
  readonly among: readonly string[]
  readonly shard: Shard
  readonly reach?: string
  readonly json: boolean
}

/** They wait most of the time: so many keep two cores busy, and none waits for a core (ours). */
const DEPLOYMENTS = { quick: 2, full: 4 }

// `npm run selftest`, and `bin/conformance selftest` in this repository.
const program = createCommand(
  'selftest',
  'Plants faults into the reference, one at a time while it runs, and shows that the suite finds each of them.\nExit 0 when all are found by checks of the rules that they break and of no others, 1 when not, 2 when nothing could be told.',
)
  .option('--grep <text>', 'only faults whose id, file or rules hold this text; may be repeated', collect, [])
  .option(
    '--full',
    'for each fault run every scenario that gets to it and takes no longer than two seconds: all that breaks has to be what it says to break',
    false,
  )
  .option(
    '--slow',
    'of --full: those as well that take longer, unless they wait for more than ten seconds by design',
    false,
  )
  .option(
    '--among <text>',
    'of --full: only scenarios whose id holds this text, beside those that a fault names; may be repeated',
    collect,
    [],
  )
  .option('--shard <i/n>', 'only the i-th of n parts of the faults', parseShard, { part: 1, of: 1 })
  .option(
    '--reach <file>',
    'of --full: read who gets to which fault there, or write it there when there is no such file',
  )
  .option(
    '--deployments <n>',
    'references that are examined at once, of up to 2 GiB of memory each; by default as many as there is memory for, up to 2, and with --full up to 4',
    parseCount,
  )
  .option('--jobs <n>', 'scenarios that run at once in each of them', parseCount, 8)
  .option('--seed <n>', 'where random choices come from', parseCount, 1)
  .option(options.json[0], options.json[1], false)
  .action(run)

process.exitCode =
  (await runCommand(
    program,
    process.argv.slice(2),
    {
      error: EXIT.error,
      usage: EXIT.usage,
      configuration: EXIT.usage,
    },
    complainOf,
  )) ?? process.exitCode

async function run(given: Given): Promise<void> {
  const { grep, jobs, seed, full, slow, among, shard, reach, json } = given
  const wanted = faults.filter((fault) => isWanted(fault, grep))
  const chosen = wanted.filter((_, place) => place % shard.of === shard.part - 1)
  if (chosen.length === 0) {
    complain('No fault is selected; --grep takes a part of an id, a file or a rule.')
    process.exitCode = EXIT.usage
    return
  }
  const { deployments = affordable(full ? DEPLOYMENTS.full : DEPLOYMENTS.quick) } = given
  const count = full ? deployments : Math.min(deployments, chosen.length)
  process.stderr.write(
    `Starting ${count === 1 ? 'the reference' : `${count} references, each`} with ${chosen.length} faults in it, none of them live.\n`,
  )
  const examiners = await startCrew(count, { faults: chosen.map(({ id }) => id), jobs, seed })
  const stop = () => Promise.all(examiners.map((examiner) => examiner.stop()))
  // Asked to end, it leaves nothing behind.
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => void stop().finally(() => process.exit(EXIT.error)))
  try {
    const found = await selftest({
      examiners,
      faults: chosen,
      isFull: full,
      withLong: slow,
      isAmong: (id) => among.length === 0 || among.some((text) => id.includes(text)),
      keepReach: async (places, find) => {
        const kept = reach === undefined ? undefined : await readReach(reach, places)
        if (kept) return kept
        const found = await find()
        if (reach !== undefined) await writeReach(reach, places, found)
        return found
      },
      onWatched: (watched, total) => {
        if (watched % 50 === 0 || watched === total)
          process.stderr.write(`${watched}/${total} scenarios were watched.\n`)
      },
      onTried: (tried, place) => process.stderr.write(describeTried(tried, place, chosen.length)),
      onRest: () => process.stderr.write('None is live any more: their scenarios have to pass now.\n'),
    })
    process.stdout.write(
      json ? `${visibleJson(JSON.stringify(documentOf(found), null, 2))}\n` : summarize(found),
    )
    process.exitCode = found.atRest.length > 0 ? EXIT.error : isProved(found) ? EXIT.conformant : EXIT.failing
  } finally {
    await stop()
  }
}

function isWanted({ id, file, violates }: LiveFault, grep: readonly string[]): boolean {
  return grep.length === 0 || [id, file, ...violates].some((text) => grep.some((one) => text.includes(one)))
}

/** The parts of a run that several machines share. */
interface Shard {
  readonly part: number
  readonly of: number
}

function parseShard(text: string): Shard {
  const [part = 0, of = 0] = text.split('/').map(Number)
  if (!/^\d+\/\d+$/.test(text) || part < 1 || part > of)
    throw new InvalidArgumentError('It must be such as 1/4.')
  return { part, of }
}

function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text]
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above nothing.')
  return Number(text)
}
