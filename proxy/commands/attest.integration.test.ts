import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseDigest, toHex } from '#attestation'
import type { RunningProxyOutput } from '#contract/models'
import { isAskedChecksOutput } from '#contract/validators/asked-checks-output'
import { HOSTNAME } from '#egress/testing/identity.ts'
import { control, runProxy, startPlatform, startProgram, temporaryFolder } from '../testing/programs.ts'

async function startBoth() {
  const platform = await startPlatform('http://127.0.0.1:9')
  const { port } = new URL(platform.ready.url)
  const proxy = await startProgram<RunningProxyOutput>('proxy', {
    dataDir: temporaryFolder(),
    admin: { port: 0 },
    endpoints: [
      {
        name: 'main',
        listen: { port: 0 },
        url: `https://${HOSTNAME}:${port}/v1`,
        roots: [{ file: platform.ready.root_pem_file }],
        pins: [platform.ready.evidence_digest],
      },
    ],
  })
  return { platform, attest: ['attest', '--config', proxy.file, '--admin', proxy.ready.admin_url!] }
}

test('attest has the running proxy find what has changed since it looked, and ends as verify does (CMD-39)', async () => {
  const { platform, attest } = await startBoth()
  const good = await runProxy(...attest)
  expect(good).toMatchObject({ code: 0, stderr: '' })
  expect(good.stdout).toContain('is admitted, by a check that was made now.')
  expect(good.stdout).toContain(toHex(parseDigest(platform.ready.evidence_digest)))

  await control(platform, '/rotate/deployment')
  const refused = await runProxy(...attest, '--json')
  const found: unknown = JSON.parse(refused.stdout)
  expect(isAskedChecksOutput(found)).toBe(true)
  expect(refused.code).toBe(3)
  expect(found).toMatchObject({
    endpoints: [
      {
        name: 'main',
        check: { admitted: false, stage: 'policy', reason: 'digest_not_pinned' },
        verdict: { state: 'denied' },
      },
    ],
  })

  await control(platform, '/rotate/deployment', { restore: true })
  const words = await runProxy(...attest, '--endpoint', 'main')
  expect(words).toMatchObject({ code: 0, stdout: expect.stringContaining('policy           ok') })
})

test('attest tells a check that could not be finished apart from the verdict that lives on', async () => {
  const { platform, attest } = await startBoth()
  await runProxy(...attest)
  await platform.stop()
  const shown = await runProxy(...attest)
  expect(shown.code).toBe(3)
  expect(shown.stdout).toContain('fetch, unreachable')
  expect(shown.stdout).toMatch(/The verdict before it lives for \d+ s more/)
})

test('attest says what to do where no proxy runs, where it tells nothing, and of a name that there is not', async () => {
  const file = join(temporaryFolder(), 'proxy.yaml')
  const gone = await runProxy('attest', '--admin', 'http://127.0.0.1:1')
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('`proxy run` starts it') })
  writeFileSync(
    file,
    JSON.stringify({
      endpoints: [{ name: 'main', url: 'https://router.localhost:1/v1', roots: [], pins: [] }],
    }),
  )
  expect(await runProxy('attest', '--config', file)).toMatchObject({ code: 4 })
  const { attest } = await startBoth()
  expect(await runProxy(...attest, '--endpoint', 'other')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('`proxy status` lists them'),
  })
})
