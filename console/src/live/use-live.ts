import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { leaveForNow } from '../session/leave.ts'
import { askAnew, takeBalance, takeRow } from './live.ts'

/** What a burst of requests that end may ask anew at most: once in this time. */
const QUIET_MS = 1_000

let isLive = false
const listeners = new Set<() => void>()

/** Follows requests and balance for as long as a page is shown; the browser connects again by itself. */
export function useLive(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const source = new EventSource('/console/api/requests/live')
    let hasMissed = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const askSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        askAnew(queries)
      }, QUIET_MS)
    }
    source.onopen = () => {
      setLive(true)
      // What happened while nobody listened is read.
      if (hasMissed) void queries.invalidateQueries()
      hasMissed = false
    }
    source.onerror = () => {
      setLive(false)
      hasMissed = true
    }
    source.addEventListener('request', ({ data }) => {
      const row = JSON.parse(data)
      takeRow(queries, row)
      if (row.status !== 'running') askSoon()
    })
    source.addEventListener('balance', ({ data }) => takeBalance(queries, JSON.parse(data)))
    source.addEventListener('end', leaveForNow)
    return () => {
      source.close()
      clearTimeout(timer)
      setLive(false)
    }
  }, [queries])
}

/** Whether what is shown follows by itself now. */
export function useIsLive(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isLive,
  )
}

function setLive(value: boolean): void {
  isLive = value
  for (const listener of listeners) listener()
}
