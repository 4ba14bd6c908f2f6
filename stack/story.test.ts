import { expect, test } from 'vitest'
import { digestOf, toHex } from '#attestation'
import type { GenerationRecord } from './demo.ts'
import { StartFailure } from './failure.ts'
import { createPalette } from './palette.ts'
import { showVerification } from './show.ts'
import { createStory } from './story.ts'

const digest = digestOf('snapshot')
const prices = { promptPer1mMicros: 150_000, completionPer1mMicros: 600_000 }
const record: GenerationRecord = {
  id: 'gen-01',
  model: 'demo/tiny-chat',
  status: 'ok',
  prompt_tokens: 12,
  completion_tokens: 34,
  cost_micros: 23,
  evidence_digest: digest,
  ledger: { id: 'led_01', amount_micros: -23 },
}

function listen() {
  const said: string[] = []
  let time = 0
  const story = createStory({
    write: (text) => said.push(text),
    palette: createPalette({}, {}),
    columns: 80,
    now: () => (time += 1_200),
  })
  return { story, text: () => said.join('') }
}

test('a step tells its name, then how long it took', async () => {
  const { story, text } = listen()
  const port = await story.step('Router', async () => 8080, {
    word: 'ready',
    remark: (port) => `port ${port}`,
  })
  expect(port).toBe(8080)
  expect(text()).toBe('  Router        … ready in 1.2 s  port 8080\n')
})

test('what happens during a step has a line of its own', async () => {
  const { story, text } = listen()
  await story.step('Router', async () => story.warn('Hear!'), { word: 'ready' })
  expect(text()).toBe('  Router        … \n  ! Hear!\n  Router        … ready in 1.2 s\n')
})

test('a step that is tried again has a line of its own', async () => {
  const { story, text } = listen()
  await story.step('Router', () => Promise.reject(new Error('no')), { word: 'ready' }).catch(() => undefined)
  await story.step('Router', async () => undefined, { word: 'ready' })
  expect(text()).toBe('  Router        … \n  Router        … ready in 1.2 s\n')
})

test('a failure says what failed and what to read', async () => {
  const { story, text } = listen()
  const step = story.step('Router', () => Promise.reject(new Error('no')), { word: 'ready' })
  await expect(step).rejects.toThrow('no')
  story.fail(new StartFailure('The router ended.', ['Its log: router.log']))
  expect(text()).toContain('\n\nIt did not work. The router ended.\n  Its log: router.log\n')
})

test('the record is shown by the names of the API, with prices and the rounding', () => {
  const { story, text } = listen()
  story.showRecord(record, prices, digest)
  expect(text()).toContain('│ prompt_tokens      12  at $0.15 per million')
  expect(text()).toContain('│ completion_tokens  34  at $0.60 per million')
  expect(text()).toContain('│ cost_micros        23  $0.000023, rounded up from 22.2 micro-dollars')
  expect(text()).not.toContain('[object')
})

test('a cost that needs no rounding does not speak of it', () => {
  const { story, text } = listen()
  const free = { ...record, prompt_tokens: 20, completion_tokens: 30, cost_micros: 21 }
  story.showRecord(free, prices, digest)
  expect(text()).not.toContain('rounded')
})

test.each([
  ['the verified one', digest, 'verified'],
  ['another one', digestOf('other'), 'not the verified one'],
  ['none', null, 'none was published'],
])('the record says so when its deployment is %s', (_, evidence_digest, remark) => {
  const { story, text } = listen()
  story.showRecord({ ...record, evidence_digest }, prices, digest)
  expect(text()).toMatch(new RegExp(`│ evidence_digest +${evidence_digest}  ${remark} +│`))
})

test('what was verified is told stage by stage, with the digest in both forms and what it does not prove', () => {
  const { story, text } = listen()
  showVerification({ hostname: 'router.localhost', digest }, story)
  const stages = text()
    .split('\n')
    .filter((line) => line.startsWith('  ✓ '))
  expect(stages.map((line) => line.split(/ +/)[2])).toEqual([
    'fetch',
    'cert-chain',
    'untrusted-root',
    'jws',
    'tls-fingerprint',
    'policy',
  ])
  expect(text()).toContain(`  ${toHex(digest)}\n`)
  expect(text()).toContain(`  ${digest}\n`)
  expect(text().replace(/\s+/g, ' ')).toContain('Not proven by this: any hardware.')
  expect(Math.max(...stages.map(({ length }) => length))).toBeLessThanOrEqual(88)
})

test('the ledger row stands between the balances, in dollars and in micro-dollars', () => {
  const { story, text } = listen()
  story.showLedger(record, { beforeMicros: 5_000_000, afterMicros: 4_999_977 })
  const lines = text().split('\n')
  expect(lines.find((line) => line.includes('led_01'))).toBeDefined()
  expect(
    lines.filter((line) => line.includes('micro-dollars')).map((line) => line.slice(2, -2).trimEnd()),
  ).toEqual([
    'balance before   $5.000000  5,000,000 micro-dollars',
    'this answer     -$0.000023        -23 micro-dollars',
    'balance after    $4.999977  4,999,977 micro-dollars',
  ])
})
