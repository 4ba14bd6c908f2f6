import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { brokenText, flawsOf, forbidden } from '#base/testing/hostile-text.ts'
import { ConfigError } from '../config/error.ts'
import { toBadge } from '../conformance/report/badge.ts'
import { toHtml } from '../conformance/report/html/page.ts'
import { toJUnit } from '../conformance/report/junit.ts'
import { toMarkdown } from '../conformance/report/markdown.ts'
import { sentencesOf } from '../conformance/report/sentence.ts'
import { createProgress, summarize } from '../conformance/report/terminal.ts'
import { createLog as createPlatformLog } from '../platform/log.ts'
import { renderMetrics } from '../proxy/admin/metrics.ts'
import { renderPage } from '../proxy/admin/page.ts'
import type { ProxyView } from '../proxy/admin/view.ts'
import { createLog as createProxyLog } from '../proxy/log.ts'
import { Tally } from '../proxy/tally.ts'
import { createLog as createRouterLog } from '../server/commands/log.ts'
import { drawBox } from '../stack/boxes.ts'
import { createPalette } from '../stack/palette.ts'
import { createStory } from '../stack/story.ts'

/** What an error of the outside world's may carry. */
function errorOf(text: string): Error {
  const cause = Object.assign(new Error(text), { code: text })
  return Object.assign(new Error(text, { cause }), { name: text })
}

/** A log line is JSON with the very values that were told, and shows all of them. */
function expectLogLine(line: string, text: string): void {
  expect(line.endsWith('\n')).toBe(true)
  expect(line.slice(0, -1)).not.toMatch(forbidden)
  expect(JSON.stringify(JSON.parse(line))).toContain(JSON.stringify(text).slice(1, -1))
}

test('a line of the proxy’s log and of the platform’s shows foreign text, and holds its value', () => {
  fc.assert(
    fc.property(brokenText, (text) => {
      const lines: string[] = []
      const log = createProxyLog((line) => lines.push(line))
      log.warn(text, { endpoint: text, reason: text, error: errorOf(text) })
      createPlatformLog(
        (line) => lines.push(line),
        () => new Date(),
      ).info(text, { change: text, cause: text })
      for (const line of lines) expectLogLine(line, text)
      expect(lines).toHaveLength(2)
    }),
  )
})

test('a line of the router’s log shows foreign text, and holds its value', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'log')
  const fd = openSync(file, 'a')
  const log = createRouterLog('info', fd)
  const texts = fc.sample(brokenText, 100)
  for (const text of texts)
    log.error(text, { requestId: text, backend: text, path: text, error: errorOf(text) })
  const lines = () => readFileSync(file, 'utf8').split(/(?<=\n)/)
  await vi.waitFor(() => expect(lines()).toHaveLength(texts.length), { timeout: 10_000 })
  closeSync(fd)
  for (const [index, text] of texts.entries()) expectLogLine(lines()[index]!, text)
})

function viewOf(text: string): ProxyView {
  const tally = new Tally()
  tally.check({ kind: 'failed', ground: { stage: text, reason: text } } as never, false)
  const verdict = {
    state: 'denied',
    stage: text,
    reason: text,
    since: '2030-01-01T00:00:00Z',
    age_ms: 1,
  } as const
  const requests = { forwarded: 0, refused: 0, running: 0 }
  const status = { name: text, hostname: text, listen: text, verdict, requests, next_check_in_ms: 1 }
  return {
    version: text,
    startedAt: new Date(0),
    isServing: () => true,
    journal: () => ({ state: 'writing', file: text, waiting_lines: 0, lost_lines: 0 }),
    endpoints: [{ tally, status: () => status as never, attest: async () => undefined }],
  }
}

test('the status page and the metrics show foreign text, and no markup of anybody else’s', () => {
  fc.assert(
    fc.property(brokenText, (text) => {
      const page = renderPage(viewOf(text))
      expect(flawsOf(page)).toEqual([])
      expect(page).not.toContain('<script')
      expect(flawsOf(renderMetrics(viewOf(text)))).toEqual([])
    }),
  )
})

/** What a product was asked and answered, as a report keeps it. */
function exchangeOf(text: string): object {
  const reads = [
    { at_ms: 1, bytes: 2 },
    { at_ms: 2, bytes: 3 },
  ]
  const sent = { request: `GET ${text}`, request_headers: { [text]: text }, request_body: text }
  return {
    ...sent,
    status: 200,
    headers: { [text]: text },
    body: text,
    ending: 'complete',
    head_ms: 1,
    end_ms: 3,
    reads,
  }
}

test('the suite tells a person and a report what a product answered, and shows it', () => {
  fc.assert(
    fc.property(brokenText, (text) => {
      const written: string[] = []
      const scenario = { id: 'a/b', title: 'A', rules: [], subjects: ['router'] } as never
      const outcome = { scenario, subject: 'router', verdict: 'fail', problems: [text, `it said ${text}`] }
      const progress = createProgress({ write: (piece) => written.push(piece) }, 1)
      progress.outcome(outcome as never, (one) => one)
      progress.end()
      const product = { name: text, version: text }
      const asked = {
        target: { claims: ['given'], features: [], hooks: [] },
        selection: { grep: [text], rules: [text], origin: null },
      }
      written.push(summarize({ product, ...asked, profiles: [], faults: [text], duration_ms: 1 } as never))
      expect(flawsOf(written.join(''))).toEqual([])
      const result = { ...outcome, id: 'a/b', title: text, duration_ms: 1, expected: null, fails: ['given'] }
      const rule = {
        ...{ id: 'AUTH-03', origin: 'given', section: text, text, state: 'broken', held: 0, untold_by: [] },
        broken_by: [text, 'universal'].map((one) => ({ scenario: one, problem: text, count: 1 })),
      }
      const counts = { rules_kept: 0, rules_broken: [], rules_partly: [], rules_untold: [], scenarios: {} }
      const role = {
        profile: 'router',
        verdict: 'failing',
        without: [],
        given: counts,
        chosen: counts,
        rules: [rule],
      }
      const told = {
        ...{
          product: { ...product, url: text, contact: text },
          profiles: [role],
          faults: [text],
          duration_ms: 1,
        },
        started_at: text,
        suite: { version: text, commit: text, interface_sha256: text, rules_sha256: text },
        ...asked,
        scenarios: [{ ...result, rules: [text], exchanges: [exchangeOf(text)] }],
      } as never
      const forms = [toMarkdown(told), summarize(told), toHtml(told), toBadge(told), ...sentencesOf(told)]
      forms.push(toJUnit(told))
      for (const line of forms.join('\n').split('\n')) expect(line).not.toMatch(forbidden)
    }),
  )
})

test('the starter shows what a model, a router and a log say', () => {
  fc.assert(
    fc.property(brokenText, (text) => {
      const written: string[] = []
      const palette = createPalette({}, {})
      const write = (piece: string) => void written.push(piece)
      const story = createStory({ write, palette, columns: 80, now: () => 0 })
      story.warn(text)
      story.list('Title', { name: text })
      const answer = story.ask(text)
      answer.write(text)
      answer.end()
      written.push(...drawBox('Title', [{ label: 'a', value: text, remark: text }], palette))
      // A model's own line ends are kept, and each of its lines has a mark before it.
      for (const line of written.join('').split('\n')) expect(line).not.toMatch(forbidden)
    }),
  )
})

test('a mistake of a configuration file is one line, whatever the file says', () => {
  fc.assert(
    fc.property(brokenText, (text) => {
      const { message } = new ConfigError(text, [{ path: 'a', message: text }])
      expect(message.split('\n')).toHaveLength(2)
      for (const line of message.split('\n')) expect(line).not.toMatch(forbidden)
    }),
  )
})
