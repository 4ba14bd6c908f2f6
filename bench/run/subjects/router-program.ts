import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Serving, startServing } from '#base/starter.ts'
import { pinned } from '../cpu/cores.ts'

const BIN = join(import.meta.dirname, '..', '..', '..', 'bin')

/** The model's id at the router. */
export const MODEL = 'bench/tiny-chat'

/** Starts a command of `bin/` on a core with a configuration, which is JSON in a YAML file. */
export function startProgram<Ready>(
  name: string,
  { folder, core }: { readonly folder: string; readonly core: number | undefined },
  config: object,
): Promise<Serving<Ready>> {
  // Its own at every start: the one before may still run by it.
  const configFile = join(mkdtempSync(join(folder, `${name}-`)), `${name}.yaml`)
  writeFileSync(configFile, JSON.stringify(config, undefined, 2), { mode: 0o600 })
  const [file, args] = pinned(core, join(BIN, name), ['run', '--config', configFile])
  return startServing({ file, args, env: { TMPDIR: folder } })
}

/** A router as in production, but for limits that no load reaches. `MODEL` is the last of so many models. */
export function routerConfig(databaseUrl: string, backendUrl: string, models = 1): object {
  const ids = [...Array.from({ length: models - 1 }, (_, at) => `bench/other-${at + 1}`), MODEL]
  return {
    listen: { host: '127.0.0.1', port: 0 },
    admin: { port: 0 },
    database: { url: databaseUrl },
    limits: {
      requestsPerMinute: 2_000_000_000,
      tokensPerMinute: 1_000_000_000_000,
      // Whoever is compared with it refuses nobody either; `bench:overload` measures what it refuses by default.
      leastJudged: 8_192,
    },
    timers: { drainMs: 200 },
    trustedProxies: ['127.0.0.1'],
    endpoints: [{ name: 'bench', hostname: 'router.localhost' }],
    models: ids.map((id) => ({
      id,
      contextLength: 32_768,
      pricing: { promptPer1mMicros: 150_000, completionPer1mMicros: 600_000 },
      endpoint: 'bench',
      capabilities: ['chat'],
      backends: [{ url: backendUrl, model: 'tiny-chat' }],
    })),
  }
}
