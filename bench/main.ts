import { runCommand } from '#base/command.ts'
import { complain } from '#base/print.ts'
import { createBench } from './run/command.ts'

/** A signal ends the turn that runs; everything that was started is stopped before this program ends. */
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    complain('Stopping what was started.')
    stopping.abort(new Error(`Ended by ${signal}.`))
  })

const code = await runCommand(createBench(stopping.signal), process.argv.slice(2))
if (code !== undefined) process.exitCode = code
