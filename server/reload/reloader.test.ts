import { expect, test, vi } from 'vitest'
import { ConfigError } from '../../config/error.ts'
import type { RouterConfig } from '../config/router.ts'
import { versionOf } from '../config/version.ts'
import { silent } from '../log.ts'
import { createEdition } from './edition.ts'
import { createReloader } from './reloader.ts'
import { testConfig, testWorld } from './testing.ts'

const AT = new Date('2026-01-01T00:00:00Z')

function world(load: () => RouterConfig) {
  const editionOf = (one: RouterConfig) => createEdition(one, testWorld())
  let current = editionOf(testConfig())
  const log = { ...silent, error: vi.fn() }
  const take = vi.fn((one: RouterConfig) => {
    current = editionOf(one)
    return current
  })
  const source = { file: 'router.yaml', load }
  const reloader = createReloader({ source, current: () => current, take, log, now: () => AT })
  return { reloader, take, log }
}

test('what the file says is taken up; what it said before is not taken up again', () => {
  const changed = testConfig({ corsOrigins: ['*'] })
  const { reloader, take } = world(() => changed)
  expect(reloader.reload()).toEqual({ outcome: 'taken_up' })
  expect(reloader.reload()).toEqual({ outcome: 'unchanged' })
  expect(take).toHaveBeenCalledExactlyOnceWith(changed)
})

test('a file with mistakes is refused, each told by its setting, until there is a good one', () => {
  const problems = [
    { path: 'models[0].pricing', message: 'is missing' },
    { path: 'colour', message: 'is not a known key' },
  ]
  const load = vi.fn((): RouterConfig => testConfig())
  load.mockImplementationOnce(() => {
    throw new ConfigError('router.yaml', problems)
  })
  const { reloader, take, log } = world(load)
  expect(reloader.reload()).toMatchObject({ outcome: 'refused' })
  expect(take).not.toHaveBeenCalled()
  expect(log.error.mock.calls.map(([, fields]) => fields)).toEqual([
    { version: versionOf(testConfig()), setting: 'models[0].pricing', mistake: 'is missing' },
    { version: versionOf(testConfig()), setting: 'colour', mistake: 'is not a known key' },
  ])
  expect(reloader.refusal).toEqual({
    at: AT,
    message: expect.stringContaining('models[0].pricing: is missing'),
  })
  expect(reloader.reload()).toEqual({ outcome: 'unchanged' })
  expect(reloader.refusal).toBeUndefined()
})

test('nothing of a file is taken up that also changes what needs a restart, and each such setting is named', () => {
  const { timers } = testConfig()
  const changed = testConfig({
    corsOrigins: ['*'],
    timers: { ...timers, connectMs: 2 },
    dataDir: '/elsewhere',
  })
  const { reloader, take } = world(() => changed)
  expect(reloader.reload()).toMatchObject({ outcome: 'refused' })
  expect(take).not.toHaveBeenCalled()
  for (const path of ['timers.connectMs', 'dataDir'])
    expect(reloader.refusal?.message).toContain(`${path}: has changed, which needs a restart`)
})

test('an edition that cannot be made leaves the one in force', () => {
  const { reloader, take, log } = world(() => testConfig({ corsOrigins: ['*'] }))
  take.mockImplementationOnce(() => {
    throw new Error('no memory')
  })
  expect(reloader.reload()).toMatchObject({ outcome: 'refused' })
  expect(log.error).toHaveBeenCalledOnce()
  expect(reloader.refusal?.message).toBe('no memory')
})
