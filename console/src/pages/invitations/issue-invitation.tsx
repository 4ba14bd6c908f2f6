import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { isUnderWay } from '../../api/under-way.ts'
import { Copy } from '../../parts/copy.tsx'
import { DollarInput } from '../../parts/dollar-input.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Notice } from '../../parts/notice.tsx'
import { inShortDollars } from '../../words/money.ts'
import { fromInputTime } from '../../words/time.ts'

interface IssueInvitationProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

const empty = { grant: undefined as number | undefined, description: '', times: '1', end: '', note: '' }

/** Issues an invitation, and shows its code and a way to sign up with it. */
export function IssueInvitation({ isOpen, onClose }: IssueInvitationProps) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState(empty)
  const issue = api.useMutation('post', '/admin/invitations', {
    onSuccess: () => queries.invalidateQueries({ queryKey: ['get', '/admin/invitations'] }),
  })
  const set = (change: Partial<typeof empty>) => setDraft((draft) => ({ ...draft, ...change }))
  const close = () => {
    onClose()
    issue.reset()
    setDraft(empty)
  }
  const times = /^[1-9][0-9]{0,8}$/.test(draft.times) ? Number(draft.times) : undefined
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={issue.data ? 'The invitation' : 'Issue an invitation'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {issue.data ? (
        <Stack gap="md">
          <Notice tone="good" title={`It grants ${inShortDollars(issue.data.grant_micros)}`}>
            Give the code, or the address, to whom it is for.
          </Notice>
          <Group className="sunken" p="sm" justify="space-between">
            <code className="code">{issue.data.code}</code>
            <Copy text={issue.data.code} what="the code" variant="filled" />
          </Group>
          <Group className="sunken" p="sm" justify="space-between" wrap="nowrap">
            <code className="code foreign">{addressOf(issue.data.code)}</code>
            <Copy text={addressOf(issue.data.code)} what="the address" />
          </Group>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (draft.grant === undefined || times === undefined) return
            if (isUnderWay(queries, 'post', '/admin/invitations')) return
            issue.mutate({
              body: {
                grant_micros: draft.grant,
                max_redemptions: times,
                expires_at: fromInputTime(draft.end) ?? null,
                ...(draft.description.trim() === '' ? {} : { description: draft.description.trim() }),
                ...(draft.note.trim() === '' ? {} : { note: draft.note.trim() }),
              },
            })
          }}
        >
          <Stack gap="md">
            <DollarInput
              label="Grants"
              required
              withAsterisk={false}
              data-autofocus
              micros={draft.grant}
              onChange={(grant) => set({ grant })}
            />
            <TextInput
              label="For"
              description="Whoever looks the code up reads it."
              maxLength={200}
              value={draft.description}
              onChange={({ currentTarget: { value } }) => set({ description: value })}
            />
            <Group grow align="flex-start">
              <TextInput
                label="Times"
                description="How often it can be redeemed."
                inputMode="numeric"
                value={draft.times}
                error={times === undefined ? 'A whole number from 1 on' : undefined}
                onChange={({ currentTarget: { value } }) => set({ times: value.trim() })}
              />
              <TextInput
                label="Ends"
                description="Empty for never."
                type="datetime-local"
                value={draft.end}
                onChange={({ currentTarget: { value } }) => set({ end: value })}
              />
            </Group>
            <TextInput
              label="Note"
              description="For administrators alone."
              maxLength={1000}
              value={draft.note}
              onChange={({ currentTarget: { value } }) => set({ note: value })}
            />
            {issue.error !== null && <FailureNotice error={issue.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={issue.isPending}>
                Issue
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}

function addressOf(code: string): string {
  return `${location.origin}/console/sign-in?invitation=${encodeURIComponent(code)}`
}
