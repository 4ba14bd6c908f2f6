import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { ConformanceResults } from '#contract/models'
import { discover } from '../engine/discover.ts'
import { nonsense } from '../testing/nonsense.ts'

const LAUNCHER = join(import.meta.dirname, '..', '..', 'bin', 'conformance')
const folder = mkdtempSync(join(tmpdir(), 'conformance-run-'))
const server = createServer()

afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The file of a stranger who listens from then on; `more` stands in it as well. */
async function writeTarget(more: object = {}): Promise<string> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  const file = join(folder, 'target.yaml')
  const target = {
    product: { name: 'A stranger' },
    profiles: ['router'],
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    models: { chat: 'a/model' },
    ...more,
  }
  writeFileSync(file, stringify(target))
  return file
}

/** Judges a stranger, of whom there is no more than an address and a key. */
async function judge(listener: RequestListener, heed: (child: ReturnType<typeof spawn>) => void = () => {}) {
  server.removeAllListeners('request').on('request', listener)
  const file = await writeTarget({ keys: { active: `sk-tee-v1-${'a'.repeat(43)}` }, mayGenerate: true })
  const child = spawn(LAUNCHER, ['run', '--target', file, '--report-dir', folder], { stdio: 'pipe' })
  heed(child)
  child.stdout.resume()
  const [code] = await once(child, 'close')
  const results = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8')) as ConformanceResults
  return { code: code as number, results, junit: readFileSync(join(folder, 'junit.xml'), 'utf8') }
}

/** The cases of a JUnit file that are scenarios; what every exchange is held to has cases of its own. */
function scenariosIn(junit: string): readonly string[] {
  return (junit.match(/<testcase [^>]*>/g) ?? []).filter((one) => !/classname="[^"]*universal"/.test(one))
}

const ours = (await discover()).filter(({ scenario }) => scenario.subjects.includes('router')).length

test('a stranger whose streams are nonsense is failing, exit 1, and the reports are whole', async () => {
  const { code, results, junit } = await judge(nonsense['event streams of nonsense']!() as RequestListener)
  expect(code).toBe(1)
  expect(results.scenarios).toHaveLength(ours)
  expect(results.profiles[0]?.verdict).toBe('failing')
  expect(scenariosIn(junit)).toHaveLength(ours)
})

test('a target whose model is not there is told in one sentence, exit 2, and nothing is judged', async () => {
  const other: RequestListener = (incoming, response) => {
    response.statusCode = incoming.url === '/v1/models' ? 200 : 404
    response.end(JSON.stringify({ data: [{ id: 'another/model' }] }))
  }
  rmSync(join(folder, 'results.json'), { force: true })
  const told: string[] = []
  let code: number | null = null
  const judged = judge(other, (child) => {
    child.stderr?.on('data', (text) => told.push(String(text)))
    child.once('close', (own) => (code = own))
  })
  await expect(judged).rejects.toThrow('ENOENT')
  expect(code).toBe(2)
  expect(told.join('')).toMatch(/^Nothing was judged\. The router has no model a\/model, .* another\/model\./)
})

test('a run that is asked to end reports what it has, exit 2', async () => {
  let answered = 0
  const first: RequestListener = (incoming, response) => {
    // The first answers show that somebody is there, who takes the key and serves the model.
    if (incoming.headers.authorization === undefined || answered++ < 3) response.end('{}')
  }
  const told: string[] = []
  const { code, results, junit } = await judge(first, (child) => {
    child.stderr?.on('data', (text: Buffer) => {
      told.push(text.toString())
      if (text.includes('runs of')) setTimeout(() => child.kill('SIGTERM'), 300)
    })
  })
  expect(code).toBe(2)
  expect(results.scenarios).toHaveLength(ours)
  const stopped = results.scenarios.filter(({ problems }) => problems[0]?.includes('stopped by SIGTERM'))
  expect(stopped.length).toBeGreaterThan(20)
  expect(new Set(stopped.map(({ problems }) => problems.join()))).toEqual(
    new Set(['the run was stopped by SIGTERM']),
  )
  // It is told once, in each report, and not for each of them.
  expect(told.join('')).not.toContain('stopped by SIGTERM')
  expect(results.faults).toEqual(['the run was stopped by SIGTERM'])
  for (const [report, line] of [
    ['report.md', '- **Not all of it was asked:** the run was stopped by SIGTERM'],
    ['report.html', '>Not all of it was asked: the run was stopped by SIGTERM<'],
  ] as const)
    expect(readFileSync(join(folder, report), 'utf8')).toContain(line)
  const badge = spawn(LAUNCHER, ['report', join(folder, 'results.json'), '--form', 'badge'], {
    stdio: 'pipe',
  })
  const [drawn, why] = await Promise.all([text(badge.stdout), text(badge.stderr), once(badge, 'close')])
  expect([badge.exitCode, drawn]).toEqual([64, ''])
  expect(why).toMatch(/no whole run: the run was stopped by SIGTERM\. There is no badge/)
  expect(scenariosIn(junit)).toHaveLength(ours)
})

test('a router that is killed during a run leaves errors, exit 2, and whole reports', async () => {
  let answered = 0
  const dying: RequestListener = (_, response) => {
    response.setHeader('content-type', 'application/json').end('{"object":"list","data":[]}')
    answered += 1
    if (answered < 60) return
    server.close()
    server.closeAllConnections()
  }
  const { code, results, junit } = await judge(dying)
  expect(code).toBe(2)
  expect(results.scenarios).toHaveLength(ours)
  const missed = results.scenarios.filter(({ problems }) => problems[0]?.includes('nothing answers at http'))
  expect(missed.length).toBeGreaterThan(20)
  expect(new Set(missed.map(({ verdict }) => verdict))).toEqual(new Set(['error']))
  // What is wrong with a router is found nowhere in the suite.
  expect(missed.flatMap(({ problems }) => problems).filter((one) => /\n\s+at /.test(one))).toEqual([])
  const ids = new Set(missed.map(({ id }) => id))
  const blamed = results.profiles[0]?.rules.flatMap(({ broken_by }) =>
    broken_by.filter(({ scenario }) => ids.has(scenario)),
  )
  expect(blamed).toEqual([])
  expect(scenariosIn(junit)).toHaveLength(ours)
})

test('one scenario can be run alone, and shows all that was said but the key', async () => {
  server.removeAllListeners('request').on('request', (_, response) => response.end('{}'))
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  const file = join(folder, 'alone.yaml')
  const key = `sk-tee-v1-${'b'.repeat(43)}`
  const target = {
    product: { name: 'A stranger' },
    profiles: ['router'],
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    models: { chat: 'a/model' },
    keys: { active: key },
    headers: { 'X-Provider': 'openai', 'x-gateway-key': 'a-gateway-key' },
  }
  writeFileSync(file, stringify(target))
  const replay = async (id: string) => {
    const child = spawn(LAUNCHER, ['replay', id, '--target', file, '--seed', '7'], { stdio: 'pipe' })
    const [told, complaint] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    return { told, complaint, code: child.exitCode }
  }
  const { told, code } = await replay('models/entry')
  expect(code).toBe(1)
  expect(told).toContain('seed 7\n')
  expect(told).toMatch(/1\. GET http:\/\/127\.0\.0\.1:\d+\/v1\/models\n/)
  expect(told).toContain('  < {}\n')
  expect(told).toMatch(/\nfail models\/entry \(router\)\n {2}\| /)
  expect(told).toContain('  > x-provider: openai\n  > x-gateway-key: [secret]\n')
  expect(told).not.toContain(key)
  expect((await replay('models/nowhere')).code).toBe(64)
  // What its exchange broke beside is named, and universal says what it is.
  expect(told).toMatch(/\n {2}universal: HDR-09: the response has no X-Request-Id\n/)
  const universal = await replay('universal')
  expect([universal.code, universal.complaint]).toEqual([
    64,
    expect.stringContaining('every exchange is held to'),
  ])
})

test.each([
  ['that is missing', 'nowhere.json', /nowhere\.json is missing: `run --report-dir` writes it/],
  ['of something else', 'package.json', /package\.json holds no results of this suite\./],
  ['that is no JSON', 'README.md', /README\.md is no JSON/],
])('a file of results %s is told in one sentence, exit 64', async (_, file, sentence) => {
  const child = spawn(LAUNCHER, ['diff', file, file], { stdio: 'pipe', cwd: join(LAUNCHER, '..', '..') })
  const [told] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect([child.exitCode, told.trim().split('\n').length]).toEqual([64, 1])
  expect(told).toMatch(sentence)
})

test('results of another version are told as such', async () => {
  const file = join(folder, 'older.json')
  writeFileSync(
    file,
    JSON.stringify({ version: 1, suite: { version: '0.9.0' }, scenarios: [], profiles: [] }),
  )
  const child = spawn(LAUNCHER, ['report', file], { stdio: 'pipe' })
  const [told] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect(child.exitCode).toBe(64)
  expect(told).toMatch(/older\.json holds results of another version of this suite \(0\.9\.0\): judge anew/)
})

test('a folder that takes no reports is told before anything is judged, exit 64', async () => {
  let asked = 0
  server.removeAllListeners('request').on('request', (_, response) => {
    asked += 1
    response.end('{}')
  })
  const told: string[] = []
  const inTheWay = join(folder, 'target.yaml')
  const { code } = await start(inTheWay, told)
  expect([code, asked]).toEqual([64, 0])
  expect(told.join('')).toMatch(/^No report can be written to .*target\.yaml: EEXIST.*\n$/)
})

test('what was judged is told where its reports cannot be written at the end, exit 2', async () => {
  server.removeAllListeners('request').on('request', (_, response) => response.end('{}'))
  const reports = join(folder, 'taken')
  mkdirSync(join(reports, 'report.html'), { recursive: true })
  const told: string[] = []
  const { code, said } = await start(reports, told, ['--grep', 'authentication/'])
  expect(code).toBe(2)
  expect(said).toMatch(/^router: /m)
  expect(said).not.toContain('All of it: open')
  expect(told.join('')).toMatch(/\nThe reports are not written: EISDIR.*\n$/)
})

test('a rule that there is not is told, and selects nothing, exit 64', async () => {
  const told: string[] = []
  const { code } = await start(folder, told, ['--rule', 'ERR-09', '--rule', 'err-01'])
  expect([code, told.join('')]).toEqual([64, 'There is no rule err-01.\n'])
})

/** A run of a target file that is there, with reports in a folder. */
async function start(reports: string, told: string[], more: readonly string[] = []) {
  const file = await writeTarget()
  const child = spawn(LAUNCHER, ['run', '--target', file, '--report-dir', reports, ...more], {
    stdio: 'pipe',
  })
  child.stderr.on('data', (text) => told.push(String(text)))
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { code: child.exitCode, said }
}
