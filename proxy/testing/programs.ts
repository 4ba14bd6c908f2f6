import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { HOSTNAME } from '#egress/testing/identity.ts'

const BIN = join(import.meta.dirname, '..', '..', 'bin')
const DEPLOYMENT = join(import.meta.dirname, '..', '..', 'platform', 'demo-deployment')

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** How a command ended. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `bin/proxy` to its end. */
export function runProxy(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(join(BIN, 'proxy'), args, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

/** A program that serves, and the document that it printed when it was ready. */
export interface Program<Ready> {
  readonly child: ChildProcessWithoutNullStreams
  readonly ready: Ready
  /** Its configuration. */
  readonly file: string
  readonly log: readonly string[]
  /** Ends it and gives its exit code. */
  stop(): Promise<number | null>
}

/** Starts a program of `bin/` that prints one JSON document once it serves; it ends with the test. */
export async function startProgram<Ready>(name: string, config: object): Promise<Program<Ready>> {
  const file = join(temporaryFolder(), `${name}.yaml`)
  writeFileSync(file, JSON.stringify(config))
  const child = spawn(join(BIN, name), ['run', '--config', file, '--json', '--with-parent'])
  const log: string[] = []
  createInterface(child.stderr).on('line', (line) => log.push(line))
  const exited = once(child, 'exit')
  const stop = async (): Promise<number | null> => {
    if (child.exitCode === null) child.kill('SIGTERM')
    const [code] = await exited
    return code
  }
  onTestFinished(async () => void (await stop()))
  let text = ''
  for await (const piece of child.stdout) {
    text += piece
    const ready = parseWhole(text)
    if (ready !== undefined) return { child, log, stop, file, ready: ready as Ready }
  }
  throw new Error(`${name} ended before it was ready:\n${log.join('\n')}`)
}

/** What `bin/platform run --json` prints, as far as it is used here. */
export interface PlatformReady {
  readonly url: string
  readonly control_url: string
  readonly root_pem_file: string
  readonly evidence_digest: string
}

/** Starts the reference platform in front of an upstream. */
export function startPlatform(upstream: string): Promise<Program<PlatformReady>> {
  return startProgram('platform', {
    listen: { port: 0 },
    control: { port: 0 },
    hostname: HOSTNAME,
    upstream,
    dataDir: temporaryFolder(),
    deployment: DEPLOYMENT,
  })
}

/** Asks the platform's control address for something and gives its state afterwards. */
export async function control(
  { ready }: Program<PlatformReady>,
  path: string,
  body?: object,
): Promise<Readonly<Record<string, string>>> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await fetch(`${ready.control_url}${path}`, { method: 'POST', ...init })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
  return (await answer.json()) as Readonly<Record<string, string>>
}

function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
