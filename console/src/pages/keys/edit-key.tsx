import { Button, Group, Modal, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import type { ConsoleKey } from './key.ts'
import { KeyForm, useKeyForm } from './key-form.tsx'

interface EditKeyProps {
  readonly apiKey: ConsoleKey | undefined
  readonly onClose: () => void
}

/** Changes a key's name, scope, limits or end. */
export function EditKey({ apiKey, onClose }: EditKeyProps) {
  return (
    <Modal
      opened={apiKey !== undefined}
      onClose={onClose}
      title="Change a key"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {apiKey !== undefined && <Form apiKey={apiKey} onClose={onClose} />}
    </Modal>
  )
}

function Form({ apiKey, onClose }: { readonly apiKey: ConsoleKey; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const form = useKeyForm(apiKey)
  const change = api.useMutation('patch', '/keys/{id}', {
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['get', '/keys'] })
      onClose()
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate({ params: { path: { id: apiKey.id } }, body: form.toBody() })
      }}
    >
      <Stack gap="md">
        <KeyForm form={form} />
        {change.error !== null && <FailureNotice error={change.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending} disabled={!form.isRight}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
