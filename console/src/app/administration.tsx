import { Stack, Text, Title } from '@mantine/core'
import { Outlet } from '@tanstack/react-router'
import { AnchorLink } from '../parts/links.tsx'
import { useMe } from '../session/me.ts'

/** The pages of administrators; to whom the configuration names no more they show nothing. */
export function Administration() {
  if (useMe().administrator) return <Outlet />
  return (
    <Stack gap="xs" role="alert">
      <Title order={1} fz={22}>
        This is for administrators
      </Title>
      <Text c="dimmed">The configuration of the router names them, and does not name you.</Text>
      <AnchorLink to="/">Go to the overview</AnchorLink>
    </Stack>
  )
}
