import { Button, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminUpstream } from '#contract/console/models'
import { api } from '../../api/client.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { inHex } from '../../words/digest.ts'

/** The deployments that are approved; each approval can be withdrawn. */
export function Pins({ upstream: { name, pins } }: { readonly upstream: AdminUpstream }) {
  const queries = useQueryClient()
  const [leaving, setLeaving] = useState<string>()
  const change = api.useMutation('post', '/admin/upstreams/{name}/pins', {
    onSuccess: () => {
      setLeaving(undefined)
      return queries.invalidateQueries({ queryKey: ['get', '/admin/upstreams'] })
    },
  })
  if (pins.length === 0) return <Text c="dimmed">None: nothing of it is ever admitted.</Text>
  return (
    <>
      {pins.map((pin) => (
        <Group key={pin} justify="space-between" wrap="nowrap" gap="sm">
          <code className="code foreign">{inHex(pin)}</code>
          <Button
            size="xs"
            flex="none"
            variant="subtle"
            aria-label={`Withdraw the approval of ${inHex(pin)}`}
            onClick={() => setLeaving(pin)}
          >
            Withdraw
          </Button>
        </Group>
      ))}
      <Confirm
        isOpen={leaving !== undefined}
        title="Withdraw this approval?"
        act="Withdraw"
        isPending={change.isPending}
        error={change.error}
        onClose={() => setLeaving(undefined)}
        onConfirm={() =>
          leaving && change.mutate({ params: { path: { name } }, body: { remove: [leaving] } })
        }
      >
        <Text>
          If it is what the upstream runs now, its verdict is withdrawn, and streams that run end at once.
        </Text>
        <code className="code foreign">{leaving && inHex(leaving)}</code>
      </Confirm>
    </>
  )
}
