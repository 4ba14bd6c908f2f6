import { Table } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { RequestRow } from '#contract/console/models'
import { Icon } from '../parts/icon.tsx'
import { Money } from '../parts/money.tsx'
import { TableFrame } from '../parts/table-frame.tsx'
import { grouped } from '../words/money.ts'
import { inFullTime, inLength, inRowTime } from '../words/time.ts'
import type { RequestFilter } from './filter.ts'
import styles from './log-table.module.css'
import { Status } from './status.tsx'

type Sort = NonNullable<RequestFilter['sort']>

/** The nine values of a row, in the order of the contract (CONS-07), and by what each can be sorted. */
const columns: readonly { readonly name: string; readonly sort?: Sort; readonly isNumber?: true }[] = [
  { name: 'Time', sort: 'time' },
  { name: 'Model' },
  { name: 'Key' },
  { name: 'Tokens in', sort: 'input_tokens', isNumber: true },
  { name: 'Tokens out', sort: 'output_tokens', isNumber: true },
  { name: 'Cost', sort: 'cost', isNumber: true },
  { name: 'Speed', sort: 'speed', isNumber: true },
  { name: 'First token', sort: 'time_to_first_token', isNumber: true },
  { name: 'Status' },
]

const measured: ReadonlySet<string> = new Set(['Speed', 'First token'])

interface LogTableProps {
  readonly rows: readonly RequestRow[]
  readonly filter?: RequestFilter
  /** Leaves speed and first token out, where there is less room. */
  readonly isShort?: boolean
  /** Sorts by a column; without it the order stands. */
  readonly onSort?: (sort: Sort, order: 'asc' | 'desc') => void
}

/** Rows of the request log; each leads to everything that is kept of its request. */
export function LogTable({ rows, filter = {}, isShort = false, onSort }: LogTableProps) {
  const shown = columns.filter(({ name }) => !isShort || !measured.has(name))
  const { sort = 'time', order = 'desc' } = filter
  return (
    <TableFrame label="Requests" minWidth={isShort ? 720 : 900} onHover isDense={!isShort}>
      <Table.Thead>
        <Table.Tr>
          {shown.map((column) => (
            <Table.Th
              key={column.name}
              ta={column.isNumber ? 'right' : 'left'}
              aria-sort={
                onSort && column.sort === sort ? (order === 'asc' ? 'ascending' : 'descending') : undefined
              }
            >
              {onSort && column.sort !== undefined ? (
                <button
                  type="button"
                  className={styles.sort}
                  onClick={() =>
                    onSort(column.sort!, column.sort === sort && order === 'desc' ? 'asc' : 'desc')
                  }
                >
                  {column.name}
                  <span className={column.sort === sort ? '' : styles.unsorted}>
                    <Icon name={column.sort === sort && order === 'asc' ? 'up' : 'down'} size={13} />
                  </span>
                </button>
              ) : (
                column.name
              )}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Row key={row.id} row={row} filter={filter} isShort={isShort} />
        ))}
      </Table.Tbody>
    </TableFrame>
  )
}

interface RowProps extends Required<Pick<LogTableProps, 'filter' | 'isShort'>> {
  readonly row: RequestRow
}

function Row({ row, filter, isShort }: RowProps) {
  return (
    <Table.Tr className={styles.row!} data-request={row.id}>
      <Table.Td>
        <Link
          to="/requests"
          search={{ ...filter, id: row.id }}
          className={styles.way}
          resetScroll={false}
          title={inFullTime(row.created_at)}
        >
          <time dateTime={row.created_at}>{inRowTime(row.created_at)}</time>
        </Link>
      </Table.Td>
      <Table.Td maw={isShort ? 220 : 150} className={styles.name!}>
        <bdi className="foreign">{row.model}</bdi>
      </Table.Td>
      <Table.Td maw={isShort ? 180 : 110} className={styles.name!}>
        <bdi className="foreign">{row.key.name}</bdi>
      </Table.Td>
      <Table.Td ta="right">{grouped(row.input_tokens)}</Table.Td>
      <Table.Td ta="right">{grouped(row.output_tokens)}</Table.Td>
      <Table.Td ta="right">
        {row.cost_micros === null ? <None /> : <Money micros={row.cost_micros} />}
      </Table.Td>
      {!isShort && (
        <>
          <Table.Td ta="right" className="number">
            {row.tokens_per_second === null ? <None /> : `${row.tokens_per_second.toFixed(1)} /s`}
          </Table.Td>
          <Table.Td ta="right" className="number">
            {row.time_to_first_token_ms === null ? <None /> : inLength(row.time_to_first_token_ms)}
          </Table.Td>
        </>
      )}
      <Table.Td>
        <Status status={row.status} />
      </Table.Td>
    </Table.Tr>
  )
}

/** There is no such value. */
function None() {
  return (
    <>
      <span aria-hidden="true" className={styles.none}>
        –
      </span>
      <span className={styles.spoken}>none</span>
    </>
  )
}
