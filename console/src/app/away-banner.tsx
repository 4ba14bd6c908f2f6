import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Failure } from '../api/failure.ts'
import { useLiveState } from '../live/live-state.ts'
import { Notice } from '../parts/notice.tsx'
import { inRowTime } from '../words/time.ts'

/** Says that the router cannot be reached, and from when what is shown is; goes away by itself. */
export function AwayBanner() {
  const since = useAwaySince(useLiveState() === 'away')
  if (since === undefined) return null
  return (
    <div style={{ maxWidth: 1120, margin: '0 auto 16px' }}>
      <Notice tone="warn" title="The router cannot be reached">
        What you see is from {inRowTime(since)}. It is being tried again, and this goes away by itself.
      </Notice>
    </div>
  )
}

/** Since when the database, or whatever a query that is shown asks for, is away. */
function useAwaySince(isDatabaseAway: boolean): Date | undefined {
  const queries = useQueryClient()
  const [since, setSince] = useState<Date>()
  useEffect(() => {
    const cache = queries.getQueryCache()
    const look = () => {
      const isUnanswered = cache.getAll().some((query) => {
        const reason = query.state.fetchFailureReason ?? query.state.error
        return query.isActive() && reason instanceof Failure && reason.isAway
      })
      const isAway = isDatabaseAway || isUnanswered
      setSince((since) => (isAway ? (since ?? new Date()) : undefined))
    }
    look()
    return cache.subscribe(look)
  }, [queries, isDatabaseAway])
  return since
}
