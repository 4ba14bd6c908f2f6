import { randomBytes } from 'node:crypto'

const TRACE_BYTES = 16
const SPAN_BYTES = 8

/** A new trace's id, 32 digits of hex. */
export function createTraceId(): string {
  return randomBytes(TRACE_BYTES).toString('hex')
}

/** A new span's id, 16 digits of hex. */
export function createSpanId(): string {
  return randomBytes(SPAN_BYTES).toString('hex')
}
