import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createCrew } from './crew.ts'
import { createPalette } from './palette.ts'
import { createStory } from './story.ts'
import type { Part } from './supervisor.ts'
import type { UndoStep } from './undo.ts'

const wanted = { router: 20_080, platform: 20_443 }

/** A crew whose parts only write down what happens to them. */
function gather() {
  const done: string[] = []
  const undo: UndoStep[] = []
  const controller = new AbortController()
  const story = createStory({
    write: () => undefined,
    palette: createPalette({}, {}),
    columns: 80,
    now: () => 0,
  })
  const crew = createCrew({
    story,
    undo,
    signal: controller.signal,
    onChange: () => undefined,
    onGiveUp: (failure) => done.push(failure.message),
  })

  function createPart(name: Part['name'], serve: () => Promise<unknown> = async () => name): Part {
    const { promise: exited, resolve } = Promise.withResolvers<string>()
    return {
      name,
      title: name,
      carriesAnswers: true,
      async start() {
        done.push(`start ${name}`)
        const stop = async (): Promise<void> => {
          done.push(`stop ${name}`)
          resolve('SIGTERM')
        }
        return { id: { pid: 1, born: '' }, logFile: '', ready: Promise.resolve(), exited, stop }
      },
      untilReady: serve,
    }
  }
  return { crew, createPart, done, undo, controller }
}

test('parts are started in turn, and their order is also that of stopping', async () => {
  const { crew, createPart, done, undo } = gather()
  const said = await crew.startParts(wanted, async (start, { router, platform }) => [
    await start('Platform', createPart('platform'), platform),
    await start('Router', createPart('router'), router),
  ])
  expect(said).toEqual(['platform', 'router'])
  expect(done).toEqual(['start platform', 'start router'])
  expect(undo.map(({ name }) => name)).toEqual(['Router', 'Platform'])
})

test('when one of them fails the others are stopped, and nothing is left to undo', async () => {
  const { crew, createPart, done, undo } = gather()
  const starting = crew.startParts(wanted, async (start, { router, platform }) => {
    await start('Platform', createPart('platform'), platform)
    await start(
      'Router',
      createPart('router', () => Promise.reject(new Error('broken'))),
      router,
    )
  })
  await expect(starting).rejects.toThrow('broken')
  expect(done).toEqual(['start platform', 'start router', 'stop router', 'stop platform'])
  expect(undo).toEqual([])
})

test('when a port is taken at the last moment all of them start again on others', async () => {
  const { crew, createPart, done } = gather()
  const chosen: number[] = []
  await crew.startParts(wanted, async (start, { router, platform }) => {
    chosen.push(router.port)
    await start('Platform', createPart('platform'), platform)
    if (chosen.length > 1) return
    const stranger = createServer().listen(router.port, '127.0.0.1')
    onTestFinished(() => void stranger.close())
    await once(stranger, 'listening')
    throw new Error('EADDRINUSE')
  })
  expect(done).toEqual(['start platform', 'stop platform', 'start platform'])
  expect(new Set(chosen).size).toBe(2)
})

test('an interrupted start goes no further', async () => {
  const { crew, createPart, done, controller } = gather()
  const starting = crew.startParts(wanted, async (start, { router, platform }) => {
    controller.abort(new Error('enough'))
    await start('Platform', createPart('platform'), platform)
    await start('Router', createPart('router'), router)
  })
  await expect(starting).rejects.toThrow('enough')
  expect(done).toEqual(['start platform', 'stop platform'])
})
