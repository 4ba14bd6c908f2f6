import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConfigReloadOutput, ConfigStatusOutput } from '#contract/models'
import {
  answers,
  DONE,
  finishEvent,
  openStream,
  type ScriptedBackend,
  startBackend,
  textEvent,
  usageEvent,
  usageOf,
} from '../server/relay/testing/backend.ts'
import { type RouterProcess, startRouterProcess } from './router-process.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))

/** What each answer of `startHolding` uses, and costs at the prices of `configOf` times `factor`. */
const TOKENS = 1_000
export const costAt = (factor: number) => factor * 750

/** A backend whose streams wait, after their first word, until they are let go; any other answer comes at once. */
export async function startHolding(): Promise<ScriptedBackend & { letGo(): void }> {
  const gate = Promise.withResolvers<void>()
  const answer = answers(200, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_767_225_600,
    model: 'tiny-chat',
    choices: [{ index: 0, message: { role: 'assistant', content: 'b' }, finish_reason: 'stop' }],
    usage: usageOf(TOKENS, TOKENS),
  })
  const backend = await startBackend(async (response, request) => {
    if (!JSON.parse(request.body).stream) return answer(response, request)
    openStream(response)
    response.write(textEvent('first '))
    await gate.promise
    response.end(textEvent('last') + finishEvent() + usageEvent(TOKENS, TOKENS) + DONE)
  })
  return { ...backend, letGo: gate.resolve }
}

/** A configuration with the prices of 150,000 and 600,000 times `factor`; `more` goes behind it. */
export function configOf(backendUrl: string, factor: number, more = ''): string {
  const pricing = `{ promptPer1mMicros: ${150_000 * factor}, completionPer1mMicros: ${600_000 * factor} }`
  return `listen: { host: 127.0.0.1, port: 0 }
admin: { port: 0 }
database: { url: "\${DATABASE_URL}" }
endpoints: [ { name: demo, hostname: router.localhost } ]
models:
  - id: demo/tiny-chat
    contextLength: 32768
    pricing: ${pricing}
    endpoint: demo
    backends: [ { url: "${backendUrl}", model: tiny-chat } ]
${more}`
}

/** A router with a file that a test may change, and the commands beside it. */
export interface ReloadableRouter extends RouterProcess {
  write(config: string): void
  /** `router config …` on its file. */
  command(...words: readonly string[]): Promise<CommandRun>
  remove(): void
}

/** What a command came to. */
export interface CommandRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Starts a router on a file of its own. */
export async function startReloadable(databaseUrl: string, config: string): Promise<ReloadableRouter> {
  const folder = mkdtempSync(join(tmpdir(), 'router-reload-'))
  const file = join(folder, 'router.yaml')
  const router = await startRouterProcess(databaseUrl, '', { folder, config })
  return {
    ...router,
    write: (text) => writeFileSync(file, text),
    command: (...words) =>
      new Promise((resolve) => {
        const env = { ...process.env, DATABASE_URL: databaseUrl }
        execFile(LAUNCHER, ['config', ...words, '--config', file], { env }, (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
        })
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** What a command printed with `--json`. */
export const parseReload = ({ stdout }: CommandRun) => JSON.parse(stdout) as ConfigReloadOutput
export const parseStatus = ({ stdout }: CommandRun) => JSON.parse(stdout) as ConfigStatusOutput
