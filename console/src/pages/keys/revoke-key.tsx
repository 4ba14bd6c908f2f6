import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { tell } from '../../api/tell.ts'
import { Confirm } from '../../parts/confirm.tsx'
import type { ConsoleKey } from './key.ts'

interface RevokeKeyProps {
  readonly apiKey: ConsoleKey | undefined
  readonly onClose: () => void
}

/** Revokes a key, for good. */
export function RevokeKey({ apiKey, onClose }: RevokeKeyProps) {
  const queries = useQueryClient()
  const revoke = api.useMutation('delete', '/keys/{id}', {
    onSuccess: () => {
      tell('key_revoked', 'keys')
      void queries.invalidateQueries({ queryKey: ['get', '/keys'] })
      onClose()
    },
  })
  return (
    <Confirm
      isOpen={apiKey !== undefined}
      title="Revoke this key?"
      act="Revoke"
      isPending={revoke.isPending}
      error={revoke.error}
      onClose={() => {
        revoke.reset()
        onClose()
      }}
      onConfirm={() => apiKey && revoke.mutate({ params: { path: { id: apiKey.id } } })}
    >
      <Text>
        <Text component="bdi" fw={600} className="foreign">
          {apiKey?.name}
        </Text>{' '}
        is refused from the next request on, for good. Its requests and what they cost stay in the log.
      </Text>
    </Confirm>
  )
}
