import type { RequestDetails } from '#contract/console/models'
import { inLength } from '../../words/time.ts'
import { phasesOf } from './phases.ts'
import styles from './waterfall.module.css'

/** What a request's time was spent on, each part where it lay between arrival and end. */
export function Waterfall({ request }: { readonly request: RequestDetails }) {
  const phases = phasesOf(request)
  const whole = Math.max(1, ...phases.map(({ from, length }) => from + length))
  if (phases.length === 0) return null
  return (
    <ul className={styles.waterfall} aria-label="Where the time went">
      {phases.map(({ name, from, length }) => (
        <li key={name} className={styles.phase}>
          <span className={styles.name}>
            {name}
            <span className="number">{inLength(length)}</span>
          </span>
          <span className={styles.track} aria-hidden="true">
            <span
              className={styles.bar}
              style={{ left: `${(100 * from) / whole}%`, width: `max(3px, ${(100 * length) / whole}%)` }}
            />
          </span>
        </li>
      ))}
    </ul>
  )
}
