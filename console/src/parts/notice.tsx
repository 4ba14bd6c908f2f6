import type { ReactNode } from 'react'
import type { Tone } from './chip.tsx'
import { Icon } from './icon.tsx'
import styles from './notice.module.css'

interface NoticeProps {
  readonly tone: Tone
  readonly title?: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

/** Something to be known before going on; bad news is announced at once. */
export function Notice({ tone, title, children, actions }: NoticeProps) {
  return (
    <div className={`${styles.notice} ${styles[tone]}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <span className={styles.mark}>
        <Icon name={tone === 'good' ? 'done' : 'warning'} size={18} />
      </span>
      <div className={styles.words}>
        {title !== undefined && <strong>{title}</strong>}
        {children !== undefined && <div>{children}</div>}
      </div>
      {actions}
    </div>
  )
}
