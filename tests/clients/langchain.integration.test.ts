import { expect, test } from 'vitest'
import { suiteOf } from './suite.ts'
import { visit } from './visit.ts'

const bench = suiteOf('langchain')

test('the SDK tries six times more by default', async () => {
  const { ask } = await visit(bench(), 'router', {})
  expect(await ask('defaultRetries')).toBe(6)
})
