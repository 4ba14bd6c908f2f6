import { Button, Group, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Session } from '#contract/console/models'
import { api } from '../../api/client.ts'
import { tell } from '../../api/tell.ts'
import { Facts } from '../../parts/facts.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/page.tsx'
import { Surface } from '../../parts/surface.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Ago } from '../../parts/time.tsx'
import { leaveEverywhere } from '../../session/leave.ts'
import { useMe } from '../../session/me.ts'
import { inDay } from '../../words/time.ts'

/** Who is signed in, and where else. */
export function AccountPage() {
  const me = useMe()
  const out = api.useMutation('delete', '/session', {
    onSuccess: () => {
      tell('signed_out', 'account')
      leaveEverywhere()
    },
  })
  return (
    <Page
      title="Account"
      about="Your address is your account: there is no password. Whoever reads its mail can sign in."
      actions={
        <Button
          variant="default"
          leftSection={<Icon name="leave" size={16} />}
          loading={out.isPending}
          onClick={() => out.mutate({})}
        >
          Sign out
        </Button>
      }
    >
      {out.error !== null && <FailureNotice error={out.error} />}
      <Surface>
        <Facts
          facts={[
            ['Address', <bdi className="foreign">{me.email}</bdi>],
            ['Workspace', <bdi className="foreign">{me.workspace.name}</bdi>],
            ['Workspace id', <code className="code foreign">{me.workspace.id}</code>],
            ['Base URL', <code className="code foreign">{me.settings.base_url}</code>],
            ['Administrator', me.administrator ? 'yes, by the configuration' : 'no'],
          ]}
        />
      </Surface>
      <Surface
        title="Sessions"
        about="Where this account is signed in. A session ends 30 days after it was last used, or here and now."
      >
        <Sessions />
      </Surface>
    </Page>
  )
}

function Sessions() {
  const { data, error } = api.useQuery('get', '/sessions')
  if (data === undefined) return error ? <FailureNotice error={error} /> : <Skeleton h={160} />
  return (
    <TableFrame label="Sessions" minWidth={640}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Browser</Table.Th>
          <Table.Th>Signed in</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>Ends</Table.Th>
          <Table.Th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {data.data.map((session) => (
          <Row key={session.id} session={session} />
        ))}
      </Table.Tbody>
    </TableFrame>
  )
}

function Row({ session }: { readonly session: Session }) {
  const queries = useQueryClient()
  const end = api.useMutation('delete', '/sessions/{id}', {
    onSettled: () => queries.invalidateQueries({ queryKey: ['get', '/sessions'] }),
  })
  return (
    <Table.Tr>
      <Table.Td maw={320}>
        <bdi className="foreign">{session.user_agent ?? 'It did not say'}</bdi>
      </Table.Td>
      <Table.Td>
        <Ago at={session.created_at} />
      </Table.Td>
      <Table.Td>
        <Ago at={session.last_used_at} />
      </Table.Td>
      <Table.Td>{inDay(session.expires_at)}</Table.Td>
      <Table.Td>
        <Group justify="flex-end">
          {session.current ? (
            <Text fz="sm" c="dimmed">
              this one
            </Text>
          ) : (
            <Button
              size="xs"
              variant="default"
              loading={end.isPending}
              onClick={() => end.mutate({ params: { path: { id: session.id } } })}
            >
              End
            </Button>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
