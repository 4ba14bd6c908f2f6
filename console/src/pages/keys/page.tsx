import { Button, Skeleton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { byPage } from '../../api/pages.ts'
import { Empty } from '../../parts/empty.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { More } from '../../parts/more.tsx'
import { Page } from '../../parts/page.tsx'
import { Surface } from '../../parts/surface.tsx'
import { CreateKey } from './create-key.tsx'
import { EditKey } from './edit-key.tsx'
import type { ConsoleKey } from './key.ts'
import { KeyTable } from './key-table.tsx'
import { RevokeKey } from './revoke-key.tsx'

/** The workspace's keys: made, changed and revoked; their text is shown once. */
export function KeysPage() {
  const [isCreating, creating] = useDisclosure(false)
  const [edited, setEdited] = useState<ConsoleKey>()
  const [revoked, setRevoked] = useState<ConsoleKey>()
  const keys = api.useInfiniteQuery('get', '/keys', { params: { query: {} } }, byPage)
  const rows = keys.data?.pages.flatMap(({ data }) => data)
  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={creating.open}>
      Create a key
    </Button>
  )
  return (
    <Page
      title="Keys"
      about="A key spends this workspace’s balance. Give each program its own, so that one can be revoked alone."
      actions={create}
    >
      <Surface>
        {rows === undefined ? (
          keys.error ? (
            <FailureNotice error={keys.error} />
          ) : (
            <Skeleton h={260} />
          )
        ) : rows.length === 0 ? (
          <Empty icon="keys" title="No keys yet" action={create}>
            With a key, any OpenAI client works against this router: it needs a base URL and the key.
          </Empty>
        ) : (
          <KeyTable keys={rows} onEdit={setEdited} onRevoke={setRevoked} />
        )}
        <More list={keys} />
      </Surface>
      <CreateKey isOpen={isCreating} onClose={creating.close} />
      <EditKey apiKey={edited} onClose={() => setEdited(undefined)} />
      <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </Page>
  )
}
