import { join } from 'node:path'
import { runProgram } from './commands.ts'
import { StartFailure } from './failure.ts'
import { HOME } from './places.ts'

/**
 * Builds the console's page, which the router reads as it starts; a page whose sources have not changed is built already.
 * It runs in a process of its own, so that everything else starts meanwhile. Gives what the build said of it.
 */
export async function buildConsolePage(): Promise<string> {
  const { code, output, problem } = await runProgram(process.execPath, [join(HOME, 'console/build/main.ts')])
  if (code !== 0)
    throw new StartFailure(
      `npm run console:build failed with exit code ${code}.`,
      problem.trimEnd().split('\n'),
    )
  return output.trim()
}
