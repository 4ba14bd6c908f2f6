import { afterEach, expect, test, vi } from 'vitest'
import { silent } from '../log.ts'
import { Exporter } from './exporter.ts'
import { kinds, type Span } from './span.ts'
import { type Collector, startCollector } from './testing/collector.ts'

const source = { service: 'router', version: '1', instance: 'rep_1' }
const open: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function world(
  answerMs?: number,
): Promise<{ collector: Collector; exporter: Exporter; warnings: string[] }> {
  const collector = await startCollector()
  const warnings: string[] = []
  const log = { ...silent, warn: (message: string) => void warnings.push(message) }
  const config = { url: collector.url, authorization: 'Bearer collector' }
  const exporter = new Exporter({ config, source, log, ...(answerMs !== undefined && { answerMs }) })
  open.push(collector.close, () => exporter.stop())
  return { collector, exporter, warnings }
}

const span: Span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: undefined,
  name: 'chat demo/tiny-chat',
  kind: kinds.client,
  startMs: 1_767_225_600_000.125,
  endMs: 1_767_225_600_001.5,
  attributes: { text: 'a', whole: 3, part: 0.5, absent: undefined },
  isError: true,
}

const take = (exporter: Exporter, count: number) => {
  for (let index = 0; index < count; index++) exporter.take(span)
}

test('a span is sent as OTLP has it in JSON, with its times to the microsecond', async () => {
  const { collector, exporter } = await world()
  exporter.take(span)
  await vi.waitFor(() => expect(collector.spans).toHaveLength(1))
  expect(collector.mistakes).toEqual([])
  expect(collector.headers[0]).toMatchObject({
    'content-type': 'application/json',
    authorization: 'Bearer collector',
  })
  const { durationNs, attributes, isError } = collector.spans[0]!
  expect({ durationNs, attributes, isError }).toEqual({
    durationNs: 1_375_000n,
    attributes: { text: 'a', whole: 3, part: 0.5 },
    isError: true,
  })
  expect(collector.resource).toEqual({
    'service.name': 'router',
    'service.version': '1',
    'service.instance.id': 'rep_1',
  })
  expect(collector.bodies[0]).toContain('"startTimeUnixNano":"1767225600000125000"')
})

test('spans wait in a queue of bounded length, and what does not find room there is counted', async () => {
  const { collector, exporter } = await world()
  collector.answer = 'never'
  take(exporter, 5_000)
  expect(exporter.exported).toEqual({ sent: 0, refused: 0, crowdedOut: 5_000 - 2_048 })
})

test('what a collector refuses is dropped and counted, and what it may take later is kept', async () => {
  const { collector, exporter, warnings } = await world()
  collector.answer = 503
  take(exporter, 3)
  await vi.waitFor(() => expect(collector.bodies).toHaveLength(1))
  expect(exporter.exported).toEqual({ sent: 0, refused: 0, crowdedOut: 0 })
  collector.answer = 200
  await vi.waitFor(() => expect(exporter.exported.sent).toBe(3))
  collector.answer = 400
  take(exporter, 2)
  await vi.waitFor(() => expect(exporter.exported).toEqual({ sent: 3, refused: 2, crowdedOut: 0 }))
  expect(warnings).toEqual(['the collector does not take spans now', 'the collector refuses spans'])
})

test('nobody waits for a collector that is away, and what waited for it is counted as the router stops', async () => {
  const { collector, exporter, warnings } = await world()
  await collector.close()
  take(exporter, 600)
  await vi.waitFor(() => expect(warnings).toEqual(['the collector does not take spans now']))
  expect(exporter.exported.crowdedOut).toBe(0)
  open.length = 0
  await exporter.stop()
  expect(exporter.exported).toEqual({ sent: 0, refused: 0, crowdedOut: 600 })
})

test('a stop sends what waits, and waits for no collector that does not answer', async () => {
  const { collector, exporter } = await world()
  take(exporter, 700)
  await exporter.stop()
  expect(exporter.exported).toEqual({ sent: 700, refused: 0, crowdedOut: 0 })
  expect(collector.spans).toHaveLength(700)
  const silentOne = await world()
  silentOne.collector.answer = 'never'
  take(silentOne.exporter, 10)
  await silentOne.exporter.stop()
  expect(silentOne.exporter.exported).toEqual({ sent: 0, refused: 0, crowdedOut: 10 })
})

test('a collector whose answer never ends keeps no span from being sent', async () => {
  const { collector, exporter, warnings } = await world(200)
  collector.answer = 'endless'
  take(exporter, 3)
  await vi.waitFor(() => expect(warnings).toEqual(['the collector does not take spans now']))
  collector.answer = 200
  take(exporter, 2)
  await vi.waitFor(() => expect(exporter.exported).toEqual({ sent: 5, refused: 0, crowdedOut: 0 }))
})

test('what a collector says that it has not taken of a batch is counted as refused', async () => {
  const { collector, exporter, warnings } = await world()
  collector.said = '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}'
  take(exporter, 5)
  await vi.waitFor(() => expect(exporter.exported).toEqual({ sent: 3, refused: 2, crowdedOut: 0 }))
  for (const said of ['', 'no JSON', 'null', '{"partialSuccess":{"rejectedSpans":-1}}']) {
    const { sent } = exporter.exported
    collector.said = said
    take(exporter, 1)
    await vi.waitFor(() => expect(exporter.exported.sent).toBe(sent + 1))
  }
  expect(warnings).toEqual(['the collector refuses spans'])
})

test('a collector that refuses one batch after the other has one line of the log', async () => {
  const { collector, exporter, warnings } = await world()
  collector.answer = 404
  for (let refused = 1; refused < 4; refused++) {
    take(exporter, 1)
    await vi.waitFor(() => expect(exporter.exported.refused).toBe(refused))
  }
  expect(warnings).toEqual(['the collector refuses spans'])
})
