// @module-tag redis-server

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { ConformanceResults, ConformanceTarget } from '#contract/models'
import { isConformanceResults } from '#contract/validators/conformance-results'
import { nullServer } from './testing/guilty.ts'
import { serve } from './testing/product.ts'
import { type Reference, startReference } from './testing/reference.ts'
import { externalTarget } from './testing/target-file.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/conformance', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'conformance-test-'))

let reference: Reference

beforeAll(async () => {
  reference = await startReference()
})

afterAll(async () => {
  await reference.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Ended {
  readonly code: number | null
  readonly output: string
  readonly complaints: string
}

async function conformance(...args: readonly string[]): Promise<Ended> {
  const child = spawn(LAUNCHER, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  // A run of minutes shows how far it is.
  if (args.includes('--slow')) child.stderr.pipe(process.stderr, { end: false })
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, output, complaints }
}

/** A target file that differs from the reference's. */
function targetWith(change: (target: ConformanceTarget) => ConformanceTarget): string {
  const file = join(folder, 'target.yaml')
  const target = parse(readFileSync(reference.targetFile, 'utf8')) as ConformanceTarget
  writeFileSync(file, stringify(change(target)))
  return file
}

/** Keys in the form that the router gives them; the scenarios' own examples are made of one letter. */
const REAL_KEY = /sk-tee-v1-(?!(.)\1{30})[A-Za-z0-9_-]{43}/

test('the reference passes everything: the router, the proxy before it, and the platform', async () => {
  const reports = join(folder, 'reports')
  const { code, output, complaints } = await conformance(
    ...['run', '--target', reference.targetFile, '--slow', '--jobs', '12', '--report-dir', reports],
  )
  const file = join(reports, 'results.json')
  const results = JSON.parse(readFileSync(file, 'utf8')) as ConformanceResults
  const others = results.scenarios.filter(({ verdict }) => verdict !== 'pass')
  expect(others.map(({ id, subject, verdict, problems }) => [id, subject, verdict, ...problems])).toEqual([])
  expect(code, complaints).toBe(0)
  expect(isConformanceResults(results)).toBe(true)
  expect(results.profiles.map(({ profile, verdict }) => [profile, verdict])).toEqual([
    ['router', 'conformant'],
    ['proxy', 'conformant'],
    ['platform', 'conformant'],
    ['console', 'conformant'],
  ])
  expect(output).toContain('router: CONFORMANT')
  const junit = readFileSync(join(reports, 'junit.xml'), 'utf8')
  expect(junit.match(/<testcase /g)).toHaveLength(results.scenarios.length)
  for (const report of [output, complaints, junit, JSON.stringify(results)])
    expect(report).not.toMatch(REAL_KEY)
}, 1_800_000)

test('so does the router with its models at an external upstream, wherever that can be seen', async () => {
  const reports = join(folder, 'external')
  const { code, output, complaints } = await conformance(
    ...['run', '--target', targetWith(externalTarget), '--jobs', '8', '--report-dir', reports],
  )
  const { product, scenarios } = JSON.parse(
    readFileSync(join(reports, 'results.json'), 'utf8'),
  ) as ConformanceResults
  expect(product.version).toBe('with its models at an external upstream')
  const counts = Object.groupBy(scenarios, ({ verdict }) => verdict)
  const others = [...(counts.fail ?? []), ...(counts.error ?? []), ...(counts.warn ?? [])]
  expect(others.map(({ id, verdict, problems }) => [id, verdict, ...problems])).toEqual([])
  // What needs an own endpoint, or breaks what surrounds it, is left out and said to be.
  expect(code, complaints).toBe(3)
  expect(output).toContain('router: PARTIAL')
  const passed = new Set(counts.pass?.map(({ id }) => id.split('/')[0]))
  for (const folder of ['chat', 'completions', 'embeddings', 'streams', 'metering', 'generations', 'credit'])
    expect(passed).toContain(folder)
  expect(counts.pass?.length).toBeGreaterThan(250)
}, 900_000)

test('without any control the read-only part still runs, and the rest is not testable: partial, exit 3', async () => {
  const { createWorkspace, createKey } = (
    parse(readFileSync(reference.targetFile, 'utf8')) as ConformanceTarget
  ).hooks!
  const ask = async (url = '', body = {}) =>
    (await (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json()) as Record<
      string,
      string
    >
  const { id } = await ask(createWorkspace?.url)
  const { api_key: active = '' } = await ask(createKey?.url, { workspace_id: id })
  const file = targetWith(({ hooks: _, ...target }) => ({
    ...target,
    profiles: ['router'],
    keys: { active },
  }))
  const { code, output, complaints } = await conformance('run', '--target', file, '--json')
  expect(code, complaints).toBe(3)
  const results = JSON.parse(output) as ConformanceResults
  const counts = Object.groupBy(results.scenarios, ({ verdict }) => verdict)
  expect(Object.keys(counts).toSorted()).toEqual(['not-testable', 'pass'])
  expect(counts.pass?.length).toBeGreaterThan(40)
  const unseen = new Map(counts['not-testable']?.map(({ id, problems }) => [id, problems]))
  for (const [id, problems] of unseen) expect([id, problems.length > 0]).toEqual([id, true])
  // What was not seen is kept by no rule, and named by each that it would tell of.
  const { rules } = results.profiles[0]!
  for (const { id, rules: own } of results.scenarios.filter((one) => unseen.has(one.id)))
    for (const rule of rules.filter((one) => own.includes(one.id)))
      expect([rule.id, rule.state, rule.untold_by.map(({ scenario }) => scenario)]).toEqual([
        rule.id,
        expect.stringMatching(/^(partly|untold)$/),
        expect.arrayContaining([id]),
      ])
  expect(`${output}${complaints}`).not.toContain(active)
})

test('a product that breaks rules fails: exit 1, the broken rules by name', async () => {
  const product = await serve(nullServer)
  const file = targetWith((target) => ({ ...target, profiles: ['router'], baseUrl: product.baseUrl }))
  const { code, output } = await conformance('run', '--target', file, '--grep', 'authentication/')
  product.stop()
  expect(code).toBe(1)
  expect(output).toMatch(/AUTH-03 +given[\s\S]*router: FAILING/)
})

test('an announced failure that does not occur fails; one that does leaves the verdict partial', async () => {
  const announce = (scenario: string) =>
    targetWith((target) => ({
      ...target,
      profiles: ['router'],
      expectedFailures: [{ scenario, reason: 'known' }],
    }))
  const id = 'authentication/missing-key'
  expect((await conformance('run', '--target', announce(id), '--grep', id)).code).toBe(1)
  const product = await serve(nullServer)
  const run = (...expectedFailures: ConformanceTarget['expectedFailures'] & object) => {
    const file = targetWith((target) => ({
      ...target,
      profiles: ['router'],
      baseUrl: product.baseUrl,
      expectedFailures,
    }))
    return conformance('run', '--target', file, '--grep', id, '--json')
  }
  const known = { scenario: id, reason: 'known' }
  // What every exchange is held to is announced by itself.
  const { code: alone, output } = await run(known)
  expect(alone).toBe(1)
  const { profiles } = JSON.parse(output) as ConformanceResults
  const broken = profiles.flatMap(({ rules }) =>
    rules.filter(({ broken_by }) => broken_by.some(({ scenario }) => scenario === 'universal')),
  )
  expect(broken.length).toBeGreaterThan(0)
  const universal = broken.map((rule) => ({ scenario: 'universal', check: rule.id, reason: 'known' }))
  const { code } = await run(known, ...universal)
  product.stop()
  expect(code).toBe(3)
})

test('what is no verdict has exit codes of its own', async () => {
  const unreachable = targetWith((target) => ({
    ...target,
    profiles: ['router'],
    baseUrl: 'http://127.0.0.1:9/v1',
  }))
  expect(await conformance('run', '--target', unreachable)).toMatchObject({
    code: 2,
    complaints: expect.stringContaining('Nothing answers at http://127.0.0.1:9/v1'),
  })
  const mistaken = targetWith((target) => ({ ...target, baseUrl: 'nowhere' }))
  expect(await conformance('run', '--target', mistaken)).toMatchObject({
    code: 64,
    complaints: expect.stringContaining('baseUrl'),
  })
  expect((await conformance('run')).code).toBe(64)
  expect((await conformance('run', '--target', reference.targetFile, '--grep', 'nothing-like-it')).code).toBe(
    64,
  )
  const nameless = targetWith(({ verifier: _, ...target }) => target)
  expect((await conformance('run', '--target', nameless, '--profile', 'verifier')).code).toBe(64)
})

test('doctor and list tell of target and suite', async () => {
  const doctor = await conformance('doctor', '--target', reference.targetFile)
  expect(doctor).toMatchObject({ code: 0, output: expect.stringContaining('ok    the hook debits') })
  const list = await conformance('list', '--json', '--origin', 'chosen')
  const { scenarios } = JSON.parse(list.output) as { scenarios: { origin: string }[] }
  expect(new Set(scenarios.map(({ origin }) => origin))).toEqual(new Set(['chosen']))
})

test('everything that must be shown is shown by that run: the coverage gate is open', async () => {
  const { code, output } = await conformance('coverage', '--results', join(folder, 'reports', 'results.json'))
  const [, missing = ''] = output.split(/things? must be shown and (?:are|is) not\n/)
  expect(missing).toBe('')
  expect(code).toBe(0)
  expect(output).toContain('Nothing is missing that must be shown.')
})
