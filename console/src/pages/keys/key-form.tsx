import { MultiSelect, SimpleGrid, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { DollarInput } from '../../parts/dollar-input.tsx'
import { fromInputTime, toInputTime } from '../../words/time.ts'
import type { ConsoleKey } from './key.ts'

/** What can be said about a key, as it is typed. */
interface Draft {
  readonly name: string
  readonly models: string[]
  readonly requests: string
  readonly tokens: string
  /** In micro-dollars. */
  readonly spend: number | undefined
  readonly end: string
}

const empty: Draft = { name: '', models: [], requests: '', tokens: '', spend: undefined, end: '' }

/** The state of a form about a key, and the body that it makes; an empty field is no limit. */
export function useKeyForm(key?: ConsoleKey) {
  const [draft, setDraft] = useState<Draft>(() => (key === undefined ? empty : toDraft(key)))
  const isRight = draft.name.trim() !== '' && isCount(draft.requests) && isCount(draft.tokens)
  return {
    draft,
    isRight,
    set: (change: Partial<Draft>) => setDraft((draft) => ({ ...draft, ...change })),
    toBody: () => ({
      name: draft.name.trim(),
      model_scope: draft.models.length === 0 ? null : draft.models,
      requests_per_minute: toCount(draft.requests),
      tokens_per_minute: toCount(draft.tokens),
      spend_limit_micros: draft.spend ?? null,
      expires_at: fromInputTime(draft.end) ?? null,
    }),
  }
}

interface KeyFormProps {
  readonly form: ReturnType<typeof useKeyForm>
}

/** Name, scope, limits and end of a key. */
export function KeyForm({ form: { draft, set } }: KeyFormProps) {
  const models = api.useQuery('get', '/models')
  const ids = new Set([...(models.data?.data.map(({ id }) => id) ?? []), ...draft.models])
  return (
    <>
      <TextInput
        label="Name"
        description="Where it will be used, so that you know it again."
        required
        withAsterisk={false}
        maxLength={64}
        data-autofocus
        value={draft.name}
        onChange={({ currentTarget: { value } }) => set({ name: value })}
      />
      <MultiSelect
        label="Models"
        description="All of them when none is chosen."
        placeholder={draft.models.length === 0 ? 'All models' : ''}
        searchable
        clearable
        data={[...ids]}
        value={draft.models}
        onChange={(models) => set({ models })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <DollarInput
          label="Spend limit"
          description="Then it answers 402. Empty for none."
          micros={draft.spend}
          onChange={(spend) => set({ spend })}
        />
        <TextInput
          label="Ends"
          description="Empty for never."
          type="datetime-local"
          value={draft.end}
          onChange={({ currentTarget: { value } }) => set({ end: value })}
        />
        <TextInput
          label="Requests per minute"
          description="Empty for the workspace’s own."
          inputMode="numeric"
          value={draft.requests}
          error={isCount(draft.requests) ? undefined : 'A whole number from 1 on'}
          onChange={({ currentTarget: { value } }) => set({ requests: value })}
        />
        <TextInput
          label="Tokens per minute"
          description="Empty for the workspace’s own."
          inputMode="numeric"
          value={draft.tokens}
          error={isCount(draft.tokens) ? undefined : 'A whole number from 1 on'}
          onChange={({ currentTarget: { value } }) => set({ tokens: value })}
        />
      </SimpleGrid>
    </>
  )
}

function toDraft(key: ConsoleKey): Draft {
  return {
    name: key.name,
    models: key.model_scope ?? [],
    requests: key.requests_per_minute === null ? '' : String(key.requests_per_minute),
    tokens: key.tokens_per_minute === null ? '' : String(key.tokens_per_minute),
    spend: key.spend_limit_micros ?? undefined,
    end: toInputTime(key.expires_at),
  }
}

function isCount(text: string): boolean {
  const digits = text.trim().replaceAll(',', '')
  return digits === '' || (/^[1-9][0-9]*$/.test(digits) && Number.isSafeInteger(Number(digits)))
}

function toCount(text: string): number | null {
  const digits = text.trim().replaceAll(',', '')
  return digits === '' ? null : Number(digits)
}
