import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { digestOf } from '#attestation'
import type { RunningProxyOutput } from '#contract/models'
import { isDiagnosisOutput } from '#contract/validators/diagnosis-output'
import { isProxyStatus } from '#contract/validators/proxy-status'
import { fetchBundle } from '#egress/evidence/fetch.ts'
import { startGateway } from '#egress/testing/gateway.ts'
import { createIdentity, HOSTNAME } from '#egress/testing/identity.ts'
import {
  control,
  type PlatformReady,
  type Program,
  runProxy,
  startPlatform,
  startProgram,
  temporaryFolder,
} from '../testing/programs.ts'

/** A configuration file for a platform, but for what is changed. */
function configFor({ ready }: Program<PlatformReady>, change: object = {}, admin?: object) {
  const folder = temporaryFolder()
  const file = join(folder, 'proxy.yaml')
  const { port } = new URL(ready.url)
  const config = {
    dataDir: folder,
    ...(admin && { admin }),
    endpoints: [
      {
        name: 'main',
        listen: { port: 0 },
        url: `https://${HOSTNAME}:${port}/v1`,
        roots: [{ file: ready.root_pem_file }],
        pins: [ready.evidence_digest],
        ...change,
      },
    ],
  }
  writeFileSync(file, JSON.stringify(config))
  return { file, config }
}

/** Runs `proxy doctor` and gives its exit code, its diagnosis and what failed. */
async function examine(file: string) {
  const { code, stdout } = await runProxy('doctor', '--config', file, '--json')
  const document = JSON.parse(stdout)
  expect(isDiagnosisOutput(document)).toBe(true)
  const [{ diagnosis, checks }] = document.endpoints
  const failed = checks.filter(({ result }: { result: string }) => result === 'failed')
  for (const { remedy } of failed) expect(remedy).toEqual(expect.any(String))
  return { code, diagnosis, failed: failed.map(({ check }: { check: string }) => check) }
}

test('the doctor tells apart what can be wrong, and exits with 3 unless all is well', async () => {
  const platform = await startPlatform('http://127.0.0.1:9')
  const { file } = configFor(platform)
  expect(await examine(file)).toEqual({ code: 0, diagnosis: 'none', failed: [] })
  expect(await examine(configFor(platform, { pins: [digestOf('another')] }).file)).toEqual({
    code: 3,
    diagnosis: 'wrong_pin',
    failed: ['policy'],
  })
  const absent = { url: 'https://no-such-host.invalid/v1', hostname: HOSTNAME }
  expect(await examine(configFor(platform, absent).file)).toMatchObject({ code: 3, diagnosis: 'dns' })
  await control(platform, '/hold')
  await control(platform, '/rotate/leaf?resign=later')
  expect(await examine(file)).toMatchObject({ diagnosis: 'certificate_renewal', failed: ['tls-fingerprint'] })
  await platform.stop()
  expect(await examine(file)).toMatchObject({ code: 3, diagnosis: 'unreachable', failed: ['connect'] })
  const words = (await runProxy('doctor', '--config', file)).stdout
  expect(words).toContain('It cannot be reached.')
})

test('one who ends TLS and passes the evidence on is found out by the issuer of the certificate', async () => {
  const platform = await startPlatform('http://127.0.0.1:9')
  const port = Number(new URL(platform.ready.url).port)
  const { bytes } = await fetchBundle({ hostname: HOSTNAME, host: '127.0.0.1', port })
  const between = await startGateway(createIdentity(), (_, response) => void response.end(bytes))
  onTestFinished(() => between.close())
  const { file } = configFor(platform, { url: `https://${HOSTNAME}:${between.port}/v1` })
  expect(await examine(file)).toEqual({ code: 3, diagnosis: 'tls_interception', failed: ['tls-fingerprint'] })
  const { stdout } = await runProxy('doctor', '--config', file)
  expect(stdout).toContain('generated/reasons.md#tls-fingerprint-leaf_mismatch')
})

test('the status is that of the running proxy: 0 when admitted, 3 when not, 1 when nobody answers', async () => {
  const platform = await startPlatform('http://127.0.0.1:9')
  const status = (file: string, ...args: readonly string[]) => runProxy('status', '--config', file, ...args)
  for (const [change, code, state] of [
    [{}, 0, 'admitted'],
    [{ pins: [digestOf('another')] }, 3, 'denied'],
  ] as const) {
    const { file, config } = configFor(platform, change, { port: 0 })
    const { ready, stop } = await startProgram<RunningProxyOutput>('proxy', config)
    await fetch(`${ready.address}/models`)
    const admin = ['--admin', new URL(ready.admin_url!).origin]
    const found = await status(file, ...admin, '--json')
    expect(found.code).toBe(code)
    const document = JSON.parse(found.stdout)
    expect(isProxyStatus(document)).toBe(true)
    expect(document).toMatchObject({ pid: ready.pid, endpoints: [{ name: 'main', verdict: { state } }] })
    expect((await status(file, ...admin)).stdout).toContain(state)
    await stop()
    expect(await status(file, ...admin)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('proxy run'),
    })
  }
  expect(await status(configFor(platform).file)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('admin'),
  })
})
