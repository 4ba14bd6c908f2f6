import { Button, Drawer, Skeleton, Table, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { byPage } from '../../api/pages.ts'
import { Empty } from '../../parts/empty.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Money } from '../../parts/money.tsx'
import { More } from '../../parts/more.tsx'
import { Page } from '../../parts/page.tsx'
import { Surface } from '../../parts/surface.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { inDay } from '../../words/time.ts'
import { Workspace } from './workspace.tsx'

const TYPING_MS = 250

/** Every workspace: found, looked at, credited. */
export function WorkspacesPage() {
  const [text, setText] = useState('')
  const [query] = useDebouncedValue(text.trim(), TYPING_MS)
  const [chosen, setChosen] = useState<string>()
  const list = api.useInfiniteQuery(
    'get',
    '/admin/workspaces',
    { params: { query: query === '' ? {} : { query } } },
    { ...byPage, placeholderData: keepPreviousData },
  )
  const rows = list.data?.pages.flatMap(({ data }) => data)
  return (
    <Page title="Workspaces" about="Whoever pays: find one, see its ledger, add credit or take it back.">
      <Surface>
        <TextInput
          label="Find"
          description="A part of its name or of a member’s address, or its whole id."
          type="search"
          maw={420}
          value={text}
          maxLength={320}
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
        {rows === undefined ? (
          list.error ? (
            <FailureNotice error={list.error} />
          ) : (
            <Skeleton h={260} />
          )
        ) : rows.length === 0 ? (
          <Empty icon="workspaces" title={query === '' ? 'No workspaces yet' : 'None fits'}>
            {query === ''
              ? 'The first one is made when somebody signs in.'
              : 'Try a shorter part of its name or address.'}
          </Empty>
        ) : (
          <TableFrame label="Workspaces" minWidth={760}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>People</Table.Th>
                <Table.Th ta="right">Balance</Table.Th>
                <Table.Th ta="right">Held</Table.Th>
                <Table.Th>Since</Table.Th>
                <Table.Th>
                  <VisuallyHidden>Actions</VisuallyHidden>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((workspace) => (
                <Table.Tr key={workspace.id}>
                  <Table.Td maw={240}>
                    <Text component="bdi" fz="inherit" fw={600} className="foreign">
                      {workspace.name}
                    </Text>
                  </Table.Td>
                  <Table.Td maw={240}>
                    {workspace.emails.length === 0 ? (
                      <Text fz="inherit" c="dimmed">
                        none
                      </Text>
                    ) : (
                      <bdi className="foreign">{workspace.emails.join(', ')}</bdi>
                    )}
                  </Table.Td>
                  <Table.Td ta="right">
                    <Money micros={workspace.balance_micros} />
                  </Table.Td>
                  <Table.Td ta="right">
                    <Money micros={workspace.held_micros} />
                  </Table.Td>
                  <Table.Td>{inDay(workspace.created_at)}</Table.Td>
                  <Table.Td ta="right">
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`Open ${workspace.name}`}
                      onClick={() => setChosen(workspace.id)}
                    >
                      Open
                    </Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </TableFrame>
        )}
        <More list={list} />
      </Surface>
      <Drawer
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        position="right"
        size="xl"
        title="Workspace"
        closeButtonProps={{ 'aria-label': 'Close the workspace' }}
      >
        {chosen !== undefined && <Workspace id={chosen} />}
      </Drawer>
    </Page>
  )
}
