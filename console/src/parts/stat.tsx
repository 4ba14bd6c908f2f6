import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './stat.module.css'

interface StatProps {
  readonly name: string
  /** Undefined while it is on its way. */
  readonly value: ReactNode
  readonly children: ReactNode
}

/** One number that somebody comes for. */
export function Stat({ name, value, children }: StatProps) {
  return (
    <div className={`surface ${styles.stat}`}>
      <span className={styles.name}>{name}</span>
      {value === undefined ? (
        <Skeleton h={30} w="70%" />
      ) : (
        <span className={`${styles.value} number`}>{value}</span>
      )}
      <span className={styles.more}>{children}</span>
    </div>
  )
}
