import { expect, test } from 'vitest'
import { fallbacksOf, readFor } from './reading.ts'
import { byId, testModel } from './testing.ts'

const model = testModel({ fallbacks: ['late', 'early', 'absent', 'mute', 'late'] })
const models = byId(
  { ...testModel(), id: 'early' },
  { ...testModel({ capabilities: ['embeddings'] }), id: 'mute' },
  { ...testModel(), id: 'stranger' },
  model,
  { ...testModel(), id: 'late' },
)

test('the models in place of another come in the order in which it names them, each once, if they can serve', () => {
  expect(fallbacksOf('chat', model, models).map(({ id }) => id)).toEqual(['late', 'early'])
  expect(fallbacksOf('embeddings', model, models).map(({ id }) => id)).toEqual(['late', 'early', 'mute'])
  expect(fallbacksOf('chat', testModel(), models)).toEqual([])
})

test('a body is read for the model that it names and for those in its place, and for no other', () => {
  const namesOf = (name: string) => {
    const reading = readFor('chat', Buffer.from(JSON.stringify({ model: name, messages: [{}] })), models)
    return reading.refusal ?? [...reading.requests.keys()]
  }
  expect(namesOf('demo')).toEqual(['demo', 'late', 'early'])
  expect(namesOf('stranger')).toEqual(['stranger'])
  expect(namesOf('__proto__')).toEqual([])
})
