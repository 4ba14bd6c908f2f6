import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ScenarioVerdict } from '#contract/models'
import type { RuleId } from '#contract/rules'
import { isConformanceResults } from '#contract/validators/conformance-results'
import type { Exchange } from '../engine/http/exchange.ts'
import { excerpt } from '../engine/http/exchange.ts'
import type { Outcome } from '../engine/outcome.ts'
import { createRedactor } from '../engine/redact.ts'
import { originOf } from '../engine/rules.ts'
import { define } from '../engine/scenario.ts'
import type { Target } from '../engine/target.ts'
import { judgeProfile } from '../engine/verdict.ts'
import { bareTarget } from '../testing/product.ts'
import { answerOf } from './answer.ts'
import { toBadge } from './badge.ts'
import { causesOf, nameOf } from './causes.ts'
import { changesOf, differencesOf, isNewlySeen, isWorse } from './changes.ts'
import { coverageOf, isGap } from './coverage.ts'
import { describeExchange } from './exchange.ts'
import { toCurl } from './html/curl.ts'
import { toHtml } from './html/page.ts'
import { toJUnit } from './junit.ts'
import { toMarkdown } from './markdown.ts'
import { observe } from './observed.ts'
import { describeRun } from './results.ts'
import { sentencesOf } from './sentence.ts'
import { describeSuite } from './suite.ts'
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

const run = {
  target,
  profiles: ['router'] as const,
  outcomes: [outcome('pass'), outcome('fail'), outcome('not-testable'), outcome('error')],
  startedAt: new Date('2026-01-01T00:00:00Z'),
  durationMs: 1_234,
  suite: describeSuite(4),
  selection: { grep: [KEY], rules: [], origin: null, slow: false, seed: 1, jobs: 1 },
}
const results = describeRun(run, createRedactor([KEY]))
const whole = { ...results.selection, grep: [] }

test('results are as their schema says', () => {
  isConformanceResults(results)
  expect(isConformanceResults.errors ?? []).toEqual([])
})

test('no report shows a secret, wherever it stood', () => {
  const screen = { text: '', write: (text: string) => (screen.text += text) }
  const { redact } = createRedactor([KEY])
  createProgress(screen, 1).outcome(outcome('fail'), redact)
  const reports = [
    JSON.stringify(results),
    toMarkdown(results),
    toHtml(results),
    toJUnit(results),
    toBadge(results),
    summarize(results),
    ...sentencesOf(results),
  ]
  for (const text of [...reports, screen.text]) {
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
      suite: describeSuite(1),
      selection: { grep: [], rules: [], origin: null, slow: false, seed: 1, jobs: 1 },
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

describe('JUnit has a failure when the verdict is failing, and then alone', () => {
  const given: Outcome = outcome('fail')
  const chosen: Outcome = outcome('fail', ['AUTH-12'])
  const odd = (rule: RuleId): Outcome => ({
    ...outcome('pass'),
    violations: [{ rules: [rule], origin: originOf([rule]), problem: 'odd' }],
  })
  const mixed = (broken: RuleId): Outcome => ({
    ...outcome('fail', ['AUTH-03', 'AUTH-12']),
    shown: { held: new Map(), broken: [{ rules: [broken], problem: 'no' }] },
  })
  const announced = (scenario: string, check?: RuleId) => ({
    expectedFailures: [{ scenario, reason: 'known', ...(check && { check }) }],
  })
  const onlyGiven = { claims: ['given'] as const }
  test.each<[string, Outcome, Partial<Target>, boolean]>([
    ['a given rule', given, {}, true],
    ['a given rule, announced', given, announced('a/fail'), false],
    ['a given rule, announced for another check', given, announced('a/fail', 'AUTH-01'), true],
    ['an announced failure that does not occur', outcome('pass'), announced('a/pass'), true],
    ['a chosen rule', chosen, {}, true],
    ['a chosen rule that is not claimed', chosen, onlyGiven, false],
    ['an unclaimed rule beside a given one', mixed('AUTH-12'), onlyGiven, false],
    ['a given rule beside an unclaimed one', mixed('AUTH-03'), onlyGiven, true],
    ['what every exchange is held to', odd('ERR-03'), {}, true],
    ['the same, announced', odd('ERR-03'), announced('universal', 'ERR-03'), false],
    ['the same, announced for another rule', odd('ERR-03'), announced('universal', 'ERR-01'), true],
    ['the same of a rule that is not claimed', odd('AUTH-12'), onlyGiven, false],
  ])('%s', (_, one, change, isFailing) => {
    const own = describeRun({ ...run, target: { ...target, ...change }, outcomes: [one] }, createRedactor())
    const xml = toJUnit(own)
    expect([own.profiles[0]?.verdict === 'failing', /<failure /.test(xml)]).toEqual([isFailing, isFailing])
    expect(xml).toMatch(new RegExp(`tests="${one.violations ? 2 : 1}" failures="${isFailing ? 1 : 0}"`))
  })

  test('what every exchange is held to is a case of its own, by its rule', () => {
    const own = describeRun({ ...run, outcomes: [odd('ERR-03'), odd('ERR-03')] }, createRedactor())
    expect(toJUnit(own)).toMatch(
      /<testcase classname="universal" name="ERR-03: [^"]+" time="0.000"><failure message="2 times: odd">/,
    )
  })
})

test('a provisional failure is shown apart, and is a skipped case with its reason', () => {
  const failing = outcome('fail')
  const scenario = { ...failing.scenario, isProvisional: true }
  const own = describeRun({ ...run, outcomes: [{ ...failing, scenario }] }, createRedactor([KEY]))
  expect(own.scenarios).toMatchObject([{ provisional: true, fails: [], verdict: 'fail' }])
  expect(own.profiles[0]?.rules).toEqual([])
  const xml = toJUnit(own)
  expect(xml).toContain('failures="0" errors="0" skipped="1"')
  expect(xml).toContain('<skipped message="provisional, and decides nothing yet: it showed [secret]"/>')
  expect(summarize(own)).toMatch(/decide nothing in this version[^\n]*\n +a\/fail: it showed/)
  expect(toMarkdown(own)).toMatch(/decide nothing in this version[\s\S]*\| a\/fail \|/)
  expect(toHtml(own)).toMatch(/decide nothing in this version[^\n]*>a\/fail</)
})

test('a warning is told by every report, with what was noticed, and breaks no rule', () => {
  const own = describeRun({ ...run, outcomes: [outcome('warn')] }, createRedactor([KEY]))
  expect(own.profiles[0]).toMatchObject({ verdict: 'conformant' })
  expect(own.scenarios).toMatchObject([{ verdict: 'warn', problems: ['it showed [secret]'] }])
  expect(summarize(own)).toMatch(/Noticed, and no rule[^\n]*\n +a\/warn: it showed \[secret\]/)
  expect(toMarkdown(own)).toMatch(/Noticed, and no rule[\s\S]*\| a\/warn \|[^\n]*it showed/)
  expect(toHtml(own)).toMatch(/Noticed, and no rule[^\n]*>a\/warn<[^\n]*it showed/)
  expect(toJUnit(own)).toMatch(/failures="0" errors="0" skipped="0"[\s\S]*<system-out>it showed/)
})

test('people are shown apart what breaks rules that are not claimed', () => {
  const own = describeRun(
    { ...run, target: { ...target, claims: ['given'] }, outcomes: [outcome('fail', ['AUTH-12'])] },
    createRedactor(),
  )
  expect(summarize(own)).toMatch(/not claimed[^\n]*\n +AUTH-12 by a\/fail/)
  expect(toMarkdown(own)).toMatch(/not claimed[^\n]*\n\n### a\/fail/)
  expect(toHtml(own)).toMatch(/not claimed[^\n]*<\/h3><details>/)
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

test('results say who was judged by what, and the state of every rule', () => {
  expect(results.suite).toMatchObject({
    interface_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    rules_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(results.target).toMatchObject({ claims: ['given', 'chosen'], features: [], hooks: [], slack: 1 })
  const [rule] = results.profiles[0]?.rules ?? []
  expect(rule).toMatchObject({ id: 'AUTH-03', origin: 'given', state: 'broken', section: expect.any(String) })
  expect(rule?.broken_by).toEqual([
    { scenario: 'a/fail', problem: 'it showed [secret]', count: 1, announced: false },
  ])
  expect(rule?.untold_by.map(({ scenario }) => scenario)).toEqual(['a/not-testable', 'a/error'])
})

test('people are shown what broke, with the sentences of all the rules that it breaks', () => {
  const sentence = results.profiles[0]?.rules[0]?.text ?? ''
  expect(summarize(results)).toMatch(/broken by a\/fail: it showed \[secret\]\n +AUTH-03 +given/)
  expect(summarize(results)).toContain(sentence.slice(0, 40))
  const markdown = toMarkdown(results)
  expect(markdown).toMatch(/^### a\/fail$/m)
  expect(markdown).toMatch(/^\| AUTH-03 \| given \| .* \| broken \| a\/fail \|$/m)
})

test('what breaks several rules is one cause of them all, and that of most stands first', () => {
  const violations = [{ rules: ['ERR-01', 'ERR-03'] as const, origin: 'given' as const, problem: 'odd' }]
  const run = [
    { ...outcome('fail'), violations },
    { ...outcome('pass', ['AUTH-01']), violations },
  ]
  const causes = causesOf(judgeProfile('router', run, target).rules)
  expect(causes.map((cause) => [nameOf(cause), cause.problem, ...cause.rules.map(({ id }) => id)])).toEqual([
    ['universal, in 2 answers or events of streams', 'odd', 'ERR-01', 'ERR-03'],
    ['a/fail', `it showed ${KEY}`, 'AUTH-03'],
  ])
})

test('two things that exchanges break are two causes, though no scenario is about either', () => {
  const violations = [
    { rules: ['ERR-01'] as const, origin: 'given' as const, problem: 'odd' },
    { rules: ['ERR-03'] as const, origin: 'given' as const, problem: 'odder' },
  ]
  const { rules } = judgeProfile('router', [{ ...outcome('pass'), violations }], target)
  const found = causesOf(rules).map(({ problem, rules: own }) => [problem, ...own.map(({ id }) => id)])
  expect(found).toEqual([
    ['odd', 'ERR-01'],
    ['odder', 'ERR-03'],
  ])
})

test('what a client of OpenAI meets everywhere stands first, then what breaks most of its rules', () => {
  const broken = (id: string, rules: readonly RuleId[]): Outcome => ({
    ...outcome('fail', rules),
    scenario: define(id, { rules, title: 'A sentence of it', run: async () => {} }),
    problems: [`odd in ${id}`],
    exchanges: [],
  })
  const odd = { rules: ['ERR-01'] as const, origin: 'given' as const, problem: 'odd everywhere' }
  const many = [
    broken('a/own', ['MODL-02', 'MODL-03', 'MODL-06', 'EP-05']),
    broken('a/done', ['STRM-04', 'EVT-05']),
    { ...broken('a/usage', ['STRM-03', 'REQ-05', 'EVT-02']), violations: [odd, odd] },
  ]
  const own = describeRun({ ...run, outcomes: many }, createRedactor([KEY]))
  const first = causesOf(own.profiles[0]!.rules, own.scenarios).map(({ problem }) => problem)
  expect(first).toEqual(['odd everywhere', 'odd in a/usage', 'odd in a/done', 'odd in a/own'])
})

test('a rule stands where a failure was told as a success, whatever else broke it', () => {
  const broken = (id: string, rules: readonly RuleId[], problem: string): Outcome => ({
    ...outcome('fail', rules),
    scenario: define(id, { rules, title: 'A sentence of it', run: async () => {} }),
    problems: [problem],
    exchanges: [],
  })
  const many = [
    broken('a/one', ['STRM-18', 'STRM-20', 'STRM-14'], 'expected 502, got 500: {}'),
    broken('a/two', ['STRM-18'], 'expected 502, got 200: data: [DONE]'),
  ]
  const own = describeRun({ ...run, outcomes: many }, createRedactor([KEY]))
  const [first] = causesOf(own.profiles[0]!.rules, own.scenarios)
  expect(first).toMatchObject({ scenario: 'a/two', answer: '200 in place of 502' })
  expect(first?.rules.map(({ id }) => id)).toEqual(['STRM-18'])
})

test('checks that one answer failed are one cause, which stands before the smaller ones', () => {
  const failing = (id: string, rule: RuleId, status: number, text: string): Outcome => ({
    ...outcome('fail', [rule]),
    scenario: define(id, { rules: [rule], title: 'A sentence of it', run: async () => {} }),
    problems: [`something about ${id}`],
    exchanges: [
      { ...exchange, status, headers: {}, body: Buffer.from(text), sent: { ...exchange.sent, headers: {} } },
    ],
  })
  const crash = (id: string, rule: RuleId) => failing(id, rule, 500, 'Internal Server Error')
  const many = [
    failing('a/one', 'MODL-02', 200, '{}'),
    crash('a/two', 'AUTH-01'),
    crash('a/three', 'AUTH-02'),
    crash('a/four', 'EP-04'),
  ]
  const own = describeRun({ ...run, outcomes: many }, createRedactor([KEY]))
  const [first, second] = causesOf(own.profiles[0]!.rules, own.scenarios)
  expect(first?.rules.map(({ id }) => id)).toEqual(expect.arrayContaining(['AUTH-01', 'AUTH-02', 'EP-04']))
  expect(first).toMatchObject({ others: 2, answer: '500 "Internal Server Error" to requests without a key' })
  expect(second).toMatchObject({ scenario: 'a/one', answer: undefined })
  expect(summarize(own)).toMatch(
    /broken by a\/\w+, and 2 more: 500 "Internal Server Error" to requests without/,
  )
})

test('the answer that a check quotes is to blame, not the one that came after it', () => {
  const answer = (body: string) => ({ ...describeExchange(exchange), status: 404, body })
  const scenario = {
    ...results.scenarios[0]!,
    exchanges: [answer('{ "detail":\n"Nothing is here" }'), answer('{"error":{"code":"other"}}')],
  }
  const quoting = { problem: 'there is no error object in { "detail": "Nothing…\nit is no object' }
  expect(answerOf(quoting, scenario)).toMatch(/^404 \{detail\} to /)
  expect(answerOf({ problem: 'odd' }, scenario)).toMatch(/^404 \{"code":"other"\} to /)
})

test('the line for the shell sends the key as the scenario did, and the key is nowhere', () => {
  const asked = (authorization: string) => ({
    ...exchange,
    sent: { ...exchange.sent, headers: { authorization } },
  })
  const line = (authorization: string) => toCurl(describeExchange(asked(authorization)))
  expect(line(`Bearer ${KEY}`)).toContain('-H "Authorization: Bearer $CONFORMANCE_KEY"')
  expect(line(`Basic ${KEY}`)).toContain('-H "Authorization: Basic $CONFORMANCE_KEY"')
  expect(describeExchange(asked(`Basic ${KEY}`)).request_headers).toEqual({ authorization: 'Basic [secret]' })
  expect(describeExchange(asked(KEY)).request_headers).toEqual({ authorization: '[secret]' })
})

test('a key that the run does not know is another one in the line for the shell, and in no report', () => {
  const redactor = createRedactor([KEY])
  const asked = (authorization: string) => ({
    ...exchange,
    sent: { ...exchange.sent, headers: { authorization } },
  })
  const nearly = describeExchange(asked(`Bearer ${KEY}x`), redactor)
  expect(nearly.request_headers).toEqual({ authorization: 'Bearer [another key]' })
  expect(toCurl(nearly)).toContain('-H "Authorization: Bearer $ANOTHER_KEY"')
  expect(describeExchange(asked(`Bearer ${KEY}`), redactor).request_headers).toEqual({
    authorization: 'Bearer [secret]',
  })
})

test('of a long body the beginning and the end are kept, and no secret is cut in two', () => {
  const redactor = createRedactor([KEY])
  const long = (before: number, after: number) =>
    describeExchange(
      { ...exchange, body: Buffer.from(`${'a'.repeat(before)}${KEY}${'z'.repeat(after)}[DONE]`) },
      redactor,
    ).body
  expect(long(5_000, 5_000)).toMatch(/^a{3000}\n… \(left out\) …\nz+\[DONE\]$/)
  for (let before = 2_940; before < 3_010; before++) {
    expect(long(before, 960)).not.toContain(KEY.slice(-12))
    expect(long(before, 960)).not.toContain(KEY.slice(0, 12))
  }
})

test('no secret shows of a header or a problem that was cut within it', () => {
  const redactor = createRedactor([KEY])
  for (const kept of [12, 30, KEY.length - 1]) {
    const headers = { 'x-told': `${'a'.repeat(500 - kept)}${KEY}` }
    const quoted = `expected 200, got 500: ${excerpt(`${'a'.repeat(200 - kept)}${KEY}`)}`
    const told = { ...outcome('fail'), problems: [quoted], exchanges: [{ ...exchange, headers }] }
    const text = JSON.stringify(describeRun({ ...run, outcomes: [told] }, redactor).scenarios)
    expect(text).toContain('aaaa')
    expect(text).not.toContain(KEY.slice(0, 28))
  }
})

test('an entry names each rule that its scenario broke, also one that it is not about, and what it left untold', () => {
  const [scenario] = results.scenarios.filter(({ verdict }) => verdict === 'fail')
  const [profile] = results.profiles
  const [rule] = profile!.rules
  const found = { scenario: 'a/fail', problem: 'odd', count: 1, announced: false }
  const rules = [
    { ...rule!, id: 'MODL-02', broken_by: [found] },
    {
      ...rule!,
      id: 'AUTH-03',
      state: 'untold' as const,
      broken_by: [],
      untold_by: [{ scenario: 'a/fail', reason: 'x' }],
    },
  ]
  const page = toHtml({ ...results, scenarios: [scenario!], profiles: [{ ...profile!, rules }] })
  const words = page.replace(/<[^>]+>/g, '')
  expect(words).toContain('Counts for AUTH-03. Breaks MODL-02. It is not about MODL-02: ')
  expect(words).toContain('Ended before it told of AUTH-03.')
  expect(page).toContain('<a href="#MODL-02">')
})

test('the page says what its words mean, and that what is not claimed decides nothing', () => {
  const claimed = { ...results.target, claims: ['given' as const] }
  const page = toHtml({ ...results, selection: whole, target: claimed })
  for (const word of ['given', 'chosen', 'untold', 'universal', 'hook'])
    expect(page).toContain(`<dt>${word}</dt>`)
  expect(page).toMatch(/class="idle"><span>\w+, not claimed: decides nothing</)
  expect(page).toMatch(/: 0 kept, <b>1 broken<\/b>, \d+ partly shown, \d+ untold/)
})

test('of a product the page links an address of the web, and shows any other as text', () => {
  const judged = (url: string) => toHtml({ ...results, product: { name: 'X', url } })
  expect(judged('https://x.example/a?b="c"')).toContain(
    '<a href="https://x.example/a?b=%22c%22" rel="noreferrer">',
  )
  expect(judged('javascript:alert(1)')).not.toContain('href="javascript')
})

test('a link of the page leads somewhere, and what every exchange is held to shows one', () => {
  const odd = { rules: ['ERR-03'] as const, origin: 'given' as const, problem: 'odd', exchange }
  const bare = { ...outcome('fail', ['AUTH-01']), exchanges: [] }
  const outcomes = [{ ...outcome('pass'), violations: [odd, odd] }, bare, outcome('error', ['AUTH-02'])]
  const own = describeRun({ ...run, outcomes }, createRedactor([KEY]))
  expect(isConformanceResults(own)).toBe(true)
  const page = toHtml(own)
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, place]) => place)
  const places = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, place]) => place))
  expect(links.length).toBeGreaterThan(2)
  expect(links.filter((place) => !places.has(place!))).toEqual([])
  const universal = page.slice(page.indexOf('<b>universal, ERR-03</b>'))
  expect(universal).toMatch(
    / in 2 answers or events of streams at the router: [\s\S]*POST http:\/\/x\/v1\/chat\/completions\?key=\[secret\] → 401/,
  )
})

describe('a failure that was announced is told with its reason, and with what to do', () => {
  const announced = (scenario: string, check?: string) => ({
    scenario,
    reason: 'issue 123',
    ...(check && { check }),
  })
  const judged = (change: Partial<Target>, outcomes: readonly Outcome[]) =>
    describeRun({ ...run, target: { ...target, ...change }, outcomes }, createRedactor([KEY]))
  const odd: Outcome = {
    ...outcome('pass'),
    violations: [{ rules: ['ERR-03'], origin: 'given', problem: 'odd' }],
  }
  test.each<[string, Partial<Target>, readonly Outcome[], string, RegExp]>([
    [
      'that occurs',
      { expectedFailures: [{ ...announced('a/fail'), until: '2030-01-31' }] },
      [outcome('fail')],
      'failed',
      /a\/fail fails as announced, until 2030-01-31\./,
    ],
    [
      'that passes',
      { expectedFailures: [announced('a/pass')] },
      [outcome('pass')],
      'passed',
      /a\/pass was announced to fail, and passes, .* take its line out/,
    ],
    [
      'that fails otherwise',
      { expectedFailures: [announced('a/fail', 'AUTH-01')] },
      [outcome('fail')],
      'otherwise',
      /a\/fail, AUTH-01 fails otherwise/,
    ],
    [
      'that did not run',
      { expectedFailures: [announced('a/not-testable')] },
      [outcome('not-testable')],
      'not-run',
      /did not run: nothing is known/,
    ],
    [
      'of every exchange',
      { expectedFailures: [announced('universal', 'ERR-03')] },
      [odd],
      'failed',
      /universal, ERR-03 fails as announced/,
    ],
    [
      'of every exchange that none broke',
      { expectedFailures: [announced('universal', 'ERR-01')] },
      [odd],
      'passed',
      /universal, ERR-01 was announced, and no exchange broke it: take/,
    ],
    [
      'whose day is over',
      { overdue: [{ ...announced('a/fail'), until: '2026-01-31' }] },
      [outcome('fail')],
      'over',
      /a\/fail was announced until 2026-01-31, which is over/,
    ],
  ])('one %s', (_, change, outcomes, became, words) => {
    const own = judged(change, outcomes)
    expect(isConformanceResults(own)).toBe(true)
    expect(own.announced).toMatchObject([{ outcome: became, reason: 'issue 123' }])
    for (const report of [summarize, toHtml]) {
      expect(report(own)).toMatch(words)
      expect(report(own)).toContain('Reason: issue 123')
    }
    expect(toMarkdown(own).replaceAll('\\', '')).toMatch(words)
  })

  test('and its rules are marked wherever broken ones are listed, in JUnit with the reason', () => {
    const own = judged({ expectedFailures: [announced('a/fail')] }, [outcome('fail')])
    expect(summarize(own)).toMatch(/broken by a\/fail, as announced: [\s\S]* 1 broken \(1 as announced\)/)
    expect(toMarkdown(own)).toContain('| broken, as announced |')
    expect(toHtml(own)).toContain('broken, as announced')
    expect(toJUnit(own)).toContain('<skipped message="announced failure (issue 123): it showed [secret]"/>')
  })
})

test('what breaks rules is told once on a terminal, with the verdict at its end', () => {
  const screen = { text: '', write: (text: string) => (screen.text += text) }
  const { redact } = createRedactor([KEY])
  createProgress(screen, 1, () => 'as announced').outcome(outcome('fail'), redact)
  expect(screen.text).toBe('fail  a/fail (router, as announced)\n1/1\n')
  const told = summarize(results)
  expect(told.indexOf('router: ')).toBeGreaterThan(told.indexOf('broken by a/fail'))
  expect(told.trim().split('\n').at(-1)).toMatch(/^ {2}chosen /)
})

test('where one rule was asked for it stands first, and others are named behind it', () => {
  const outcomes = [
    outcome('fail'),
    {
      ...outcome('pass'),
      violations: [{ rules: ['ERR-01'] as const, origin: 'given' as const, problem: 'odd' }],
    },
  ]
  const selection = { ...run.selection, grep: [], rules: ['AUTH-03'] }
  const told = summarize(describeRun({ ...run, selection, outcomes }, createRedactor([KEY])))
  expect(told).toMatch(
    /broken by a\/fail[\s\S]*Found beside what was asked for:\n +ERR-01 by universal: odd\n/,
  )
})

test('nothing that a product says is read as HTML, and the page asks nobody for anything', () => {
  const hostile = '<img src=x onerror="alert(1)">\u202e'
  const [scenario] = results.scenarios.filter(({ verdict }) => verdict === 'fail')
  const told = { ...scenario!, problems: [hostile], title: hostile }
  const product = { name: hostile, url: hostile }
  const page = toHtml({ ...results, product, scenarios: [told] })
  expect(page).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;\\u202e')
  expect(page).not.toMatch(/<img|\u202e/)
  expect(page).toContain("default-src 'none'")
  expect(page).not.toMatch(/(?:src|href)="https?:/)
})

test.each([undefined, '', '/srv/docs', 'javascript:alert(1)'])(
  'with %j in place of a site no report leads anywhere',
  (site) => {
    vi.stubEnv('CONFORMANCE_DOCS', site)
    onTestFinished(() => void vi.unstubAllEnvs())
    for (const text of [toHtml(results), toMarkdown(results), summarize(results)])
      expect(text).not.toContain('/rules/AUTH-03')
  },
)

test('no name of a rule in the results of others is read as Markdown or as HTML', () => {
  const [profile] = results.profiles
  const rules = profile!.rules.map((rule) => ({ ...rule, id: '<img src=x> [a](b)' }))
  const foreign = JSON.parse(JSON.stringify({ ...results, profiles: [{ ...profile, rules }] }))
  expect(isConformanceResults(foreign)).toBe(true)
  const told = toMarkdown(foreign)
  expect(told).toContain('| \\<img src=x\\> \\[a\\](b) |')
  expect(told).not.toMatch(/[^\\]<img/)
})

test('where a site of the documents is named, reports lead to the page of each rule', () => {
  vi.stubEnv('CONFORMANCE_DOCS', 'https://docs.example/router/')
  onTestFinished(() => void vi.unstubAllEnvs())
  const page = 'https://docs.example/router/rules/AUTH-03.html'
  expect(toHtml(results)).toContain(`<a href="${page}" rel="noreferrer">AUTH-03</a>`)
  expect(toMarkdown(results)).toContain(`| [AUTH-03](${page}) |`)
  expect(summarize(results)).toMatch(
    /\nEach rule .*: https:\/\/docs\.example\/router\/rules\/[A-Z]+-\d+\.html\n/,
  )
})

test('no address of a site becomes HTML', () => {
  vi.stubEnv('CONFORMANCE_DOCS', 'https://docs.example/"><img src=x>')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(toHtml(results)).not.toContain('<img')
})

test('a line for the shell says the same again, whatever stands in it', () => {
  const [failed] = results.scenarios.filter(({ verdict }) => verdict === 'fail')
  const line = toCurl({ ...failed!.exchanges[0]!, request_body: `{"a":"it's $HOME"}` })
  expect(line).toMatch(/^curl -i -X 'POST' 'http:\/\/x\/v1\/chat\/completions\?key=\[secret\]' /)
  expect(line).toContain('-H "Authorization: Bearer $CONFORMANCE_KEY"')
  expect(line).toContain(`--data-binary '{"a":"it'\\''s $HOME"}'`)
})

test('a sentence says how many given rules are kept, and what is left out', () => {
  const judged = { ...results, selection: whole, product: { name: 'X', version: '1.4' } }
  const [one] = sentencesOf(judged)
  expect(one).toMatch(
    /^X 1\.4 keeps 0 of 1 given rules, breaks 1 \(router, suite \S+, without embeddings and invitations\)\.$/,
  )
  const [profile] = judged.profiles
  const [other] = sentencesOf({ ...judged, profiles: [{ ...profile!, without: [] }] })
  expect(other).not.toContain('without')
})

test('every report says beside the verdict what is left out', () => {
  const [profile] = results.profiles
  const judged = {
    ...results,
    selection: whole,
    profiles: [{ ...profile!, verdict: 'conformant' as const, without: ['embeddings' as const] }],
  }
  expect(summarize(judged)).toContain('router: CONFORMANT, without embeddings\n')
  expect(toMarkdown(judged)).toContain('## router: conformant, without embeddings\n')
  expect(toHtml(judged)).toContain('<span class="conformant">conformant</span>, without embeddings</h2>')
  expect(toBadge(judged)).toContain('conformant: 0 of 1, without embeddings')
  expect(sentencesOf(judged)[0]).toContain(', without embeddings).')
})

test('what is untold is said apart from what is not kept, and a badge is short', () => {
  const [profile] = results.profiles
  const given = {
    ...profile!.given,
    rules_kept: 8,
    rules_broken: ['AUTH-03'],
    rules_untold: ['EP-01', 'EP-02'],
  }
  const judged = { ...results, selection: whole, profiles: [{ ...profile!, given }] }
  expect(sentencesOf(judged)[0]).toContain(
    ' keeps 8 of the 9 given rules that were told, breaks 1, 2 are untold (router',
  )
  const badge = toBadge(judged)
  expect(badge).toMatch(/>failing: 8 of 9 told, 2 untold<\/text>/)
  expect(badge).toMatch(/aria-label="[^"]*, without embeddings and invitations"/)
  expect(Number(/width="(\d+)"/.exec(badge)?.[1])).toBeLessThan(320)
})

test.each([
  [{ rules: ['AUTH-03'] }, '--rule AUTH-03'],
  [{ grep: ['authentication/'] }, '--grep authentication/'],
  [{ origin: 'given' as const }, '--origin given'],
])('a run of a part (%o) calls nobody conformant, and each report names the part', (part, option) => {
  const [profile] = results.profiles
  const good = { ...profile!.given, verdict: 'conformant' as const }
  const kept = { ...profile!, verdict: 'conformant' as const, given: good, chosen: good, rules: [] }
  const judged = { ...results, selection: { ...whole, ...part }, profiles: [kept] }
  for (const report of [summarize, toMarkdown, toHtml]) {
    expect(report(judged)).toMatch(/all kept/i)
    expect(report(judged)).toContain(option)
    expect(report(judged)).not.toMatch(/CONFORMANT|[ >:]conformant[<, :]/)
  }
  expect(sentencesOf(judged)[0]).toContain(`given rules that ${option} selects, breaks 1 (router`)
  expect(summarize({ ...judged, selection: whole })).toContain('router: CONFORMANT')
})

test('two runs are compared rule by rule, and a step back is told apart', () => {
  const [profile] = results.profiles
  const turned = (state: 'kept' | 'broken' | 'untold') => ({
    ...results,
    profiles: [{ ...profile!, rules: profile!.rules.map((rule) => ({ ...rule, state })) }],
  })
  const states = (before: 'kept' | 'broken' | 'untold', after: 'kept' | 'broken' | 'untold') =>
    changesOf(turned(before), turned(after)).map((change) => [change.id, change.after, isWorse(change)])
  expect(states('kept', 'kept')).toEqual([])
  expect(states('kept', 'broken')).toEqual([['AUTH-03', 'broken', true]])
  expect(states('kept', 'untold')).toEqual([['AUTH-03', 'untold', true]])
  expect(states('untold', 'broken')).toEqual([['AUTH-03', 'broken', false]])
  expect(changesOf(turned('untold'), turned('broken')).map(isNewlySeen)).toEqual([true])
  expect(changesOf(turned('kept'), turned('broken')).map(isNewlySeen)).toEqual([false])
  expect(states('broken', 'kept')).toEqual([['AUTH-03', 'kept', false]])
  expect(changesOf(turned('kept'), { ...results, profiles: [] })).toMatchObject([
    { before: 'kept', after: null },
  ])
})

test('two runs that did not ask the same are told apart by what differs', () => {
  const hooks = ['createKey', 'createWorkspace']
  const other = { ...results, target: { ...results.target, hooks, may_generate: false } }
  expect(differencesOf(results, results)).toEqual([])
  expect(differencesOf(results, other)).toEqual([
    'hooks: none → createKey, createWorkspace',
    'mayGenerate: true → false',
  ])
})

test('another product, more patience and a verifier that is its own are told as differences, a version is not', () => {
  const { product, target: file } = results
  const other = {
    ...{ ...results, product: { ...product, version: '2' } },
    target: { ...file, slack: 9, verifier: { same_product: true } },
  }
  expect(differencesOf(results, { ...results, product: { ...product, version: '2' } })).toEqual([])
  expect(differencesOf(results, { ...other, product: { name: 'Another' } })).toEqual([
    'the product: product → Another',
    'timing.slack: 1 → 9',
    'verifier: none → the same product',
  ])
})

test.each([
  [true, 'counts for the proxy'],
  [false, 'by what it was served alone'],
])('each report says on what the verdict on a proxy rests (its own verifier: %s)', (same_product, words) => {
  const [router] = results.profiles
  const claimed = { ...results, target: { ...results.target, verifier: { same_product } } }
  const judged = { ...claimed, profiles: [{ ...router!, profile: 'proxy' as const }] }
  for (const report of [toMarkdown, toHtml, summarize]) {
    expect(report(judged)).toContain(words)
    expect(report(claimed)).not.toContain(words)
  }
})
