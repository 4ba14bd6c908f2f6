import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { leaveForNow } from '../session/leave.ts'
import { meQuery } from '../session/me.ts'
import { askAnew, takeBalance, takeRow } from './live.ts'
import { setLiveState } from './live-state.ts'

/** What a burst of requests that end may ask anew at most: once in this time. */
const QUIET_MS = 1_000

/** When a stream is asked for again that was refused: a browser does so only after one that broke. */
const AGAIN_MS = 2_000

/** Follows requests and balance for as long as a page is shown, through whatever is away meanwhile. */
export function useLive(): void {
  const queries = useQueryClient()
  useEffect(() => {
    let source: EventSource
    let again: ReturnType<typeof setTimeout> | undefined
    let soon: ReturnType<typeof setTimeout> | undefined
    let hasMissed = false
    const askSoon = () => {
      soon ??= setTimeout(() => {
        soon = undefined
        askAnew(queries)
      }, QUIET_MS)
    }
    const open = () => {
      source = new EventSource('/console/api/requests/live')
      source.onerror = () => {
        setLiveState('connecting')
        hasMissed = true
        if (source.readyState !== EventSource.CLOSED) return
        // Why it was refused is not told here: whoever is signed out learns it from this.
        void queries.invalidateQueries({ queryKey: meQuery.queryKey })
        again = setTimeout(open, AGAIN_MS)
      }
      source.addEventListener('request', ({ data }) => {
        const row = JSON.parse(data)
        takeRow(queries, row)
        if (row.status !== 'running') askSoon()
      })
      // The first of all events, and of those after an outage.
      source.addEventListener('balance', ({ data }) => {
        setLiveState('live')
        takeBalance(queries, JSON.parse(data))
        // What happened while nobody listened is read.
        if (hasMissed) void queries.invalidateQueries()
        hasMissed = false
      })
      source.addEventListener('away', () => {
        setLiveState('away')
        hasMissed = true
      })
      source.addEventListener('end', leaveForNow)
    }
    open()
    return () => {
      source.close()
      clearTimeout(again)
      clearTimeout(soon)
      setLiveState('connecting')
    }
  }, [queries])
}
