import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import type { AdminUpstream } from '#contract/console/models'
import { api } from '../../api/client.ts'
import { Chip, type Tone } from '../../parts/chip.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Facts } from '../../parts/facts.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Surface } from '../../parts/surface.tsx'
import { inHardware } from '../../words/hardware.ts'
import { inFullTime } from '../../words/time.ts'
import { Events } from './events.tsx'
import { Offer } from './offer.tsx'
import { Pins } from './pins.tsx'

const states: Readonly<Record<AdminUpstream['state'], readonly [string, Tone]>> = {
  pending: ['Pending', 'warn'],
  admitted: ['Admitted', 'good'],
  denied: ['Denied', 'bad'],
  disabled: ['Out of service', 'plain'],
}

/** One upstream with its verdict, its pins, and what can be done about it. */
export function Upstream({ upstream }: { readonly upstream: AdminUpstream }) {
  const queries = useQueryClient()
  const [isComparing, comparing] = useDisclosure(false)
  const [isTelling, telling] = useDisclosure(false)
  const [isLeaving, leaving] = useDisclosure(false)
  const params = { path: { name: upstream.name } }
  const onSuccess = () => {
    leaving.close()
    return queries.invalidateQueries({ queryKey: ['get', '/admin/upstreams'] })
  }
  const attest = api.useMutation('post', '/admin/upstreams/{name}/attest', { onSuccess })
  const change = api.useMutation('patch', '/admin/upstreams/{name}', { onSuccess })
  const [word, tone] = states[upstream.state]
  const error = attest.error ?? change.error
  return (
    <Surface title={upstream.name} about={upstream.url} actions={<Chip tone={tone}>{word}</Chip>}>
      {upstream.denial !== null && (
        <Notice tone="bad" title={`${upstream.denial.stage}: ${upstream.denial.reason}`}>
          {upstream.denial.at !== null && `Since ${inFullTime(upstream.denial.at)}. `}
          {upstream.sticky
            ? 'It stays so until an administrator pins, attests or puts it back.'
            : 'It is tried again by itself.'}
        </Notice>
      )}
      <Facts
        facts={[
          ['Hostname', <bdi className="foreign">{upstream.hostname}</bdi>],
          ['Serves', <bdi className="foreign">{upstream.models.join(', ') || 'no model'}</bdi>],
          [
            'Last admitted',
            upstream.last_admitted === null ? 'never' : inFullTime(upstream.last_admitted.at),
          ],
          [
            'Newest signed',
            upstream.newest_issued_at === null ? 'none' : inFullTime(upstream.newest_issued_at),
          ],
          ['Its own key', upstream.has_api_key ? 'is stored' : 'none'],
          ['Trusted roots', String(upstream.roots.length)],
          ['Hardware of the root’s key', inHardware(upstream)],
        ]}
      />
      <Stack gap="xs">
        <Text fw={600} fz="sm">
          Approved deployments
        </Text>
        <Pins upstream={upstream} />
      </Stack>
      {error !== null && <FailureNotice error={error} />}
      <Group gap="sm">
        <Button onClick={comparing.open}>Compare and pin</Button>
        <Button variant="default" loading={attest.isPending} onClick={() => attest.mutate({ params })}>
          Check now
        </Button>
        {upstream.state === 'disabled' ? (
          <Button
            variant="default"
            loading={change.isPending}
            onClick={() => change.mutate({ params, body: { disabled: false } })}
          >
            Put back
          </Button>
        ) : (
          <Button variant="default" onClick={leaving.open}>
            Take out of service
          </Button>
        )}
        <Button variant="subtle" onClick={telling.toggle} aria-expanded={isTelling}>
          What happened
        </Button>
      </Group>
      {isTelling && <Events name={upstream.name} />}
      <Offer name={upstream.name} isOpen={isComparing} onClose={comparing.close} />
      <Confirm
        isOpen={isLeaving}
        title="Take it out of service?"
        act="Take out"
        isPending={change.isPending}
        error={change.error}
        onClose={leaving.close}
        onConfirm={() => change.mutate({ params, body: { disabled: true } })}
      >
        <Text>
          Models of <bdi className="foreign">{upstream.name}</bdi> are no longer found, and streams that run
          end at once.
        </Text>
      </Confirm>
    </Surface>
  )
}
