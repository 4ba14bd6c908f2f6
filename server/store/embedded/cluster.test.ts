import { mkdirSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Binaries } from './binaries.ts'
import { prepareCluster } from './cluster.ts'
import type { Place } from './place.ts'

const rmSync = vi.hoisted(() =>
  vi.fn(() => {
    throw Object.assign(new Error('permission denied'), { code: 'EACCES' })
  }),
)
vi.mock('node:fs', async (original) => ({ ...(await original<object>()), rmSync }))

test('what an interrupted start has left, and cannot be removed, is in nobody’s way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'router-cluster-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const place = { folder, databaseDir: join(folder, 'data') } as Place
  for (const name of ['data', 'data.unfinished.1']) mkdirSync(join(folder, name))
  await prepareCluster(place, {} as Binaries, undefined)
  expect(rmSync).toHaveBeenCalledOnce()
})
