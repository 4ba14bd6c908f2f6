import { expect, onTestFinished, test, vi } from 'vitest'
import { silent } from '../log.ts'
import { startCollector } from './testing/collector.ts'
import { createTracer } from './tracer.ts'

test('a clock that is set back in the midst of a check makes no span that ends before it begins', async () => {
  const collector = await startCollector()
  const config = { url: collector.url, ratio: 1, authorization: undefined }
  const source = { service: 'router', version: '1', instance: 'rep_1' }
  const tracer = createTracer({ config, source, log: silent })
  onTestFinished(async () => {
    await tracer.stop()
    await collector.close()
  })
  const clock = vi.spyOn(Date, 'now').mockReturnValue(1_767_225_600_000)
  const end = tracer.beginAlone('router.attestation')
  clock.mockReturnValue(1_767_225_000_000)
  end({}, false)
  clock.mockRestore()
  await vi.waitFor(() => expect(collector.spans).toHaveLength(1))
  expect(collector.spans[0]!.durationNs).toBeGreaterThanOrEqual(0n)
})
