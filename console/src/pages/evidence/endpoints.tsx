import { SimpleGrid } from '@mantine/core'
import type { ConsoleEndpoint } from '#contract/console/models'
import { Chip, type Tone } from '../../parts/chip.tsx'
import styles from './endpoints.module.css'

const states: Readonly<Record<ConsoleEndpoint['state'], readonly [string, Tone]>> = {
  published: ['Published', 'plain'],
  pending: ['Pending', 'warn'],
  admitted: ['Admitted', 'good'],
  denied: ['Denied', 'bad'],
  disabled: ['Disabled', 'plain'],
}

interface EndpointsProps {
  readonly endpoints: readonly ConsoleEndpoint[]
  readonly chosen: string
  readonly onChoose: (name: string) => void
}

/** The endpoints, one of which is looked at. An own one is published; only an external one has a verdict. */
export function Endpoints({ endpoints, chosen, onChoose }: EndpointsProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md" role="group" aria-label="Endpoints">
      {endpoints.map((endpoint) => {
        const [word, tone] = states[endpoint.state]
        return (
          <button
            key={endpoint.name}
            type="button"
            className={`surface ${styles.endpoint}`}
            aria-pressed={endpoint.name === chosen}
            onClick={() => onChoose(endpoint.name)}
          >
            <span className={styles.head}>
              <bdi className="foreign">{endpoint.name}</bdi>
              <Chip tone={tone}>{word}</Chip>
            </span>
            <bdi className={`foreign ${styles.more}`}>{endpoint.hostname}</bdi>
            <span className={styles.more}>
              {endpoint.external ? 'external, verified by this router' : 'this router’s own'}
              {endpoint.tee !== null && `, names ${endpoint.tee}`}
            </span>
            {endpoint.denial !== null && (
              <span className={styles.denial}>
                {endpoint.denial.stage}: {endpoint.denial.reason}
              </span>
            )}
          </button>
        )
      })}
    </SimpleGrid>
  )
}
