import { Button, Checkbox, Group, Modal, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { isUnderWay } from '../../api/under-way.ts'
import { FailureNotice } from '../../parts/failure-notice.tsx'

interface RegisterUpstreamProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

const empty = {
  name: '',
  url: '',
  hostname: '',
  roots: '',
  pins: '',
  apiKey: '',
  doesReplace: false,
  needsLeafName: true,
}

/** Registers an upstream; nothing of it is admitted before a deployment is pinned. */
export function RegisterUpstream({ isOpen, onClose }: RegisterUpstreamProps) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState(empty)
  const set = (change: Partial<typeof empty>) => setDraft((draft) => ({ ...draft, ...change }))
  const register = api.useMutation('post', '/admin/upstreams', {
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['get', '/admin/upstreams'] })
      close()
    },
  })
  const close = () => {
    onClose()
    register.reset()
    // The upstream's key goes with the dialog, out of this page's memory.
    setDraft(empty)
  }
  const pins = draft.pins.split(/[\s,]+/).filter((pin) => pin !== '')
  const field = (name: 'name' | 'url' | 'hostname' | 'roots' | 'pins' | 'apiKey') => ({
    value: draft[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => set({ [name]: value }),
  })
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title="Register an upstream"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          if (isUnderWay(queries, 'post', '/admin/upstreams')) return
          register.mutate({
            body: {
              name: draft.name.trim(),
              url: draft.url.trim(),
              roots: draft.roots,
              require_leaf_name: draft.needsLeafName,
              replace: draft.doesReplace,
              pins,
              ...(draft.hostname.trim() === '' ? {} : { hostname: draft.hostname.trim() }),
              ...(draft.apiKey === '' ? {} : { api_key: draft.apiKey }),
            },
          })
        }}
      >
        <Stack gap="md">
          <TextInput
            label="Name"
            description="In models, records and paths."
            required
            withAsterisk={false}
            maxLength={63}
            data-autofocus
            {...field('name')}
          />
          <TextInput
            label="Base URL"
            placeholder="https://inference.example/v1"
            type="url"
            required
            withAsterisk={false}
            {...field('url')}
          />
          <TextInput
            label="Hostname"
            description="The URL’s own when left empty."
            maxLength={253}
            {...field('hostname')}
          />
          <Textarea
            label="Trusted roots"
            description="In PEM."
            required
            withAsterisk={false}
            autosize
            minRows={3}
            maxRows={8}
            spellCheck={false}
            {...field('roots')}
          />
          <Textarea
            label="Approved deployments"
            description="Digests, one a line. With none, nothing is admitted."
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            {...field('pins')}
          />
          <PasswordInput
            label="Its key"
            description="Stored encrypted, and never shown again."
            autoComplete="off"
            {...field('apiKey')}
          />
          <Checkbox
            label="Its certificate has to name the hostname"
            checked={draft.needsLeafName}
            onChange={({ currentTarget: { checked } }) => set({ needsLeafName: checked })}
          />
          <Checkbox
            label="Register anew if there is one of this name"
            checked={draft.doesReplace}
            onChange={({ currentTarget: { checked } }) => set({ doesReplace: checked })}
          />
          {register.error !== null && <FailureNotice error={register.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={register.isPending}>
              Register
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
