import { Button, Group, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { DollarInput } from '../../parts/dollar-input.tsx'
import type { RequestFilter } from '../../requests/filter.ts'
import { fromInputTime, toInputTime } from '../../words/time.ts'

interface FiltersProps {
  readonly filter: RequestFilter
  readonly onChange: (filter: RequestFilter) => void
}

/** What narrows the log; each choice takes effect at once and stands in the address. */
export function Filters({ filter, onChange }: FiltersProps) {
  const models = api.useQuery('get', '/models')
  const keys = api.useQuery('get', '/keys', { params: { query: { limit: 200 } } })
  const { sort, order, ...narrowed } = filter
  const [hasMore, setHasMore] = useState(
    ['from', 'to', 'min_cost_micros', 'max_cost_micros'].some((name) => name in narrowed),
  )
  const set = (change: { [Name in keyof RequestFilter]?: RequestFilter[Name] | undefined }) => {
    const all = { ...filter, ...change }
    onChange(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
  }
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label="Model"
        placeholder="Any"
        clearable
        searchable
        w={{ base: '100%', xs: 200 }}
        data={withChosen(models.data?.data.map(({ id }) => ({ value: id, label: id })) ?? [], filter.model)}
        value={filter.model ?? null}
        onChange={(model) => set({ model: model ?? undefined })}
      />
      <Select
        label="Key"
        placeholder="Any"
        clearable
        searchable
        w={{ base: '100%', xs: 180 }}
        data={withChosen(
          keys.data?.data.map(({ id, name }) => ({ value: id, label: name })) ?? [],
          filter.key,
        )}
        value={filter.key ?? null}
        onChange={(key) => set({ key: key ?? undefined })}
      />
      <Select
        label="Status"
        placeholder="Any"
        clearable
        w={{ base: '100%', xs: 140 }}
        data={[
          { value: 'running', label: 'Running' },
          { value: 'ok', label: 'OK' },
          { value: 'aborted', label: 'Aborted' },
        ]}
        value={filter.status ?? null}
        onChange={(status) => set({ status: (status ?? undefined) as RequestFilter['status'] })}
      />
      {hasMore ? (
        <>
          <TextInput
            label="From"
            type="datetime-local"
            w={{ base: '100%', xs: 200 }}
            value={toInputTime(filter.from)}
            onChange={({ currentTarget: { value } }) => set({ from: fromInputTime(value) })}
          />
          <TextInput
            label="Before"
            type="datetime-local"
            w={{ base: '100%', xs: 200 }}
            value={toInputTime(filter.to)}
            onChange={({ currentTarget: { value } }) => set({ to: fromInputTime(value) })}
          />
          <DollarInput
            label="Cost from"
            w={{ base: '100%', xs: 130 }}
            micros={filter.min_cost_micros}
            onChange={(micros) => set({ min_cost_micros: micros })}
          />
          <DollarInput
            label="Cost up to"
            w={{ base: '100%', xs: 130 }}
            micros={filter.max_cost_micros}
            onChange={(micros) => set({ max_cost_micros: micros })}
          />
        </>
      ) : (
        <Button variant="subtle" onClick={() => setHasMore(true)}>
          Time and cost
        </Button>
      )}
      {Object.keys(narrowed).length > 0 && (
        <Button variant="subtle" onClick={() => set(cleared)}>
          Clear
        </Button>
      )}
    </Group>
  )
}

const cleared = {
  from: undefined,
  to: undefined,
  model: undefined,
  key: undefined,
  status: undefined,
  min_cost_micros: undefined,
  max_cost_micros: undefined,
}

/** The choices, and what was chosen by the address though it is none of them. */
function withChosen(data: { value: string; label: string }[], chosen: string | undefined) {
  if (chosen === undefined || data.some(({ value }) => value === chosen)) return data
  return [...data, { value: chosen, label: chosen }]
}
