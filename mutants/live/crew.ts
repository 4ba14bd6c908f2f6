import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Examiner, ExaminerOptions } from './examiner.ts'

const ENTRY = join(import.meta.dirname, 'examiner-process.ts')

/** What a process of its own is to examine: the faults by their ids. */
export type ProcessOptions = Pick<ExaminerOptions, 'jobs' | 'seed'> & { readonly faults: readonly string[] }

/** What an examiner in a process of its own is asked to do; first of all, to start. */
export interface Order {
  readonly number: number
  readonly act: keyof Examiner | 'start'
  readonly given: readonly unknown[]
}

/** What came of it. */
export type Reply = { readonly number: number } & (
  | { readonly result: unknown }
  | { readonly problem: string }
)

/** Memory of a deployment, at the most (ours). */
const DEPLOYMENT_BYTES = 2 ** 31

/** How many deployments of those wanted this machine has the memory for; one in any case. */
export function affordable(wanted: number, bytes = process.availableMemory()): number {
  return Math.max(1, Math.min(wanted, Math.floor(bytes / DEPLOYMENT_BYTES)))
}

/** Starts so many examiners, each in a process of its own with a deployment of its own. */
export async function startCrew(count: number, options: ProcessOptions): Promise<readonly Examiner[]> {
  const started = Array.from({ length: count }, () => startExaminer(options))
  const settled = await Promise.allSettled(started)
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed === undefined) return await Promise.all(started)
  await Promise.all(settled.map((one) => (one.status === 'fulfilled' ? one.value.stop() : undefined)))
  throw failed.reason
}

async function startExaminer(options: ProcessOptions): Promise<Examiner> {
  const child = fork(ENTRY, { serialization: 'advanced' })
  const exited = once(child, 'exit')
  const ask = asking(child, exited)
  try {
    await ask('start', options)
  } catch (error) {
    child.disconnect()
    await exited
    throw error
  }
  return {
    quick: (withLong) => ask('quick', withLong),
    rest: () => ask('rest'),
    watch: (scenario) => ask('watch', scenario),
    attempt: (...given) => ask('attempt', ...given),
    settle: () => ask('settle'),
    async stop() {
      // It stops what it has started once nobody is there to ask it.
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

function asking(child: ChildProcess, exited: Promise<unknown>) {
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>()
  let count = 0
  child.on('message', (reply: Reply) => {
    const one = waiting.get(reply.number)
    waiting.delete(reply.number)
    if ('problem' in reply) one?.reject(new Error(reply.problem))
    else one?.resolve(reply.result as never)
  })
  void exited.then(() => {
    for (const { reject } of waiting.values()) reject(new Error('An examiner has ended.'))
    waiting.clear()
  })
  return <Result>(act: Order['act'], ...given: readonly unknown[]): Promise<Result> =>
    new Promise((resolve, reject) => {
      const number = ++count
      waiting.set(number, { resolve, reject })
      child.send({ number, act, given } satisfies Order, (error) => {
        if (error) reject(error)
      })
    })
}
