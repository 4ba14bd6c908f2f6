import assert from 'node:assert/strict'
import type { Context } from '../../engine/context.ts'
import { holdFor, priceOf } from '../../engine/prices.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/hold',
  rules: ['CRED-05', 'CRED-06', 'CRED-09', 'CRED-37'],
  title:
    "While a request runs it holds the most that it can cost: its bytes and the template, and the model's largest output",
  needs: ['workspace', 'ledger', 'backendScript'],
  async run(context) {
    const prices = await priceOf(context)
    await stall(context)
    const text = bodyOfLength(context, 400)
    const call = await context.open('createChatCompletion', { text })
    const { holds } = await booksWhileRunning(context)
    const outputCap = prices.maxOutputTokens
    const { templateTokens } = context.target.limits
    assert.deepEqual(
      holds.map(({ amount_micros }) => amount_micros),
      [holdFor(prices, { bodyBytes: 400, outputCap, templateTokens })],
    )
    const [received] = await context.received()
    assert.equal(
      JSON.parse(received?.body ?? '{}').max_tokens,
      outputCap,
      'the cap was not sent to the backend',
    )
    call.abort()
  },
})

/** A request of exactly so many bytes. */
function bodyOfLength(context: Context, bytes: number): string {
  const body = (padding: string) =>
    JSON.stringify({
      model: context.model(),
      stream: true,
      messages: [{ role: 'user', content: `${context.prompt}${padding}` }],
    })
  const text = body('x'.repeat(bytes - Buffer.byteLength(body(''))))
  assert.equal(Buffer.byteLength(text), bytes)
  return text
}

async function stall(context: Context): Promise<void> {
  await context.script({ chunks: 5, fault: { kind: 'stall', afterChunks: 1 } })
}

async function booksWhileRunning(context: Context): ReturnType<Context['books']> {
  await context.eventually('the backend is called', async () => (await context.received()).length > 0)
  return context.books()
}
