import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startReference } from './reference.ts'

// `npm run conformance`: brings the reference up and judges it, with what waits long, too: without that it would be
// partial. What follows `--` goes to `bin/conformance run`.
const LAUNCHER = join(import.meta.dirname, '..', '..', 'bin', 'conformance')

console.error(
  'Starting the reference: a router and its siblings, the proxy, the platform and what is around them.',
)
const reference = await startReference()
// Ctrl-C reaches the suite by itself; the reference ends after it.
process.on('SIGINT', () => {})
const args = ['run', '--target', reference.targetFile, '--slow', ...process.argv.slice(2)]
const suite = spawn(LAUNCHER, args, { stdio: 'inherit' })
const [code] = await once(suite, 'exit')
await reference.stop()
process.exitCode = code ?? 2
