import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '#base/object.ts'
import { askControl, type Hooks } from '../../conformance/engine/hooks.ts'
import type { Target } from '../../conformance/engine/target.ts'

/** One address of a deployment, and what starts the program behind it anew. */
interface Part {
  readonly name: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly renew?: () => Promise<void>
}

/** How long a part is given before its program is started anew, and all of it before nothing is told any more (ours). */
const PATIENCE_MS = 3_000
const RESTORED_MS = 60_000
const PAUSE_MS = 50

/**
 * Brings a deployment back to what it was when it started, with no fault live: whatever a fault or a scenario that it
 * ended has left would be laid at the door of the next one. Wires are mended, the platforms show what is approved, and
 * every router and proxy serves. Throws when one of them does not.
 */
export async function restore(target: Target, hooks: Hooks): Promise<void> {
  const { hooks: controls, models } = target
  for (const [name, control] of Object.entries(controls))
    if (name.endsWith('Wire')) await askControl(`${control?.url}/mend`)
  for (const control of [controls.platformControl, controls.upstreamControl]) {
    if (control === undefined) continue
    await askControl(`${control.url}/release`)
    await askControl(`${control.url}/rotate/deployment`, { restore: true })
  }
  if (controls.backendScript !== undefined) await forget(controls.backendScript.url)
  const apiKey = await untilDone('the hooks', () => makeKey(hooks))
  const wanted = [models.chat, models.external].filter((model) => model !== undefined)
  // One after the other: two of them are one program.
  for (const part of partsOf(target)) await untilServing(part, apiKey, wanted)
}

/**
 * Has the scripted backend forget its scripts and what it received: whoever asks for his own is told slower with each that
 * it remembers, and in a whole run there are thousands.
 */
async function forget(url: string | undefined): Promise<void> {
  for (const kept of ['/script', '/requests']) {
    const { ok, status } = await fetch(`${url?.replace(/\/+$/, '')}${kept}`, { method: 'DELETE' })
    if (!ok) throw new Error(`the scripted backend does not forget ${kept}: ${status}`)
  }
}

async function makeKey(hooks: Hooks): Promise<string> {
  const { id } = await hooks('createWorkspace', { name: 'restored', balance_micros: 0 })
  const { api_key } = await hooks('createKey', { workspace_id: id, name: 'restored' })
  return api_key
}

/** Tries until it is done: what is behind it may be coming up again. */
async function untilDone<T>(name: string, act: () => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  for (;;) {
    try {
      return await act()
    } catch (cause) {
      if (performance.now() - startedMs > RESTORED_MS)
        throw new Error(`${name} do not do as told again`, { cause })
      await sleep(PAUSE_MS)
    }
  }
}

function partsOf(target: Target): readonly Part[] {
  const { baseUrl, spareUrl, siblingUrl, proxyUrl, openProxy, hooks } = target
  const tell = (control: string | undefined, ...paths: readonly string[]) =>
    control === undefined
      ? {}
      : {
          renew: async () => {
            for (const path of paths) await askControl(`${control}${path}`)
          },
        }
  const proxied = tell(hooks.proxyControl?.url, '/restart')
  const parts: readonly (Omit<Part, 'url'> & { readonly url: string | undefined })[] = [
    { name: 'the router', url: baseUrl },
    { name: 'the spare router', url: spareUrl },
    { name: 'the sibling', url: siblingUrl, ...tell(hooks.siblingControl?.url, '/stop', '/start') },
    { name: 'the proxy', url: proxyUrl, ...proxied },
    {
      name: 'the open proxy',
      url: openProxy?.url,
      headers: { 'x-proxy-token': openProxy?.token ?? '' },
    },
  ]
  return parts.flatMap(({ url, ...part }) => (url === undefined ? [] : [{ ...part, url }]))
}

async function untilServing(part: Part, key: string, wanted: readonly string[]): Promise<void> {
  const startedMs = performance.now()
  let renewedMs = startedMs
  let cause: unknown
  for (;;) {
    const told = await modelsAt(part, key)
    const missing = wanted.filter((model) => !told.includes(model))
    if (missing.length === 0) return
    const nowMs = performance.now()
    if (nowMs - startedMs > RESTORED_MS)
      throw new Error(`${part.name} does not serve ${missing.join(', ')} again`, { cause })
    if (part.renew && nowMs - renewedMs > PATIENCE_MS) {
      // One that does not start is tried again.
      await part.renew().catch((error: unknown) => {
        cause = error
      })
      renewedMs = performance.now()
    }
    await sleep(PAUSE_MS)
  }
}

/** The models that it lists; none when it does not answer. */
async function modelsAt({ url, headers }: Part, key: string): Promise<readonly unknown[]> {
  try {
    const response = await fetch(`${url}/models`, {
      headers: { ...headers, authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const { data } = (await response.json()) as { readonly data?: unknown }
    return Array.isArray(data) ? data.map((model) => (isObject(model) ? model.id : undefined)) : []
  } catch {
    return []
  }
}
