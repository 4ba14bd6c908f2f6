import { Tooltip } from '@mantine/core'
import { inFullTime, inRelativeTime, inRowTime } from '../words/time.ts'
import { useNow } from './now.ts'

/** A point in time for a row of a list; the whole of it, with its zone, when pointed at or focused. */
export function RowTime({ at }: { readonly at: string }) {
  return (
    <Tooltip label={inFullTime(at)} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={at} className="number">
        {inRowTime(at)}
      </time>
    </Tooltip>
  )
}

/** How long ago, kept up while the page is open. */
export function Ago({ at }: { readonly at: string }) {
  const now = useNow()
  return (
    <Tooltip label={inFullTime(at)} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={at}>{inRelativeTime(at, now)}</time>
    </Tooltip>
  )
}
