import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))

/** A router in a process of its own, which a test may kill. */
export interface RouterProcess {
  readonly baseUrl: string
  readonly child: ChildProcess
  /** SIGKILL: no handler runs. */
  kill(): Promise<void>
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>
}

/** Starts `bin/router run` on a free port and waits until it serves. */
export async function startRouterProcess(databaseUrl: string, backendUrl: string): Promise<RouterProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'router-process-'))
  const config = join(folder, 'router.yaml')
  writeFileSync(config, configFor(backendUrl))
  const child = spawn(LAUNCHER, ['run', '--config', config, '--json'], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  void exited.then(() => rmSync(folder, { recursive: true, force: true }))
  child.stderr.resume()
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line === '}') break
  }
  const { address } = JSON.parse(lines.join('\n')) as { address: string }
  return {
    baseUrl: address,
    child,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async stop() {
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}

function configFor(backendUrl: string): string {
  return `
listen: { host: 127.0.0.1, port: 0 }
database: { url: "\${DATABASE_URL}" }
timers: { drainMs: 500 }
endpoints: [ { name: demo, hostname: router.localhost } ]
models:
  - id: demo/tiny-chat
    contextLength: 32768
    pricing: { promptPer1mMicros: 150000, completionPer1mMicros: 600000 }
    endpoint: demo
    backends: [ { url: "${backendUrl}", model: tiny-chat } ]
`
}
