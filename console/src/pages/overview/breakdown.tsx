import { Table } from '@mantine/core'
import { chartColour } from '../../charts/colour.ts'
import { type Drawing, MAX_LAYERS, type Measure, toDrawing, type UsageSeries } from '../../charts/series.ts'
import { Empty } from '../../parts/empty.tsx'
import { Money } from '../../parts/money.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { grouped } from '../../words/money.ts'
import styles from './breakdown.module.css'

interface BreakdownProps {
  readonly usage: UsageSeries
  readonly drawing: Drawing
  readonly measure: Measure
}

/** The sums of every group, in the order and the colours of the drawing. */
export function Breakdown({ usage, drawing, measure }: BreakdownProps) {
  if (drawing.layers.length === 0) {
    return (
      <Empty icon="overview" title="Nothing was used in this time">
        Each request shows here within seconds of its end.
      </Empty>
    )
  }
  const sums = sumsOf(usage, measure)
  const whole = sums.reduce((sum, { share }) => sum + share, 0)
  return (
    <TableFrame label="Sums by group">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{usage.group_by === 'key' ? 'Key' : 'Model'}</Table.Th>
          <Table.Th ta="right">Requests</Table.Th>
          <Table.Th ta="right">Tokens in</Table.Th>
          <Table.Th ta="right">Tokens out</Table.Th>
          <Table.Th ta="right">Spend</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sums.map((sum, index) => (
          <Table.Tr key={sum.id}>
            <Table.Td miw={180}>
              <span className={styles.group}>
                <span
                  className={styles.dot}
                  style={{ background: chartColour(Math.min(index, MAX_LAYERS)) }}
                />
                <bdi className="foreign">{sum.name}</bdi>
              </span>
              <span className={styles.track} aria-hidden="true">
                <span
                  className={styles.bar}
                  style={{
                    width: `${whole === 0 ? 0 : (100 * sum.share) / whole}%`,
                    background: chartColour(Math.min(index, MAX_LAYERS)),
                  }}
                />
              </span>
            </Table.Td>
            <Table.Td ta="right">{grouped(sum.requests)}</Table.Td>
            <Table.Td ta="right">{grouped(sum.input)}</Table.Td>
            <Table.Td ta="right">{grouped(sum.output)}</Table.Td>
            <Table.Td ta="right">
              <Money micros={sum.cost} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableFrame>
  )
}

function sumsOf(usage: UsageSeries, measure: Measure) {
  const names = new Map(usage.groups.map(({ id, name }) => [id, name]))
  const sums = [...Map.groupBy(usage.points, ({ group }) => group ?? '')].map(([id, points]) => ({
    id,
    name: names.get(id) ?? id,
    requests: points.reduce((sum, point) => sum + point.requests, 0),
    input: points.reduce((sum, point) => sum + point.input_tokens, 0),
    output: points.reduce((sum, point) => sum + point.output_tokens, 0),
    cost: points.reduce((sum, point) => sum + point.cost_micros, 0),
    share: toDrawing({ ...usage, points }, measure).layers[0]?.total ?? 0,
  }))
  return sums.sort((one, other) => other.share - one.share)
}
