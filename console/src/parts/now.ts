import { useEffect, useState } from 'react'

const TICK_MS = 10_000

/** The time, moving on while it is looked at. */
export function useNow(tickMs = TICK_MS): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), tickMs)
    return () => clearInterval(timer)
  }, [tickMs])
  return now
}
