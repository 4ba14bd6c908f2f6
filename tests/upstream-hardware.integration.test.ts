import { afterAll, beforeAll, expect, test } from 'vitest'
import type { HardwareCondition } from '#attestation'
import { findUpstream } from '../server/upstreams/administration.ts'
import { listEvents } from '../server/upstreams/events.ts'
import { startWorld, UPSTREAM, type World } from './upstream.ts'

const REGISTER = '5e'.repeat(48)
const guest: HardwareCondition = { tee: 'tdx', mrtd: REGISTER, rtmr1: REGISTER, rtmr2: REGISTER }

let world: World

beforeAll(async () => {
  world = await startWorld({ simulateTee: 'tdx' })
})

afterAll(() => world.stop())

const newestEvent = async () => (await listEvents(world.sql, { upstream: UPSTREAM, limit: 1 }))[0]

test('where nothing is demanded of hardware, an upstream with a quote of nobody’s is admitted', async () => {
  await world.untilListed(true)
  expect((await world.ask()).status).toBe(200)
  expect(await newestEvent()).toMatchObject({ event: 'admitted', hardware: null })
})

test('where it is demanded, that quote is refused with its reason, and nothing is sent', async () => {
  await world.register(undefined, [guest])
  expect(await newestEvent()).toMatchObject({
    event: 'denied',
    stage: 'untrusted-root',
    reason: 'endorsement_invalid',
    hardware: null,
  })
  const answer = await world.ask()
  expect(answer.status).toBe(503)
  expect(JSON.stringify(await answer.json())).toContain('attestation_failed')
  expect(await findUpstream(world.sql, UPSTREAM)).toMatchObject({
    attested: [guest],
    roots: [expect.objectContaining({ attested: [guest] })],
    // It was never admitted under this demand: it is tried again by itself.
    standing: { denial: undefined },
  })
})

test('a demand that cannot be read is none that is met: the upstream is not known', async () => {
  await world.sql`update upstreams set attested = '{"measurements":[]}'::jsonb where name = ${UPSTREAM}`
  await expect(findUpstream(world.sql, UPSTREAM)).rejects.toThrow('cannot be read')
})
