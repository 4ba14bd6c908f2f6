import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Candidate, digestOf, type Json } from '#attestation'
import { compilePolicy, PolicyError } from './cel.ts'

const evidence: Json = {
  version: 2,
  resources: [
    {
      kind: 'Deployment',
      metadata: { labels: { 'app/name': 'router' } },
      spec: { replicas: 2, debug: false },
    },
    { kind: 'ConfigMap', data: { LOG_LEVEL: 'info' } },
  ],
}
const candidate: Candidate = {
  hostname: 'router.example',
  issuedAt: new Date('2030-01-01T00:00:00Z'),
  digest: digestOf('snapshot'),
  evidence,
}

/** What a policy says, or the name of its error. */
function answer(allow: string, about: Candidate = candidate): unknown {
  const { allows } = compilePolicy('test', allow)
  try {
    return allows(about)
  } catch (error) {
    return (error as Error).name
  }
}

test.each([
  ['evidence.version == 2', true],
  ['evidence.version > 2', false],
  ['evidence.resources.all(r, r.kind in ["Deployment", "ConfigMap"])', true],
  ['evidence.resources.exists(r, r.kind == "Secret")', false],
  [
    'evidence.resources.filter(r, r.kind == "Deployment").all(r, !r.spec.debug && r.spec.replicas >= 2)',
    true,
  ],
  ['evidence.resources[0].metadata.labels["app/name"] == "router"', true],
  ['evidence.resources.all(r, has(r.kind))', true],
  ['evidence.resources.all(r, has(r.data))', false],
  ['hostname.endsWith(".example")', true],
  [`digest == "${digestOf('snapshot')}"`, true],
  ['issuedAt > timestamp("2029-12-31T00:00:00Z")', true],
  ['evidence.resources[0].spec.debug', false],
])('%s is %j of what was signed', (allow, expected) => {
  expect(answer(allow)).toBe(expected)
})

test.each([
  'evidence.absent == 1',
  'evidence.resources.all(r, r.spec.replicas == 2)',
  'evidence.resources[2].kind == "Deployment"',
  'evidence.constructor == 1',
  'evidence.__proto__ == 1',
  'evidence.version + 1 == 3',
  'evidence.resources[0].kind.matches("(")',
])('%s asks for what is not there, which is an error and not false', (allow) => {
  expect(answer(allow)).toBe('EvaluationError')
})

test.each(['evidence.version', 'evidence.resources', 'evidence.resources[0].kind'])(
  '%s gives neither true nor false, whatever it gives',
  (allow) => {
    expect(typeof answer(allow)).not.toBe('boolean')
  },
)

test.each([
  '',
  '((',
  'evidence.version ==',
  '1',
  'hostname',
  'unknown == 1',
  'hostname + 1 == 2',
  'now() > issuedAt',
  `${'('.repeat(100)}true${')'.repeat(100)}`,
  `hostname == "${'a'.repeat(4_096)}"`,
  Array.from({ length: 700 }, () => 'true').join(' && '),
])('the policy %j is refused before it is asked anything', (allow) => {
  expect(() => compilePolicy('test', allow)).toThrow(PolicyError)
})

const nestedLoops = `${'evidence.all(a, '.repeat(6)}a >= 0${')'.repeat(6)}`

test.each([
  [
    'an expression that tries every way to fail',
    '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".matches("^(a+)+$")',
    null,
  ],
  ['loops within loops', nestedLoops, Array.from({ length: 1_000 }, (_, index) => index)],
])('%s is stopped in time, and does not allow', (_, allow, values) => {
  const start = performance.now()
  expect(answer(allow, { ...candidate, evidence: values })).toBe('DeadlineError')
  // Generous: it would take years.
  expect(performance.now() - start).toBeLessThan(15_000)
  expect(answer('evidence.version == 2')).toBe(true)
})

test('a mistake says in one line where it is', () => {
  expect(() => compilePolicy('test', 'true &&\n unknown')).toThrow(
    /^Unknown variable: unknown, at character 10\.$/,
  )
})

test('the language is read in one file alone, and by nobody who judges evidence', () => {
  const root = join(import.meta.dirname, '..', '..')
  const sources = ['attestation', 'egress', 'proxy', 'server'].flatMap((room) =>
    globSync(join(room, '**', '*.ts'), { cwd: root }).filter((file) => !file.endsWith('.test.ts')),
  )
  const readers = sources.filter((file) => readFileSync(join(root, file), 'utf8').includes('cel-js'))
  expect(readers).toEqual([join('proxy', 'policy', 'cel.ts')])
})
