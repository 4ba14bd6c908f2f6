import { moneyParts } from '../words/money.ts'
import styles from './money.module.css'

/** An amount to the micro-dollar; the cents stand out, and the four digits behind them do not shout. */
export function Money({ micros }: { readonly micros: number | bigint }) {
  const { sign, dollars, cents, rest } = moneyParts(micros)
  return (
    <span className="number">
      {sign}
      {dollars}.{cents}
      <span className={styles.rest}>{rest}</span>
    </span>
  )
}
