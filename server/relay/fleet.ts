import {
  type Backend,
  type BackendConfig,
  type BackendServer,
  createBackend,
  createServer,
} from './backend.ts'

/** A model and the servers that run it. */
export interface FleetModel {
  readonly id: string
  readonly backends: readonly BackendConfig[]
}

/** The backends of one configuration. */
export interface Enlisted {
  /** By model, in the order of the configuration. */
  readonly backends: readonly (readonly Backend[])[]
  /** Gives them back; the sockets of those that no other configuration has are destroyed. Again is harmless. */
  release(): Promise<void>
}

/**
 * All servers that are called. One that stands in two configurations, of which the older one still serves what it
 * began, keeps its sockets, its circuit and its tally.
 */
export interface Fleet {
  enlist(models: readonly FleetModel[]): Enlisted
  /** Servers that are in use. */
  readonly size: number
}

interface Entry {
  readonly server: BackendServer
  users: number
}

/** Creates a fleet without servers; `connectMs` is the longest wait for a connection. */
export function createFleet(connectMs: number): Fleet {
  const entries = new Map<string, Entry>()

  function take(key: string, { url }: BackendConfig): BackendServer {
    const entry = entries.get(key) ?? { server: createServer(url, connectMs), users: 0 }
    entry.users++
    entries.set(key, entry)
    return entry.server
  }

  async function giveBack(key: string): Promise<void> {
    const entry = entries.get(key)!
    entry.users--
    if (entry.users > 0) return
    entries.delete(key)
    await entry.server.pool.destroy()
  }

  return {
    enlist(models) {
      const taken: string[] = []
      const backends = models.map(({ id, backends: configs }) =>
        configs.map((config, index) => {
          const place = configs.slice(0, index).filter((other) => isSame(other, config)).length
          const key = keyOf(id, config, place)
          taken.push(key)
          return createBackend(String(index), config, take(key, config))
        }),
      )
      return {
        backends,
        async release() {
          await Promise.all(taken.splice(0).map(giveBack))
        },
      }
    },
    get size() {
      return entries.size
    },
  }
}

/** What a circuit and sockets are about. Another weight, or another way of counting, makes it no other server. */
function keyOf(id: string, { url, model, apiKey }: BackendConfig, place: number): string {
  return JSON.stringify([id, url, model, apiKey, place])
}

function isSame(one: BackendConfig, other: BackendConfig): boolean {
  return keyOf('', one, 0) === keyOf('', other, 0)
}
