import { Button, Center } from '@mantine/core'

interface MoreProps {
  readonly list: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
}

/** Asks for the next page of a list, while there is one. */
export function More({ list }: MoreProps) {
  if (!list.hasNextPage) return null
  return (
    <Center>
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
        Show more
      </Button>
    </Center>
  )
}
