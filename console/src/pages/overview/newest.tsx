import { Skeleton } from '@mantine/core'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { Surface } from '../../parts/surface.tsx'
import { LogTable } from '../../requests/log-table.tsx'
import { NoRequests } from '../../requests/no-requests.tsx'
import { useLog } from '../../requests/use-log.ts'

const SHOWN = 5

/** The newest requests, as they come. */
export function Newest() {
  const log = useLog({}, SHOWN)
  const rows = log.data?.pages[0]?.data.slice(0, SHOWN)
  return (
    <Surface
      title="Newest requests"
      actions={
        <AnchorLink to="/requests" fz="sm">
          All requests
        </AnchorLink>
      }
    >
      {rows === undefined ? (
        log.error ? (
          <FailureNotice error={log.error} />
        ) : (
          <Skeleton h={180} />
        )
      ) : rows.length === 0 ? (
        <NoRequests />
      ) : (
        <LogTable rows={rows} isShort />
      )}
    </Surface>
  )
}
