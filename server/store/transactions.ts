import { setImmediate as turn } from 'node:timers/promises'
import type postgres from 'postgres'
import { OutageError } from './outage.ts'

type Sql = postgres.Sql<{ bigint: bigint }>
type Transaction = postgres.ISql<{ bigint: bigint }>
type Task = (transaction: Transaction) => unknown

/**
 * Has transactions survive the loss of their connection. The driver would write what comes next, the task's own
 * statement or the rollback after its failure, to a socket that is not there any more, in a callback where nobody can
 * catch it, and the process would end. So a task is asked nothing more once its connection has gone, and is not waited
 * for: whoever began the transaction has been told already.
 */
export function guardTransactions(sql: Sql): Sql {
  const begin = sql.begin.bind(sql) as (options: string, task: Task) => Promise<unknown>

  async function guarded(...given: readonly unknown[]): Promise<unknown> {
    const task = given.at(-1) as Task
    const options = given.length > 1 ? (given[0] as string) : ''
    let isOver = false
    const whole = begin(options, async (transaction) => {
      const [outcome] = await Promise.allSettled([
        perform(
          task,
          whileOpen(transaction, () => isOver),
        ),
      ])
      // Of a connection that has gone the driver tells within this turn.
      if (outcome.status === 'rejected') await turn()
      if (isOver) return await new Promise<never>(() => {})
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    })
    const end = () => {
      isOver = true
    }
    whole.then(end, end)
    return await whole
  }

  return Object.assign(sql, { begin: guarded })
}

/** A task may answer with several statements, as the driver has it. */
async function perform(task: Task, transaction: Transaction): Promise<unknown> {
  const result = task(transaction)
  return await (Array.isArray(result) ? Promise.all(result) : result)
}

/** The same transaction, but for statements that come too late. */
function whileOpen(transaction: Transaction, isOver: () => boolean): Transaction {
  return new Proxy(transaction, {
    apply(target, self, given) {
      if (isOver()) throw new OutageError('the connection of this transaction has gone')
      return Reflect.apply(target as never, self, given)
    },
  })
}
