import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, startProgram } from './program.ts'

/** What the control address says of a platform, as far as it is used here. */
export interface PlatformState {
  readonly digest: string
  readonly fingerprint: string
  readonly rootPemFiles: readonly string[]
  /** Requests that went on to the router, by the certificate of their connection. */
  readonly forwarded: Readonly<Record<string, number>>
}

/** A platform gateway in a process of its own. */
export interface PlatformProgram {
  readonly port: number
  /** Asks the control address for something, and gives the state afterwards. */
  control(path: string, body?: object): Promise<PlatformState>
  state(): Promise<PlatformState>
  stop(): Promise<void>
}

interface Ready {
  readonly url: string
  readonly control_url: string
}

/** The hostname that every platform here signs for. */
export const HOSTNAME = 'router.localhost'

const DEPLOYMENT = join(import.meta.dirname, '..', '..', 'platform', 'demo-deployment')

/** Starts a platform in front of the router; it signs by itself only when it is asked to. */
export async function startPlatform(folder: string, upstream: string): Promise<PlatformProgram> {
  mkdirSync(folder, { recursive: true })
  const program: Program<Ready> = await startProgram('platform', folder, {
    listen: { port: 0 },
    control: { port: 0 },
    hostname: HOSTNAME,
    upstream,
    dataDir: 'data',
    deployment: DEPLOYMENT,
  })
  const { url, control_url } = program.ready
  const ask = async (path: string, init?: RequestInit): Promise<PlatformState> => {
    const answer = await fetch(`${control_url}${path}`, init)
    if (!answer.ok) throw new Error(`The platform answered ${answer.status} to ${path}.`)
    return (await answer.json()) as PlatformState
  }
  return {
    port: Number(new URL(url).port),
    control: (path, body) =>
      ask(path, { method: 'POST', ...(body !== undefined && { body: JSON.stringify(body) }) }),
    state: () => ask('/state'),
    stop: async () => void (await program.stop()),
  }
}
