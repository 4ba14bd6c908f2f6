// @module-tag openssl
// @module-tag jq
// @module-tag curl

import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from './gateway.ts'
import { type Clone, createClone, PROJECT } from './guides/clone.ts'
import { type Step, stepsOf } from './guides/page.ts'
import { judgeSteps, takeSteps } from './guides/session.ts'

const page = readFileSync(join(PROJECT, 'docs/auditor.md'), 'utf8')
const steps = stepsOf(page)

let gateway: TestGateway
let data: string
let clone: Clone

beforeAll(async () => {
  gateway = await startTestGateway('http://127.0.0.1:9')
  data = mkdtempSync(join(tmpdir(), 'auditor-'))
  symlinkSync(dirname(gateway.gateway.rootPemFile), join(data, 'platform'))
  clone = createClone(data)
})

afterAll(async () => {
  clone?.remove()
  rmSync(data, { recursive: true })
  await gateway?.close()
})

const place = () => ({ folder: clone.folder, project: PROJECT, localize })

/** The page writes of the port that `npm start` has. */
function localize(text: string): string {
  return text.replaceAll('127.0.0.1:8443', new URL(gateway.gateway.url).host)
}

test('every command of the auditor’s guide works and prints what the guide says', async () => {
  expect(steps.length).toBe(page.split('```sh\n').length - 1)
  expect(steps.length).toBeGreaterThan(12)
  expect(steps.every(({ kind }) => kind === 'run')).toBe(true)
  expect(await judgeSteps(steps, place())).toEqual([])
})

test.each([
  ['RS256', 'Verified OK\n'],
  ['ES256', 'Verified OK\n'],
  ['ES384', 'Verified OK\n'],
  ['ES256K', 'Verified OK\n'],
  ['EdDSA', 'Signature Verified Successfully\n'],
])(
  'the six steps admit a bundle of the reference platform that is signed with %s',
  async (algorithm, words) => {
    const rotated = await fetch(`${gateway.gateway.controlUrl}/rotate/signer`, {
      method: 'POST',
      body: JSON.stringify({ algorithm }),
    })
    expect(rotated.status).toBe(200)
    const outputs = await takeOwn()
    expect(outputs.get('2')).toMatch(/^leaf\.pem: OK\n/)
    expect(outputs.get('4')).toContain(`{"alg":"${algorithm}"}`)
    expect(outputs.get('4')).toContain(words)
    // Root and root, digest computed and signed, certificate seen and signed.
    expect(outputs.get('3')).toMatch(/^(.+)\n\1\n$/)
    expect(outputs.get('4')).toMatch(/\n([0-9a-f]{64})\n\1\n$/)
    expect(outputs.get('5')).toMatch(/^([0-9a-f]{64})\n\1\n$/)
    expect(outputs.get('6')).toMatch(/\[true,"policy",null,null\]\n$/)
  },
)

/** What the page has a reader do who has a bundle of their own; what is printed, by the number of the step. */
async function takeOwn(): Promise<ReadonlyMap<string, string>> {
  const lines = page.split('\n')
  const headingOf = ({ block }: Step) =>
    lines.slice(0, block.line).findLast((line) => line.startsWith('##')) ?? ''
  const [functions] = steps
  const fetched = steps.find((step) => headingOf(step) === '## A bundle of your own')
  const six = steps.filter((step) => /^### \d/.test(headingOf(step)))
  const chosen = [functions!, fetched!, ...six]
  const taken = await takeSteps(chosen, place())
  expect(taken.filter(({ ok }) => !ok)).toEqual([])
  const numbered = taken.map(({ printed }, index) => ({
    number: headingOf(chosen[index]!).slice(4, 5),
    printed,
  }))
  const groups = Map.groupBy(numbered, ({ number }) => number)
  return new Map([...groups].map(([number, all]) => [number, all.map(({ printed }) => printed).join('')]))
}
