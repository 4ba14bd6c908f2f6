import type { OperationId } from '#contract/routes'
import type { Account } from './accounts.ts'
import type { Request } from './client.ts'
import type { ModelName } from './target.ts'

type Body = Readonly<Record<string, unknown>>

/** What differs from a usual request. `key: null` sends none; `body` members are put over the usual ones. */
export interface RequestOptions extends Omit<Request, 'key' | 'body' | 'operation'> {
  readonly account?: Account
  readonly key?: string | null
  readonly body?: Readonly<Record<string, unknown>>
  /** Members that are left out of the usual body. */
  readonly omit?: readonly string[]
  /** A body as it is, in place of the usual one. */
  readonly text?: string | Buffer
}

/** What the usual bodies are made of. */
interface Ingredients {
  readonly prompt: string
  readonly model: (name?: ModelName) => string
}

/** The usual body of an inference request. */
export function usualBody(operation: OperationId, { prompt, model }: Ingredients): Body | undefined {
  switch (operation) {
    case 'createChatCompletion':
      return { model: model(), messages: [{ role: 'user', content: prompt }] }
    case 'createCompletion':
      return { model: model('completions'), prompt }
    case 'createEmbedding':
      return { model: model('embeddings'), input: prompt }
    default:
      return undefined
  }
}

/** The usual request with what differs from it. */
export function toRequest(operation: OperationId, usual: Body | undefined, options: RequestOptions): Request {
  const { account: _, key, body = {}, omit = [], text = bodyText(usual, body, omit), ...rest } = options
  return { operation, ...rest, key: key ?? undefined, ...(text !== undefined && { body: text }) }
}

function bodyText(usual: Body | undefined, body: Body, omit: readonly string[]): string | undefined {
  if (usual === undefined) return undefined
  const members = Object.entries({ ...usual, ...body }).filter(([name]) => !omit.includes(name))
  return JSON.stringify(Object.fromEntries(members))
}
