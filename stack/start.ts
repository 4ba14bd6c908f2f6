import { listenForInterruption } from './interruption.ts'
import { HELP, OptionError, type Options, parseOptions } from './options.ts'
import { createPalette } from './palette.ts'
import { runStack } from './run.ts'
import { createStory, type Story } from './story.ts'

const EXIT_USAGE = 2
const COLUMNS = 88

process.exit(await main(process.argv.slice(2)))

async function main(args: readonly string[]): Promise<number> {
  // Whoever read the story may leave before its end, as `head` does.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  try {
    const options = parseOptions(args)
    if (!options.help) return await run(options)
    console.log(HELP)
    return 0
  } catch (error) {
    if (!(error instanceof OptionError)) throw error
    console.error(`${error.message}\n\nnpm start -- --help shows what is possible.`)
    return EXIT_USAGE
  }
}

function run(options: Options): Promise<number> {
  return runStack({
    options,
    story: tellOn(options.json ? process.stderr : process.stdout),
    interruption: listenForInterruption(),
    onUp(stack) {
      if (options.json) process.stdout.write(`${JSON.stringify(stack)}\n`)
    },
  })
}

function tellOn(stream: NodeJS.WriteStream): Story {
  return createStory({
    write: (text) => void stream.write(text),
    palette: createPalette(stream, process.env),
    columns: stream.columns ?? COLUMNS,
    now: () => performance.now(),
  })
}
