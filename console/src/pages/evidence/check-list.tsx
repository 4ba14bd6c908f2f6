import type { Check } from '../../evidence/checks.ts'
import { Icon } from '../../parts/icon.tsx'
import { inHex } from '../../words/digest.ts'
import styles from './check-list.module.css'

/** Comparisons with their outcome; where two sides differ, both are shown. */
export function CheckList({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <ul className={styles.list}>
      {checks.map(({ id, title, meaning, isEqual, computed, stated }) => (
        <li key={id} className={styles.check} data-check={id} data-equal={isEqual}>
          <span className={isEqual ? styles.good : styles.bad}>
            <Icon name={isEqual ? 'done' : 'close'} size={18} />
          </span>
          <span>
            <strong>
              {title}: {isEqual ? 'equal' : 'different'}
            </strong>
            <span className={styles.meaning}>
              {isEqual ? meaning : 'This should not be: do not rely on this bundle.'}
            </span>
            {!isEqual && (
              <span className={styles.sides}>
                <code className="code foreign">computed {inHex(computed)}</code>
                <code className="code foreign">stated {inHex(stated)}</code>
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
