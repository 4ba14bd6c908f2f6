import { expect, test } from 'vitest'
import { createBodyMemory } from './body-memory.ts'

const WAIT_MS = 60_000
const MiB = 1_048_576

/** 8 MiB for small bodies and 56 for large ones: 14 for a workspace and 28 for an address. */
const memory = () => createBodyMemory(64 * MiB, MiB)
const large = (workspaceId: string, address = 'a') => ({ pool: 'large', address, workspaceId }) as const

test('one workspace gets a quarter at most, and nobody else waits for it', async () => {
  const bodies = memory()
  await bodies.open(large('ws_1')).take(14 * MiB, WAIT_MS)
  await expect(bodies.open(large('ws_1')).take(1, 5)).rejects.toMatchObject({
    code: 'overloaded',
    status: 503,
    headers: { 'Retry-After': '1' },
    message: expect.stringContaining('workspace'),
  })
  const waiting = bodies.open(large('ws_1')).take(1, WAIT_MS)
  await bodies.open(large('ws_2')).take(14 * MiB, WAIT_MS)
  expect(bodies.usage).toMatchObject({ waiting: 1, refused: { workspace: 1, address: 0, all: 0 } })
  expect(await Promise.race([waiting, Promise.resolve('still waits')])).toBe('still waits')
})

test('what has room is taken at once, and nothing where it has not, or where a large body waits its turn', async () => {
  const bodies = memory()
  const one = bodies.open({ pool: 'small', address: 'a' })
  expect(one.takeAtOnce(4 * MiB)).toBe(true)
  expect(bodies.open({ pool: 'small', address: 'a' }).takeAtOnce(1)).toBe(false)
  expect(bodies.open(large('ws_1')).takeAtOnce(1)).toBe(false)
  expect(bodies.usage.usedBytes).toEqual({ small: 4 * MiB, large: 0 })
  one.release()
  expect(bodies.usage.usedBytes).toEqual({ small: 0, large: 0 })
})

test('one address gets half at most', async () => {
  const bodies = memory()
  await bodies.open(large('ws_1')).take(14 * MiB, WAIT_MS)
  await bodies.open(large('ws_2')).take(14 * MiB, WAIT_MS)
  await expect(bodies.open(large('ws_3')).take(1, 5)).rejects.toMatchObject({ code: 'overloaded' })
  await bodies.open(large('ws_3', 'b')).take(14 * MiB, WAIT_MS)
  expect(bodies.usage.refused).toEqual({ workspace: 0, address: 1, all: 0 })
})

test('what is there for small bodies is untouched by large ones', async () => {
  const bodies = memory()
  for (const [index, address] of ['a', 'a', 'b', 'b'].entries()) {
    await bodies.open(large(`ws_${index}`, address)).take(14 * MiB, WAIT_MS)
  }
  await expect(bodies.open(large('ws_9', 'c')).take(1, 5)).rejects.toMatchObject({ code: 'overloaded' })
  await bodies.open({ pool: 'small', address: 'a' }).take(65_536, WAIT_MS)
  expect(bodies.usage).toMatchObject({
    usedBytes: { small: 65_536, large: 56 * MiB },
    capacityBytes: { small: 8 * MiB, large: 56 * MiB },
    refused: { all: 1 },
  })
})

test('an address that crowds the small ones has its keys looked up, and those that are known have a share each', async () => {
  const bodies = memory()
  const stranger = () => bodies.open({ pool: 'small', address: 'a' })
  await stranger().take(2 * MiB, WAIT_MS)
  expect(bodies.isCrowded('a')).toBe(false)
  const last = stranger()
  await last.take(1, WAIT_MS)
  expect([bodies.isCrowded('a'), bodies.isCrowded('b')]).toEqual([true, false])
  last.release()
  expect(bodies.isCrowded('a')).toBe(false)
  await stranger().take(2 * MiB, WAIT_MS)
  await expect(stranger().take(1, 5)).rejects.toMatchObject({ code: 'overloaded' })
  await bodies.open({ pool: 'small', address: 'a', workspaceId: 'ws_1' }).take(2 * MiB, WAIT_MS)
})

test('whoever waits goes on as soon as there is room, in the order of arrival', async () => {
  const bodies = memory()
  const order: string[] = []
  const holder = bodies.open(large('ws_1'))
  await holder.take(14 * MiB, WAIT_MS)
  const later = Promise.all([
    bodies
      .open(large('ws_1'))
      .take(9 * MiB, WAIT_MS)
      .then(() => order.push('second')),
    bodies
      .open(large('ws_1'))
      .take(5 * MiB, WAIT_MS)
      .then(() => order.push('third')),
  ])
  holder.release()
  holder.release()
  await later
  expect(order).toEqual(['second', 'third'])
  expect(bodies.usage.waiting).toBe(0)
})

test('the largest body fits into every share, and of small ones nothing is kept in mind', async () => {
  const bodies = createBodyMemory(10_000, 4_000)
  const lease = bodies.open(large('ws_1'))
  await lease.take(4_000, WAIT_MS)
  lease.release()
  expect(bodies.usage.usedBytes).toEqual({ small: 0, large: 0 })
})
