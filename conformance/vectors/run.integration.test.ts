import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { readCorpus } from './corpus.ts'
import { runVectors } from './run.ts'
import { askOne } from './verifier.ts'

const OURS = join(import.meta.dirname, '..', '..', 'bin', 'verifier')
const LAUNCHER = join(import.meta.dirname, '..', '..', 'bin', 'conformance')
const vectors = readCorpus()
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vectors-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

/** A verifier that answers every line with what a piece of JavaScript makes of the request `asked`. */
function verifier(name: string, { reply = '', claims = '["batch"]' }): string {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline'
if (process.argv[2] === 'capabilities')
  console.log(JSON.stringify({ version: 1, name: '${name}', release: '0', capabilities: ${claims} }))
else for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line)
  ${reply}
}`,
  )
  return `${process.execPath} ${file}`
}

const saying = (answer: string) => `console.log(JSON.stringify({ id: asked.id, ${answer} }))`
const ALL = '["batch", "status", "policies", "producer-asserted", "nameless-leaves", "attested-roots"]'

test('our own verifier answers every vector rightly', async () => {
  const { verdict, counts, vectors: results } = await runVectors({ command: OURS })
  expect(results.filter((one) => one.verdict !== 'pass')).toEqual([])
  expect([verdict, counts.pass]).toEqual(['conformant', vectors.length])
})

test.each(['jws/signed-with-p256', 'jws/alg-none', 'policy/pin-empty', 'fetch/large-member'])(
  'one request in a process of its own is answered alike, with the exit code of its outcome: %s',
  async (id) => {
    const vector = vectors.find((one) => one.id === id)!
    const { admitted, stage, reason } = vector.expected
    const outcome = admitted ? 'accept' : stage === null ? 'malformed' : 'reject'
    expect(await askOne(OURS, vector)).toMatchObject({ id, outcome, stage, reason })
  },
)

test('a verifier that admits everything is convicted by every vector that is to be refused', async () => {
  const command = verifier('gullible', {
    reply: saying('outcome: "accept", stage: null, reason: null'),
    claims: ALL,
  })
  const { verdict, counts } = await runVectors({ command })
  const admissions = vectors.filter(({ expected }) => expected.admitted).length
  expect(verdict).toBe('failing')
  expect(counts).toMatchObject({ pass: admissions, wrongly_admitted: vectors.length - admissions })
})

test('a verifier that refuses everything is convicted by every vector that is to be admitted', async () => {
  const command = verifier('timid', {
    reply: saying('outcome: "reject", stage: "fetch", reason: "not_json"'),
    claims: ALL,
  })
  const { counts } = await runVectors({ command })
  expect(counts.wrongly_refused).toBe(vectors.filter(({ expected }) => expected.admitted).length)
  expect(counts.wrongly_admitted).toBe(0)
})

test('what a verifier does not claim is not asked, and the verdict is partial at best', async () => {
  const command = verifier('plain', { reply: saying('outcome: "accept", stage: null, reason: null') })
  const { verdict, counts } = await runVectors({ command, grep: ['policy/policies-allow'] })
  expect([verdict, counts.pass, counts.not_supported]).toEqual(['partial', 0, 1])
})

test('a verifier that says of a request that it does not support it is taken at its word', async () => {
  const command = verifier('modest', { reply: saying('outcome: "unsupported", stage: null, reason: null') })
  expect(await runVectors({ command, grep: ['tls-fingerprint/observed'] })).toMatchObject({
    verdict: 'partial',
    counts: { pass: 0, error: 0 },
  })
})

test('a verifier that dies on the way leaves errors, never a pass', async () => {
  const command = verifier('mortal', { reply: 'process.exit(0)' })
  const { verdict, counts } = await runVectors({ command, grep: ['tls-fingerprint/'] })
  expect(verdict).toBe('failing')
  expect(counts.pass).toBe(0)
  expect(counts.error).toBeGreaterThan(0)
})

test('an exit code that contradicts the answer is an error', async () => {
  const command = verifier('ambiguous', {
    reply: saying('outcome: "reject", stage: "jws", reason: "algorithm_not_allowed"'),
    claims: '[]',
  })
  const {
    counts,
    vectors: [result],
  } = await runVectors({ command, grep: ['jws/alg-empty'] })
  expect(counts.error).toBe(1)
  expect(result?.actual).toBe('answered reject, but exit 0')
})

test('a command that does not say what it can do is no verifier', async () => {
  await expect(runVectors({ command: 'true' })).rejects.toThrow('does not say what it can do (exit 0)')
})

test('the verifier that a target file names is judged where none is given', async () => {
  const target = join(folder, 'target.yaml')
  writeFileSync(
    target,
    stringify({
      product: { name: 'A proxy' },
      profiles: ['router'],
      baseUrl: 'http://127.0.0.1:9/v1',
      models: { chat: 'a/model' },
      verifier: {
        sameProduct: false,
        command: verifier('named', { reply: saying('outcome: "accept", stage: null, reason: null') }),
      },
    }),
  )
  const args = ['run', '--profile', 'verifier', '--target', target, '--grep', 'jws/alg-none', '--json']
  const failed: unknown = await promisify(execFile)(LAUNCHER, args).catch((thrown: unknown) => thrown)
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('"name": "named"') })
})
