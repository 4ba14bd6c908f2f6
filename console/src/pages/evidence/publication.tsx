import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import type { ConsoleEndpoint } from '#contract/console/models'
import { tell } from '../../api/tell.ts'
import { checksOf } from '../../evidence/checks.ts'
import { type FetchedBundle, useBundle } from '../../evidence/use-bundle.ts'
import { Digest } from '../../parts/digest.tsx'
import { Facts } from '../../parts/facts.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Surface } from '../../parts/surface.tsx'
import { inFullTime } from '../../words/time.ts'
import { CheckList } from './check-list.tsx'
import { Deployment } from './deployment.tsx'

interface PublicationProps {
  readonly endpoint: ConsoleEndpoint
  /** A deployment that was seen; what is published now when undefined. */
  readonly digest: string | undefined
}

/** One bundle: what it says, whether its digests hold, and what it deploys. */
export function Publication({ endpoint, digest }: PublicationProps) {
  const { data, error } = useBundle(endpoint.name, digest)
  if (data !== undefined) return <Read endpoint={endpoint} digest={digest} fetched={data} />
  return (
    <Surface title={digest === undefined ? 'Published now' : 'A deployment that was seen'}>
      {error === null ? <Skeleton h={320} /> : <FailureNotice error={error} />}
    </Surface>
  )
}

function Read({ endpoint, digest, fetched }: PublicationProps & { readonly fetched: FetchedBundle }) {
  const { bundle, etag, address } = fetched
  const listed = digest ?? endpoint.evidence_digest ?? undefined
  const checks = checksOf(bundle, { listed, etag })
  const { payload, snapshotDigest, bytesDigest } = bundle
  useEffect(() => tell('bundle_checked', 'evidence'), [])
  return (
    <>
      <Surface
        title={digest === undefined ? 'Published now' : 'A deployment that was seen'}
        about="The signed values of the bundle, and the digests that this browser computed of it."
        actions={
          <Anchor href={address} download={`${endpoint.name}-evidence.json`} fz="sm">
            Save the bundle
          </Anchor>
        }
      >
        <Facts
          facts={[
            ['Snapshot', <Digest key="snapshot" wire={snapshotDigest} />],
            ['Bytes', <Digest key="bytes" wire={bytesDigest} />],
            ['Hostname', <bdi className="foreign">{String(payload.hostname ?? 'none')}</bdi>],
            ['Signed', typeof payload.issuedAt === 'string' ? inFullTime(payload.issuedAt) : 'at no time'],
            ['Names as hardware', endpoint.tee ?? 'nothing known'],
          ]}
        />
        <Stack gap="xs">
          <Text fw={600} fz="sm">
            Compared in this browser
          </Text>
          <CheckList checks={checks} />
        </Stack>
        <Group gap="xs">
          <Text fz="sm" c="dimmed">
            The signature itself, its certificates and their root are checked by{' '}
            <code className="code">bin/proxy verify {address.startsWith('/v1') ? 'URL' : 'FILE'}</code>, not
            by this page.
          </Text>
        </Group>
      </Surface>
      <Surface
        title="What is deployed"
        about="Every resource of the snapshot: images by digest, and the configuration that they run with."
      >
        <Deployment evidence={bundle.evidence} />
      </Surface>
    </>
  )
}
