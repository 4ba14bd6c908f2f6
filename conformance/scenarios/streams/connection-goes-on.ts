import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'streams/connection-goes-on',
  rules: ['STRM-04'],
  title: 'After the end of a stream its connection serves the next request',
  needs: ['generation'],
  async run(context) {
    for (let turn = 0; turn < 3; turn++) {
      expectStream(await context.chat({ stream: true }))
      expectStatus(await context.request('listModels'), 200)
    }
  },
})
