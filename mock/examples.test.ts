import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { isChatCompletion } from '#contract/validators/chat-completion'
import { isCompletion } from '#contract/validators/completion'
import { isEmbeddingList } from '#contract/validators/embedding-list'
import { isGenerationResult } from '#contract/validators/generation-result'
import { isModel } from '#contract/validators/model'
import { isModelList } from '#contract/validators/model-list'
import { mockDocument } from './document.ts'

interface Contract {
  readonly components: { readonly schemas: Record<string, { readonly examples?: readonly unknown[] }> }
}

const OPENAPI = join(import.meta.dirname, '..', 'generated', 'openapi.yaml')
const { schemas } = (parse(readFileSync(OPENAPI, 'utf8')) as Contract).components

test.each([
  ['ChatCompletion', isChatCompletion],
  ['Completion', isCompletion],
  ['EmbeddingList', isEmbeddingList],
  ['GenerationResult', isGenerationResult],
  ['Model', isModel],
  ['ModelList', isModelList],
])('the example of %s keeps the contract', (name, isRight) => {
  expect(schemas[name]!.examples).toHaveLength(1)
  for (const example of schemas[name]!.examples!) expect(isRight(example)).toBe(true)
})

test('the mock has the paths of the router below /v1, and none of those beside it', () => {
  const { paths } = parse(mockDocument()) as { paths: Record<string, unknown> }
  expect(Object.keys(paths)).toContain('/v1/chat/completions')
  expect(Object.keys(paths).filter((path) => !path.startsWith('/v1/'))).toEqual([])
})
