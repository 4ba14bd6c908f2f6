import { expect, test } from 'vitest'
import type { Child } from './children.ts'
import { type Part, type SupervisorEvents, supervise } from './supervisor.ts'

interface FakeChild extends Child {
  /** How often it was asked to end. */
  readonly asked: () => number
  die(cause: string): void
}

function createPart({ serves = () => true }: { readonly serves?: (start: number) => boolean } = {}) {
  const children: FakeChild[] = []
  const part: Part = {
    name: 'router',
    title: 'The router',
    async start() {
      const { promise, resolve } = Promise.withResolvers<string>()
      let asked = 0
      const child: FakeChild = {
        id: { pid: children.length + 1, born: '' },
        logFile: 'router.log',
        ready: Promise.resolve(),
        exited: promise,
        asked: () => asked,
        async stop() {
          asked += 1
          resolve('SIGTERM')
        },
        die: resolve,
      }
      children.push(child)
      return child
    },
    untilReady: async (child) => {
      if (!serves(child.id.pid)) throw new Error('It does not serve.')
      return { start: child.id.pid }
    },
  }
  return { part, children }
}

function createEvents() {
  const told: string[] = []
  const events: SupervisorEvents = {
    onChild: (_, { pid }) => told.push(`child ${pid}`),
    onDeath: (_, cause) => told.push(`death ${cause}`),
    onReturn: () => told.push('return'),
    onGiveUp: ({ message }) => told.push(message),
  }
  return { told, events }
}

test('a child that dies is started again, and that is told', async () => {
  const { part, children } = createPart()
  const { told, events } = createEvents()
  const supervised = await supervise(part, events)
  children[0]!.die('SIGSEGV')
  await expect.poll(() => told).toEqual(['child 1', 'death SIGSEGV', 'child 2', 'return'])
  await supervised.stop()
})

test('a child that is stopped stays stopped', async () => {
  const { part, children } = createPart()
  const { told, events } = createEvents()
  await (await supervise(part, events)).stop()
  expect(told).toEqual(['child 1'])
  expect(children).toHaveLength(1)
})

test('what a child said when it first served is kept', async () => {
  const supervised = await supervise(createPart().part, createEvents().events)
  expect(supervised.document).toEqual({ start: 1 })
  await supervised.stop()
})

test('a child is asked to end once, however often its end is waited for', async () => {
  const { part, children } = createPart()
  const supervised = await supervise(part, createEvents().events)
  await Promise.all([supervised.stop(), supervised.stop()])
  expect(children[0]!.asked()).toBe(1)
})

test('a first start that fails is a failure, and leaves nothing running', async () => {
  const { part, children } = createPart({ serves: () => false })
  await expect(supervise(part, createEvents().events)).rejects.toThrow('It does not serve.')
  expect(await children[0]!.exited).toBe('SIGTERM')
})

test('a child that never serves again is given up', async () => {
  const { part, children } = createPart({ serves: (start) => start === 1 })
  const { told, events } = createEvents()
  const supervised = await supervise(part, events)
  children[0]!.die('exit code 1')
  await expect.poll(() => told.at(-1), { timeout: 30_000 }).toContain('The router keeps dying')
  expect(children.length).toBe(5)
  await supervised.stop()
})

test('a child that is killed from outside again and again is started each time', async () => {
  const { part, children } = createPart()
  const { told, events } = createEvents()
  const supervised = await supervise(part, events)
  for (let kills = 0; kills < 12; kills += 1) {
    children.at(-1)!.die('SIGKILL')
    await expect.poll(() => told.filter((each) => each === 'return').length).toBe(kills + 1)
  }
  await supervised.stop()
})
