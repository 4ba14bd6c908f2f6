import { SegmentedControl, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { type Measure, toDrawing } from '../../charts/series.ts'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Money } from '../../parts/money.tsx'
import { Page } from '../../parts/page.tsx'
import { Stat } from '../../parts/stat.tsx'
import { Surface } from '../../parts/surface.tsx'
import { grouped, inShortDollars } from '../../words/money.ts'
import { Breakdown } from './breakdown.tsx'
import { Newest } from './newest.tsx'
import { type Period, periods, spanOf } from './period.ts'

const Bars = lazy(() => import('../../charts/bars.tsx').then(({ Bars }) => ({ default: Bars })))

const measures = [
  { value: 'cost', label: 'Spend' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'requests', label: 'Requests' },
] as const

/** What there is, what was used, and by whom. */
export function OverviewPage() {
  const [period, setPeriod] = useState<Period>('30d')
  const [measure, setMeasure] = useState<Measure>('cost')
  const [group, setGroup] = useState<'model' | 'key'>('model')
  const span = useMemo(() => spanOf(period, new Date()), [period])
  const credits = api.useQuery('get', '/credits', { params: { query: { limit: 1 } } })
  const usage = api.useQuery(
    'get',
    '/usage',
    { params: { query: { ...span, group_by: group } } },
    { placeholderData: keepPreviousData },
  )
  const drawing = useMemo(() => usage.data && toDrawing(usage.data, measure), [usage.data, measure])
  const inWords = measure === 'cost' ? inShortDollars : grouped
  const total = usage.data?.total
  return (
    <Page
      title="Overview"
      about="What there is, what was used, and by whom."
      actions={
        <SegmentedControl
          aria-label="Period"
          value={period}
          data={periods.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(value) => setPeriod(value as Period)}
        />
      }
    >
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="md">
        <Stat name="Balance" value={credits.data && <Money micros={credits.data.balance_micros} />}>
          {credits.data && credits.data.held_micros > 0 ? (
            <>
              <Money micros={credits.data.held_micros} /> held for running requests
            </>
          ) : (
            'nothing held'
          )}
        </Stat>
        <Stat name="Spend" value={total && <Money micros={total.cost_micros} />}>
          {nameOf(period)}
        </Stat>
        <Stat name="Tokens" value={total && grouped(total.input_tokens + total.output_tokens)}>
          {total && `${grouped(total.input_tokens)} in, ${grouped(total.output_tokens)} out`}
        </Stat>
        <Stat name="Requests" value={total && grouped(total.requests)}>
          {nameOf(period)}
        </Stat>
      </SimpleGrid>
      <Surface
        title="Over time"
        actions={
          <Stack gap="xs">
            <SegmentedControl
              size="xs"
              aria-label="Measure"
              value={measure}
              data={[...measures]}
              onChange={(value) => setMeasure(value as Measure)}
            />
          </Stack>
        }
      >
        {usage.error !== null && usage.data === undefined ? (
          <FailureNotice error={usage.error} />
        ) : drawing === undefined ? (
          <Skeleton h={260} />
        ) : (
          <Suspense fallback={<Skeleton h={260} />}>
            <Bars
              drawing={drawing}
              inWords={inWords}
              label={`${measures.find(({ value }) => value === measure)!.label} over time; the table below has the sums.`}
            />
          </Suspense>
        )}
      </Surface>
      <Surface
        title="By whom"
        actions={
          <SegmentedControl
            size="xs"
            aria-label="Grouped by"
            value={group}
            data={[
              { value: 'model', label: 'Model' },
              { value: 'key', label: 'Key' },
            ]}
            onChange={(value) => setGroup(value as 'model')}
          />
        }
      >
        {usage.data === undefined ? (
          <Skeleton h={120} />
        ) : (
          <Breakdown usage={usage.data} drawing={drawing!} measure={measure} />
        )}
      </Surface>
      <Newest />
    </Page>
  )
}

function nameOf(period: Period): string {
  return periods.find(({ id }) => id === period)!.inWords
}
