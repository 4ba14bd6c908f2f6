import { Table, Text } from '@mantine/core'
import type { LedgerRow } from '#contract/console/models'
import { AnchorLink } from '../parts/links.tsx'
import { Money } from '../parts/money.tsx'
import { TableFrame } from '../parts/table-frame.tsx'
import { RowTime } from '../parts/time.tsx'
import styles from './ledger-table.module.css'

const kinds: Readonly<Record<LedgerRow['kind'], string>> = {
  generation: 'Request',
  invitation: 'Invitation',
  top_up: 'Top-up',
  refund: 'Refund',
  adjustment: 'Adjustment',
}

interface LedgerTableProps {
  readonly rows: readonly LedgerRow[]
  /** Whether a row leads to its request; it does in the workspace that it belongs to. */
  readonly leads?: boolean
}

/** Movements of a balance, each with what the balance was afterwards. */
export function LedgerTable({ rows, leads = true }: LedgerTableProps) {
  return (
    <TableFrame label="Ledger" minWidth={760}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Time</Table.Th>
          <Table.Th>What</Table.Th>
          <Table.Th>Description</Table.Th>
          <Table.Th ta="right">Amount</Table.Th>
          <Table.Th ta="right">Balance after</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.id}>
            <Table.Td>
              <RowTime at={row.created_at} />
            </Table.Td>
            <Table.Td>{kinds[row.kind]}</Table.Td>
            <Table.Td maw={360}>
              <bdi className="foreign">{row.description}</bdi>
              {row.reference !== null && (
                <Text fz="xs" c="dimmed" className="code foreign">
                  {leads && row.kind === 'generation' ? (
                    <AnchorLink to="/requests" search={{ id: row.reference }} fz="inherit">
                      {row.reference}
                    </AnchorLink>
                  ) : (
                    row.reference
                  )}
                </Text>
              )}
            </Table.Td>
            <Table.Td ta="right" className={row.amount_micros > 0 ? styles.in! : ''}>
              {row.amount_micros > 0 && '+'}
              <Money micros={row.amount_micros} />
            </Table.Td>
            <Table.Td ta="right">
              <Money micros={row.balance_after_micros} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableFrame>
  )
}
