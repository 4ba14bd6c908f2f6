import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'relay/interim-answers',
  rules: ['PRXY-29'],
  title: 'Interim answers (1xx) of a backend are passed over, whole and streamed',
  needs: ['generation', 'backendScript'],
  async run(context) {
    for (const interim of [[100], [102, 102], [103], [100, 103, 102]]) {
      await context.script({ chunks: 3, interim })
      expectChat(await context.chat())
      expectStream(await context.chat({ stream: true }))
    }
  },
})
