import { expect, test } from 'vitest'
import { createPalette } from './palette.ts'
import { createStory } from './story.ts'
import { stopAll, type UndoStep } from './undo.ts'

function listen() {
  const said: string[] = []
  const story = createStory({
    write: (text) => said.push(text),
    palette: createPalette({}, {}),
    columns: 80,
    now: () => 0,
  })
  return { story, text: () => said.join('') }
}

test('the last is stopped first, one after the other', async () => {
  const { story, text } = listen()
  const undo: UndoStep[] = ['PostgreSQL', 'Router'].map((name) => ({ name, stop: async () => undefined }))
  await stopAll(undo, story)
  expect(text()).toMatch(/Stopping\n\n +Router +… stopped in 0\.0 s\n +PostgreSQL +… stopped in 0\.0 s\n$/)
  expect(undo).toEqual([])
})

test('those that end together are asked before anybody is waited for', async () => {
  const done: string[] = []
  const step = (name: string): UndoStep => ({ name, stop: async () => void done.push(`stop ${name}`) })
  const asked = (name: string): UndoStep => ({ ...step(name), ask: () => void done.push(`ask ${name}`) })
  await stopAll([step('Backend'), asked('Router'), asked('Proxy')], listen().story)
  expect(done).toEqual(['ask Proxy', 'ask Router', 'stop Proxy', 'stop Router', 'stop Backend'])
})

test('one that cannot be stopped keeps nobody else running', async () => {
  const { story, text } = listen()
  const stopped: string[] = []
  const undo: UndoStep[] = [
    { name: 'PostgreSQL', stop: async () => void stopped.push('PostgreSQL') },
    { name: 'Router', stop: () => Promise.reject(new Error('stuck')) },
  ]
  await stopAll(undo, story)
  expect(stopped).toEqual(['PostgreSQL'])
  expect(text()).toContain('! Router: Error: stuck')
})
