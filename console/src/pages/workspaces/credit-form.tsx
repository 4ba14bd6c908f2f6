import { Button, Group, SegmentedControl, Stack, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { isUnderWay } from '../../api/under-way.ts'
import { DollarInput } from '../../parts/dollar-input.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Notice } from '../../parts/notice.tsx'
import { inDollars } from '../../words/money.ts'

/** Adds credit, or takes it back. The same attempt sent twice writes one row. */
export function CreditForm({ id }: { readonly id: string }) {
  const queries = useQueryClient()
  const [sign, setSign] = useState<'add' | 'take'>('add')
  const [amount, setAmount] = useState<number>()
  const [reason, setReason] = useState('')
  const [attempt, setAttempt] = useState(newAttempt)
  const credit = api.useMutation('post', '/admin/workspaces/{id}/credit', {
    onSuccess: () => {
      setAmount(undefined)
      setReason('')
      setAttempt(newAttempt())
      void queries.invalidateQueries({ queryKey: ['get', '/admin/workspaces'] })
      void queries.invalidateQueries({ queryKey: ['get', '/admin/workspaces/{id}'] })
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (amount === undefined || amount === 0) return
        if (isUnderWay(queries, 'post', '/admin/workspaces/{id}/credit')) return
        credit.mutate({
          params: { path: { id } },
          body: {
            amount_micros: sign === 'add' ? amount : -amount,
            reason: reason.trim(),
            idempotency_key: attempt,
          },
        })
      }}
    >
      <Stack gap="sm">
        <Title order={2} fz={16}>
          Move the balance
        </Title>
        <Group align="flex-end" gap="sm">
          <SegmentedControl
            aria-label="Direction"
            value={sign}
            onChange={(value) => setSign(value as 'add')}
            data={[
              { value: 'add', label: 'Add' },
              { value: 'take', label: 'Take back' },
            ]}
          />
          <DollarInput
            label="Amount"
            w={140}
            required
            withAsterisk={false}
            micros={amount}
            onChange={setAmount}
          />
          <TextInput
            label="Reason"
            description="The workspace’s people read it in their ledger."
            flex={1}
            miw={220}
            required
            withAsterisk={false}
            maxLength={200}
            value={reason}
            onChange={({ currentTarget: { value } }) => setReason(value)}
          />
          <Button type="submit" loading={credit.isPending}>
            {sign === 'add' ? 'Add' : 'Take back'}
          </Button>
        </Group>
        {credit.error !== null && <FailureNotice error={credit.error} />}
        {credit.data !== undefined && (
          <Notice tone="good">
            Done: {inDollars(credit.data.amount_micros)}, and the balance is{' '}
            {inDollars(credit.data.balance_after_micros)}.
          </Notice>
        )}
      </Stack>
    </form>
  )
}

function newAttempt(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
