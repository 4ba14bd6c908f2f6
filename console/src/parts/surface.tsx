import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SurfaceProps {
  readonly title?: string
  readonly about?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of a page that stands for itself. */
export function Surface({ title, about, actions, children }: SurfaceProps) {
  return (
    <section className="surface">
      <Stack gap="md" p={{ base: 'md', sm: 'lg' }}>
        {(title !== undefined || actions !== undefined) && (
          <Group justify="space-between" align="flex-start" gap="sm">
            <Stack gap={2}>
              {title !== undefined && (
                <Title order={2} fz={17}>
                  {title}
                </Title>
              )}
              {about !== undefined && (
                <Text c="dimmed" fz="sm" maw={680}>
                  {about}
                </Text>
              )}
            </Stack>
            {actions}
          </Group>
        )}
        {children}
      </Stack>
    </section>
  )
}
