import { EventEmitter, once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { isObject } from '#base/object.ts'
import type { Books, Key } from './books.ts'
import { costOf, type Model, models } from './models.ts'
import { mistake, Refusal } from './refusal.ts'

type Body = Record<string, unknown>

/** The key of a request; throws 401. */
export function keyOf(books: Books, { headers }: IncomingMessage): Key {
  const [, secret = ''] = /^Bearer (sk-tee-v1-[A-Za-z0-9_-]{43})$/.exec(headers.authorization ?? '') ?? []
  const key = books.keys.get(secret)
  const refuse = (code: string, message: string) => new Refusal(401, code, 'authentication_error', message)
  if (key === undefined) throw refuse('invalid_api_key', 'Send your key as a bearer token.')
  if (key.endsAt !== null && key.endsAt <= Date.now() && key.revokedAt === null)
    throw refuse('api_key_expired', 'This key has come to its end.')
  if (key.revokedAt !== null) throw refuse('api_key_revoked', 'This key was withdrawn.')
  return key
}

/** The body of a request as a JSON object; throws for anything else. */
export async function bodyOf(incoming: IncomingMessage): Promise<Body> {
  let value: unknown
  try {
    value = JSON.parse(await text(incoming))
  } catch {
    throw new Refusal(400, 'invalid_json', 'invalid_request_error', 'This is no JSON.')
  }
  if (!isObject(value)) throw mistake('not_an_object', 'A request is a JSON object.')
  return { ...value }
}

/** The model that a request names, for a key that may use it and can pay. */
export function modelOf(key: Key, { model: id, n }: Body, does: Model['does']): Model {
  if (typeof id !== 'string') throw mistake('missing_parameter', 'Say which model.')
  const model = models.find((one) => one.id === id)
  if (!model) throw new Refusal(404, 'model_not_found', 'invalid_request_error', 'There is no such model.')
  if (key.scope && !key.scope.includes(id))
    throw new Refusal(403, 'model_not_in_key_scope', 'permission_error', 'This key is not for that model.')
  if (model.does !== does) throw mistake('wrong_model', 'This model does something else.')
  if (n !== undefined && n !== 1) throw mistake('one_choice_only', 'There is one choice to be had.')
  return model
}

/** Throws 402 where there is less left than a request may cost. */
function payable({ workspace, spent, spendLimit }: Key, most: number): void {
  const refuse = (code: string, message: string) => new Refusal(402, code, 'insufficient_credits', message)
  if (spendLimit !== null && spendLimit !== undefined && spent >= spendLimit)
    throw refuse('key_spend_limit_reached', 'This key has used up what it may.')
  if (workspace.balance < Math.max(1, most)) throw refuse('insufficient_credits', 'There is no credit left.')
}

const ended = new EventEmitter().setMaxListeners(0)

/** Says that a generation of a workspace has ended. */
export function leave(key: Key): void {
  key.workspace.running--
  ended.emit(key.workspace.id)
}

/**
 * Waits while what runs already might use up the balance, so that no more than one can end below zero; throws 402 when
 * it has.
 */
export async function enter(key: Key, model: Model): Promise<void> {
  const { workspace } = key
  const most = costOf(model, model.window, model.window)
  payable(key, most)
  while (workspace.running > 0 && workspace.balance - workspace.running * most <= 0) {
    await once(ended, workspace.id)
    payable(key, most)
  }
  workspace.running++
}
