import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

/** What a backend that folds names would read in place of what was judged. */
const HIDDEN: readonly Readonly<Record<string, unknown>>[] = [
  { stream: true, stream_options: { include_usage: true, Include_Usage: false } },
  { stream: true, stream_options: {}, ſtream_optionſ: { include_usage: false } },
  { stream: true, max_tokens: 1, max_tokenſ: 300 },
  { stream: true, max_tokens: 1, 'max_to\u212aens': 300 },
  { stream: false, ſtream: true },
  { meſſages: [{ role: 'user', content: 'another conversation' }] },
]

export default define({
  id: 'metering/folded-names',
  rules: ['MET-05', 'REQ-26', 'REQ-56'],
  title: 'No name that a backend in Go folds switches metering off, escapes the hold or hides the prompt',
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    await context.script({ reads: 'go', chunks: 30, promptTokens: 500, completionTokens: 300 })
    for (const fields of HIDDEN) expectError(await context.chat(fields), 'unsupported_parameter')
    assert.equal((await context.received()).length, 0, 'one of them reached the backend')
    await context.chat({ stream: true, stream_options: { include_usage: false, other: 1 } })
    const { generations } = await context.books()
    assert.deepEqual(
      generations.map(({ prompt_tokens, completion_tokens }) => [prompt_tokens, completion_tokens]),
      [[500, 300]],
    )
  },
})
