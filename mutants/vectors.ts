import { parseArgs } from 'node:util'
import { EXIT } from '../conformance/commands/exit.ts'
import { runVerifier } from '../conformance/commands/verifier.ts'
import { readCorpus } from '../conformance/vectors/corpus.ts'
import { type JudgedStage, mutantOf, weakenedStages } from './verifier/stages.ts'
import { commandOf, killOf } from './verifier/weaken.ts'

const USAGE = `usage: npm run vectors -- [--weaken STAGE] [--grep TEXT] [--report-dir DIR] [--json]
  puts every vector to the proxy's own verifier; exit 0 when all are answered rightly
  --weaken STAGE   to a copy that lacks the checks of one stage: it must fail, and exactly there (exit 1; 2 if not)
  stages: ${weakenedStages.join(', ')}`

// `npm run vectors`
const options = parse()
if (options?.help) console.log(USAGE)
else if (options === undefined) {
  console.error(USAGE)
  process.exitCode = EXIT.usage
} else await run(options)

interface Options {
  readonly help: boolean
  readonly weaken?: JudgedStage
  readonly grep?: string
  readonly reportDir?: string
  readonly json: boolean
}

function parse(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', default: false },
        weaken: { type: 'string' },
        grep: { type: 'string' },
        'report-dir': { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const { weaken, grep, 'report-dir': reportDir, help, json } = values
    const stage = weakenedStages.find((one) => one === weaken)
    if (weaken !== undefined && stage === undefined) return undefined
    return {
      help,
      json,
      ...(stage && { weaken: stage }),
      ...(grep && { grep }),
      ...(reportDir && { reportDir }),
    }
  } catch {
    return undefined
  }
}

async function run({ weaken, grep, reportDir, json }: Options): Promise<void> {
  const results = await runVerifier({
    verifier: commandOf(weaken),
    ...(grep && { grep: [grep] }),
    ...(reportDir && { reportDir }),
    ...(json && { json: true }),
  })
  if (weaken === undefined || results === undefined) return
  const selected = readCorpus().filter(({ id }) => results.vectors.some((one) => one.id === id))
  const mutant = mutantOf(weaken, selected)
  const { missed, beyond } = killOf(mutant, weaken, results)
  if (missed.length + beyond.length === 0) {
    console.error(
      `\n${mutant.id} is told by the ${mutant.expectKilledBy.length} vectors whose only fault lies there, and by no other.`,
    )
    return
  }
  for (const id of missed) console.error(`${id} should have told, and did not.`)
  for (const id of beyond) console.error(`${id} told, and should not have.`)
  process.exitCode = EXIT.error
}
