import { Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { api } from '../../api/client.ts'
import { LedgerTable } from '../../ledger/ledger-table.tsx'
import { Facts } from '../../parts/facts.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Money } from '../../parts/money.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { grouped } from '../../words/money.ts'
import { CreditForm } from './credit-form.tsx'

/** One workspace with the newest of its ledger and its keys. */
export function Workspace({ id }: { readonly id: string }) {
  const { data, error } = api.useQuery('get', '/admin/workspaces/{id}', { params: { path: { id } } })
  if (data === undefined) return error ? <FailureNotice error={error} /> : <Skeleton h={480} />
  return (
    <Stack gap="xl">
      <Facts
        facts={[
          ['Name', <bdi className="foreign">{data.name}</bdi>],
          ['Id', <code className="code foreign">{data.id}</code>],
          ['People', <bdi className="foreign">{data.emails.join(', ') || 'none'}</bdi>],
          ['Balance', <Money key="balance" micros={data.balance_micros} />],
          ['Held', <Money key="held" micros={data.held_micros} />],
          [
            'Requests a minute',
            data.requests_per_minute === null ? 'the deployment’s' : grouped(data.requests_per_minute),
          ],
          [
            'Tokens a minute',
            data.tokens_per_minute === null ? 'the deployment’s' : grouped(data.tokens_per_minute),
          ],
        ]}
      />
      <CreditForm id={id} />
      <Stack gap="sm">
        <Title order={2} fz={16}>
          Newest movements
        </Title>
        {data.ledger.length === 0 ? (
          <Text c="dimmed">None yet.</Text>
        ) : (
          <LedgerTable rows={data.ledger} leads={false} />
        )}
      </Stack>
      <Stack gap="sm">
        <Title order={2} fz={16}>
          Keys
        </Title>
        {data.keys.length === 0 ? (
          <Text c="dimmed">None yet.</Text>
        ) : (
          <TableFrame label="Keys" minWidth={420}>
            <Table.Tbody>
              {data.keys.map((key) => (
                <Table.Tr key={key.id}>
                  <Table.Td>
                    <bdi className="foreign">{key.name}</bdi>
                  </Table.Td>
                  <Table.Td>
                    <code className="code">{key.prefix}…</code>
                  </Table.Td>
                  <Table.Td>{key.state}</Table.Td>
                  <Table.Td ta="right">
                    <Money micros={key.spent_micros} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </TableFrame>
        )}
      </Stack>
    </Stack>
  )
}
