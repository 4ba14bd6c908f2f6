import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { digestOf, inspectBundle } from '#attestation'
import { runInProcess } from '#base/testing/commands.ts'
import type { EvidenceCapsule } from '#contract/models'
import { toPem } from '../../attestation/testing/certificates.ts'
import { HOSTNAME, makeChain, NOW, type TestChain } from '../../attestation/testing/chains.ts'
import { makeBundle, SNAPSHOT_DIGEST, TLS_FINGERPRINT } from '../../attestation/testing/evidence.ts'
import { alternativeNames, keyUsage } from '../../attestation/testing/extensions.ts'
import { runProgram } from '../program.ts'
import { temporaryFolder } from '../testing/programs.ts'
import { examine } from './show.ts'

const usage = keyUsage({ certSign: false })
const signers = {
  nobody: [usage],
  another: [usage, alternativeNames(['dns', 'other.example'])],
  itself: [usage, alternativeNames(['dns', HOSTNAME])],
} as const

/** Files of a bundle and of a capsule around it, whose signing certificate names somebody, and of the root above it. */
function writeFiles(signer: keyof typeof signers) {
  const folder = temporaryFolder()
  const [bundle, capsule] = [join(folder, 'bundle.json'), join(folder, 'capsule.json')]
  const chain = makeChain({ leaf: { extensions: signers[signer] } })
  const bytes = makeBundle({ chain })
  writeFileSync(bundle, bytes)
  writeFileSync(capsule, JSON.stringify(capsuleOf(bytes)))
  return { bundle, capsule, root: writeRoot(chain) }
}

function writeRoot({ certificates }: TestChain): string {
  const file = join(temporaryFolder(), 'root.pem')
  writeFileSync(file, toPem(certificates.at(-1)!))
  return file
}

function capsuleOf(bytes: Uint8Array): EvidenceCapsule {
  return {
    kind: 'EvidenceCapsule',
    version: 1,
    generation: 'gen-01JZZZZZZZZZZZZZZZZZZZZZZZ',
    judged_at: NOW.toISOString(),
    observed_leaf: TLS_FINGERPRINT,
    expectation: { hostname: HOSTNAME, roots: [], pins: [], policies: [], max_bundle_age_ms: 86_400_000 },
    bundle: Buffer.from(bytes).toString('base64'),
    journal: { lines: [{ number: 1, text: '{}' }], head: { count: 1, hash: digestOf('{}') } },
    record: null,
  }
}

const refusal = { stage: 'cert-chain', reason: 'leaf_name_mismatch' }
const none = { stage: null, reason: null }

/** How each command is asked about those files. */
const commands: readonly [string, (files: ReturnType<typeof writeFiles>) => readonly string[]][] = [
  [
    'verify FILE',
    ({ bundle, root }) => [
      ...['verify', bundle, '--hostname', HOSTNAME, '--root', root, '--pin', SNAPSHOT_DIGEST],
      ...['--observed-leaf', TLS_FINGERPRINT, '--now', NOW.toISOString()],
    ],
  ],
  ['verify CAPSULE', ({ capsule, root }) => ['verify', capsule, '--root', root, '--pin', SNAPSHOT_DIGEST]],
  ['show FILE', ({ bundle, root }) => ['show', bundle, '--root', root]],
]

test.each(commands)(
  '%s wants the hostname in the signing certificate, unless --no-leaf-name is said',
  async (_, commandFor) => {
    for (const signer of ['nobody', 'another'] as const) {
      const args = commandFor(writeFiles(signer))
      const strict = await runInProcess(runProgram, [...args, '--json'])
      expect([strict.code, JSON.parse(strict.stdout)]).toMatchObject([3, refusal])
      const exempt = await runInProcess(runProgram, [...args, '--no-leaf-name', '--json'])
      expect(JSON.parse(exempt.stdout)).toMatchObject(none)
    }
  },
)

test('the exemption admits, and exempts from nothing else', async () => {
  const [, commandFor] = commands[0]!
  const files = writeFiles('nobody')
  const [otherPin, otherRoot] = [digestOf('another deployment'), writeRoot(makeChain({}, 'ES384'))]
  const replaced = (value: string, by: string) =>
    commandFor(files).map((argument) => (argument === value ? by : argument))
  for (const [args, code, document] of [
    [commandFor(files), 0, { admitted: true }],
    [commandFor(writeFiles('itself')), 0, { admitted: true }],
    [replaced(SNAPSHOT_DIGEST, otherPin), 3, { stage: 'policy', reason: 'digest_not_pinned' }],
    // What is said of one root helps under no other.
    [replaced(files.root, otherRoot), 3, refusal],
    [replaced(HOSTNAME, 'other.example'), 3, { stage: 'fetch', reason: 'hostname_mismatch' }],
  ] as const) {
    const ended = await runInProcess(runProgram, [...args, '--no-leaf-name', '--json'])
    expect([ended.code, JSON.parse(ended.stdout)]).toMatchObject([code, document])
  }
})

test('what comes along with its root is held to the leaf name where a configuration would hold it to that (CMD-37)', async () => {
  const files = writeFiles('another')
  const bytes = readFileSync(files.bundle)
  const named = { bytes, observedLeaf: undefined, hostname: HOSTNAME, config: undefined }
  const judged = (options: Parameters<typeof examine>[3]) =>
    examine(files.bundle, named, inspectBundle(bytes), options)
  expect((await judged({ root: [], leafName: true, asWritten: true })).refusal).toMatchObject(refusal)
  expect((await judged({ root: [], leafName: false, asWritten: true })).refusal).toBeUndefined()
  // `show` only shows it, and says that nobody has vouched for it.
  expect((await judged({ root: [], leafName: true })).refusal).toBeUndefined()
})
