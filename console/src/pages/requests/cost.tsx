import type { RequestPrice } from '#contract/console/models'
import { grouped, inDollars } from '../../words/money.ts'
import styles from './cost.module.css'
import { exactMicros } from './exact-micros.ts'

interface CostProps {
  readonly price: RequestPrice
  readonly inputTokens: number
  readonly outputTokens: number
}

/** The debit digit by digit: two products, their sum, one division by a million, rounded up once. */
export function Cost({ price, inputTokens, outputTokens }: CostProps) {
  const input = BigInt(price.input_product)
  const output = BigInt(price.output_product)
  const sum = input + output
  return (
    <div className={styles.frame}>
      <table className={styles.sum}>
        <caption>Prices are micro-dollars for a million tokens.</caption>
        <tbody>
          <tr>
            <th scope="row">Prompt</th>
            <td>
              {grouped(inputTokens)} × {grouped(price.input_per_1m_micros)}
            </td>
            <td>{grouped(input)}</td>
          </tr>
          <tr>
            <th scope="row">Answer</th>
            <td>
              {grouped(outputTokens)} × {grouped(price.output_per_1m_micros)}
            </td>
            <td>+ {grouped(output)}</td>
          </tr>
          <tr className={styles.line}>
            <th scope="row">Together</th>
            <td />
            <td>{grouped(sum)}</td>
          </tr>
          <tr>
            <th scope="row">For one token</th>
            <td>÷ 1,000,000</td>
            <td>{exactMicros(sum)}</td>
          </tr>
          <tr className={styles.result}>
            <th scope="row">Debit</th>
            <td>rounded up</td>
            <td>{grouped(price.cost_micros)} micro-dollars</td>
          </tr>
          <tr className={styles.result}>
            <td />
            <td />
            <td>{inDollars(price.cost_micros)}</td>
          </tr>
        </tbody>
      </table>
    </div>
  )
}
