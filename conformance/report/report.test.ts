import { expect, test } from 'vitest'
import type { ScenarioVerdict } from '#contract/models'
import type { RuleId } from '#contract/rules'
import { isConformanceResults } from '#contract/validators/conformance-results'
import type { Exchange } from '../engine/http/exchange.ts'
import type { Outcome } from '../engine/outcome.ts'
import { createRedactor } from '../engine/redact.ts'
import { define } from '../engine/scenario.ts'
import { bareTarget } from '../testing/product.ts'
import { coverageOf, isGap } from './coverage.ts'
import { toJUnit } from './junit.ts'
import { observe } from './observed.ts'
import { describeRun } from './results.ts'
import { createProgress, summarize } from './terminal.ts'

const KEY = `sk-tee-v1-${'s'.repeat(43)}`
const target = bareTarget('http://x/v1', { keys: { active: KEY } })

const exchange: Exchange = {
  sent: {
    method: 'POST',
    url: `http://x/v1/chat/completions?key=${KEY}`,
    headers: { authorization: `Bearer ${KEY}`, 'x-other': KEY },
    body: Buffer.from(`{"user":"${KEY}"}`),
  },
  status: 401,
  headers: { 'x-echo': KEY },
  reads: [],
  body: Buffer.from(`{"error":{"code":"invalid_api_key","message":"${KEY}"}}`),
  ending: 'complete',
  fault: undefined,
  headMs: 1.4,
  endMs: 2.6,
  leaf: undefined,
}

const noVectors = { vectors: [], elsewhere: {} }

function outcome(verdict: ScenarioVerdict, rules: readonly RuleId[] = ['AUTH-03']): Outcome {
  const scenario = define(`a/${verdict}`, { rules, title: 'A <key> & more', run: async () => {} })
  const problems = verdict === 'pass' ? [] : [`it showed ${KEY}`]
  return { scenario, subject: 'router', verdict, problems, exchanges: [exchange], durationMs: 12 }
}

const results = describeRun(
  {
    target,
    profiles: ['router'],
    outcomes: [outcome('pass'), outcome('fail'), outcome('not-testable'), outcome('error')],
    startedAt: new Date('2026-01-01T00:00:00Z'),
    durationMs: 1_234,
    suite: { version: '1', scenarios: 4 },
    selection: { grep: KEY, origin: null, slow: false, seed: 1, jobs: 1 },
  },
  createRedactor([KEY]),
)

test('results are as their schema says', () => {
  isConformanceResults(results)
  expect(isConformanceResults.errors ?? []).toEqual([])
})

test('no report shows a secret, wherever it stood', () => {
  const screen = { text: '', write: (text: string) => (screen.text += text) }
  const { redact } = createRedactor([KEY])
  createProgress(screen, 1).outcome(outcome('fail'), redact)
  for (const text of [JSON.stringify(results), toJUnit(results), summarize(results), screen.text]) {
    expect(text.length).toBeGreaterThan(10)
    expect(text).not.toContain(KEY)
  }
  expect(JSON.stringify(results)).toContain('[secret]')
})

test('a stream that fails counts by the code and the ground of its last event', () => {
  const event = { error: { code: 'attestation_revoked' }, stage: 'policy', reason: 'digest_not_pinned' }
  const body = Buffer.from(`data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`)
  const headers = { 'content-type': 'text/event-stream' }
  const streamed = { ...exchange, status: 200, headers, reads: [{ atMs: 1, bytes: body }], body }
  const sent = { ...exchange.sent, url: 'http://x/v1/chat/completions' }
  const seen = observe([{ ...outcome('pass'), exchanges: [{ ...streamed, sent }] }], target)
  expect(seen).toMatchObject([{ code: 'attestation_revoked', ground: 'policy/digest_not_pinned' }])
})

test('the answers that passing scenarios were given are counted by operation, status and code', () => {
  const seen = outcome('pass')
  const plain = { ...exchange, sent: { ...exchange.sent, url: 'http://x/v1/chat/completions' } }
  const run = { ...seen, exchanges: [plain, plain] }
  const { observed } = describeRun(
    {
      target,
      profiles: ['router'],
      outcomes: [run, outcome('fail')],
      startedAt: new Date(),
      durationMs: 1,
      suite: { version: '1', scenarios: 1 },
      selection: { grep: null, origin: null, slow: false, seed: 1, jobs: 1 },
    },
    createRedactor(),
  )
  expect(observed).toEqual([
    {
      subject: 'router',
      operation: 'createChatCompletion',
      status: 401,
      code: 'invalid_api_key',
      ground: null,
      count: 2,
    },
  ])
})

test('JUnit tells failures, errors and what was left out, and is well formed', () => {
  const xml = toJUnit(results)
  expect(xml).toContain('tests="4" failures="1" errors="1" skipped="1"')
  expect(xml).toContain('name="a/fail: A &lt;key&gt; &amp; more"')
  expect(xml).toContain('<skipped message="not-testable: it showed [secret]"/>')
  expect(xml.match(/<testcase/g)).toHaveLength(4)
})

test('coverage shows a rule without a scenario as a gap, and leaves out what only reading can show', () => {
  const scenario = define('a/b', { rules: ['AUTH-03'], title: 'Something holds', run: async () => {} })
  const { rules, answers, codes } = coverageOf({ scenarios: [scenario], vectors: noVectors, results })
  const named = (id: string) => rules.find((rule) => rule.id === id)
  expect(named('AUTH-03')?.scenarios).toEqual(['a/b'])
  expect(named('PRXY-01')?.scenarios).toEqual(['a/b'])
  expect(isGap(named('AUTH-02')!)).toBe(true)
  expect(named('SRV-13')).toBeUndefined()
  expect(answers?.find(({ operation, status }) => operation === 'listModels' && status === 500)?.count).toBe(
    0,
  )
  expect(codes?.find(({ code }) => code === 'internal')?.count).toBe(0)
})
