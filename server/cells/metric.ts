import { gauge, type Metric } from '../operations/metric.ts'
import type { CellPart } from './part.ts'

/** Tells of each cell whether this router can accept requests of its workspaces. */
export function cellMetrics(parts: readonly Pick<CellPart, 'name' | 'meter'>[]): readonly Metric[] {
  return [
    gauge('router.cells.leased', '1', '1 while this router has a lease in the cell.', () =>
      parts.map(({ name, meter }) => ({ value: meter.isLeased ? 1 : 0, labels: { cell: name } })),
    ),
  ]
}
