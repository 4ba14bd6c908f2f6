import { SimpleGrid, Skeleton } from '@mantine/core'
import { api } from '../../api/client.ts'
import { byPage } from '../../api/pages.ts'
import { LedgerTable } from '../../ledger/ledger-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Money } from '../../parts/money.tsx'
import { More } from '../../parts/more.tsx'
import { Page } from '../../parts/page.tsx'
import { Stat } from '../../parts/stat.tsx'
import { Surface } from '../../parts/surface.tsx'

/** The balance, and every movement that made it. */
export function CreditsPage() {
  const credits = api.useInfiniteQuery('get', '/credits', { params: { query: {} } }, byPage)
  const newest = credits.data?.pages[0]
  const rows = credits.data?.pages.flatMap(({ data }) => data)
  return (
    <Page
      title="Credits"
      about="Prepaid, in whole micro-dollars. Every movement is one row of a ledger that is only ever added to."
    >
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
        <Stat name="Balance" value={newest && <Money micros={newest.balance_micros} />}>
          the sum of the ledger
        </Stat>
        <Stat name="Held" value={newest && <Money micros={newest.held_micros} />}>
          for requests that run, at the most
        </Stat>
        <Stat name="Free" value={newest && <Money micros={newest.balance_micros - newest.held_micros} />}>
          what new requests can use
        </Stat>
      </SimpleGrid>
      <Surface title="Ledger">
        {rows === undefined ? (
          credits.error ? (
            <FailureNotice error={credits.error} />
          ) : (
            <Skeleton h={320} />
          )
        ) : rows.length === 0 ? (
          <Empty icon="credits" title="No movement yet">
            Credit comes with an invitation, or from whoever runs this router; each answer is then debited
            here.
          </Empty>
        ) : (
          <LedgerTable rows={rows} />
        )}
        <More list={credits} />
      </Surface>
    </Page>
  )
}
