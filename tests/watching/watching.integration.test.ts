import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { failed } from '#egress/testing/admissions.ts'
import { TestClock } from '#egress/testing/clock.ts'
import { ask, closeWorlds, secondIdentity, startWorld as startProxyWorld } from '../../proxy/testing/world.ts'
import { startTestGateway, type TestGateway } from '../gateway.ts'
import { type RouterProcess, startRouterProcess } from '../router-process.ts'
import { chat, demoModel } from '../service.ts'
import { startWorld, upstreamModel, type World } from '../upstream.ts'
import { type Families, readFamilies } from './families.ts'
import { judgeQuery } from './query.ts'

const DEPLOY = join(import.meta.dirname, '../../deploy')
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8')

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: { readonly summary: string }
}

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly {
    readonly refId: string
    readonly expr: string
    readonly legendFormat: string
  }[]
}

const { groups } = parse(read('prometheus/alerts.yaml')) as { groups: { rules: Alert[] }[] }
const alerts = groups.flatMap(({ rules }) => rules)
const { panels } = JSON.parse(read('grafana/router.json')) as { panels: Panel[] }
const drawn = panels.flatMap(({ title, targets = [] }) =>
  // Grafana chooses the time by the width of the screen.
  targets.map(({ expr, legendFormat }) => ({
    ...{ title, legendFormat },
    expr: expr.replaceAll('$__rate_interval', '5m'),
  })),
)

const MINUTE = 60_000
const folder = mkdtempSync(join(tmpdir(), 'watching-'))
let world: World
let gateway: TestGateway
let withCells: RouterProcess
let families: Families

beforeAll(async () => {
  // An own endpoint whose platform publishes: nothing has to be forwarded by it.
  gateway = await startTestGateway('http://127.0.0.1:9')
  const { endpoint } = gateway
  world = await startWorld({
    endpoints: [endpoint],
    models: (url) => [demoModel(url, { endpoint }), upstreamModel(url)],
  })
  const home = await world.server.createDatabase()
  const other = await world.server.createDatabase()
  const cells = [{ name: 'other', url: other }]
  withCells = await startRouterProcess(home, world.backend.url, { cells })
  families = readFamilies([
    await seeRouter(),
    await scrape(withCells.adminUrl),
    await seeProxy(),
    prometheus(),
  ])
})

afterAll(async () => {
  await withCells?.kill()
  await world?.stop()
  await gateway?.close()
  await closeWorlds()
  rmSync(folder, { recursive: true, force: true })
})

const scrape = async (adminUrl: string) => await (await fetch(`${adminUrl}/metrics`)).text()

/** What a router publishes to which everything has happened once that a query asks about. */
async function seeRouter(): Promise<string> {
  const say = (script: string) => ({ messages: [{ role: 'user', content: `Hello [script:${script}]` }] })
  const answers = [{ stream: true }, { ...say('html') }, { ...say('cut'), stream: true }]
  for (const body of answers) await (await chat(world, world.apiKey, body)).text()
  await (await chat(world, 'sk-nobody', {})).text()
  await world.backend.play({ rules: [{ usage: 'zero' }] })
  await (await chat(world, world.apiKey, { stream: true })).text()
  return await vi.waitFor(async () => {
    const text = await scrape(world.adminUrl)
    for (const name of ['router_evidence_age', 'router_usage_doubtful_total', 'router_holds_open']) {
      expect(text).toMatch(new RegExp(`^${name}[{ ]`, 'm'))
    }
    return text
  })
}

/** What a proxy publishes that keeps a journal, and to which a stranger has answered. */
async function seeProxy(): Promise<string> {
  const clock = new TestClock()
  const proxy = await startProxyWorld({ clock, journal: join(folder, 'journal.jsonl') })
  await ask(proxy)
  proxy.judge(failed('jws', 'signature_invalid', secondIdentity.fingerprint))
  await clock.pass(4 * MINUTE)
  return await scrape(proxy.adminUrl)
}

/** What Prometheus writes down of each target by itself. */
function prometheus(): string {
  const { scrape_configs: jobs } = parse(read('prometheus/prometheus.yml'))
  const lines = jobs.map(({ job_name: job }: { job_name: string }) => `up{job="${job}"} 1\n`)
  return `# TYPE up gauge\n${lines.join('')}`
}

/** The labels that a text of Prometheus' or Grafana's puts in. */
const labelsIn = (text: string) =>
  [...text.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)].map(([, one]) => one!)

test('there are alerts and panels, each by a name of its own', () => {
  expect(alerts.length).toBeGreaterThan(25)
  expect(drawn.length).toBeGreaterThan(40)
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})

test.each(alerts)(
  '$alert asks for what is published, and tells what it can',
  ({ expr, annotations, labels }) => {
    const judged = judgeQuery(expr, families)
    expect(judged.mistakes).toEqual([])
    for (const label of labelsIn(annotations.summary)) expect(judged.labels).toContain(label)
    expect(['page', 'ticket']).toContain(labels.severity)
  },
)

test.each(drawn)('“$title” draws what is published: $expr', ({ expr, legendFormat }) => {
  const judged = judgeQuery(expr, families)
  expect(judged.mistakes).toEqual([])
  for (const label of labelsIn(legendFormat)) expect(judged.labels).toContain(label)
})

test('no two panels lie over each other', () => {
  const taken = new Map<string, string>()
  for (const { title, gridPos } of panels) {
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    for (let row = 0; row < gridPos.h * gridPos.w; row++) {
      const cell = `${gridPos.x + (row % gridPos.w)},${gridPos.y + Math.floor(row / gridPos.w)}`
      expect(`${title} over ${taken.get(cell)}`).toBe(`${title} over undefined`)
      taken.set(cell, title)
    }
  }
})

test('the page for operators says of each alert what to do', () => {
  const page = readFileSync(join(DEPLOY, '../docs/operator.md'), 'utf8')
  const told = [...page.matchAll(/^\| `((?:Router|Proxy)\w+)` \| \S.* \| \S.* \|$/gm)].map(([, name]) => name)
  expect(told).toEqual(alerts.map(({ alert }) => alert))
})
