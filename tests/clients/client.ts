import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** The clients, by the names of their programs. */
export type ClientName = 'openai' | 'ai-sdk' | 'langchain'

/** What every program can do. */
export type Act = 'chat' | 'stream' | 'tools' | 'structured' | 'embed' | 'abort' | 'broken' | 'defaultRetries'

/** Where a request goes, and what it says. */
export interface Ask {
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
  readonly prompt: string
}

/** What an integrator can read off the error that a client throws. */
export interface Failure {
  readonly name: string
  readonly status?: number
  readonly code?: string
  readonly stage?: string
  readonly reason?: string
  readonly requestId?: string
  readonly message: string
}

/** A client in a process of its own, as an application has it. */
export interface Client {
  readonly name: ClientName
  /** What the client gives; throws `Refused` when the client throws. */
  ask(act: Act, ask: Ask): Promise<unknown>
  stop(): void
}

/** What the client threw, as its program describes it. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(`${failure.name}: ${failure.message}`)
    this.failure = failure
  }
}

interface Reply {
  readonly id: number
  readonly result?: unknown
  readonly failure?: Failure
}

/** Starts the program of a client, and waits until its packages are loaded. */
export async function startClient(name: ClientName): Promise<Client> {
  const program = fork(join(import.meta.dirname, 'programs', `${name}.js`), { execArgv: [] })
  const pending = new Map<number, (reply: Reply) => void>()
  let sequence = 0
  program.on('message', (reply: Reply) => pending.get(reply.id)?.(reply))
  program.once('exit', (code) => {
    const failure: Failure = { name: 'Exit', message: `the program ended with ${code}` }
    for (const [id, settle] of pending) settle({ id, failure })
  })
  await ready(program)

  return {
    name,
    async ask(act, ask) {
      sequence += 1
      const id = sequence
      const reply = await new Promise<Reply>((settle) => {
        pending.set(id, settle)
        program.send({ id, act, ask })
      })
      pending.delete(id)
      if (reply.failure !== undefined) throw new Refused(reply.failure)
      return reply.result
    },
    stop: () => void program.kill(),
  }
}

async function ready(program: ChildProcess): Promise<void> {
  const ended = once(program, 'exit').then(([code]) => {
    throw new Error(`the program ended with ${code} before it was ready`)
  })
  await Promise.race([once(program, 'message'), ended])
}
