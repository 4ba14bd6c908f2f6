import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

interface PageProps {
  readonly title: string
  /** One sentence on what the page is for. */
  readonly about?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page: its heading, which takes the focus so that a screen reader tells of the change, and what it holds. */
export function Page({ title, about, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Confidential Inference Router`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end" gap="md">
        <Stack gap={4} maw={720}>
          <Title order={1} fz={26} ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
            {title}
          </Title>
          {about !== undefined && <Text c="dimmed">{about}</Text>}
        </Stack>
        {actions !== undefined && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
