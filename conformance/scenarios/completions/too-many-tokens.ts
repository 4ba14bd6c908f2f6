import { expectError } from '../../engine/expect.ts'
import { priceOf } from '../../engine/prices.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'completions/too-many-tokens',
  rules: ['ERR-23'],
  title: 'A prompt of more tokens than the context window holds is told context_length_exceeded',
  needs: ['generation', 'model:completions', 'backendScript'],
  async run(context) {
    const { contextLength } = await priceOf(context, 'completions')
    // Whichever of the two finds it: the router that reads the tokens, or the backend that refuses them.
    await context.script({
      status: 400,
      error: {
        error: {
          message: `This model's maximum context length is ${contextLength} tokens. Please reduce your prompt.`,
          code: 'context_length_exceeded',
        },
      },
    })
    const prompt = Array.from({ length: contextLength + 1 }, () => 7)
    for (const stream of [false, true]) {
      const body = { prompt, stream, user: context.prompt }
      expectError(await context.request('createCompletion', { body }), 'context_length_exceeded')
    }
  },
})
