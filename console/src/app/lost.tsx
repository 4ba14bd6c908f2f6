import { Center, Stack, Text, Title } from '@mantine/core'
import { AnchorLink } from '../parts/links.tsx'

/** An address that is none of the page's. */
export function Lost() {
  return (
    <Center mih="60vh" p="lg" component="main">
      <Stack align="center" ta="center" gap="xs">
        <Title order={1} fz={22}>
          There is no such page
        </Title>
        <Text c="dimmed">The address may be of an older console, or mistyped.</Text>
        <AnchorLink to="/">Go to the overview</AnchorLink>
      </Stack>
    </Center>
  )
}
