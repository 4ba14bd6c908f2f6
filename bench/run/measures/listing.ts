import { setTimeout as sleep } from 'node:timers/promises'
import { cpuNanosOf } from '../cpu/usage.ts'
import { DATABASE } from '../subjects/subject.ts'
import type { Measure } from './measure.ts'
import type { Tools } from './turn.ts'

/** What `GET /models` takes for each model that it lists, one request after the other; of those that have many. */
export const listing: Measure = {
  id: 'models',
  title: '`GET /models`, one client',
  isQuick: false,
  fits: ({ measures }) => measures?.includes('models') === true,
  async take({ running }, { warmMs, turnMs }) {
    const { url, headers } = running.target
    const list = async (): Promise<number> => {
      const answer = await fetch(new URL('../models', url), { headers })
      if (answer.status !== 200) throw new Error(`the list was answered by ${answer.status}`)
      return ((await answer.json()) as { readonly data: readonly unknown[] }).data.length
    }
    await listFor(warmMs, list)
    const pids = running.roles.filter(({ name }) => name !== DATABASE).map(({ pid }) => pid)
    const nanos = (): number => pids.reduce((sum, pid) => sum + cpuNanosOf(pid), 0)
    const [begunMs, before] = [performance.now(), nanos()]
    const { lists, models } = await listFor(turnMs, list)
    const [ms, taken] = [performance.now() - begunMs, nanos() - before]
    return { perSecond: (lists / ms) * 1_000, cpuMicros: taken / 1_000 / models, models: models / lists }
  },
}

/** Lists again and again. */
async function listFor(
  ms: Tools['turnMs'],
  list: () => Promise<number>,
): Promise<{ readonly lists: number; readonly models: number }> {
  const untilMs = performance.now() + ms
  let [lists, models] = [0, 0]
  while (performance.now() < untilMs) {
    models += await list()
    lists++
    // A fetch that is answered at once leaves no turn to anybody else of this process.
    await sleep(0)
  }
  return { lists, models }
}
