import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { discover } from '../engine/discover.ts'
import { createHooks } from '../engine/hooks.ts'
import { brokenRules } from '../engine/rule-states.ts'
import type { Scenario } from '../engine/scenario.ts'
import { runSuite } from '../engine/suite.ts'
import { loadTarget } from '../engine/target.ts'
import { judgeProfile } from '../engine/verdict.ts'
import { createBackend } from '../stand-ins/backend/backend.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'reports', '1.0.0', 'hundred-lines')
const KEY = 'sk-hundred-lines'

const backend = await createBackend({ paceMs: 0 })
const server = spawn(process.execPath, [join(FOLDER, 'server.js')], {
  env: { ...process.env, API_KEY: KEY, BACKEND: backend.url, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
})

afterAll(async () => {
  server.kill()
  await backend.close()
})

/** The rules in the first column of the page's table. */
function listed(): readonly string[] {
  const rows = readFileSync(join(FOLDER, 'README.md'), 'utf8').matchAll(/^\| ([A-Z]+-\d\d[^|]*) \|/gm)
  return [...rows].flatMap(([, ids = '']) => ids.split(', '))
}

test('a gateway of a hundred lines breaks the given rules that its page lists, each with its reason, and no others', async () => {
  const [line] = (await once(server.stdout, 'data')) as [Buffer]
  const written = loadTarget(join(FOLDER, 'target.yaml'), { CONFORMANCE_KEY: KEY })
  const hooks = { backendScript: { url: backend.controlUrl } }
  const target = { ...written, baseUrl: String(line).trim(), hooks }
  const scenarios = (await discover()).map(({ scenario }) => scenario)
  const run = (some: readonly Scenario[], jobs: number) =>
    runSuite({
      ...{ target, scenarios: some, profiles: ['router'], jobs, isSlow: false, isJudging: true },
      ...{ hooks: createHooks({}), seed: 1, tellSecret: () => {} },
    })
  const known = new Set(listed())
  const first = await run(scenarios, 8)
  expect(first.filter(({ verdict }) => verdict === 'error').map(({ problems }) => problems)).toEqual([])
  // A busy machine may be late; who is convicted wrongly is so again, alone.
  const doubted = first.filter(
    (one) => one.verdict === 'fail' && brokenRules(one).some((rule) => !known.has(rule)),
  )
  const again = await run(
    doubted.map(({ scenario }) => scenario),
    1,
  )
  const outcomes = first.map((one) => again.find(({ scenario }) => scenario === one.scenario) ?? one)
  const { rules } = judgeProfile('router', outcomes, target)
  const broken = rules
    .filter(({ state, origin }) => state === 'broken' && origin === 'given')
    .map(({ id }) => id)
  expect(broken.toSorted()).toEqual([...known].toSorted())
}, 900_000)
