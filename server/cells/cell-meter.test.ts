import { expect, test, vi } from 'vitest'
import type { Applicant } from '../admission/applicant.ts'
import type { Reservation } from '../admission/gate.ts'
import { refusalOf } from '../admission/refusals.ts'
import type { Meter } from '../meter.ts'
import type { RunningGeneration } from '../metering/generation.ts'
import type { KeyPlace } from '../store/directory.ts'
import { OutageError } from '../store/outage.ts'
import { createCellMeter } from './cell-meter.ts'
import type { Locator } from './locator.ts'
import type { CellPart } from './part.ts'

function partOf(name: string, changes: Partial<Meter> = {}): CellPart {
  const accept = async () => ({ id: name }) as RunningGeneration
  const counts = { runningCount: 2, waitingCount: 1, reaped: { lapsed: 3, unsent: 4 } }
  const meter = { replica: `rep_${name}`, isLeased: true, accept, ...counts, ...changes } as Meter
  return { name, meter, begin: vi.fn(), beginLater: vi.fn(), stop: vi.fn() }
}

const places: Readonly<Record<string, KeyPlace>> = {
  a: { cell: 'home', workspaceId: 'ws_a', keyId: 'key_a' },
  b: { cell: 'other', workspaceId: 'ws_b', keyId: 'key_b' },
}

function world(other: Partial<Meter> = {}, home: Partial<Meter> = {}) {
  const locator = {
    known: vi.fn<(keyHash: string) => KeyPlace | undefined>(() => undefined),
    find: vi.fn(async (keyHash: string): Promise<KeyPlace | undefined> => places[keyHash]),
    findCell: vi.fn(),
    findCellAnew: vi.fn(),
    forget: vi.fn(),
  } satisfies Locator
  const parts = [partOf('home', home), partOf('other', other)] as const
  const meter = createCellMeter({ home: parts[0], others: [parts[1]], locator })
  const identify = vi.fn()
  const accept = (keyHash: string) =>
    meter.accept({ caller: { keyHash, identify, find: vi.fn() } } as unknown as Applicant)
  return { meter, parts, locator, identify, accept }
}

const AWAY = {
  code: 'overloaded',
  status: 503,
  headers: { 'Retry-After': '1', 'x-should-retry': 'true' },
}

test('a request is accepted by the cell of its key, and one of no key by none', async () => {
  const { accept } = world()
  expect([(await accept('a')).id, (await accept('b')).id]).toEqual(['home', 'other'])
  await expect(accept('c')).rejects.toMatchObject({ code: 'invalid_api_key' })
})

test('a cell that is away refuses its own workspaces alone', async () => {
  const { accept } = world({ accept: () => Promise.reject(new OutageError('away')) })
  await expect(accept('b')).rejects.toMatchObject(AWAY)
  expect((await accept('a')).id).toBe('home')
})

test('a cell without a lease is not asked, and its refusal still has a door to be laid at', async () => {
  const asked = vi.fn()
  const { accept, identify, meter } = world({ isLeased: false, accept: asked })
  await expect(accept('b')).rejects.toMatchObject(AWAY)
  expect(asked).not.toHaveBeenCalled()
  expect(identify).toHaveBeenCalledWith(expect.objectContaining({ workspaceId: 'ws_b', keyId: 'key_b' }))
  expect(meter.isLeased).toBe(true)
})

test('while home is known to be away, nobody waits for what it would have to be asked', async () => {
  const { accept, locator } = world({}, { isLeased: false })
  await expect(accept('b')).rejects.toMatchObject(AWAY)
  expect(locator.find).not.toHaveBeenCalled()
  locator.known.mockReturnValue(places.b)
  expect((await accept('b')).id).toBe('other')
})

test('what is no outage is thrown as it is; a key that a cell does not know is looked up anew', async () => {
  const refused = refusalOf('invalid_api_key')
  const { accept, locator } = world({ accept: () => Promise.reject(refused) })
  await expect(accept('b')).rejects.toBe(refused)
  expect(locator.forget).toHaveBeenCalledWith('b')
})

test('a router that is refused by the cell that it remembers asks home anew, and goes on where home says', async () => {
  const { accept, locator } = world({ accept: () => Promise.reject(refusalOf('invalid_api_key')) })
  locator.find = vi
    .fn()
    .mockResolvedValueOnce(places.b)
    .mockResolvedValueOnce({ ...places.b, cell: 'home' })
  expect((await accept('b')).id).toBe('home')
  expect(locator.forget).toHaveBeenCalledTimes(1)
})

test('a request of a workspace that is moving is refused as one of a cell that is away, and asks no cell', async () => {
  const asked = vi.fn()
  const { accept, locator, identify } = world({ accept: asked }, { accept: asked })
  locator.find.mockResolvedValue({ ...places.b!, isMoving: true })
  await expect(accept('b')).rejects.toMatchObject(AWAY)
  expect(asked).not.toHaveBeenCalled()
  expect(identify).toHaveBeenCalledWith(expect.objectContaining({ workspaceId: 'ws_b', keyId: 'key_b' }))
})

test('what was taken from the buckets for a cell that refuses is not counted as taken at the next one', async () => {
  const atHome = vi.fn(async () => ({ id: 'home' }) as RunningGeneration)
  const { meter, locator, identify } = world(
    { accept: () => Promise.reject(refusalOf('invalid_api_key')) },
    { accept: atHome },
  )
  locator.find = vi
    .fn()
    .mockResolvedValueOnce(places.b)
    .mockResolvedValueOnce({ ...places.b, cell: 'home' })
  const applicant = { caller: { keyHash: 'b', identify, find: vi.fn() } } as unknown as Applicant
  await meter.accept(applicant, {} as Reservation)
  expect(atHome).toHaveBeenCalledWith(applicant, undefined)
})

test('a start waits for home, and for no other; counts are of all cells', async () => {
  const { meter, parts } = world()
  await meter.start()
  expect(parts[0].begin).toHaveBeenCalled()
  expect(parts[1].beginLater).toHaveBeenCalled()
  expect(parts[1].begin).not.toHaveBeenCalled()
  expect([meter.replica, meter.runningCount, meter.waitingCount]).toEqual(['rep_home', 4, 2])
  expect(meter.reaped).toEqual({ lapsed: 6, unsent: 8 })
})
