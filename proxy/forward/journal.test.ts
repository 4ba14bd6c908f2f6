import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { failed } from '#egress/testing/admissions.ts'
import { TestClock } from '#egress/testing/clock.ts'
import { type Line, parseLine } from '../journal/line.ts'
import { generationId, journalFile, linesOf } from '../journal/testing.ts'
import { ask, closeWorlds, openRequest, readAll, send, startWorld } from '../testing/world.ts'

afterEach(closeWorlds)

const id = generationId(1)
const usage = {
  prompt_tokens: 12,
  completion_tokens: 34,
  cost_micros: 23,
  endpoint: 'demo',
  evidence_digest: null,
}
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`

/** The journal's lines of some kind, once there are so many. */
async function linesOfKind(file: string, kind: Line['kind'], count = 1): Promise<readonly Line[]> {
  return vi.waitFor(
    () => {
      const found = linesOf(file)
        .map((line) => parseLine(line)!)
        .filter((line) => line.kind === kind)
      expect(found).toHaveLength(count)
      return found
    },
    { timeout: 10_000 },
  )
}

test('an answer that is remembered comes through byte for byte, and pieces come as they are written', async () => {
  const journal = journalFile()
  const pieces = [': ping\n\n', event({ model: 'm', choices: [] }), event({ usage }), 'data: [DONE]\n\n']
  const gates = pieces.map(() => Promise.withResolvers<void>())
  const world = await startWorld({
    journal,
    async script(_, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-router-generation-id': id })
      for (const [index, piece] of pieces.entries()) {
        response.write(piece)
        await gates[index]!.promise
      }
      response.end()
    },
  })
  const response = await send(world, { path: '/v1/chat/completions' })
  for (const [index, piece] of pieces.entries()) {
    const [bytes] = (await once(response, 'data')) as [Buffer]
    expect(bytes.toString()).toBe(piece)
    gates[index]!.resolve()
  }
  expect(await linesOfKind(journal, 'generation')).toMatchObject([
    {
      id,
      endpoint: 'test',
      complete: true,
      model: 'm',
      prompt_tokens: 12,
      cost_micros: 23,
      served_digest: null,
    },
  ])
})

test('of an answer that the client leaves the generation is remembered, and no cost is guessed', async () => {
  const journal = journalFile()
  const world = await startWorld({
    journal,
    script(_, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-router-generation-id': id })
      response.write(event({ model: 'm', choices: [{ delta: { content: 'canary' } }] }))
    },
  })
  const sent = openRequest(world)
  sent.end()
  const [response] = await once(sent, 'response')
  await once(response, 'data')
  sent.destroy()
  expect(await linesOfKind(journal, 'generation')).toMatchObject([{ id, complete: false, cost_micros: null }])
  expect(linesOf(journal).join()).not.toContain('canary')
})

test('a client that leaves after [DONE] had the whole answer', async () => {
  const journal = journalFile()
  const world = await startWorld({
    journal,
    script(_, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-router-generation-id': id })
      response.write(`${event({ usage })}data: [DONE]\n\n`)
    },
  })
  const sent = openRequest(world)
  sent.end()
  const [response] = await once(sent, 'response')
  await once(response, 'data')
  sent.destroy()
  expect(await linesOfKind(journal, 'generation')).toMatchObject([{ complete: true, cost_micros: 23 }])
})

test('answers that are those of no generation leave no line', async () => {
  const journal = journalFile()
  const world = await startWorld({
    journal,
    script: (_, response) =>
      void response.writeHead(200, { 'x-router-generation-id': 'canary' }).end('{"object":"list"}'),
  })
  expect((await ask(world)).status).toBe(200)
  await world.stop()
  expect(linesOf(journal).map((line) => parseLine(line)?.kind)).toEqual(['genesis', 'start', 'verdict'])
})

test('a withdrawal is remembered with what refused, what it cut, and what it kept from being sent', async () => {
  const journal = journalFile()
  const clock = new TestClock()
  const world = await startWorld({
    journal,
    clock,
    script(_, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-router-generation-id': id })
      response.write(event({ model: 'm', choices: [] }))
    },
  })
  const response = await send(world, { path: '/v1/chat/completions' })
  const text = readAll(response)
  world.judge(failed('policy', 'digest_not_pinned'))
  await clock.pass(4 * 60_000)
  expect(await text).toContain('attestation_revoked')
  await ask(world)
  expect(await linesOfKind(journal, 'generation')).toMatchObject([{ id, complete: false, cost_micros: null }])
  expect(await linesOfKind(journal, 'verdict', 2)).toMatchObject([
    { state: 'admitted', stage: null, evidence_digest: expect.any(String) },
    { state: 'denied', stage: 'policy', reason: 'digest_not_pinned', evidence_digest: null },
  ])
  expect(await linesOfKind(journal, 'denial', 2)).toMatchObject([
    { code: 'attestation_revoked', stage: 'policy', count: 1 },
    { code: 'attestation_failed', stage: 'policy', reason: 'digest_not_pinned', count: 1 },
  ])
})
