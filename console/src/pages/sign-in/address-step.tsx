import { Anchor, Button, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { tell } from '../../api/tell.ts'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import type { Asked } from './asked.ts'
import { Grant } from './grant.tsx'

interface AddressStepProps {
  readonly draft: Asked
  readonly onChange: (draft: Asked) => void
  readonly onAsked: () => void
}

/** Asks for the address, and for an invitation of whoever has one. */
export function AddressStep({ draft, onChange, onAsked }: AddressStepProps) {
  const [hasInvitation, setHasInvitation] = useState(draft.invitation !== '')
  const ask = api.useMutation('post', '/sign-in/codes', {
    onSuccess: () => {
      tell('code_asked', 'sign_in')
      onAsked()
    },
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    ask.mutate({ body: { email: draft.email.trim() } })
  }
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        <Stack gap={4}>
          <Title order={1} fz={24}>
            Sign in
          </Title>
          <Text c="dimmed">We mail you a code of six digits. The first time, this makes your account.</Text>
        </Stack>
        <TextInput
          label="E-mail address"
          type="email"
          name="email"
          autoComplete="email"
          required
          withAsterisk={false}
          maxLength={320}
          size="md"
          autoFocus
          value={draft.email}
          onChange={({ currentTarget: { value } }) => onChange({ ...draft, email: value })}
        />
        {hasInvitation ? (
          <TextInput
            label="Invitation"
            description="Its code; used for a new account alone."
            name="invitation"
            autoComplete="off"
            maxLength={64}
            size="md"
            placeholder="XXXX-XXXX-XXXX"
            value={draft.invitation}
            onChange={({ currentTarget: { value } }) => onChange({ ...draft, invitation: value })}
          />
        ) : (
          <Anchor component="button" type="button" fz="sm" ta="left" onClick={() => setHasInvitation(true)}>
            I have an invitation
          </Anchor>
        )}
        <Grant code={draft.invitation} />
        {ask.error !== null && <FailureNotice error={ask.error} />}
        <Button type="submit" size="md" loading={ask.isPending} fullWidth>
          Mail me a code
        </Button>
      </Stack>
    </form>
  )
}
