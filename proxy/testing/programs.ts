import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Serving, startServing } from '#base/starter.ts'
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
export interface Program<Ready> extends Serving<Ready> {
  /** Its configuration. */
  readonly file: string
}

/** Starts a program of `bin/` that prints one JSON document once it serves; it ends with the test. */
export async function startProgram<Ready>(
  name: string,
  config: object,
  env: Readonly<Record<string, string>> = {},
): Promise<Program<Ready>> {
  const file = join(temporaryFolder(), `${name}.yaml`)
  writeFileSync(file, JSON.stringify(config))
  const program = await startServing<Ready>({ file: join(BIN, name), args: ['run', '--config', file], env })
  onTestFinished(async () => void (await program.stop()))
  return { ...program, file }
}

/** What `bin/platform run --json` prints, as far as it is used here. */
export interface PlatformReady {
  readonly url: string
  readonly control_url: string
  readonly root_pem_file: string
  readonly evidence_digest: string
}

/** Starts the reference platform in front of an upstream, with more in its configuration if one wants. */
export function startPlatform(
  upstream: string,
  more: object = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Program<PlatformReady>> {
  const config = {
    listen: { port: 0 },
    control: { port: 0 },
    hostname: HOSTNAME,
    upstream,
    dataDir: temporaryFolder(),
    deployment: DEPLOYMENT,
    ...more,
  }
  return startProgram('platform', config, env)
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
