import { Button, Center, Group, Skeleton, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { tell } from '../../api/tell.ts'
import { type LiveState, useLiveState } from '../../live/live-state.ts'
import { Chip } from '../../parts/chip.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/page.tsx'
import { Surface } from '../../parts/surface.tsx'
import type { RequestFilter } from '../../requests/filter.ts'
import { LogTable } from '../../requests/log-table.tsx'
import { NoRequests } from '../../requests/no-requests.tsx'
import { useLog } from '../../requests/use-log.ts'
import { Details } from './details.tsx'
import { Filters } from './filters.tsx'

const words: Readonly<Record<LiveState, string>> = { connecting: 'Connecting', live: 'Live', away: 'Away' }

const route = getRouteApi('/shell/requests')

/** The request log: one row per request, live, narrowed and sorted at the router. */
export function RequestsPage() {
  const { id, ...filter } = route.useSearch()
  const navigate = route.useNavigate()
  const log = useLog(filter)
  const live = useLiveState()
  const rows = log.data?.pages.flatMap((page) => page.data)
  const { sort: _, order: __, ...narrowed } = filter
  const isNarrowed = Object.keys(narrowed).length > 0
  const narrow = (filter: RequestFilter) => {
    tell('log_narrowed', 'requests')
    void navigate({ search: filter, resetScroll: false })
  }
  return (
    <Page
      title="Requests"
      about="One row for each accepted request, from the moment it begins. Prompts and answers are kept nowhere."
      actions={
        <>
          <Chip tone={live === 'live' ? 'good' : 'plain'}>{words[live]}</Chip>
          <Button
            component="a"
            href={csvAddress(filter)}
            download
            variant="default"
            leftSection={<Icon name="download" size={16} />}
            onClick={() => tell('log_narrowed', 'requests')}
          >
            CSV
          </Button>
        </>
      }
    >
      <Surface>
        <Filters filter={filter} onChange={narrow} />
        {rows === undefined ? (
          log.error ? (
            <FailureNotice error={log.error} />
          ) : (
            <Skeleton h={420} />
          )
        ) : rows.length > 0 ? (
          <LogTable
            rows={rows}
            filter={filter}
            onSort={(sort, order) => narrow({ ...filter, sort, order })}
          />
        ) : isNarrowed ? (
          <Empty
            icon="requests"
            title="Nothing fits"
            action={
              <Button variant="default" mt="xs" onClick={() => narrow({})}>
                Show all requests
              </Button>
            }
          >
            No request of this workspace is as the filter wants it.
          </Empty>
        ) : (
          <NoRequests />
        )}
        {rows !== undefined && rows.length > 0 && (
          <Center>
            {log.hasNextPage ? (
              <Button variant="default" loading={log.isFetchingNextPage} onClick={() => log.fetchNextPage()}>
                Show more
              </Button>
            ) : (
              <Text fz="sm" c="dimmed">
                That is all.
              </Text>
            )}
          </Center>
        )}
        {log.isFetchNextPageError && (
          <Group justify="center">
            <FailureNotice error={log.error} />
          </Group>
        )}
      </Surface>
      <Details id={id} onClose={() => void navigate({ search: filter, resetScroll: false })} />
    </Page>
  )
}

function csvAddress(filter: RequestFilter): string {
  const query = new URLSearchParams(
    Object.entries(filter).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return `/console/api/requests.csv?${query}`
}
