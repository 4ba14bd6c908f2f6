import styles from './change-list.module.css'

/** One difference, in texts. */
export interface ToldChange {
  /** What kind of change it is, in a word. */
  readonly word: string
  readonly resource: string
  /** Where in the resource; empty for the whole of it. */
  readonly place: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Differences one by one, what was and what is in lines of their own. */
export function ChangeList({ changes }: { readonly changes: readonly ToldChange[] }) {
  return (
    <ol className={styles.list}>
      {changes.map(({ word, resource, place, before, after }, index) => (
        <li key={index} className={styles.change}>
          <p className={styles.head}>
            <strong>
              <bdi className="foreign">{resource}</bdi>
            </strong>
            <span>{word}</span>
          </p>
          {place !== '' && <code className={`code foreign ${styles.place}`}>{place}</code>}
          {before !== undefined && (
            <pre className={`${styles.side} ${styles.before}`}>
              <del>{before}</del>
            </pre>
          )}
          {after !== undefined && (
            <pre className={`${styles.side} ${styles.after}`}>
              <ins>{after}</ins>
            </pre>
          )}
        </li>
      ))}
    </ol>
  )
}
