import { inspect } from 'node:util'
import type { Order, ProcessOptions, Reply } from './crew.ts'
import { startPlanted } from './deployment.ts'
import { createExaminer, type Examiner } from './examiner.ts'
import { faults } from './faults.ts'

// One deployment and its examiner, in a process of their own: what a deployment plants in its programs goes by this
// process's environment. It ends with whoever asks it.

let examiner: Promise<Examiner> | undefined

async function start({ faults: ids, ...options }: ProcessOptions): Promise<Examiner> {
  const deployment = await startPlanted()
  return await createExaminer({ ...options, deployment, faults: faults.filter(({ id }) => ids.includes(id)) })
}

async function carryOut({ act, given }: Order): Promise<unknown> {
  if (act === 'start') {
    examiner = start(given[0] as ProcessOptions)
    await examiner
    return undefined
  }
  const method = (await examiner!)[act] as (...given: readonly unknown[]) => Promise<unknown>
  return await method(...given)
}

process.on('message', (order: Order) => {
  const { number } = order
  const reply = (told: Reply) => process.connected && process.send!(told)
  carryOut(order).then(
    (result) => reply({ number, result }),
    (error) => reply({ number, problem: inspect(error) }),
  )
})

// Ctrl-C reaches it by itself, and whoever has started it disconnects then.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => {})

process.once('disconnect', async () => {
  const running = await examiner?.catch(() => undefined)
  await running?.stop()
  process.exit()
})
