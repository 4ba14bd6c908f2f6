import { Skeleton } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { Empty } from '../../parts/empty.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Page } from '../../parts/page.tsx'
import { Surface } from '../../parts/surface.tsx'
import { Comparison } from './comparison.tsx'
import { Endpoints } from './endpoints.tsx'
import { History } from './history.tsx'
import { Limits } from './limits.tsx'
import { Publication } from './publication.tsx'

const route = getRouteApi('/shell/evidence')

/** What is published about each deployment, computed anew in this browser, and what that is not. */
export function EvidencePage() {
  const { endpoint, digest, before } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error } = api.useQuery('get', '/endpoints')
  const chosen = data?.data.find(({ name }) => name === endpoint) ?? data?.data[0]
  return (
    <Page
      title="Evidence"
      about="What each endpoint publishes about its own deployment. Digests are computed here, in this browser, from the published bytes."
    >
      {data === undefined ? (
        error ? (
          <FailureNotice error={error} />
        ) : (
          <Skeleton h={400} />
        )
      ) : chosen === undefined ? (
        <Surface>
          <Empty icon="evidence" title="No endpoint">
            The configuration names none.
          </Empty>
        </Surface>
      ) : (
        <>
          <Endpoints
            endpoints={data.data}
            chosen={chosen.name}
            onChoose={(name) => void navigate({ search: { endpoint: name }, resetScroll: false })}
          />
          <Publication endpoint={chosen} digest={digest} />
          <History
            endpoint={chosen}
            shown={digest}
            onShow={(digest) => void navigate({ search: { endpoint: chosen.name, digest } })}
            onCompare={(before, digest) =>
              void navigate({ search: { endpoint: chosen.name, digest, before }, resetScroll: false })
            }
          />
          {before !== undefined && digest !== undefined && (
            <Comparison endpoint={chosen.name} before={before} after={digest} />
          )}
          <Limits />
        </>
      )}
    </Page>
  )
}
