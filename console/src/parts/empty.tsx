import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  readonly children: ReactNode
  readonly action?: ReactNode
}

/** Nothing is here yet: what will be, and how it comes to be. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <Stack align="center" ta="center" gap="xs" py={48} px="md">
      <Text c="dimmed" component="span">
        <Icon name={icon} size={36} />
      </Text>
      <Text fw={650} fz={17}>
        {title}
      </Text>
      <Text c="dimmed" maw={440}>
        {children}
      </Text>
      {action}
    </Stack>
  )
}
