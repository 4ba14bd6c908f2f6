import type { ReactNode } from 'react'
import { Icon } from '../../parts/icon.tsx'
import styles from './steps.module.css'

interface StepsProps {
  /** The one that is to be done now, from 0. */
  readonly active: number
  readonly steps: readonly { readonly name: string; readonly content: ReactNode }[]
}

/** Things to be done one after the other, each with its own place to do it. */
export function Steps({ active, steps }: StepsProps) {
  return (
    <ol className={styles.steps}>
      {steps.map(({ name, content }, index) => (
        <li key={name} className={styles.step} aria-current={index === active ? 'step' : undefined}>
          <span className={`${styles.mark} ${index <= active ? styles.reached : ''}`} aria-hidden="true">
            {index < active ? <Icon name="done" size={16} /> : index + 1}
          </span>
          <div className={styles.content}>
            <h2 className={styles.name}>{name}</h2>
            {content}
          </div>
        </li>
      ))}
    </ol>
  )
}
