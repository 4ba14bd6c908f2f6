import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as a collector reads it. */
export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  readonly durationNs: bigint
  readonly isError: boolean
  readonly attributes: Readonly<Record<string, string | number>>
}

/** A collector of OTLP over HTTP in JSON, strict about its shape. */
export interface Collector {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** Attributes of the newest resource. */
  readonly resource: Readonly<Record<string, string | number>>
  /** What came, as it came. */
  readonly bodies: readonly string[]
  readonly headers: readonly IncomingMessage['headers'][]
  /** What does not belong into OTLP. */
  readonly mistakes: readonly string[]
  /** What the next batches are answered with: a status, nothing at all, or an answer that never ends. */
  answer: number | 'never' | 'endless'
  /** The body of an answer. */
  said: string
  close(): Promise<void>
}

type Json = Record<string, unknown>

const TRACE_ID = /^[0-9a-f]{32}$/
const SPAN_ID = /^[0-9a-f]{16}$/
const NANOSECONDS = /^[0-9]{19}$/
const WHOLE = /^-?[0-9]+$/

/** Starts a collector on a free port of the loopback. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const bodies: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const mistakes: string[] = []
  let resource: Record<string, string | number> = {}
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece as Buffer)
    if (collector.answer === 'never') return
    const body = Buffer.concat(pieces).toString()
    bodies.push(body)
    headers.push(incoming.headers)
    if (collector.answer === 200) read(JSON.parse(body) as Json)
    if (collector.answer === 'endless') return drip(response)
    response.writeHead(collector.answer, { 'content-type': 'application/json' }).end(collector.said)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    get resource() {
      return resource
    },
    bodies,
    headers,
    mistakes,
    answer: 200,
    said: '{}',
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return collector

  /** A byte now and then: no gap is long. */
  function drip(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' })
    const dripping = setInterval(() => response.write(' '), 20)
    response.once('close', () => clearInterval(dripping))
  }

  function read(request: Json): void {
    only(request, ['resourceSpans'])
    for (const one of listOf(request.resourceSpans)) {
      only(one, ['resource', 'scopeSpans'])
      resource = attributesOf((one.resource as Json).attributes)
      for (const scoped of listOf(one.scopeSpans)) {
        only(scoped, ['scope', 'spans'])
        for (const span of listOf(scoped.spans)) spans.push(toSpan(span))
      }
    }
  }

  function toSpan(span: Json): CollectedSpan {
    only(span, [
      ...['traceId', 'spanId', 'parentSpanId', 'name', 'kind', 'flags'],
      ...['startTimeUnixNano', 'endTimeUnixNano', 'attributes', 'status'],
    ])
    const { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano: start, endTimeUnixNano: end } = span
    if (!TRACE_ID.test(traceId as string)) mistakes.push(`traceId ${traceId}`)
    if (!SPAN_ID.test(spanId as string)) mistakes.push(`spanId ${spanId}`)
    if (parentSpanId !== undefined && !SPAN_ID.test(parentSpanId as string)) mistakes.push('parentSpanId')
    if (![1, 2, 3].includes(kind as number)) mistakes.push(`kind ${kind}`)
    for (const time of [start, end]) if (!NANOSECONDS.test(time as string)) mistakes.push(`time ${time}`)
    const status = span.status as Json
    if (status.code !== undefined && status.code !== 2) mistakes.push(`status ${status.code}`)
    return {
      traceId: traceId as string,
      spanId: spanId as string,
      parentSpanId: parentSpanId as string | undefined,
      name: name as string,
      kind: kind as number,
      durationNs: BigInt(end as string) - BigInt(start as string),
      isError: status.code === 2,
      attributes: attributesOf(span.attributes),
    }
  }

  function attributesOf(list: unknown): Record<string, string | number> {
    return Object.fromEntries(
      listOf(list).map(({ key, value, ...rest }) => {
        only(rest, [])
        const [[kind, held] = ['none', ''], ...others] = Object.entries(value as Json)
        const isRight =
          kind === 'stringValue' ||
          kind === 'doubleValue' ||
          (kind === 'intValue' && WHOLE.test(String(held)))
        if (!isRight || others.length > 0) mistakes.push(`value of ${key}`)
        return [key as string, kind === 'stringValue' ? String(held) : Number(held)]
      }),
    )
  }

  function listOf(value: unknown): Json[] {
    if (!Array.isArray(value)) mistakes.push(`no list: ${JSON.stringify(value)}`)
    return Array.isArray(value) ? value : []
  }

  function only(value: Json, names: readonly string[]): void {
    for (const name of Object.keys(value)) if (!names.includes(name)) mistakes.push(`member ${name}`)
  }
}
