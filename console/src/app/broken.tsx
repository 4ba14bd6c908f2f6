import { Button, Center, Stack, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { asFailure } from '../api/failure.ts'

/** A page that could not be shown, and why; what is away is asked for again by a person's click. */
export function Broken({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const { message, isAway } = asFailure(error)
  return (
    <Center mih="60vh" p="lg">
      <Stack align="center" ta="center" gap="sm" role="alert">
        <Title order={1} fz={22}>
          {isAway ? 'The router is away' : 'This page could not be shown'}
        </Title>
        <Text c="dimmed" maw={480}>
          {message}
        </Text>
        <Button
          variant="default"
          onClick={() => {
            reset()
            void router.invalidate()
          }}
        >
          Try again
        </Button>
      </Stack>
    </Center>
  )
}
