import { Button, Group, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminInvitation } from '#contract/console/models'
import { api } from '../../api/client.ts'
import { byPage } from '../../api/pages.ts'
import { Chip, type Tone } from '../../parts/chip.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Money } from '../../parts/money.tsx'
import { More } from '../../parts/more.tsx'
import { useNow } from '../../parts/now.ts'
import { Page } from '../../parts/page.tsx'
import { Surface } from '../../parts/surface.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { grouped } from '../../words/money.ts'
import { inDay } from '../../words/time.ts'
import { IssueInvitation } from './issue-invitation.tsx'

/** Invitations: issued, given to people, withdrawn. */
export function InvitationsPage() {
  const queries = useQueryClient()
  const [isIssuing, issuing] = useDisclosure(false)
  const [leaving, setLeaving] = useState<AdminInvitation>()
  const list = api.useInfiniteQuery('get', '/admin/invitations', { params: { query: {} } }, byPage)
  const rows = list.data?.pages.flatMap(({ data }) => data)
  const withdraw = api.useMutation('delete', '/admin/invitations/{id}', {
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['get', '/admin/invitations'] })
      setLeaving(undefined)
    },
  })
  const issue = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={issuing.open}>
      Issue an invitation
    </Button>
  )
  return (
    <Page
      title="Invitations"
      about="Each grants credit to new accounts, once per account. What was granted stays when one is withdrawn."
      actions={issue}
    >
      <Surface>
        {rows === undefined ? (
          list.error ? (
            <FailureNotice error={list.error} />
          ) : (
            <Skeleton h={260} />
          )
        ) : rows.length === 0 ? (
          <Empty icon="invitations" title="No invitations yet" action={issue}>
            Whoever signs up with one has credit from the first minute on.
          </Empty>
        ) : (
          <TableFrame label="Invitations" minWidth={860}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Code</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th ta="right">Grants</Table.Th>
                <Table.Th ta="right">Redeemed</Table.Th>
                <Table.Th>For</Table.Th>
                <Table.Th>Ends</Table.Th>
                <Table.Th>
                  <VisuallyHidden>Actions</VisuallyHidden>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((invitation) => (
                <Row key={invitation.id} invitation={invitation} onWithdraw={() => setLeaving(invitation)} />
              ))}
            </Table.Tbody>
          </TableFrame>
        )}
        <More list={list} />
      </Surface>
      <IssueInvitation isOpen={isIssuing} onClose={issuing.close} />
      <Confirm
        isOpen={leaving !== undefined}
        title="Withdraw this invitation?"
        act="Withdraw"
        isPending={withdraw.isPending}
        error={withdraw.error}
        onClose={() => setLeaving(undefined)}
        onConfirm={() => leaving && withdraw.mutate({ params: { path: { id: leaving.id } } })}
      >
        <Text>
          <code className="code">{leaving?.code}</code> cannot be redeemed any more, for good.
        </Text>
      </Confirm>
    </Page>
  )
}

interface RowProps {
  readonly invitation: AdminInvitation
  readonly onWithdraw: () => void
}

function Row({ invitation, onWithdraw }: RowProps) {
  const [word, tone] = stateOf(invitation, useNow())
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <code className="code number">{invitation.code}</code>
          {tone === 'good' && (
            <Copy text={invitation.code} what={`the code ${invitation.code}`} variant="subtle" />
          )}
        </Group>
      </Table.Td>
      <Table.Td>
        <Chip tone={tone}>{word}</Chip>
      </Table.Td>
      <Table.Td ta="right">
        <Money micros={invitation.grant_micros} />
      </Table.Td>
      <Table.Td ta="right" className="number">
        {grouped(invitation.redemptions)} of {grouped(invitation.max_redemptions)}
      </Table.Td>
      <Table.Td maw={240}>
        <bdi className="foreign">{invitation.description}</bdi>
        {invitation.note !== null && (
          <Text fz="xs" c="dimmed" className="foreign">
            {invitation.note}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{invitation.expires_at === null ? 'never' : inDay(invitation.expires_at)}</Table.Td>
      <Table.Td ta="right">
        {tone === 'good' && (
          <Button size="xs" variant="default" onClick={onWithdraw}>
            Withdraw
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function stateOf(invitation: AdminInvitation, now: Date): readonly [string, Tone] {
  if (invitation.withdrawn_at !== null) return ['Withdrawn', 'bad']
  if (invitation.redemptions >= invitation.max_redemptions) return ['Used up', 'plain']
  if (invitation.expires_at !== null && Date.parse(invitation.expires_at) <= now.getTime())
    return ['Over', 'plain']
  return ['Open', 'good']
}
