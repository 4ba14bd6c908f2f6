import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { digestOf, toHex } from '#attestation'
import { isDiscoveryOutput } from '#contract/validators/discovery-output'
import { isVerificationOutput } from '#contract/validators/verification-output'
import { fetchBundle } from '#egress/evidence/fetch.ts'
import { HOSTNAME } from '#egress/testing/identity.ts'
import { control, runProxy, startPlatform, temporaryFolder } from '../testing/programs.ts'

const MINUTE = 60_000

/** A platform, and its bundle in a file. */
async function startWorld() {
  const platform = await startPlatform('http://127.0.0.1:9')
  const { port } = new URL(platform.ready.url)
  const { bytes, observedLeaf } = await fetchBundle({
    hostname: HOSTNAME,
    host: '127.0.0.1',
    port: Number(port),
  })
  const file = join(temporaryFolder(), 'bundle.json')
  writeFileSync(file, bytes)
  const { root_pem_file: root, evidence_digest: pin } = platform.ready
  const bundle = JSON.parse(Buffer.from(bytes).toString())
  return { platform, url: `https://${HOSTNAME}:${port}`, file, bundle, root, pin, leaf: observedLeaf }
}

/** Runs `proxy verify --json` and gives its exit code and document. */
async function verify(...args: readonly string[]) {
  const { code, stdout, stderr } = await runProxy('verify', ...args, '--json')
  const document: unknown = stdout === '' ? undefined : JSON.parse(stdout)
  if (document !== undefined) expect(isVerificationOutput(document)).toBe(true)
  return { code, document, stderr }
}

const ADMITTED = { admitted: true, verified_through: 'policy', stage: null, reason: null }

test('an endpoint is admitted over its own connection, by any spelling of its pin', async () => {
  const { url, root, pin } = await startWorld()
  const hex = toHex(pin as ReturnType<typeof digestOf>)
  for (const [address, spelling] of [
    [url, pin],
    [`${url}/v1`, hex],
    [`${url}/.well-known/platform-evidence`, hex.slice('sha256:'.length)],
  ] as const) {
    expect(await verify(address, '--root', root, '--pin', spelling)).toMatchObject({
      code: 0,
      document: { ...ADMITTED, evidence_digest: pin, channel_binding: 'observed' },
    })
  }
})

test('a saved bundle is admitted with the certificate that was observed, or on the producer’s word when asked', async () => {
  const { file, root, pin, leaf } = await startWorld()
  const known = [file, '--hostname', HOSTNAME, '--root', root, '--pin', pin]
  expect(await verify(...known, '--observed-leaf', leaf)).toMatchObject({
    code: 0,
    document: { ...ADMITTED, channel_binding: 'observed' },
  })
  expect(await verify(...known, '--accept-producer-asserted')).toMatchObject({
    code: 0,
    document: { ...ADMITTED, channel_binding: 'producer-asserted' },
  })
  const { stdout } = await runProxy('verify', ...known, '--accept-producer-asserted')
  expect(stdout).toMatch(/tls-fingerprint +ok +The producer says/)
  expect(stdout).not.toContain('The connection ends at')
})

test('a file that cannot be read is named', async () => {
  const folder = temporaryFolder()
  expect(await runProxy('verify', folder, '--hostname', HOSTNAME)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${folder} cannot be read`),
  })
})

test('whatever is left out refuses, and exits with 3 (V-12)', async () => {
  const { file, root, pin, leaf, bundle } = await startWorld()
  const issuedAt = Date.parse(bundle.issuedAt)
  const at = (ms: number) => ['--now', new Date(issuedAt + ms).toISOString()]
  const trusted = ['--root', root]
  const pinned = ['--pin', pin]
  const observed = ['--observed-leaf', leaf]
  const all = [...trusted, ...pinned, ...observed]
  const cases: [readonly string[], string, string, string | null, string | null, string][] = [
    [[...pinned, ...observed], 'untrusted-root', 'no_trusted_roots', 'cert-chain', null, 'none'],
    [[...trusted, ...observed], 'policy', 'no_pins', 'tls-fingerprint', pin, 'observed'],
    [[...trusted, ...pinned], 'tls-fingerprint', 'leaf_not_observed', 'jws', pin, 'none'],
    [
      [...trusted, '--accept-producer-asserted'],
      'policy',
      'no_pins',
      'tls-fingerprint',
      pin,
      'producer-asserted',
    ],
    [
      [...trusted, ...pinned, '--observed-leaf', digestOf('x')],
      'tls-fingerprint',
      'leaf_mismatch',
      'jws',
      pin,
      'none',
    ],
    [
      [...trusted, ...observed, '--pin', digestOf('x')],
      'policy',
      'digest_not_pinned',
      'tls-fingerprint',
      pin,
      'observed',
    ],
    [[...all, ...at(25 * 60 * MINUTE)], 'jws', 'bundle_stale', 'untrusted-root', null, 'none'],
    [[...all, ...at(2 * MINUTE), '--max-age', '1m'], 'jws', 'bundle_stale', 'untrusted-root', null, 'none'],
    [[...all, ...at(-2 * MINUTE)], 'jws', 'issued_in_future', 'untrusted-root', null, 'none'],
    [[...all, '--hostname', 'other.example'], 'fetch', 'hostname_mismatch', null, null, 'none'],
  ]
  for (const [args, stage, reason, through, digest, binding] of cases) {
    expect(await verify(file, '--hostname', HOSTNAME, ...args), reason).toEqual({
      code: 3,
      stderr: '',
      document: {
        admitted: false,
        verified_through: through,
        stage,
        reason,
        evidence_digest: digest,
        channel_binding: binding,
        hardware: null,
      },
    })
  }
})

test('every policy must allow: a false refuses, an error fails, and both are told by name', async () => {
  const { file, root, pin, leaf } = await startWorld()
  const known = [file, '--hostname', HOSTNAME, '--root', root, '--pin', pin, '--observed-leaf', leaf]
  const policyFile = join(temporaryFolder(), 'policy.cel')
  writeFileSync(
    policyFile,
    'evidence.version == 2 &&\n  evidence.resources.exists(r, r.kind == "Deployment")\n',
  )
  const allowing = ['--policy', policyFile, '--policy', `hostname == "${HOSTNAME}"`]
  expect(await verify(...known, ...allowing)).toMatchObject({ code: 0, document: ADMITTED })
  for (const [policy, reason] of [
    ['evidence.version == 1', 'policy_refused'],
    ['evidence.absent == 1', 'policy_failed'],
  ] as const) {
    const refused = await verify(...known, ...allowing, '--policy', policy)
    expect(refused).toMatchObject({ code: 3, document: { admitted: false, stage: 'policy', reason } })
    expect((await runProxy('verify', ...known, '--policy', policy)).stdout).toContain(`"${policy}"`)
  }
  expect(await verify(...known, '--policy', 'evidence.')).toMatchObject({ code: 2, document: undefined })
})

test('a file that is no bundle is a refusal at fetch, and so is one that is too large', async () => {
  const { root } = await startWorld()
  const folder = temporaryFolder()
  for (const [text, reason] of [
    ['<html>', 'not_json'],
    ['', 'not_json'],
    ['[]', 'malformed_bundle'],
    ['{"kind":"Other"}', 'unsupported_kind'],
    [' '.repeat(1_048_577), 'too_large'],
  ] as const) {
    const file = join(folder, 'bundle.json')
    writeFileSync(file, text)
    const result = await verify(file, '--hostname', HOSTNAME, '--root', root)
    expect(result).toMatchObject({ code: 3, document: { stage: 'fetch', reason, verified_through: null } })
  }
})

test('what cannot be read is 1 and what cannot be meant is 2, and neither prints a document', async () => {
  const { file, root, url, leaf } = await startWorld()
  const hostname = ['--hostname', HOSTNAME]
  const cases: [number, readonly string[]][] = [
    [1, ['/no/such/bundle.json', ...hostname]],
    [1, [file, ...hostname, '--root', '/no/such/root.pem']],
    [1, [file, ...hostname, '--root', file]],
    [2, [file]],
    [2, [file, ...hostname, '--pin', 'sha256:12']],
    [2, [file, ...hostname, '--now', 'tomorrow']],
    [2, [file, ...hostname, '--max-age', 'long']],
    [2, ['http://router.localhost/v1', '--root', root]],
    [2, [url, '--root', root, '--observed-leaf', leaf]],
    [2, [file, ...hostname, '--unknown']],
  ]
  for (const [code, args] of cases) {
    const result = await verify(...args)
    expect(result, args.join(' ')).toEqual({ code, document: undefined, stderr: expect.stringMatching(/./) })
  }
})

test('an endpoint that cannot be reached is refused at fetch', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => void server.close())
  expect(await verify(`https://127.0.0.1:${port}`)).toMatchObject({
    code: 3,
    document: { stage: 'fetch', reason: 'tls_failed', verified_through: null },
  })
})

test('people are told stage by stage what was checked, and what mends a refusal', async () => {
  const { url, root, pin } = await startWorld()
  const admitted = await runProxy('verify', url, '--root', root, '--pin', pin)
  expect(admitted.stdout).toMatch(/^router\.localhost is admitted\.\n/)
  expect(admitted.stdout).toContain(toHex(pin as ReturnType<typeof digestOf>))
  const refused = await runProxy('verify', url, '--pin', pin)
  expect(refused.code).toBe(3)
  expect(refused.stdout).toMatch(
    /cert-chain +ok .*\n +untrusted-root +NO +No root is trusted at all\.\n +Configure/,
  )
  expect(refused.stdout).toMatch(/policy +- +Not looked at\./)
})

test('discover shows what one could pin, proves what it can, and a verification with it admits', async () => {
  const { platform, url, root, pin, leaf } = await startWorld()
  const { code, stdout } = await runProxy('discover', url, '--json')
  const found = JSON.parse(stdout)
  expect(code).toBe(0)
  expect(isDiscoveryOutput(found)).toBe(true)
  expect(found).toMatchObject({
    hostname: HOSTNAME,
    evidence_digest: pin,
    observed_leaf: leaf,
    tee: 'Intel TDX (QEMU)',
    root_trusted: false,
  })
  const rootFile = join(temporaryFolder(), 'root.pem')
  writeFileSync(rootFile, found.root_pem)
  expect((await verify(url, '--root', rootFile, '--pin', found.evidence_digest_hex)).code).toBe(0)
  const again = await runProxy('discover', url, '--root', root)
  expect(again.stdout).toContain(`      - ${found.evidence_digest_hex}`)
  expect(again.stdout).toContain(`      - file: ${root}`)
  expect(again.stdout).toContain('a label in the root certificate, which proves nothing')
  await control(platform, '/rotate/leaf?resign=later')
  expect(await runProxy('discover', url, '--json')).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('leaf_mismatch'),
  })
})
