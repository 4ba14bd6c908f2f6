import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** What became of one request. */
export interface Answer {
  /** Its prompt, which nobody else has sent. */
  readonly prompt: string
  /** 0 when no answer came. */
  readonly status: number
  /** Of a refusal. */
  readonly stage: string | undefined
  /** Until the head of the answer. */
  readonly waitMs: number
  /** Whether the stream came to its proper end, without an error. */
  readonly isWhole: boolean
}

/** Where a load goes. */
export interface LoadTarget {
  readonly baseUrl: string
  readonly apiKey: string
}

/** A load that runs. */
export interface Load {
  /** Lets every request end, and gives all answers. */
  stop(): Promise<Answer[]>
}

/** How long a client rests after a refusal. */
const REST_MS = 500

/** Longest that any client waits for anything. */
const PATIENCE_MS = 30_000

/** Starts so many clients, each of which asks for one stream after the other; `label` begins each prompt. */
export function startLoad(target: LoadTarget, clients: number, label: string): Load {
  let isOver = false
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const runs = Array.from({ length: clients }, async (_, client) => {
    const answers: Answer[] = []
    for (let count = 0; !isOver; count++) {
      const answer = await ask(target, agent, `${label}/${client}/${count}`)
      answers.push(answer)
      if (answer.status !== 200) await sleep(REST_MS)
    }
    return answers
  })
  return {
    async stop() {
      isOver = true
      const answers = (await Promise.all(runs)).flat()
      agent.destroy()
      return answers
    },
  }
}

async function ask({ baseUrl, apiKey }: LoadTarget, agent: Agent, prompt: string): Promise<Answer> {
  const begun = performance.now()
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const sent = request(`${baseUrl}/chat/completions`, { method: 'POST', agent, headers, signal })
  const messages = [{ role: 'user', content: prompt }]
  try {
    sent.end(JSON.stringify({ model: 'demo/tiny-chat', stream: true, messages }))
    const [response] = (await once(sent, 'response', { signal })) as [IncomingMessage]
    const waitMs = performance.now() - begun
    let text = ''
    for await (const piece of response) text += piece
    const status = response.statusCode ?? 0
    const isWhole = text.endsWith('data: [DONE]\n\n') && !text.includes('"error"')
    return { prompt, status, stage: status === 200 ? undefined : stageOf(text), waitMs, isWhole }
  } catch {
    return { prompt, status: 0, stage: undefined, waitMs: performance.now() - begun, isWhole: false }
  }
}

function stageOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { readonly stage?: string }).stage
  } catch {
    return undefined
  }
}
