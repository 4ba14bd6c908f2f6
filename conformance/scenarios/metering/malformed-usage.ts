import { expectRecord, expectSubset } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'metering/malformed-usage',
  rules: ['MET-13'],
  title: 'Usage that is no count is as good as none',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: ['a', 'b', 'c', 'd'], usage: 'malformed' })
    const { chunks } = expectStream(await context.chat({ stream: true }))
    const record = expectRecord(await context.record(chunks[0]?.id ?? ''))
    expectSubset(record, { status: 'ok', usage_source: 'counted', completion_tokens: 4 }, 'the record')
  },
})
