import { Link } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { Money } from '../parts/money.tsx'
import styles from './balance-link.module.css'

/** The balance, on every page; it moves by itself while requests run. */
export function BalanceLink({ onGo }: { readonly onGo: () => void }) {
  const { data } = api.useQuery('get', '/credits', { params: { query: { limit: 1 } } })
  return (
    <Link to="/credits" className={styles.balance} onClick={onGo}>
      <span className={styles.label}>Balance</span>
      <span className={styles.amount}>
        {data === undefined ? '…' : <Money micros={data.balance_micros} />}
      </span>
      {data !== undefined && data.held_micros > 0 && (
        <span className={styles.label}>
          held: <Money micros={data.held_micros} />
        </span>
      )}
    </Link>
  )
}
