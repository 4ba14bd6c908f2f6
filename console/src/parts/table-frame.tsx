import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './table-frame.module.css'

interface TableFrameProps {
  /** What the rows are, for who does not see what stands above them. */
  readonly label: string
  readonly children: ReactNode
  /** Width below which it scrolls sideways, in pixels. */
  readonly minWidth?: number
  readonly onHover?: boolean
  /** For many columns: less room between them. */
  readonly isDense?: boolean
}

/** A table that keeps to its width: what does not fit is scrolled to, by keyboard too. */
export function TableFrame({
  label,
  children,
  minWidth = 560,
  onHover = false,
  isDense = false,
}: TableFrameProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls has to be reachable by keyboard.
    <section className={styles.frame} aria-label={label} tabIndex={0}>
      <Table
        miw={minWidth}
        verticalSpacing={10}
        horizontalSpacing={isDense ? 6 : 'sm'}
        highlightOnHover={onHover}
        className={`${styles.table} ${isDense ? styles.dense : ''}`}
      >
        {children}
      </Table>
    </section>
  )
}
