import { Button, Skeleton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { api } from '../../api/client.ts'
import { Empty } from '../../parts/empty.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/page.tsx'
import { Surface } from '../../parts/surface.tsx'
import { RegisterUpstream } from './register-upstream.tsx'
import { Upstream } from './upstream.tsx'

const POLL_MS = 5_000

/** External upstreams: registered, pinned, taken out and put back. */
export function UpstreamsPage() {
  const [isRegistering, registering] = useDisclosure(false)
  // A verdict changes by itself, and a page that asked for a check waits for it.
  const { data, error } = api.useQuery('get', '/admin/upstreams', {}, { refetchInterval: POLL_MS })
  const register = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={registering.open}>
      Register an upstream
    </Button>
  )
  return (
    <Page
      title="Upstreams"
      about="Endpoints that somebody else runs. This router verifies each of them, and serves from it only while its deployment is one that was approved here."
      actions={register}
    >
      {data === undefined ? (
        error ? (
          <FailureNotice error={error} />
        ) : (
          <Skeleton h={320} />
        )
      ) : data.data.length === 0 ? (
        <Surface>
          <Empty icon="upstreams" title="No upstreams yet" action={register}>
            Models of your own endpoints need none.
          </Empty>
        </Surface>
      ) : (
        data.data.map((upstream) => <Upstream key={upstream.id} upstream={upstream} />)
      )}
      <RegisterUpstream isOpen={isRegistering} onClose={registering.close} />
    </Page>
  )
}
