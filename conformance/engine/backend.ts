import { faultOf } from './fault.ts'
import { HookError, TIMEOUT_MS } from './hooks.ts'

/** A request that the scripted backend received. */
export interface Received {
  readonly sequence: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
  readonly rule: string | null
  readonly outcome: 'running' | 'answered' | 'broken' | 'client-left'
  readonly chunksSent: number
}

/** The scripted backend as one scenario sees it: its own script, and its own requests. */
export interface Backend {
  /** How the backend answers this scenario's prompts from now on; see stand-ins/backend/README.md. */
  script(rule: object): Promise<void>
  /** What it was told so far. */
  readonly scripts: readonly object[]
  /** This scenario's requests so far, in order. */
  received(): Promise<readonly Received[]>
}

/**
 * Speaks to the control address of the scripted backend, and leaves out requests of earlier runs with the same nonce.
 * Every call throws a `HookError` when that address does not answer with success.
 */
export async function openBackend(url: string | undefined, nonce: string): Promise<Backend> {
  const base = url?.replace(/\/+$/, '')
  const earlier = base === undefined ? 0 : (await list(base, nonce)).length
  const scripts: object[] = []
  return {
    scripts,
    async script(rule) {
      scripts.push(rule)
      await ask(`${base}/script/${nonce}`, { method: 'PUT', body: JSON.stringify(rule) })
    },
    received: async () => (await list(base ?? '', nonce)).slice(earlier),
  }
}

async function list(base: string, nonce: string): Promise<readonly Received[]> {
  return (await ask(`${base}/requests?contains=${nonce}`, {})) as readonly Received[]
}

async function ask(url: string, init: RequestInit): Promise<unknown> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
    const answer: unknown = await response.json()
    if (!response.ok) throw new Error(JSON.stringify(answer))
    return answer
  } catch (cause) {
    throw new HookError(`the scripted backend does not do as told: ${faultOf(cause)}`, { cause })
  }
}
