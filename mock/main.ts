import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installPackages } from '#base/install.ts'
import { mockDocument } from './document.ts'

/** Has a lockfile of its own. */
const PRISM = join(import.meta.dirname, 'prism')

const USAGE = `usage: npm run mock [-- --port N]
  Serves the contract's examples at http://127.0.0.1:4010/v1, for whoever writes a client. Any key will do.
  What it cannot do stands in mock/README.md.`

const { values } = parseArgs({
  options: { port: { type: 'string', default: '4010' }, help: { type: 'boolean', default: false } },
})
if (values.help) console.log(USAGE)
else serve(values.port)

/** Runs Prism until one of the two is ended. */
function serve(port: string): void {
  installPackages(PRISM)
  const folder = mkdtempSync(join(tmpdir(), 'mock-'))
  const document = join(folder, 'openapi.yaml')
  writeFileSync(document, mockDocument())
  const program = join(PRISM, 'node_modules', '.bin', 'prism')
  const child = spawn(program, ['mock', document, '--host', '127.0.0.1', '--port', port], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  child.once('error', (error) => {
    throw error
  })
  child.once('exit', (code) => {
    rmSync(folder, { recursive: true })
    process.exitCode = code ?? 0
  })
}
