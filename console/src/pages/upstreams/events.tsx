import { Skeleton, Table, Text } from '@mantine/core'
import { api } from '../../api/client.ts'
import { byPage } from '../../api/pages.ts'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { More } from '../../parts/more.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { RowTime } from '../../parts/time.tsx'
import { inHex } from '../../words/digest.ts'

/** What happened to an upstream, the newest first. */
export function Events({ name }: { readonly name: string }) {
  const list = api.useInfiniteQuery(
    'get',
    '/admin/upstreams/{name}/events',
    { params: { path: { name }, query: {} } },
    byPage,
  )
  const rows = list.data?.pages.flatMap(({ data }) => data)
  if (rows === undefined) return list.error ? <FailureNotice error={list.error} /> : <Skeleton h={120} />
  if (rows.length === 0) return <Text c="dimmed">Nothing yet.</Text>
  return (
    <>
      <TableFrame label={`What happened to ${name}`} minWidth={720}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time</Table.Th>
            <Table.Th>What</Table.Th>
            <Table.Th>Why</Table.Th>
            <Table.Th>Deployment</Table.Th>
            <Table.Th>Router</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((event) => (
            <Table.Tr key={event.number}>
              <Table.Td>
                <RowTime at={event.at} />
              </Table.Td>
              <Table.Td>{event.event.replaceAll('_', ' ')}</Table.Td>
              <Table.Td>{event.stage === null ? '' : `${event.stage}: ${event.reason}`}</Table.Td>
              <Table.Td maw={220}>
                {event.evidence_digest !== null && (
                  <code className="code foreign">{inHex(event.evidence_digest)}</code>
                )}
              </Table.Td>
              <Table.Td maw={140}>
                <bdi className="foreign">{event.replica ?? 'an administrator'}</bdi>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </TableFrame>
      <More list={list} />
    </>
  )
}
