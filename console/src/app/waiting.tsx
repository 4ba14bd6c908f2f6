import { Center, Loader } from '@mantine/core'

/** Something is on its way that takes longer than a moment. */
export function Waiting() {
  return (
    <Center mih={240} role="status" aria-label="Loading">
      <Loader color="pine" type="dots" />
    </Center>
  )
}
