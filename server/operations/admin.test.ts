import { afterEach, expect, test, vi } from 'vitest'
import { silent } from '../log.ts'
import { type Admin, type AdminSources, openAdmin } from './admin.ts'
import { gauge } from './metric.ts'

const opened: Admin[] = []

afterEach(async () => {
  for (const admin of opened.splice(0)) await admin.close()
})

async function open(change: Partial<AdminSources> = {}) {
  const quiet = { notReady: async () => [], metrics: [], configVersion: () => 'abc', log: silent }
  const sources = { ...quiet, ...change }
  const admin = await openAdmin({ host: '127.0.0.1', port: 0 }, sources)
  opened.push(admin)
  return async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${admin.port}${path}`)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
}

test('a process that turns over is healthy, whatever it is not ready for', async () => {
  const ask = await open({ notReady: async () => ['database_unreachable'] })
  expect(await ask('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}\n' })
})

test('a router is ready, or says every reason why not, and what it runs; no cache keeps either', async () => {
  const notReady = vi.fn<AdminSources['notReady']>().mockResolvedValueOnce([])
  const ask = await open({ notReady: notReady.mockResolvedValue(['draining', 'lease_lapsed']) })
  const [ready, later] = [await ask('/readyz'), await ask('/readyz?verbose')]
  expect(ready).toMatchObject({ status: 200, text: '{"status":"ready","config_version":"abc"}\n' })
  const reasons = ['draining', 'lease_lapsed']
  expect(JSON.parse(later.text)).toEqual({ status: 'not_ready', reasons, config_version: 'abc' })
  expect(later.status).toBe(503)
  expect(later.headers.get('cache-control')).toBe('no-store')
})

test('metrics are shown as they are now; one that cannot be read is left out and the others are not', async () => {
  let value = 1
  const broken = gauge('router.broken', '1', 'Cannot be read.', () => Promise.reject(new Error('away')))
  const ask = await open({ metrics: [broken, gauge('router.level', '1', 'A level.', () => [{ value }])] })
  expect((await ask('/metrics')).text).toContain('\nrouter_level 1\n')
  value = 2
  const { text, headers } = await ask('/metrics')
  expect(text).toContain('\nrouter_level 2\n')
  expect(text).not.toContain('router_broken ')
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
})

test('any other path is told which there are, and a failure says nothing of its cause', async () => {
  const log = { ...silent, error: vi.fn() }
  const ask = await open({ log, notReady: () => Promise.reject(new Error('a secret cause')) })
  expect(JSON.parse((await ask('/v1/models')).text)).toEqual({
    status: 'not_found',
    paths: ['/healthz', '/readyz', '/metrics'],
  })
  expect(await ask('/readyz')).toMatchObject({ status: 500, text: '{"status":"failed"}\n' })
  expect(log.error).toHaveBeenCalledOnce()
})
