import { isInScope } from '../catalogue.ts'
import type { FindKey, FoundKey } from './key-finder.ts'
import { refusalOf } from './refusals.ts'

/** What is told of a request, for the log: a refusal can be laid at a door. Whether the key may be used is not said. */
export interface Identified {
  workspaceId?: string
  keyId?: string
}

/** Whoever sends a request, known by a key alone. */
export interface Caller {
  /** SHA-256 of the key's plaintext, in hex; see `parseAuthorization`. */
  readonly keyHash: string
  /** Notes whose the key is, as soon as that is known. */
  identify(owner: Required<Readonly<Identified>>): void
  /** The key, whatever its state; undefined when there is no such key. */
  find(): Promise<FoundKey | undefined>
  /**
   * The active key. Throws the 401 that its state calls for (AUTH-03, AUTH-06, AUTH-07), and 403
   * `model_not_in_key_scope` when a model is named that it may not use.
   */
  require(model?: { readonly id: string }): Promise<FoundKey>
}

/** Makes the caller of one request; nothing is looked up yet, and what is looked up is not remembered. */
export function createCaller(findKey: FindKey, keyHash: string, trace: Identified): Caller {
  function identify({ workspaceId, keyId }: Required<Readonly<Identified>>): void {
    Object.assign(trace, { workspaceId, keyId })
  }

  async function find(): Promise<FoundKey | undefined> {
    const key = await findKey(keyHash)
    if (key) identify(key.rates)
    return key
  }

  return {
    keyHash,
    identify,
    find,
    async require(model) {
      const key = await find()
      if (key === undefined) throw refusalOf('invalid_api_key')
      if (key.state !== 'active') throw refusalOf(`api_key_${key.state}`)
      if (model && !isInScope(key.modelScope, model.id)) throw refusalOf('model_not_in_key_scope')
      return key
    },
  }
}
