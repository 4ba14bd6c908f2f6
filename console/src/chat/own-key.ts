import { useCallback, useRef } from 'react'
import { client } from '../api/client.ts'

const LIFE_MS = 3_600_000

/** A key is not used in its last minute: an answer takes a while. */
const MARGIN_MS = 60_000

/** Half a dollar, in micro-dollars. */
export const OWN_KEY_LIMIT_MICROS = 500_000

/**
 * A key for this page alone: it ends after an hour, may spend little, and is never shown nor stored. It is made when it
 * is first needed.
 */
export function useOwnKey(name: string): () => Promise<string> {
  const kept = useRef<{ readonly text: string; readonly endsAt: number }>(undefined)
  return useCallback(async () => {
    if (kept.current !== undefined && kept.current.endsAt - MARGIN_MS > Date.now()) return kept.current.text
    const endsAt = Date.now() + LIFE_MS
    const body = {
      name,
      expires_at: new Date(endsAt).toISOString(),
      spend_limit_micros: OWN_KEY_LIMIT_MICROS,
    }
    const { data } = await client.POST('/keys', { body })
    kept.current = { text: data!.api_key, endsAt }
    return data!.api_key
  }, [name])
}
