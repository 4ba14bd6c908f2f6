import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installPackages } from '#base/install.ts'
import { mockDocument } from '../../mock/document.ts'
import { freePort } from './ports.ts'

/** Prism as a proxy in front of a product. */
export interface PrismProxy {
  /** With `/v1`. */
  readonly baseUrl: string
  stop(): Promise<void>
}

const PRISM = join(import.meta.dirname, '..', '..', 'mock', 'prism')
const PAUSE_MS = 100

/** Starts it before the product at `origin`, with the contract; the first time it is installed. Throws when it ends at once. */
export async function startPrismProxy(origin: string): Promise<PrismProxy> {
  installPackages(PRISM)
  const folder = mkdtempSync(join(tmpdir(), 'prism-'))
  const document = join(folder, 'openapi.yaml')
  writeFileSync(document, mockDocument())
  const port = await freePort()
  const program = join(PRISM, 'node_modules', '.bin', 'prism')
  const args = [program, 'proxy', document, origin, '--errors', '--host', '127.0.0.1', '--port', String(port)]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const baseUrl = `http://127.0.0.1:${port}/v1`
  const isUp = () =>
    fetch(`${baseUrl}/models`).then(
      () => true,
      () => false,
    )
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`Prism has ended with exit code ${child.exitCode}.`)
    await sleep(PAUSE_MS)
  }
  return {
    baseUrl,
    async stop() {
      child.kill()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}
