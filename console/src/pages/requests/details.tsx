import { Drawer, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { RequestDetails } from '#contract/console/models'
import { api } from '../../api/client.ts'
import { Digest } from '../../parts/digest.tsx'
import { Facts } from '../../parts/facts.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { Money } from '../../parts/money.tsx'
import { Status } from '../../requests/status.tsx'
import { grouped } from '../../words/money.ts'
import { inFullTime, inLength } from '../../words/time.ts'
import { Cost } from './cost.tsx'
import { Waterfall } from './waterfall.tsx'

const sources = {
  backend: 'the backend’s own count',
  counted: 'counted by the router as it passed',
  bounded: 'the most that it can have been',
} as const

interface DetailsProps {
  readonly id: string | undefined
  readonly onClose: () => void
}

/** Everything that is kept of one request, beside the log. */
export function Details({ id, onClose }: DetailsProps) {
  return (
    <Drawer
      opened={id !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={
        <Text component="span" fw={650} fz={18}>
          Request
        </Text>
      }
      closeButtonProps={{ 'aria-label': 'Close the request' }}
    >
      {id !== undefined && <Body id={id} />}
    </Drawer>
  )
}

const POLL_MS = 2_000

function Body({ id }: { readonly id: string }) {
  const { data, error } = api.useQuery(
    'get',
    '/requests/{id}',
    { params: { path: { id } } },
    { refetchInterval: ({ state }) => (state.data?.status === 'running' ? POLL_MS : false) },
  )
  if (data !== undefined) return <Told request={data} />
  if (error !== null) return <FailureNotice error={error} />
  return <Skeleton h={480} />
}

function Told({ request }: { readonly request: RequestDetails }) {
  const { timings, price } = request
  return (
    <Stack gap="xl">
      <Facts
        facts={[
          ['Status', <Status key="status" status={request.status} />],
          ['Id', <code className="code foreign">{request.id}</code>],
          ['Arrived', inFullTime(request.created_at)],
          ['Model', <bdi className="foreign">{request.model}</bdi>],
          ['Key', <bdi className="foreign">{request.key.name}</bdi>],
          ['Came as', `${request.operation}, ${request.streamed ? 'streamed' : 'in one piece'}`],
          ['Finish reason', request.finish_reason ?? 'none'],
        ]}
      />
      <Part title="Time">
        <Waterfall request={request} />
        <Facts
          facts={[
            [
              'To the first token',
              timings.first_token_ms === null ? 'none' : inLength(timings.first_token_ms),
            ],
            ['To the end', timings.end_ms === null ? 'runs' : inLength(timings.end_ms)],
            [
              'Speed',
              request.tokens_per_second === null
                ? 'none'
                : `${request.tokens_per_second.toFixed(1)} tokens a second`,
            ],
            ['Settled', timings.settled_at === null ? 'not yet' : inFullTime(timings.settled_at)],
          ]}
        />
      </Part>
      <Part title="Tokens">
        <Facts
          facts={[
            ['Of the prompt', grouped(request.input_tokens)],
            ['Of the answer', grouped(request.output_tokens)],
            ['Whose count', request.usage_source === null ? 'counted so far' : sources[request.usage_source]],
          ]}
        />
      </Part>
      <Part title="Cost">
        {price === null ? (
          <Text c="dimmed">Worked out when it ends.</Text>
        ) : (
          <Cost price={price} inputTokens={request.input_tokens} outputTokens={request.output_tokens} />
        )}
        {request.ledger_id !== null && (
          <Facts facts={[['Ledger row', <code className="code foreign">{request.ledger_id}</code>]]} />
        )}
        {price !== null && price.refunded_micros > 0 && (
          <Facts facts={[['Given back since', <Money micros={price.refunded_micros} />]]} />
        )}
      </Part>
      <Part title="Evidence">
        {request.evidence_digest === null ? (
          <Text c="dimmed">None was published for the endpoint when this request was admitted.</Text>
        ) : (
          <Stack gap="xs">
            <Text fz="sm" c="dimmed">
              Published for <bdi>{request.endpoint}</bdi> when this request was admitted. It states what was
              published, and is no verdict.
            </Text>
            <Digest wire={request.evidence_digest} />
            {request.has_bundle ? (
              <AnchorLink
                to="/evidence"
                search={{ endpoint: request.endpoint, digest: request.evidence_digest }}
                fz="sm"
              >
                Check its bundle in this browser
              </AnchorLink>
            ) : (
              <Text fz="sm" c="dimmed">
                Its bundle is not kept any more.
              </Text>
            )}
          </Stack>
        )}
      </Part>
    </Stack>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Stack gap="sm" component="section">
      <Title order={2} fz={16}>
        {title}
      </Title>
      {children}
    </Stack>
  )
}
