import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ControlOperation } from '#contract/control'
import { HOSTNAME, startWorld, UPSTREAM, type World } from './upstream.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ isControlled: true })
})

afterAll(() => world.stop())

async function control(operation: ControlOperation, request: object): Promise<[number, unknown]> {
  const response = await fetch(`${world.controlUrl}/${operation}`, {
    method: 'POST',
    body: JSON.stringify(request),
  })
  return [response.status, await response.json()]
}

const set = (state: string) => control('setVerdict', { endpoint: UPSTREAM, state })

async function answerOf(): Promise<unknown[]> {
  const response = await world.ask()
  const { error, stage, reason } = (await response.json()) as {
    error?: { code: string }
    stage?: string
    reason?: string
  }
  return [response.status, error?.code, stage, reason]
}

test('a suite registers an upstream and sets its verdict; each holds when the answer comes', async () => {
  const { digest } = await world.gateway.control('/state')
  const registration = {
    endpoint: UPSTREAM,
    url: `https://127.0.0.1:${world.line.port}/v1`,
    hostname: HOSTNAME,
    roots: [readFileSync(world.gateway.gateway.rootPemFile, 'utf8')],
    pins: [digest],
    api_key: 'key-of-a-suite',
  }
  expect(await control('registerUpstream', registration)).toEqual([200, {}])
  expect(await set('admitted')).toEqual([200, {}])
  expect(await answerOf()).toEqual([200, undefined, undefined, undefined])
  expect(await set('denied')).toEqual([200, {}])
  expect(await answerOf()).toEqual([503, 'attestation_failed', 'upstream-policy', 'digest_not_pinned'])
  expect(await set('disabled')).toEqual([200, {}])
  expect((await answerOf()).slice(0, 2)).toEqual([404, 'model_not_found'])
  expect(await set('denied')).toEqual([200, {}])
  expect((await answerOf())[0]).toBe(503)
  expect(await set('admitted')).toEqual([200, {}])
  expect((await answerOf())[0]).toBe(200)
  expect(world.backend.requests('').at(-1)?.headers.authorization).toBe('Bearer key-of-a-suite')
})

test('what cannot be done is refused with the reason', async () => {
  expect(await control('setVerdict', { endpoint: 'absent', state: 'denied' })).toMatchObject([
    400,
    { error: { message: 'There is no upstream absent.' } },
  ])
  expect((await set('pending'))[0]).toBe(400)
  const registration = { endpoint: 'x', url: 'https://x.example/v1', roots: ['no PEM'], pins: [] }
  expect((await control('registerUpstream', registration))[0]).toBe(400)
  expect((await control('publishEvidence', { endpoint: 'absent', bundle: '{}' }))[0]).toBe(400)
})

test('a bundle that is published for an own endpoint is relayed, and garbage takes no good one’s place', async () => {
  const bundle = await (await fetch(`${world.baseUrl}/evidence/${UPSTREAM}`)).text()
  // It is for another hostname than the own endpoint's, and so changes nothing, as garbage does.
  for (const bytes of [bundle, 'garbage'])
    expect(await control('publishEvidence', { endpoint: 'demo', bundle: bytes })).toEqual([200, {}])
  expect((await fetch(`${world.baseUrl}/evidence/demo`)).status).toBe(503)
})
