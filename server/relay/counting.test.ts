import { afterEach, expect, test } from 'vitest'
import {
  answers,
  DONE,
  event,
  finishEvent,
  openStream,
  type Script,
  streams,
  textEvent,
  usageEvent,
  usageOf,
} from './testing/backend.ts'
import {
  ask,
  askAndSettle,
  COUNTED_PROMPT_TOKENS,
  closeWorlds,
  eventually,
  readStream,
  send,
  startWorld,
} from './testing/world.ts'

afterEach(closeWorlds)

/** Ten tokens in a delta, as speculative decoding sends them. */
const MANY = 'x'.repeat(40)

/** A backend that writes its answer, says why it ended, and tells its usage only when told to. */
function slowToTell(...ending: readonly string[]) {
  let tell = () => {}
  const script: Script = (response) => {
    openStream(response)
    for (let delta = 0; delta < 3; delta++) response.write(textEvent(MANY))
    for (const part of ending) response.write(part)
    tell = () => void response.end(usageEvent(1_500, 300) + DONE)
  }
  return { script, tell: () => tell() }
}

/** Reads a stream as far as its text goes, and leaves. */
async function leaveAfterText(world: Awaited<ReturnType<typeof startWorld>>, wanted: string) {
  const { answered, leave } = await send(world)
  let text = ''
  for await (const piece of await answered) {
    text += String(piece)
    if (text.includes(wanted)) break
  }
  leave()
}

/** Waits until the router knows that its client has left. */
async function noticed({ server }: Awaited<ReturnType<typeof startWorld>>) {
  await eventually(
    () =>
      new Promise<void>((resolve, reject) => {
        server.getConnections((error, count) =>
          count === 0 ? resolve() : reject(error ?? new Error(`${count} left`)),
        )
      }),
  )
}

test('a delta counts as a quarter of its bytes where that is more than one token', async () => {
  const { outcome } = await askAndSettle(
    await startWorld({ script: streams(textEvent(MANY), textEvent('a'), textEvent(''), DONE) }),
  )
  expect(outcome).toMatchObject({ usageSource: 'counted', usage: { completionTokens: 11 } })
})

test.each([
  ['chat', textEvent('Grüße, 世界'), { message: { content: 'Grüße, 世界' } }],
  ['chat', event({ choices: [{ delta: { reasoning: MANY } }] }), { message: { reasoning: MANY } }],
  ['completions', event({ choices: [{ text: MANY }] }), { text: MANY }],
] as const)('a text of %s counts the same in a stream and in an answer', async (operation, chunk, choice) => {
  const streamed = await askAndSettle(await startWorld({ operation, script: streams(chunk, DONE) }))
  const script = answers(200, { choices: [choice] })
  const whole = await askAndSettle(await startWorld({ operation, streamed: false, script }))
  expect(streamed.outcome.usage).toEqual(whole.outcome.usage)
})

test('who leaves after the last word pays what the backend then reports', async () => {
  const { script, tell } = slowToTell(finishEvent())
  const world = await startWorld({ script })
  await leaveAfterText(world, '"stop"')
  await noticed(world)
  tell()
  await eventually(() => expect(world.outcomes).toHaveLength(1))
  expect(world.outcomes[0]).toMatchObject({
    status: 'aborted',
    usageSource: 'backend',
    usage: { promptTokens: 1_500, completionTokens: 300 },
  })
  expect(world.observations[0]).toMatchObject({ cause: 'client_left' })
})

test('a backend that has written as much as it may is read on, too', async () => {
  const { script, tell } = slowToTell()
  const world = await startWorld({ script, outputCapTokens: 3 })
  const { answered, leave } = await send(world)
  let text = ''
  for await (const piece of await answered) {
    text += String(piece)
    if (text.split(MANY).length === 4) break
  }
  leave()
  await noticed(world)
  tell()
  await eventually(() => expect(world.outcomes).toHaveLength(1))
  expect(world.outcomes[0]).toMatchObject({ usageSource: 'bounded', usage: { completionTokens: 3 } })
})

test('a backend that then tells nothing is left after a second, and the count stands', async () => {
  const world = await startWorld({ script: slowToTell(finishEvent()).script })
  await leaveAfterText(world, '"stop"')
  await eventually(() => expect(world.outcomes).toHaveLength(1))
  expect(world.outcomes[0]).toMatchObject({
    usageSource: 'counted',
    usage: { promptTokens: COUNTED_PROMPT_TOKENS, completionTokens: 30 },
  })
  await eventually(() => expect(world.backend.sockets.size).toBe(0))
})

test('a backend that has not finished is let go at once when the client leaves', async () => {
  const other = textEvent('b').replace('"index":0', '"index":1')
  const world = await startWorld({ script: slowToTell(other, finishEvent()).script })
  await leaveAfterText(world, '"stop"')
  await eventually(() => expect(world.backend.sockets.size).toBe(0))
  expect(world.outcomes[0]).toMatchObject({ usageSource: 'counted' })
})

test('five hundred clients that leave after the last word leave no socket behind', async () => {
  const world = await startWorld({ script: slowToTell(finishEvent()).script })
  for (let round = 0; round < 10; round++) {
    await Promise.all(Array.from({ length: 50 }, () => leaveAfterText(world, '"stop"')))
  }
  await eventually(() => expect(world.outcomes).toHaveLength(500))
  await eventually(() => expect(world.backend.sockets.size).toBe(0))
}, 40_000)

test.each([
  [true, 17],
  [false, 17],
])('the prompt counts as the backend’s tokenizer says (streamed: %s)', async (streamed, promptTokens) => {
  const script = streamed ? streams(textEvent('a'), DONE) : answers(200, { choices: [] })
  const world = await startWorld({ streamed, script, promptCount: Promise.resolve(promptTokens) })
  const { outcome } = await askAndSettle(world)
  expect(outcome).toMatchObject({ usageSource: 'counted', usage: { promptTokens } })
})

test.each([() => Promise.resolve(undefined), () => Promise.reject(new Error('away'))])(
  'a tokenizer that does not tell leaves the router’s own count',
  async (count) => {
    const promptCount = count()
    promptCount.catch(() => {})
    const { outcome } = await askAndSettle(
      await startWorld({ script: streams(textEvent('a'), DONE), promptCount }),
    )
    expect(outcome.usage.promptTokens).toBe(COUNTED_PROMPT_TOKENS)
  },
)

const completion = (usage: object) => ({ choices: [{ message: { content: MANY } }], usage })

test.each([true, false])(
  'usage beyond the cap is billed, shown and told as the cap (streamed: %s)',
  async (streamed) => {
    const usage = { ...usageOf(9, 2_000_000_000), completion_tokens_details: { reasoning_tokens: 2e9 } }
    const script = streamed
      ? streams(textEvent(MANY), finishEvent({ usage }), DONE)
      : answers(200, completion(usage))
    const world = await startWorld({ streamed, script, includeUsage: true, outputCapTokens: 50 })
    const { reply, outcome } = await askAndSettle(world)
    expect(outcome).toMatchObject({
      status: 'ok',
      usageSource: 'bounded',
      usage: { promptTokens: 9, completionTokens: 50 },
    })
    const shown = streamed ? readStream(reply.text).last.usage : JSON.parse(reply.text).usage
    expect(shown).toEqual({ ...usageOf(9, 50), cost_micros: 23, endpoint: 'demo', evidence_digest: null })
    expect(world.warnings).toContain('a backend reported more tokens than the request could use')
    expect(world.lines[0]).toMatchObject({ backend: world.backend.url })
    expect(world.observations[0]!.comparison).toMatchObject({ finding: 'bounded', backend: '0' })
  },
)

test.each([
  ['as much as was counted', usageOf(11, 10), undefined],
  ['half of it', usageOf(5, 6), undefined],
  ['less than half of it', usageOf(5, 5), 'low'],
  ['nothing', usageOf(0, 0), 'low'],
])('usage of %s is billed as told, and compared with what was counted', async (_, usage, finding) => {
  const world = await startWorld({ streamed: false, script: answers(200, completion(usage)) })
  const { outcome } = await askAndSettle(world)
  expect(outcome.usageSource).toBe('backend')
  const { prompt_tokens: prompt, completion_tokens: completed } = usage as Record<string, number>
  const cost = (tokens: number, more: number) => Math.ceil((tokens * 150 + more * 600) / 1_000)
  expect(world.observations[0]!.comparison).toEqual({
    backend: '0',
    countedMicros: cost(COUNTED_PROMPT_TOKENS, 10),
    reportedMicros: cost(prompt!, completed!),
    finding,
  })
})

test('a generation without usage is compared with nothing', async () => {
  const world = await startWorld({ script: streams(textEvent('a'), DONE) })
  await ask(world)
  expect(world.observations[0]!.comparison).toBeUndefined()
})

test.each([
  ['a stream is aborted with what it had', true, 10],
  ['an answer is aborted with its prompt alone', false, 0],
])('%s when its client leaves while a tokenizer counts', async (_, streamed, completionTokens) => {
  const counted = Promise.withResolvers<number>()
  let isWaitedFor = false
  const promptCount = {
    known: undefined,
    get whenKnown() {
      isWaitedFor = true
      return counted.promise
    },
  }
  const script = streamed
    ? streams(textEvent(MANY), finishEvent(), DONE)
    : answers(200, { choices: [{ message: { content: MANY } }] })
  const world = await startWorld({ streamed, script, promptCount })
  if (streamed) await leaveAfterText(world, '"stop"')
  else {
    const { leave } = await send(world)
    await eventually(() => expect(isWaitedFor).toBe(true))
    leave()
  }
  await noticed(world)
  counted.resolve(7)
  await eventually(() => expect(world.outcomes).toHaveLength(1))
  expect(world.outcomes[0]).toMatchObject({
    status: 'aborted',
    usage: { promptTokens: 7, completionTokens },
    usageSource: 'counted',
  })
  expect(world.observations).toMatchObject([{ cause: 'client_left' }])
})
