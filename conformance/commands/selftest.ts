import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { complain } from '#base/print.ts'
import { EXIT } from './exit.ts'

/** Where the faults are; a package of the suite has none. */
const MAIN = join(import.meta.dirname, '..', '..', 'mutants', 'live', 'main.ts')

/** `conformance selftest`: plants faults into the reference, which the suite has to find; what follows is its own. */
export async function selftest(given: readonly string[]): Promise<void> {
  if (!existsSync(MAIN)) {
    complain(
      'The faults and the reference are no part of this package: run `npm run selftest` in the repository.',
    )
    process.exitCode = EXIT.usage
    return
  }
  const child = spawn(process.execPath, [MAIN, ...given], { stdio: 'inherit' })
  // Ctrl-C reaches it by itself.
  process.on('SIGINT', () => {})
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? EXIT.error
}
