import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cellMetrics } from '../server/cells/metric.ts'
import { loadRouterConfig } from '../server/config/router.ts'
import { createGauges, type GaugeSources } from '../server/operations/gauges.ts'
import { createRecorder } from '../server/operations/recorder.ts'
import { tracingMetrics } from '../server/operations/tracing-metrics.ts'
import type { Editions } from '../server/reload/editions.ts'
import { reloadMetrics } from '../server/reload/metric.ts'
import { createKeeper, type KeeperOptions } from '../server/retention/keeper.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/operator.md'), 'utf8')

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'operator-page-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

test('the configuration that the operator’s page shows is one that a router takes', () => {
  const file = join(folder, 'router.yaml')
  const [, example] = /```yaml\n(.+?)```/s.exec(page)!
  writeFileSync(file, example!)
  mkdirSync(join(folder, 'secrets'))
  writeFileSync(join(folder, 'secrets/key'), 'x'.repeat(32))
  const config = loadRouterConfig(file, { REDIS_URL: 'redis://10.0.0.9:6379' })
  expect(config).toMatchObject({
    admin: { port: 9_465 },
    database: { url: undefined },
    redis: { url: 'redis://10.0.0.9:6379' },
  })
  expect(config.models.map(({ id }) => id)).toEqual(['acme/large', 'vendor/huge'])
})

test('the operator’s page names every metric of the router', () => {
  const gauges = createGauges({ databases: [] } as unknown as GaugeSources)
  const reloads = reloadMetrics({} as Editions, { refusal: undefined })
  const months = createKeeper({ databases: [] } as unknown as KeeperOptions).metrics
  const traces = tracingMetrics({ exported: { sent: 0, refused: 0, crowdedOut: 0 } })
  const own = [...createRecorder([]).metrics, ...gauges, ...reloads, ...months]
  const metrics = [...own, ...traces, ...cellMetrics([])]
  const names = metrics.map(
    ({ name, kind }) => name.replaceAll('.', '_') + (kind === 'counter' ? '_total' : ''),
  )
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
