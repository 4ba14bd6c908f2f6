import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { inspectBundle } from '#attestation'
import { commandsOf, runInProcess } from '#base/testing/commands.ts'
import { flawsOf, forbidden, hostileText, MARK } from '#base/testing/hostile-text.ts'
import { HOSTNAME } from '#egress/testing/identity.ts'
import { createProgram, runProgram } from '../program.ts'
import { type HostileWorld, startHostileWorld } from '../testing/hostile-world.ts'

/** The arguments of a command that make it meet foreign text, and whether it has to show some of it. */
interface Meeting {
  readonly args: readonly string[]
  readonly shows?: true
}

/** Each command of the program, at least once. One that is new fails the test until it stands here. */
const meetings: Readonly<Record<string, (world: HostileWorld) => readonly Meeting[]>> = {
  run: ({ mistaken }) => [{ args: ['--check', '--config', mistaken], shows: true }],
  verify: ({ bundle, other, forged, capsule, url, root, pin }) => {
    const own = ['--root', root, '--pin', pin]
    return [
      { args: [bundle, '--hostname', HOSTNAME, ...own] },
      { args: [other, '--hostname', HOSTNAME, ...own] },
      { args: [forged, '--hostname', HOSTNAME, ...own] },
      { args: [url, ...own] },
      { args: [capsule], shows: true },
      { args: [capsule, ...own], shows: true },
    ]
  },
  discover: ({ url, root, folder }) => [
    { args: [url] },
    { args: [url, '--root', root, '--save', join(folder, 'saved.json'), '--force'] },
  ],
  show: ({ url, bundle, forged, root, pin, config }) => [
    { args: [url, '--root', root], shows: true },
    { args: [bundle], shows: true },
    { args: [forged], shows: true },
    { args: [pin, '--config', config], shows: true },
  ],
  'pin list': ({ config }) => [{ args: ['--config', config] }],
  'pin add': ({ config, bundle, forged, url }) => [
    { args: [bundle, '--config', config] },
    { args: [forged, '--config', config] },
    { args: [url, '--config', config] },
  ],
  'pin remove': ({ config, pin }) => [{ args: [pin, '--config', config] }],
  'pin diff': ({ bundle, other, forged, url, pin, config }) => [
    { args: [bundle, other], shows: true },
    { args: [pin, url, '--config', config] },
    { args: [bundle, forged] },
  ],
  status: ({ adminUrl }) => [{ args: ['--admin', adminUrl], shows: true }],
  attest: ({ adminUrl }) => [{ args: ['--admin', adminUrl], shows: true }],
  doctor: ({ config }) => [{ args: ['--config', config], shows: true }],
  'journal verify': ({ config, capsule }) => [
    { args: ['--config', config] },
    { args: ['--config', config, '--file', capsule] },
  ],
  reconcile: ({ config }) => [{ args: ['--config', config, '--api-key-env', 'TEST_KEY'], shows: true }],
  capsule: ({ config, generation, folder }) => {
    const out = (name: string) => ['--out', join(folder, name)]
    const known = [generation, '--config', config]
    return [{ args: [...known, ...out('a')] }, { args: [...known, '--api-key-env', 'TEST_KEY', ...out('b')] }]
  },
  init: ({ url, root, folder }) => [
    { args: [url, '--yes', '--root', root, '--config', join(folder, 'first.yaml')], shows: true },
  ],
  completion: () => [{ args: ['bash'] }],
}

test('every command of the program is among those that meet foreign text', () => {
  expect(Object.keys(meetings).toSorted()).toEqual(commandsOf(createProgram()).toSorted())
})

test('no command prints a control character of a stranger’s, or a line that a stranger begins', {
  timeout: 240_000,
}, async () => {
  vi.stubEnv('TEST_KEY', 'key')
  await fc.assert(
    fc.asyncProperty(hostileText, async (text) => {
      const world = await startHostileWorld(text)
      for (const [command, meet] of Object.entries(meetings)) {
        for (const { args, shows } of meet(world)) {
          const words = [...command.split(' '), ...args]
          const people = await runInProcess(runProgram, words)
          const printed = people.stdout + people.stderr
          expect(flawsOf(printed), words.join(' ')).toEqual([])
          expect([0, 1, 2, 3, 4], words.join(' ')).toContain(people.code)
          if (shows) expect(printed, words.join(' ')).toContain(MARK)
          const { stdout } = await runInProcess(runProgram, [...words, '--json'])
          for (const line of stdout.split('\n')) expect(line).not.toMatch(forbidden)
          if (stdout !== '') JSON.parse(stdout)
        }
      }
    }),
    { numRuns: 5 },
  )
  vi.unstubAllEnvs()
})

test('a capsule of a stranger’s exits 3, whatever stands in it', async () => {
  const world = await startHostileWorld(MARK)
  const { capsule, root, pin } = world
  const good = JSON.parse(readFileSync(capsule, 'utf8'))
  const { expectation } = good
  for (const change of [
    { expectation: { ...expectation, policies: [{ name: 'a', allow: 'evidence.' }] } },
    { expectation: { ...expectation, policies: [{ name: 'a', allow: '"a".matches("^(a+)+$")' }] } },
    { expectation: { ...expectation, roots: [{ pem: 'no certificate', require_leaf_name: true }] } },
    { expectation: { ...expectation, roots: [], pins: [] } },
    { judged_at: '2030-12-31T23:59:60Z' },
    { bundle: 'AAAA' },
    { record: { ledger: 1 } },
    { journal: { ...good.journal, lines: [{ number: 1, text: '{' }] } },
  ]) {
    writeFileSync(capsule, JSON.stringify({ ...good, ...change }))
    for (const args of [[], ['--root', root, '--pin', pin]]) {
      const { code, stderr } = await runInProcess(runProgram, ['verify', capsule, ...args])
      expect([code, stderr], JSON.stringify(change)).toEqual([3, ''])
    }
  }
})

test.each<[string, (whole: string) => string, string]>([
  ['that is cut', (whole) => whole.slice(0, -40), 'not_json'],
  [
    'with a member of its own',
    (whole) => JSON.stringify({ ...JSON.parse(whole), mine: 1 }),
    'malformed_bundle',
  ],
  ['of another version', (whole) => whole.replace('"version":1', '"version":2'), 'malformed_bundle'],
  ['that is too long', (whole) => whole + ' '.repeat(4 * 1024 * 1024), 'too_large'],
])('a capsule %s is refused, and no mistake of the reader’s', async (_, change, reason) => {
  const { capsule, root, pin } = await startHostileWorld(MARK)
  writeFileSync(capsule, change(readFileSync(capsule, 'utf8')))
  for (const args of [[], ['--root', root, '--pin', pin], ['--hostname', HOSTNAME]]) {
    const { code, stdout, stderr } = await runInProcess(runProgram, ['verify', capsule, ...args, '--json'])
    expect([code, stderr]).toEqual([3, ''])
    expect(JSON.parse(stdout)).toMatchObject({ admitted: false, stage: 'fetch', reason })
  }
})

test('what nobody has verified is shown under that heading, and what does not hold exits with 3', async () => {
  const { bundle, forged, url, root, pin, config } = await startHostileWorld(MARK)
  const show = (...args: readonly string[]) => runInProcess(runProgram, ['show', ...args])
  const [unrooted, rooted, broken, kept, fetched] = [
    await show(bundle),
    await show(bundle, '--root', root),
    await show(forged, '--root', root),
    await show(pin, '--config', config),
    await show(url, '--root', root),
  ]
  expect(unrooted).toMatchObject({ code: 0, stdout: expect.stringContaining('\nNobody has verified this.') })
  expect(broken).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('\nNobody has verified this. It was refused: jws, signature_invalid.'),
  })
  for (const shown of [rooted, kept, fetched]) {
    expect(shown.code).toBe(0)
    expect(shown.stdout).toContain('\nA root that you trust vouches for it.')
  }
  expect(fetched.stdout).toMatch(/tls-fingerprint +ok/)
  expect(rooted.stdout).toMatch(/tls-fingerprint +- +Not looked at: there was no connection/)
  expect(broken.stdout).toContain('no digest')
  for (const { stdout } of [unrooted, rooted, broken, kept, fetched]) {
    expect(stdout).toMatch(/image +spec.*containers\[0 "Forged"\]\.image +"Forged"/)
  }
})

test('--raw prints the signed bytes to a program, and to a terminal only when it is forced', async () => {
  const { bundle } = await startHostileWorld('Forged\u001b[2J')
  const { payload } = inspectBundle(readFileSync(bundle))
  const raw = await runInProcess(runProgram, ['show', bundle, '--raw'])
  expect(raw).toMatchObject({ code: 0, stdout: payload.evidenceText, stderr: 'Nobody has verified this.\n' })
  Object.defineProperty(process.stdout, 'isTTY', { value: true, configurable: true })
  onTestFinished(() => void Reflect.deleteProperty(process.stdout, 'isTTY'))
  const refused = await runInProcess(runProgram, ['show', bundle, '--raw'])
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--force') })
  const forced = await runInProcess(runProgram, ['show', bundle, '--raw', '--force'])
  expect(forced).toMatchObject({ code: 0, stdout: payload.evidenceText })
})

test('--save keeps what came, for its owner alone, and replaces nothing unless it is told to', async () => {
  const { url, bundle, folder } = await startHostileWorld(MARK)
  const file = join(folder, 'today.json')
  const save = (...args: readonly string[]) =>
    runInProcess(runProgram, ['discover', url, '--save', file, ...args])
  expect(await save()).toMatchObject({ code: 0, stdout: expect.stringContaining(`proxy show ${file}`) })
  expect(readFileSync(file)).toEqual(readFileSync(bundle))
  expect(statSync(file).mode & 0o777).toBe(0o600)
  writeFileSync(file, 'mine')
  expect(await save()).toMatchObject({ code: 1, stderr: expect.stringContaining('is there already') })
  expect(readFileSync(file, 'utf8')).toBe('mine')
  expect((await save('--force')).code).toBe(0)
  expect(readFileSync(file)).toEqual(readFileSync(bundle))
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
