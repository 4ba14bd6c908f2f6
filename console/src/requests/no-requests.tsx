import { Empty } from '../parts/empty.tsx'
import { ButtonLink } from '../parts/links.tsx'

/** Nobody has asked anything yet. */
export function NoRequests() {
  return (
    <Empty
      icon="requests"
      title="No requests yet"
      action={
        <ButtonLink to="/welcome" mt="xs">
          Make the first one
        </ButtonLink>
      }
    >
      Each accepted request is one row here, the moment it begins. Prompt and answer are in none of them.
    </Empty>
  )
}
