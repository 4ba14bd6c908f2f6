import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { UpstreamDiff } from '#contract/console/models'
import { api } from '../../api/client.ts'
import { ChangeList } from '../../parts/change-list.tsx'
import { Facts } from '../../parts/facts.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Notice } from '../../parts/notice.tsx'
import { inHex } from '../../words/digest.ts'
import { inFullTime } from '../../words/time.ts'

interface OfferProps {
  readonly name: string
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** What an upstream offers now, compared with what is pinned; approved by whoever has read it. */
export function Offer({ name, isOpen, onClose }: OfferProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={`What ${name} offers now`}
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {isOpen && <Fetched name={name} onClose={onClose} />}
    </Modal>
  )
}

function Fetched({ name, onClose }: Omit<OfferProps, 'isOpen'>) {
  const { data, error } = api.useQuery(
    'get',
    '/admin/upstreams/{name}/diff',
    { params: { path: { name } } },
    { staleTime: 0, gcTime: 0 },
  )
  if (error !== null) return <FailureNotice error={error} />
  if (data === undefined) {
    return (
      <Stack gap="sm" role="status">
        <Text c="dimmed">It is being fetched and verified.</Text>
        <Skeleton h={220} />
      </Stack>
    )
  }
  return <Told name={name} diff={data} onClose={onClose} />
}

function Told({
  name,
  diff,
  onClose,
}: {
  readonly name: string
  readonly diff: UpstreamDiff
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  const pin = api.useMutation('post', '/admin/upstreams/{name}/pins', {
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['get', '/admin/upstreams'] })
      onClose()
    },
  })
  const { pinned, offered, same_values: areSame, changes } = diff
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ['Offered', <code className="code foreign">{inHex(offered.evidence_digest)}</code>],
          ['Signed', inFullTime(offered.issued_at)],
          [
            'Compared with',
            pinned === null ? (
              'nothing: no pinned deployment is kept'
            ) : (
              <code className="code foreign">{inHex(pinned.evidence_digest)}</code>
            ),
          ],
        ]}
      />
      {offered.is_pinned && <Notice tone="good">It is approved already.</Notice>}
      {areSame && pinned !== null && !offered.is_pinned && (
        <Notice tone="plain">Both hold the same values; only their spelling differs.</Notice>
      )}
      {changes.length > 0 && (
        <ChangeList
          changes={changes.map(({ change, resource, place, before, after }) => ({
            word: change.replaceAll('_', ' '),
            resource,
            place: place === 'whole' ? '' : place,
            before: before === null ? undefined : plain(before),
            after: after === null ? undefined : plain(after),
          }))}
        />
      )}
      {pin.error !== null && <FailureNotice error={pin.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        {!offered.is_pinned && (
          <Button
            loading={pin.isPending}
            onClick={() =>
              pin.mutate({ params: { path: { name } }, body: { add: [offered.evidence_digest] } })
            }
          >
            Approve this deployment
          </Button>
        )}
      </Group>
    </Stack>
  )
}

/** A value that stands in JSON: a text as it is, anything else spread out. */
function plain(json: string): string {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  } catch {
    return json
  }
}
