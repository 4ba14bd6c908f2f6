import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testModel } from '../admission/testing.ts'
import { loadRouterConfig, type RouterConfig } from '../config/router.ts'
import { silent } from '../log.ts'
import { createFleet, type Fleet } from '../relay/fleet.ts'
import type { EditionWorld } from './edition.ts'

/** A configuration as a file gives it, with one model and a backend at each of these ports; changes go on top. */
export function testConfig(
  changes: Partial<RouterConfig> = {},
  ports: readonly number[] = [1],
): RouterConfig {
  const folder = mkdtempSync(join(tmpdir(), 'reload-'))
  const file = join(folder, 'router.yaml')
  try {
    writeFileSync(
      file,
      `endpoints: [ { name: demo, hostname: a } ]
dataDir: /nowhere
models: [ { id: demo, contextLength: 2000, pricing: { promptPer1mMicros: 1, completionPer1mMicros: 1 }, endpoint: demo, backends: [ { url: "http://127.0.0.1:1/v1" } ] } ]
`,
    )
    const config = loadRouterConfig(file, {})
    const backends = ports.map(backendAt)
    return { ...config, models: [testModel({ backends })], ...changes }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function backendAt(port: number) {
  return { url: `http://127.0.0.1:${port}/v1`, model: 'm', apiKey: undefined, usage: 'final' } as const
}

/** What outlives every edition, with nothing in it yet. */
export function testWorld(fleet: Fleet = createFleet(1_000)): EditionWorld {
  const collector = { released() {} }
  return { fleet, collector, isInService: () => true, observe() {}, log: silent, now: () => new Date() }
}
