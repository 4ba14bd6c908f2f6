import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { isObject } from '#base/object.ts'
import { countedIn, type Ledger, type Running, settle, shownId, usageOf } from './generation.ts'
import { backendFailed } from './refusal.ts'

/** Reads a whole answer, books it and gives what the client is answered; throws where it is none, or tells no usage. */
export async function whole(answer: IncomingMessage, running: Running, ledger: Ledger): Promise<object> {
  const value = parse(await text(answer).catch(() => ''))
  const list = value?.choices ?? value?.data
  const counted = countedIn(value?.usage)
  // What cannot be counted cannot be sold: the meter is exact.
  if (!value || !Array.isArray(list) || list.length === 0 || !counted) throw backendFailed(false)
  const cost = settle(ledger, running, 'ok', counted)
  const { id: _, ...others } = value
  return {
    ...others,
    ...(running.model.does !== 'embed' && { id: shownId(running) }),
    model: running.model.id,
    usage: usageOf(running, counted, cost),
    served_by: 'the other router',
  }
}

function parse(answer: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(answer)
    return isObject(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
