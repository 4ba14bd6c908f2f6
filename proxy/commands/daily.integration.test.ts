import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Digest, digestOf, parseRoots, toHex } from '#attestation'
import { limits } from '#contract/limits'
import type { EvidenceCapsule, RunningProxyOutput } from '#contract/models'
import type { Validator } from '#contract/validator'
import { isCapsuleVerificationOutput } from '#contract/validators/capsule-verification-output'
import { isCommandRefusalOutput } from '#contract/validators/command-refusal-output'
import { isJournalVerificationOutput } from '#contract/validators/journal-verification-output'
import { isPinsOutput } from '#contract/validators/pins-output'
import { isReconciliationOutput } from '#contract/validators/reconciliation-output'
import { isSnapshotDiffOutput } from '#contract/validators/snapshot-diff-output'
import { isWrittenCapsuleOutput } from '#contract/validators/written-capsule-output'
import { HOSTNAME } from '#egress/testing/identity.ts'
import { generationId, linesOf, setLines } from '../journal/testing.ts'
import { examineJournal } from '../journal/verify.ts'
import {
  control,
  type PlatformReady,
  type Program,
  runProxy,
  startPlatform,
  startProgram,
  temporaryFolder,
} from '../testing/programs.ts'
import { ask } from '../testing/world.ts'
import { findCapsule } from './capsule-file.ts'
import { judgeCapsule } from './capsule-verify.ts'

const KEY = 'sk-tee-v1-canary-key'
const MODEL = 'demo/tiny-chat'

/** What the router of the tests keeps; a test may change it behind the proxy's back. */
interface Kept {
  id: string
  prompt_tokens: number
  completion_tokens: number
  cost_micros: number
  amount_micros: number
}

interface Router {
  readonly url: string
  readonly kept: Map<string, Kept>
  readonly keys: Set<string | undefined>
}

/** A router that a test plays: it answers, meters and remembers. */
async function startRouter(): Promise<Router> {
  const kept = new Map<string, Kept>()
  const keys = new Set<string | undefined>()
  const server = createServer((request, response) => {
    keys.add(request.headers.authorization)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://router')
    if (pathname === '/v1/models') return json(response, 200, models)
    if (pathname === '/v1/generation') {
      const found = kept.get(searchParams.get('id') ?? '')
      return found === undefined ? json(response, 404, {}) : json(response, 200, { data: recordOf(found) })
    }
    return complete(request, response, kept)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, kept, keys }
}

function complete(request: IncomingMessage, response: ServerResponse, kept: Map<string, Kept>): void {
  const id = generationId(kept.size + 1)
  kept.set(id, { id, prompt_tokens: 12, completion_tokens: 34, cost_micros: 23, amount_micros: -23 })
  const usage = { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46, cost_micros: 23, ...served }
  const headers = { 'x-router-generation-id': id }
  const chunk = (more: object) => `data: ${JSON.stringify({ id, model: MODEL, choices: [], ...more })}\n\n`
  if (request.url === '/v1/chat/completions') {
    const choices = [{ message: { content: 'canary answer' } }]
    json(response, 200, { id, model: MODEL, choices, usage }, headers)
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  const last = request.headers['x-usage'] === 'yes' ? chunk({ usage }) : ''
  response.end(`${chunk({ choices: [{ delta: { content: 'canary answer' } }] })}${last}data: [DONE]\n\n`)
}

const served = { endpoint: 'demo', evidence_digest: digestOf('published') }

function recordOf({ amount_micros, ...counted }: Kept): object {
  return {
    ...counted,
    model: MODEL,
    endpoint: 'demo',
    created_at: '2030-01-01T00:00:00Z',
    operation: 'chat',
    streamed: true,
    status: 'ok',
    finish_reason: 'stop',
    total_tokens: counted.prompt_tokens + counted.completion_tokens,
    usage_source: 'backend',
    latency_ms: 1,
    time_to_first_token_ms: 1,
    tokens_per_second: 1,
    evidence_digest: served.evidence_digest,
    ledger: { id: `led_${counted.id.slice('gen-'.length)}`, amount_micros },
  }
}

const models = {
  object: 'list',
  data: [
    {
      id: MODEL,
      object: 'model',
      created: 1,
      owned_by: 'demo',
      name: 'Tiny',
      context_length: 32_768,
      max_output_tokens: 16_384,
      pricing: { prompt_per_1m_micros: 150_000, completion_per_1m_micros: 600_000 },
      endpoint: { name: 'demo', hostname: HOSTNAME, tee: null },
      capabilities: ['chat'],
    },
  ],
}

function json(response: ServerResponse, status: number, document: object, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(document))
}

/** A platform, and a configuration file for it with a comment of its owner's. */
async function startWorld(upstream: string, change: object = {}) {
  const platform = await startPlatform(upstream)
  const folder = temporaryFolder()
  const file = join(folder, 'proxy.yaml')
  const { port } = new URL(platform.ready.url)
  const config = {
    dataDir: folder,
    endpoints: [
      {
        name: 'main',
        listen: { port: 0 },
        url: `https://${HOSTNAME}:${port}/v1`,
        roots: [{ file: platform.ready.root_pem_file }],
        pins: [platform.ready.evidence_digest],
        ...change,
      },
    ],
  }
  writeFileSync(file, JSON.stringify(config, undefined, 2))
  return {
    platform,
    folder,
    file,
    config,
    url: `https://${HOSTNAME}:${port}`,
    journal: join(folder, 'journal.jsonl'),
  }
}

/** Runs a command with `--json` and gives its exit code and its document, which must be of its shape. */
async function run(validator: Validator, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runProxy(...args, '--json')
  const document = stdout === '' ? undefined : JSON.parse(stdout)
  const isOfShape = document !== undefined && 'see' in document ? isCommandRefusalOutput : validator
  if (document !== undefined) expect(isOfShape(document)).toBe(true)
  return { code, document, stderr }
}

async function startProxy(config: object) {
  const program = await startProgram<RunningProxyOutput>('proxy', config)
  return { ...program, port: Number(new URL(program.ready.address).port) }
}

test('what went through the proxy is in its journal, reconciled with the router, and sealed in a capsule', async () => {
  const router = await startRouter()
  const { platform, file, config, folder, journal } = await startWorld(router.url, {
    policies: [{ name: 'version', allow: 'evidence.version == 2' }],
  })
  const proxy = await startProxy(config)
  const post = {
    method: 'POST',
    body: '{"messages":"canary prompt"}',
    headers: { authorization: `Bearer ${KEY}` },
  }
  await ask(proxy, { ...post, path: '/v1/chat/completions' })
  await ask(proxy, { ...post, path: '/v1/stream', headers: { ...post.headers, 'x-usage': 'yes' } })
  const bare = await ask(proxy, { ...post, path: '/v1/stream' })
  expect(bare.text).toContain('canary answer')
  await vi.waitFor(() => expect(linesOf(journal)).toHaveLength(6), { timeout: 10_000 })
  const locked = await runProxy('run', '--config', file)
  expect(locked).toMatchObject({ code: 1, stderr: expect.stringContaining('another proxy') })

  const verified = await run(isJournalVerificationOutput, 'journal', 'verify', '--config', file)
  expect(verified).toMatchObject({
    code: 0,
    document: { ok: true, lines: 6, kinds: { genesis: 1, start: 1, verdict: 1, generation: 3 } },
  })
  expect(
    linesOf(journal)
      .map((line) => JSON.parse(line))
      .slice(3),
  ).toMatchObject([
    { id: generationId(1), complete: true, model: MODEL, cost_micros: 23, served_by: 'demo' },
    { id: generationId(2), complete: true, model: MODEL, cost_micros: 23, prompt_tokens: 12 },
    { id: generationId(3), complete: true, model: MODEL, cost_micros: null, prompt_tokens: null },
  ])
  expect(readFileSync(journal, 'utf8')).not.toContain('canary')

  vi.stubEnv('TEST_KEY', KEY)
  onTestFinished(() => void vi.unstubAllEnvs())
  const reconcile = () =>
    run(isReconciliationOutput, 'reconcile', '--config', file, '--api-key-env', 'TEST_KEY')
  expect(await reconcile()).toMatchObject({
    code: 0,
    document: { ok: true, generations: 3, recorded: 3, unseen_usage: 1, cost_micros: 69, differences: [] },
  })
  expect([...router.keys]).toEqual([`Bearer ${KEY}`])

  const out = join(folder, 'one.json')
  const sealed = ['capsule', generationId(2), '--config', file, '--api-key-env', 'TEST_KEY', '--out', out]
  expect(await run(isWrittenCapsuleOutput, ...sealed)).toMatchObject({
    code: 0,
    document: { has_record: true },
  })
  expect(await runProxy(...sealed)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is there already'),
  })
  expect(readFileSync(out, 'utf8')).not.toContain('canary')
  await platform.stop()
  const [root, pin] = [platform.ready.root_pem_file, platform.ready.evidence_digest as Digest]
  const own = ['--root', root, '--pin', pin]
  const judged = await run(isCapsuleVerificationOutput, 'verify', out, ...own)
  expect(judged).toMatchObject({
    code: 0,
    document: {
      holds: true,
      admitted: true,
      channel_binding: 'producer-asserted',
      generation: generationId(2),
    },
  })
  expect(judged.document.parts.map(({ holds }: { holds: boolean }) => holds)).toEqual(Array(9).fill(true))
  const unaided = await runProxy('verify', out)
  expect(unaided).toEqual(await runProxy('verify', out))
  expect(unaided).toMatchObject({ code: 3 })
  expect(unaided.stdout).toMatch(
    /^Nothing is shown about gen-.* yet: .*--root and --pin, and neither was given\./,
  )
  expect(unaided.stdout).toContain('policy       "version", shown and not asked: "evidence.version == 2"')
  const sealedCapsule = findCapsule(out)!
  const roots = parseRoots(readFileSync(root, 'utf8'))
  const given = { roots, policies: [], maxBundleAgeMs: limits.maxBundleAgeMs }
  const judgedAs = async (change: Partial<EvidenceCapsule>, pins: Digest[] = [pin]) =>
    (await judgeCapsule({ ...sealedCapsule, ...change }, { ...given, pins })).document
  expect(await judgedAs({}, [digestOf('another')])).toMatchObject({
    holds: false,
    reason: 'digest_not_pinned',
  })
  // Its own roots and pins are its maker's: without the reader's nothing is admitted, and with one of them neither.
  for (const [change, stage, reason] of [
    [{ roots: [], pins: [] }, 'untrusted-root', 'no_trusted_roots'],
    [{ roots: [], pins: [pin] }, 'untrusted-root', 'no_trusted_roots'],
    [{ pins: [] }, 'policy', 'no_pins'],
    [{ pins: [pin], hostname: 'other.example' }, 'fetch', 'hostname_mismatch'],
    [{ pins: [pin], maxBundleAgeMs: 1 }, 'jws', 'bundle_stale'],
  ] as const) {
    const { document } = await judgeCapsule(sealedCapsule, { ...given, ...change })
    const claims = { admitted: true, hostname: HOSTNAME }
    expect(document).toMatchObject({ admitted: false, holds: false, stage, reason, claims })
  }
  const { record, expectation, judged_at, bundle, journal: slice } = sealedCapsule
  for (const [part, change] of [
    ['record', { record: { ...(record as object), cost_micros: 22 } }],
    [
      'ledger',
      { record: { ...(record as object), ledger: { id: `led_${'0'.repeat(26)}`, amount_micros: -22 } } },
    ],
    ['generation', { generation: generationId(1) }],
    ['bundle_digest', { bundle: `${bundle.slice(0, -8)}AAAAAAAA` }],
    ['expectation_digest', { expectation: { ...expectation, policies: [] } }],
    ['expectation', { expectation: { ...expectation, policies: [{ name: 'a', allow: '1 +' }] } }],
    ['expectation', { expectation: { ...expectation, roots: [{ pem: 'x', require_leaf_name: true }] } }],
    ['basis', { judged_at: new Date(Date.parse(judged_at) + 1).toISOString() }],
    ['journal_lines', { journal: { ...slice, head: { ...slice.head, count: 1 } } }],
    ['admission', { journal: { ...slice, lines: [slice.lines[1]!, slice.lines[1]!] } }],
  ] as const) {
    const found = await judgedAs(change as Partial<EvidenceCapsule>)
    expect(found.holds).toBe(false)
    expect(found.parts).toContainEqual({ part, holds: false })
  }
})

test('the router’s word is held against the journal, and each difference is told', async () => {
  const router = await startRouter()
  const { file, config, journal } = await startWorld(router.url)
  const proxy = await startProxy(config)
  for (let count = 0; count < 3; count += 1) {
    await ask(proxy, { method: 'POST', body: '{}', path: '/v1/chat/completions' })
  }
  expect(await proxy.stop()).toBe(0)
  const [one, two, three] = [1, 2, 3].map(generationId) as [string, string, string]
  router.kept.delete(one)
  router.kept.set(two, { ...router.kept.get(two)!, cost_micros: 24, amount_micros: -24 })
  router.kept.set(three, { ...router.kept.get(three)!, amount_micros: -22 })
  vi.stubEnv('TEST_KEY', KEY)
  onTestFinished(() => void vi.unstubAllEnvs())
  const args = ['reconcile', '--config', file, '--api-key-env', 'TEST_KEY']
  const { code, document } = await run(isReconciliationOutput, ...args)
  expect(code).toBe(1)
  expect(
    document.differences.map(({ generation, check }: Record<string, string>) => [generation, check]),
  ).toEqual([
    [one, 'missing_record'],
    [two, 'record_price'],
    [two, 'cost_micros'],
    [three, 'ledger_amount'],
  ])
  expect(await runProxy('reconcile', '--config', file, '--api-key-env', 'ABSENT')).toMatchObject({ code: 2 })

  const lines = linesOf(journal)
  setLines(journal, lines.with(3, lines[3]!.replace('"cost_micros":23', '"cost_micros":99')))
  const broken = await run(isJournalVerificationOutput, 'journal', 'verify', '--config', file)
  expect(broken).toMatchObject({ code: 1, document: { ok: false, faults: [{ line: 4, fault: 'changed' }] } })
  expect(await runProxy(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('Line 4') })
  setLines(journal, lines.slice(0, 4))
  expect(await runProxy('run', '--config', file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The journal ends 2 lines before its head'),
  })
  setLines(journal, lines)
  const cut = [...args.slice(1, 3), '--head', toHex(digestOf('another line'))]
  expect(await runProxy('journal', 'verify', ...cut)).toMatchObject({ code: 1 })
})

test('a journal that somebody else wrote into goes on in another file, and both are read', async () => {
  const router = await startRouter()
  const { file, config, folder, journal } = await startWorld(router.url)
  const listening = { ...config, admin: { port: 0 } }
  const proxy = await startProxy(listening)
  const complete = () => ask(proxy, { method: 'POST', body: '{}', path: '/v1/chat/completions' })
  await complete()
  await vi.waitFor(() => expect(linesOf(journal)).toHaveLength(4), { timeout: 10_000 })
  appendFileSync(journal, 'theirs\n')
  await complete()
  const second = `${journal}.part2`
  await vi.waitFor(() => expect(existsSync(second) && linesOf(second)).toHaveLength(2), { timeout: 10_000 })
  const shown = await runProxy('status', '--config', file, '--admin', proxy.ready.admin_url!)
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(`goes on in ${second}`) })

  const verified = await run(isJournalVerificationOutput, 'journal', 'verify', '--config', file)
  expect(verified).toMatchObject({
    code: 1,
    document: {
      ok: false,
      lines: 6,
      faults: [{ file: journal, line: 5, fault: 'foreign' }],
      files: [
        { file: journal, ok: false, lines: 4, continues: null },
        { file: second, ok: true, lines: 2, continues: { file: journal, line: 4, reason: 'foreign_write' } },
      ],
    },
  })
  const { stdout } = await runProxy('journal', 'verify', '--config', file)
  expect(stdout).toContain('journal.jsonl: What stands behind line 4')
  expect(stdout).toContain('journal.jsonl.part2 is whole, and goes on from line 4')

  vi.stubEnv('TEST_KEY', KEY)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(
    await run(isReconciliationOutput, 'reconcile', '--config', file, '--api-key-env', 'TEST_KEY'),
  ).toMatchObject({ code: 0, document: { ok: true, generations: 2, recorded: 2 } })
  for (const number of [1, 2]) {
    const out = join(folder, `${number}.json`)
    const sealed = await run(
      isWrittenCapsuleOutput,
      'capsule',
      generationId(number),
      '--config',
      file,
      '--out',
      out,
    )
    expect(sealed.code).toBe(0)
    expect(findCapsule(out)?.journal.lines).toHaveLength(2)
  }

  expect(await proxy.stop()).toBe(0)
  const next = await startProxy(config)
  expect(await next.stop()).toBe(0)
  expect(linesOf(second).length).toBeGreaterThan(2)
  setLines(journal, linesOf(journal).slice(0, -1))
  expect(await run(isJournalVerificationOutput, 'journal', 'verify', '--config', file)).toMatchObject({
    code: 0,
    document: { ok: true },
  })
})

test('a proxy that is killed under load leaves a journal that holds, and the next one goes on with it', async () => {
  const router = await startRouter()
  const { file, config, journal } = await startWorld(router.url)
  const proxy = await startProxy(config)
  let isOver = false
  const clients = Array.from({ length: 8 }, async () => {
    while (!isOver)
      await ask(proxy, { method: 'POST', body: '{}', path: '/v1/chat/completions' }).catch(() => {})
  })
  await vi.waitFor(() => expect(linesOf(journal).length).toBeGreaterThan(50), { timeout: 20_000 })
  const exited = once(proxy.child, 'exit')
  proxy.child.kill('SIGKILL')
  await exited
  isOver = true
  await Promise.all(clients)
  const killed = await examineJournal(journal)
  expect(killed.faults).toEqual([])
  const next = await startProxy(config)
  await ask(next, { method: 'POST', body: '{}', path: '/v1/chat/completions' })
  expect(await next.stop()).toBe(0)
  const { code, document } = await run(isJournalVerificationOutput, 'journal', 'verify', '--config', file)
  expect({ code, starts: document.kinds.start }).toEqual({ code: 0, starts: 2 })
  expect(document.lines).toBeGreaterThan(killed.lines)
})

test('pins are shown, put in after verification, compared, and taken out but for the last', async () => {
  const { platform, file, url, folder } = await startWorld('http://127.0.0.1:9')
  const pins = (...args: readonly string[]) => run(isPinsOutput, 'pin', ...args, '--config', file)
  const first = toHex(platform.ready.evidence_digest as never)
  expect(await pins('list')).toMatchObject({
    code: 0,
    document: { endpoints: [{ name: 'main', pins: [first] }] },
  })
  expect(await pins('remove', first)).toMatchObject({ code: 1, stderr: expect.stringContaining('only pin') })

  const { bytes } = await bundleOf(platform)
  const saved = join(folder, 'before.json')
  writeFileSync(saved, bytes)
  const rotated = await control(platform, '/rotate/deployment')
  const second = toHex(rotated.digest as never)
  expect(await pins('add', url)).toMatchObject({
    code: 0,
    document: { endpoints: [{ pins: [first, second] }], changed: rotated.digest, basis: 'endpoint' },
  })
  expect(await pins('add', saved)).toMatchObject({ code: 0, document: { changed: null, basis: 'bundle' } })
  const word = digestOf('read elsewhere')
  expect(await pins('add', word)).toMatchObject({ code: 0, document: { changed: word, basis: 'word' } })
  expect(await pins('remove', first)).toMatchObject({
    code: 0,
    document: { endpoints: [{ pins: [second, toHex(word)] }] },
  })

  const diff = await run(isSnapshotDiffOutput, 'pin', 'diff', saved, url, '--config', file)
  expect(diff).toMatchObject({ code: 0, document: { equal: false, before: { evidence_digest_hex: first } } })
  expect(diff.document.changes.length).toBeGreaterThan(0)

  const forged = JSON.parse(Buffer.from(bytes).toString())
  writeFileSync(saved, JSON.stringify({ ...forged, jws: `${forged.jws.slice(0, -4)}AAAA` }))
  const before = readFileSync(file)
  expect(await pins('add', saved)).toMatchObject({
    code: 3,
    document: { stage: 'jws', reason: 'signature_invalid' },
  })
  expect(readFileSync(file)).toEqual(before)
  expect(await pins('add', 'no-such-thing')).toMatchObject({ code: 2 })
})

async function bundleOf({ ready }: Program<PlatformReady>): Promise<{ readonly bytes: Uint8Array }> {
  const { fetchBundle } = await import('#egress/evidence/fetch.ts')
  return fetchBundle({ hostname: HOSTNAME, host: '127.0.0.1', port: Number(new URL(ready.url).port) })
}
