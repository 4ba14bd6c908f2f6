// @module-tag script

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { limits } from '#contract/limits'
import { startTestServer } from '../server/store/testing.ts'
import { configOf } from './reload.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))
const PATIENCE = { timeout: 60_000, interval: 50 }

test('a hangup is a reload while the terminal is there, and an orderly stop once it has gone', async () => {
  const server = await startTestServer()
  const { url, sql } = await server.open()
  const folder = mkdtempSync(join(tmpdir(), 'router-hangup-'))
  const file = join(folder, 'router.yaml')
  writeFileSync(file, configOf('http://127.0.0.1:1/v1', 1))
  const command = `exec '${LAUNCHER}' run --config '${file}'`
  const terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { ...process.env, DATABASE_URL: url, TMPDIR: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let shown = ''
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  // One that lapses does so a whole lease after its last renewal.
  const leaseIsGivenBack = async () => {
    const [row] = await sql<{ is_so: boolean }[]>`
      select lapses_at < renewed_at + ${limits.leaseMs} * interval '1 millisecond' as is_so from replicas`
    return row?.is_so
  }
  try {
    // The log is written some times a second, the rest at once.
    for (const part of ['The router serves at', '"pid":'])
      await vi.waitFor(() => expect(shown).toContain(part), PATIENCE)
    const pid = Number(/"pid":(\d+)/.exec(shown)![1])
    process.kill(pid, 'SIGHUP')
    await vi.waitFor(() => expect(shown).toContain('the configuration is as it was'), PATIENCE)
    expect(await leaseIsGivenBack()).toBe(false)

    const [, admin] = /metrics are at (http:\S+)\./.exec(shown)!
    expect((await fetch(`${admin}/healthz`)).status).toBe(200)
    terminal.kill('SIGKILL')
    await vi.waitFor(async () => expect(await leaseIsGivenBack()).toBe(true), PATIENCE)
    await vi.waitFor(() => expect(fetch(`${admin}/healthz`)).rejects.toThrow(), PATIENCE)
  } finally {
    terminal.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
    await server.stop()
  }
})
