import type { RuleId } from '#contract/rules'
import { type Deviation, ofChunks, ofErrors, ofEvents } from './deviating.ts'

type Members = Record<string, unknown>

/** A product that is right but for one thing, and the rules that it breaks by it. */
export interface Case {
  readonly deviation: Deviation
  readonly breaks: readonly RuleId[]
}

const without = (value: Members, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

const withUsage = (change: (usage: Members, value: Members) => Members) =>
  ofChunks((value) => (value.usage ? { ...value, ...change(value.usage as Members, value) } : value))

const EXTENSIONS = ['cost_micros', 'endpoint', 'evidence_digest']

/** What is changed in a record. */
const ofRecords = (change: (record: Members) => Members): Deviation => ({
  body: (value, { path, status }) =>
    path.endsWith('/generation') && status === 200
      ? { ...value, data: change(value.data as Members) }
      : value,
})

const withoutHeader = (...names: readonly string[]): Deviation => ({
  headers: (headers) => without(headers, ...names) as typeof headers,
})

/** One deviation each, by what is said of it. */
export const deviations: Readonly<Record<string, Case>> = {
  'none at all': { deviation: {}, breaks: [] },
  'ids that begin with chatcmpl-': {
    deviation: ofChunks((value) => ({ ...value, id: String(value.id).replace('gen-', 'chatcmpl-') })),
    breaks: ['CHAT-02', 'CHAT-17'],
  },
  '"param": null in every error': {
    deviation: ofErrors((error) => ({ param: null, ...error })),
    breaks: ['ERR-50'],
  },
  'no usage.cost_micros': {
    deviation: withUsage((usage) => ({ usage: without(usage, 'cost_micros') })),
    breaks: ['CHAT-05', 'CHAT-17'],
  },
  'the extension fields beside usage': {
    deviation: withUsage((usage) => ({ ...usage, usage: without(usage, ...EXTENSIONS) })),
    breaks: ['CHAT-05', 'CHAT-12', 'CHAT-17'],
  },
  'no [DONE]': {
    deviation: { block: (block) => (block === 'data: [DONE]' ? undefined : block) },
    breaks: ['EP-10', 'STRM-04', 'STRM-06', 'EVT-05', 'STRM-14', 'STRM-15', 'STRM-16'],
  },
  'another model in the answer': {
    deviation: ofChunks((value) => ({ ...value, model: 'another' })),
    breaks: ['CHAT-03', 'CHAT-17'],
  },
  'no usage chunk': {
    deviation: {
      block: (block) => (/"choices":\[\]/.test(block) && !block.includes('"error"') ? undefined : block),
    },
    breaks: ['EP-10', 'REQ-05', 'STRM-03', 'EVT-02'],
  },
  'event: on every event': {
    deviation: { block: (block) => (block.startsWith('data:') ? `event: message\n${block}` : block) },
    breaks: ['STRM-13'],
  },
  'streams of text/plain': {
    deviation: {
      headers: (headers) =>
        headers['content-type']?.includes('event-stream')
          ? { ...headers, 'content-type': 'text/plain; charset=utf-8' }
          : headers,
    },
    breaks: ['STRM-01'],
  },
  'no X-Request-Id': { deviation: withoutHeader('x-request-id'), breaks: ['HDR-02', 'HDR-08', 'HDR-09'] },
  'no X-Router-Generation-Id': {
    deviation: withoutHeader('x-router-generation-id'),
    breaks: ['HDR-03', 'HDR-10'],
  },
  'no Cache-Control': { deviation: withoutHeader('cache-control'), breaks: ['STRM-23'] },
  'no X-Accel-Buffering': { deviation: withoutHeader('x-accel-buffering'), breaks: ['STRM-23'] },
  'a revoked key is told to be wrong': {
    deviation: ofErrors((error) =>
      error.code === 'api_key_revoked' ? { ...error, code: 'invalid_api_key' } : error,
    ),
    breaks: ['KEY-13', 'AUTH-06'],
  },
  'authentication errors of another type': {
    deviation: ofErrors((error) =>
      error.type === 'authentication_error' ? { ...error, type: 'invalid_request_error' } : error,
    ),
    breaks: ['AUTH-03', 'ERR-08', 'ERR-09', 'ERR-10'],
  },
  'a 401 that does not say how a key is sent': {
    deviation: ofErrors((error) => (error.code === 'invalid_api_key' ? { ...error, message: 'No.' } : error)),
    breaks: ['AUTH-05'],
  },
  'a model list of another object': {
    deviation: {
      body: (value, { path }) =>
        path.endsWith('/models') && value.data ? { ...value, object: 'models' } : value,
    },
    breaks: ['MODL-05'],
  },
  'records that are complete and not ok': {
    deviation: ofRecords((record) => (record.status === 'ok' ? { ...record, status: 'complete' } : record)),
    breaks: ['GEN-05', 'GEN-08', 'GEN-09', 'GEN-17', 'STRM-07', 'GEN-25'],
  },
  'unknown models are 400': {
    deviation: {
      status: (status, { error }) =>
        (error as Members | undefined)?.code === 'model_not_found' ? 400 : status,
    },
    breaks: ['EP-08', 'ERR-14', 'MODL-20'],
  },
  'errors in a stream without a message': {
    deviation: {
      block: ofEvents((value) =>
        'error' in value ? { ...value, error: without(value.error as Members, 'message') } : value,
      ),
    },
    breaks: ['ERR-01', 'ERR-03'],
  },
}
