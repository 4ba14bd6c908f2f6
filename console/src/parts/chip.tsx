import type { ReactNode } from 'react'
import styles from './chip.module.css'

/** What a state means to a person. */
export type Tone = 'good' | 'bad' | 'warn' | 'plain'

/** A state in a word; its colour repeats what the word says. */
export function Chip({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={`${styles.chip} ${styles[tone]}`}>
      <span className={styles.dot} aria-hidden="true" />
      {children}
    </span>
  )
}
