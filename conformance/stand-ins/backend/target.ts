import { isObject } from '#base/object.ts'
import type { Received } from './journal.ts'
import type { Operation } from './script.ts'

/** What a request is about: an operation, or nothing that is served here. */
export interface Target {
  readonly operation: Operation | undefined
  /** The model looked up, when one is. */
  readonly wanted: string
}

const PATHS: Readonly<Record<string, Operation>> = {
  'POST /v1/chat/completions': 'chat',
  'POST /v1/completions': 'completions',
  'POST /v1/embeddings': 'embeddings',
  'GET /v1/models': 'models',
  'POST /tokenize': 'tokenize',
}
const MODEL_PATH = 'GET /v1/models/'

/** Reads method and path. */
export function targetOf({ method, path }: Received): Target {
  const line = `${method} ${path.split('?')[0]}`
  if (!line.startsWith(MODEL_PATH)) return { operation: PATHS[line], wanted: '' }
  return { operation: 'models', wanted: decodeURIComponent(line.slice(MODEL_PATH.length)) }
}

/** The model a body names, if it names one. */
export function modelIn(body: string): string {
  try {
    const json: unknown = JSON.parse(body)
    return isObject(json) && typeof json.model === 'string' ? json.model : ''
  } catch {
    return ''
  }
}
