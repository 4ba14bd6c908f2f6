import { Button, Checkbox, Group, Modal, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { isUnderWay } from '../../api/under-way.ts'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { readDemand } from '../../words/demand.ts'

interface RegisterUpstreamProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

const empty = {
  name: '',
  url: '',
  hostname: '',
  roots: '',
  demand: '',
  pins: '',
  apiKey: '',
  doesReplace: false,
  needsLeafName: true,
}

/** Registers an upstream; nothing of it is admitted before a deployment is pinned. */
export function RegisterUpstream({ isOpen, onClose }: RegisterUpstreamProps) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState(empty)
  const [isUnread, setUnread] = useState(false)
  const set = (change: Partial<typeof empty>) => {
    if (change.demand !== undefined) setUnread(false)
    setDraft((draft) => ({ ...draft, ...change }))
  }
  const register = api.useMutation('post', '/admin/upstreams', {
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['get', '/admin/upstreams'] })
      close()
    },
  })
  const close = () => {
    onClose()
    register.reset()
    setUnread(false)
    // The upstream's key goes with the dialog, out of this page's memory.
    setDraft(empty)
  }
  const submit = () => {
    const read = attempt(draft.demand)
    if (read === undefined) return setUnread(true)
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
        ...(read.attested === undefined ? {} : { attested: read.attested }),
        ...(draft.apiKey === '' ? {} : { api_key: draft.apiKey }),
      },
    })
  }
  const pins = draft.pins.split(/[\s,]+/).filter((pin) => pin !== '')
  const field = (name: 'name' | 'url' | 'hostname' | 'roots' | 'demand' | 'pins' | 'apiKey') => ({
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
          submit()
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
            label="Hardware of the roots’ key"
            description="The block that begins with measurements:, as proxy discover prints it. None is demanded when left empty."
            error={isUnread && 'This is no YAML.'}
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            {...field('demand')}
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

/** What a demand says; undefined for what cannot be read. */
function attempt(text: string): { readonly attested: ReturnType<typeof readDemand> } | undefined {
  try {
    return { attested: readDemand(text) }
  } catch {
    return undefined
  }
}
