import { Anchor, Button, Group, PinInput, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import { tell } from '../../api/tell.ts'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Notice } from '../../parts/notice.tsx'
import { meQuery } from '../../session/me.ts'
import type { Asked } from './asked.ts'
import styles from './code-step.module.css'

const DIGITS = 6
const POLL_MS = 1_500

interface CodeStepProps {
  readonly asked: Asked
  /** Where to go then: an address of this page. */
  readonly to: string | undefined
  readonly onBack: () => void
}

/** Takes the code: typed, pasted, or filled in by the device; the last digit sends it. */
export function CodeStep({ asked, to, onBack }: CodeStepProps) {
  const [code, setCode] = useState('')
  const queries = useQueryClient()
  const router = useRouter()
  const mail = api.useQuery(
    'get',
    '/sign-in/codes/current',
    {},
    {
      refetchInterval: ({ state }) => (state.data?.state === 'waiting' ? POLL_MS : false),
      staleTime: 0,
      gcTime: 0,
    },
  )
  const again = api.useMutation('post', '/sign-in/codes', { onSuccess: () => mail.refetch() })
  const signIn = api.useMutation('post', '/sign-in', {
    onSuccess: ({ created, me, granted_micros: granted }) => {
      queries.clear()
      queries.setQueryData(meQuery.queryKey, me)
      tell('signed_in', 'sign_in')
      if (created)
        void router.navigate({ to: '/welcome', search: granted === null ? {} : { granted }, replace: true })
      else router.history.replace(`/console${to ?? '/'}`)
    },
    onError: () => setCode(''),
  })
  const send = (whole: string) => {
    if (signIn.isPending) return
    const invitation = asked.invitation.trim()
    signIn.mutate({
      body: { email: asked.email.trim(), code: whole, ...(invitation === '' ? {} : { invitation }) },
    })
  }
  return (
    <Stack gap="md">
      <Stack gap={4}>
        <Title order={1} fz={24}>
          Enter the code
        </Title>
        <Text c="dimmed">
          Mailed to{' '}
          <Text component="bdi" c="var(--mantine-color-text)" fw={600} className="foreign">
            {asked.email.trim()}
          </Text>
          . It works once, in this browser, for ten minutes.
        </Text>
      </Stack>
      <fieldset className={styles.digits}>
        <legend className={styles.legend}>Code of six digits</legend>
        <PinInput
          length={DIGITS}
          type="number"
          oneTimeCode
          autoFocus
          size="lg"
          gap={8}
          classNames={{ root: styles.code!, pinInput: styles.cell!, input: styles.digit! }}
          placeholder=""
          value={code}
          onChange={setCode}
          onComplete={send}
          error={signIn.isError}
          disabled={signIn.isPending}
          getInputProps={(index) => ({ 'aria-label': `Digit ${index + 1} of ${DIGITS}` })}
        />
      </fieldset>
      {mail.data?.state === 'failed' && (
        <Notice tone="bad" title="The mail could not be sent">
          The mail server is away or refused the address. Check the address, or try again in a moment.
        </Notice>
      )}
      {signIn.error !== null && <WrongCode error={signIn.error} />}
      {again.error !== null && <FailureNotice error={again.error} />}
      {again.isSuccess && signIn.error === null && (
        <Notice tone="good">A new code is on its way; the older one is void.</Notice>
      )}
      <Button
        size="md"
        fullWidth
        loading={signIn.isPending}
        disabled={code.length < DIGITS}
        onClick={() => send(code)}
      >
        Sign in
      </Button>
      <Group justify="space-between">
        <Anchor component="button" type="button" fz="sm" onClick={onBack}>
          Another address
        </Anchor>
        <Anchor
          component="button"
          type="button"
          fz="sm"
          onClick={() => {
            signIn.reset()
            again.mutate({ body: { email: asked.email.trim() } })
          }}
        >
          Mail a new code
        </Anchor>
      </Group>
    </Stack>
  )
}

function WrongCode({ error }: { readonly error: unknown }) {
  if (asFailure(error).code !== 'invalid_code') return <FailureNotice error={error} />
  return (
    <Notice tone="bad" title="This code does not sign in">
      It is mistyped, older than ten minutes, used, or was asked for in another browser. After five wrong
      tries it is void: mail a new one.
    </Notice>
  )
}
