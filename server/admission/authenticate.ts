import { ApiError } from '../errors.ts'
import type { FoundKey, KeyFinder } from '../store/key-finder.ts'
import type { Identify } from './applicant.ts'
import { keyRefusals } from './key.ts'

const refusalByState = {
  revoked: 'api_key_revoked',
  expired: 'api_key_expired',
} as const

/** Looks keys up as `keys` does, and tells whose each one is: a refusal that follows can then be laid at a door. */
export function identifying(keys: KeyFinder, identify: Identify): KeyFinder {
  return {
    async find(keyHash) {
      const key = await keys.find(keyHash)
      if (key) identify({ workspaceId: key.workspaceId, keyId: key.id })
      return key
    },
  }
}

/** The active key of that hash. Throws the 401 that its state calls for (AUTH-03, AUTH-06, AUTH-07). */
export async function requireKey(keys: KeyFinder, keyHash: string): Promise<FoundKey> {
  const key = await keys.find(keyHash)
  if (key?.state === 'active') return key
  const code =
    key === undefined ? 'invalid_api_key' : refusalByState[key.state as keyof typeof refusalByState]
  throw new ApiError(code, keyRefusals[code])
}
