import { Skeleton, Table, Text } from '@mantine/core'
import type { AuditAct } from '#contract/console/models'
import { api } from '../../api/client.ts'
import { byPage } from '../../api/pages.ts'
import { Empty } from '../../parts/empty.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { More } from '../../parts/more.tsx'
import { Page } from '../../parts/page.tsx'
import { Surface } from '../../parts/surface.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { RowTime } from '../../parts/time.tsx'
import { inHex } from '../../words/digest.ts'
import { inDollars } from '../../words/money.ts'

const acts: Readonly<Record<AuditAct, string>> = {
  upstream_registered: 'registered an upstream',
  upstream_disabled: 'took an upstream out of service',
  upstream_enabled: 'put an upstream back',
  upstream_attested: 'asked for a check',
  upstream_rekeyed: 'stored a key under the new secret',
  deployment_pinned: 'approved a deployment',
  deployment_unpinned: 'withdrew an approval',
  invitation_issued: 'issued an invitation',
  invitation_withdrawn: 'withdrew an invitation',
  workspace_credited: 'moved a balance',
  workspace_limited: 'set limits',
  workspace_created: 'made a workspace',
  workspace_moved: 'moved a workspace to another cell',
  key_created: 'made a key',
  key_updated: 'changed a key',
  key_revoked: 'revoked a key',
  month_exported: 'exported a month',
  month_detached: 'took a month out',
  month_dropped: 'dropped a month',
}

/** What administrators did, here and on the command line; rows are only ever added. */
export function AuditPage() {
  const audit = api.useInfiniteQuery('get', '/admin/audit', { params: { query: {} } }, byPage)
  const rows = audit.data?.pages.flatMap(({ data }) => data)
  return (
    <Page
      title="Audit trail"
      about="Every act of an administrator, here and on the command line. Rows are only ever added."
    >
      <Surface>
        {rows === undefined ? (
          audit.error ? (
            <FailureNotice error={audit.error} />
          ) : (
            <Skeleton h={320} />
          )
        ) : rows.length === 0 ? (
          <Empty icon="audit" title="Nothing was done yet">
            What administrators do from now on stands here.
          </Empty>
        ) : (
          <TableFrame label="Acts" minWidth={760}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Time</Table.Th>
                <Table.Th>Who</Table.Th>
                <Table.Th>What</Table.Th>
                <Table.Th>About</Table.Th>
                <Table.Th>Details</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={row.id}>
                  <Table.Td>
                    <RowTime at={row.at} />
                  </Table.Td>
                  <Table.Td maw={200}>
                    <bdi className="foreign">{row.actor}</bdi>
                    <Text fz="xs" c="dimmed">
                      {row.through === 'console' ? 'in the console' : 'on the command line'}
                    </Text>
                  </Table.Td>
                  <Table.Td>{acts[row.act]}</Table.Td>
                  <Table.Td maw={200}>
                    <code className="code foreign">{row.subject}</code>
                  </Table.Td>
                  <Table.Td maw={280}>
                    {Object.entries(row.details).map(([name, value]) => (
                      <Text key={name} fz="sm" className="foreign">
                        <Text component="span" fz="inherit" c="dimmed">
                          {name.replaceAll('_', ' ').replace(/ micros$/, '')}:
                        </Text>{' '}
                        <bdi>{inWords(name, String(value))}</bdi>
                      </Text>
                    ))}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </TableFrame>
        )}
        <More list={audit} />
      </Surface>
    </Page>
  )
}

function inWords(name: string, value: string): string {
  if (name.endsWith('_micros') && /^-?[0-9]+$/.test(value)) return inDollars(BigInt(value))
  // Several are parted by spaces.
  return value.split(' ').map(inHex).join(' ')
}
