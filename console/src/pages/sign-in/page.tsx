import { Center, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { Brand } from '../../parts/brand.tsx'
import { AddressStep } from './address-step.tsx'
import type { Asked } from './asked.ts'
import { CodeStep } from './code-step.tsx'
import styles from './page.module.css'

const route = getRouteApi('/sign-in')

/** Signs in, or up, by a code in a mail; there is no password. */
export function SignInPage() {
  const { to, invitation = '' } = route.useSearch()
  const [asked, setAsked] = useState<Asked>()
  const [draft, setDraft] = useState<Asked>({ email: '', invitation })
  return (
    <Center component="main" mih="100dvh" p="md" className={styles.whole!}>
      <Stack gap="xl" w="100%" maw={420}>
        <Brand />
        <div className={`surface ${styles.card}`}>
          {asked === undefined ? (
            <AddressStep draft={draft} onChange={setDraft} onAsked={() => setAsked(draft)} />
          ) : (
            <CodeStep asked={asked} to={to} onBack={() => setAsked(undefined)} />
          )}
        </div>
        <Text fz="sm" c="dimmed">
          Inference from confidential machines, paid for to the micro-dollar. Prompts and answers have no
          field in any table, log or metric of this router.
        </Text>
      </Stack>
    </Center>
  )
}
