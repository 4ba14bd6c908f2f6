import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { pythonOf } from '../needs.ts'
import { type Account, demoModel, type Service, startService } from '../service.ts'
import type { Failure } from './client.ts'

/** A client of Python. */
export interface PythonClient {
  /** The need that brings it, by which its program is called as well. */
  readonly need: string
  /** What it throws for each refusal, in its own words. */
  readonly wrongKey: Partial<Failure>
  readonly noCredit: Partial<Failure>
  /** What it was told and does not show. */
  readonly hides?: Readonly<Partial<Record<Act, readonly ('id' | 'cost_micros')[]>>>
}

type Act = 'chat' | 'stream' | 'chats' | 'prompts'

/** What a program tells of one generation. */
interface Told {
  readonly id?: string
  readonly texts: readonly string[]
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly cost_micros?: number
  }
}

/** What a program prints. */
interface Output {
  readonly generations: readonly Told[]
  readonly wrong_key: Failure
  readonly no_credit: Failure
}

/** A record, as far as a client can be told of it. */
interface Recorded {
  readonly operation: string
  readonly streamed: boolean
  readonly id: string
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cost_micros: number
}

/** What every program asks for, in this order: how it is recorded, and how many texts come. */
const asked: readonly { act: Act; operation: string; streamed: boolean; texts: number }[] = [
  { act: 'chat', operation: 'chat', streamed: false, texts: 1 },
  { act: 'stream', operation: 'chat', streamed: true, texts: 1 },
  { act: 'chats', operation: 'chat', streamed: false, texts: 1 },
  { act: 'chats', operation: 'chat', streamed: false, texts: 1 },
  { act: 'chats', operation: 'chat', streamed: false, texts: 1 },
  { act: 'prompts', operation: 'completions', streamed: false, texts: 3 },
]

const BALANCE_MICROS = 5_000_000n

// Guards against hanging alone: LiteLLM takes ten seconds of an idle processor before it does anything.
const START_MS = 600_000

/** Runs the program of a client once, and shows that it was told what the router has on record. */
export function pythonSuiteOf({ need, wrongKey, noCredit, hides = {} }: PythonClient): void {
  let service: Service
  let payer: Account
  let pauper: Account
  let output: Output

  beforeAll(async () => {
    service = await startService({
      models: (url) => [
        demoModel(url),
        demoModel(url, { id: 'demo/tiny-text', capabilities: ['completions'] }),
      ],
    })
    payer = await service.createAccount(BALANCE_MICROS)
    pauper = await service.createAccount(0n)
    output = await runProgram(need, {
      OPENAI_BASE_URL: service.baseUrl,
      OPENAI_API_KEY: payer.apiKey,
      KEY_WITHOUT_CREDIT: pauper.apiKey,
    })
    return () => service.stop()
  }, START_MS)

  test('a chat, a stream, several chats and several prompts are on record as the client was told', async () => {
    const records = await recordsOf(service, payer)
    const expected = output.generations.map(({ id, usage }, index) => {
      const { act, operation, streamed } = asked[index]!
      const { prompt_tokens, completion_tokens, cost_micros } = usage
      const told = { id, operation, streamed, prompt_tokens, completion_tokens, cost_micros }
      const isShown = ([name]: [string, unknown]) => !hides[act]?.some((hidden) => hidden === name)
      return Object.fromEntries(Object.entries(told).filter(isShown))
    })
    expect(records).toHaveLength(asked.length)
    expect(records).toMatchObject(expected)
    const debited = records.reduce((sum, { cost_micros }) => sum + cost_micros, 0)
    expect(debited).toBeGreaterThan(0)
    expect(await service.balanceOf(payer.workspaceId)).toBe(BALANCE_MICROS - BigInt(debited))
  })

  test('each chat and each prompt is answered with a text', () => {
    const texts = output.generations.map((generation) => generation.texts)
    expect(texts.map(({ length }) => length)).toEqual(asked.map((each) => each.texts))
    for (const text of texts.flat()) expect(text.length).toBeGreaterThan(10)
  })

  test('several prompts reach the backend as one request', () => {
    const prompts = service.backend.requests().filter(({ path }) => path === '/v1/completions')
    expect(prompts.map(({ body }) => JSON.parse(body).prompt)).toEqual([['Once', 'twice', 'thrice']])
  })

  test('a wrong key is an error of authentication, and an empty balance one that says so; neither is sent on', async () => {
    const says = (words: string) => expect.stringContaining(words)
    const [wrong, poor] = [
      says('The API key is missing or wrong.'),
      says('The workspace has no credit left.'),
    ]
    expect(output.wrong_key).toMatchObject({ ...wrongKey, status: 401, message: wrong })
    expect(output.no_credit).toMatchObject({ ...noCredit, status: 402, message: poor })
    expect(service.backend.requests()).toHaveLength(asked.length)
    expect(await recordsOf(service, pauper)).toEqual([])
  })
}

async function runProgram(need: string, settings: NodeJS.ProcessEnv): Promise<Output> {
  const program = join(import.meta.dirname, 'programs', `${need}.py`)
  const env = { ...process.env, ...settings }
  const { stdout } = await promisify(execFile)(pythonOf(need), [program], { env })
  return JSON.parse(stdout)
}

/** The generations of a workspace, in the order that they were asked for. */
function recordsOf({ sql }: Service, { workspaceId }: Account): Promise<readonly Recorded[]> {
  return sql<Recorded[]>`
    select id, operation, streamed, prompt_tokens::float8 as prompt_tokens,
      completion_tokens::float8 as completion_tokens, cost_micros::float8 as cost_micros
    from generations where workspace_id = ${workspaceId} order by id`
}
