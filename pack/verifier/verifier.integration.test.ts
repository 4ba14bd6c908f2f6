import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readCorpus, requestOf } from '../../conformance/vectors/corpus.ts'
import { openBrowser } from '../../console/testing/browser.ts'
import { measure, sizeInWords } from '../readme.ts'
import { type EmptyFolder, installAlone, typeCheck, typeScriptIn } from '../testing/empty.ts'
import { openSite } from '../testing/site.ts'
import { verifier } from './recipe.ts'

const NAME = '@confidential-inference-router/verifier'
const TESTING = join(import.meta.dirname, 'testing')

/**
 * Policies are functions here, and the status of an answer is for whoever fetches: these two are the proxy's. Hardware is
 * judged by the real vendors alone: nobody but the conformance suite's verifier takes others, which its vectors need.
 */
const LEFT_OUT = ['policies', 'status', 'attested-roots']
const vectors = readCorpus().filter(({ needs = [] }) => !needs.some((need) => LEFT_OUT.includes(need)))

const right = vectors.map(({ id, expected: { admitted, stage, reason } }) => ({
  id,
  answer: admitted ? 'accept' : stage === null ? 'malformed' : `reject at ${stage}: ${reason}`,
}))

let empty: EmptyFolder

beforeAll(async () => {
  empty = await installAlone('verifier')
  cpSync(join(TESTING, 'judge.js'), join(empty.path, 'judge.js'))
  empty.write('vectors.json', JSON.stringify(vectors.map(requestOf)))
})

afterAll(() => empty?.remove())

const withIds = (answers: readonly string[]) =>
  answers.map((answer, index) => ({ id: vectors[index]!.id, answer }))

test('the package needs no other, and speaks no HTTP', () => {
  expect(empty.archive.dependencies).toEqual({})
  expect(readdirSync(join(empty.path, 'node_modules')).filter((name) => !name.startsWith('.'))).toHaveLength(
    1,
  )
  expect(typeScriptIn(empty)).toEqual([])
  const folder = join(empty.path, 'node_modules', NAME)
  const imported = [...readFileSync(join(folder, 'index.js'), 'utf8').matchAll(/from "(node:[^"]+)"/g)]
  expect(new Set(imported.map(([, name]) => name))).toEqual(new Set(['node:crypto']))
  for (const module of ['index.js', 'browser.js'])
    expect(readFileSync(join(folder, module), 'utf8')).not.toMatch(/\bfetch\(|XMLHttpRequest|WebSocket/)
  expect(readFileSync(join(folder, 'browser.js'), 'utf8')).not.toContain('node:')
})

test('Node gives every vector the right answer', async () => {
  const script = `import { readFileSync } from 'node:fs'
import { judgeAll } from './judge.js'
console.log(JSON.stringify(await judgeAll(JSON.parse(readFileSync('vectors.json', 'utf8')))))`
  const ended = await empty.run(process.execPath, ['--input-type=module', '-e', script])
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(withIds(JSON.parse(ended.stdout))).toEqual(right)
})

test('a page gives every vector the right answer', { tags: ['chromium'] }, async () => {
  const site = await openSite(empty.path, NAME, 'browser.js', 'judge.js')
  onTestFinished(() => site.close())
  const browser = await openBrowser()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(`${site.origin}/page.html`)
  await page.waitForFunction(() => 'page' in globalThis)
  const answers = await page.evaluate(async () => {
    const { judgeAll } = (globalThis as unknown as { page: { judgeAll(of: unknown): Promise<string[]> } })
      .page
    return await judgeAll(await (await fetch('/vectors.json')).json())
  })
  expect(withIds(answers)).toEqual(right)
  console.log(`verifier: ${answers.length} vectors in a page, as in Node`)
})

test.each(['nodenext', 'bundler'])('its types are found and hold, as %s resolves', async (resolution) => {
  cpSync(join(TESTING, 'consumer.mts'), join(empty.path, 'consumer.mts'))
  expect(await typeCheck(empty, 'consumer.mts', resolution, ['node'])).toMatchObject({ code: 0, stdout: '' })
})

test('its page tells what a bundler makes of it', async () => {
  const folder = join(empty.path, 'node_modules', NAME)
  const size = sizeInWords(await measure(folder, verifier.imports!.browser!))
  console.log(`verifier: ${size} in a page`)
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(
    `All of it is ${size}, minified and compressed`,
  )
})
