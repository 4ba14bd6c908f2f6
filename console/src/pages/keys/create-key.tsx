import { Button, Group, Modal, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { tell } from '../../api/tell.ts'
import { isUnderWay } from '../../api/under-way.ts'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { NewKeyText } from '../../snippets/new-key-text.tsx'
import { KeyForm, useKeyForm } from './key-form.tsx'

interface CreateKeyProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Makes a key, and shows its text: this once. */
export function CreateKey({ isOpen, onClose }: CreateKeyProps) {
  const queries = useQueryClient()
  const create = api.useMutation('post', '/keys', {
    onSuccess: () => {
      tell('key_created', 'keys')
      void queries.invalidateQueries({ queryKey: ['get', '/keys'] })
    },
  })
  const close = () => {
    onClose()
    // Its text goes with the dialog, out of this page's memory.
    create.reset()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={create.data ? 'Your new key' : 'Create a key'}
      size="lg"
      // A click beside it must not take away what is shown once.
      closeOnClickOutside={create.data === undefined}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {create.data ? (
        <Stack gap="md">
          <NewKeyText apiKey={create.data.api_key} />
          <Group justify="flex-end">
            <Button onClick={close}>I have kept it</Button>
          </Group>
        </Stack>
      ) : (
        <Form
          onCancel={close}
          onSubmit={(body) => {
            if (!isUnderWay(queries, 'post', '/keys')) create.mutate({ body })
          }}
          create={create}
        />
      )}
    </Modal>
  )
}

interface FormProps {
  readonly onCancel: () => void
  readonly onSubmit: (body: ReturnType<ReturnType<typeof useKeyForm>['toBody']>) => void
  readonly create: { readonly error: unknown; readonly isPending: boolean }
}

function Form({ onCancel, onSubmit, create }: FormProps) {
  const form = useKeyForm()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (form.isRight) onSubmit(form.toBody())
      }}
    >
      <Stack gap="md">
        <KeyForm form={form} />
        {create.error !== null && <FailureNotice error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={!form.isRight}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
