import { Skeleton, Stack, Text } from '@mantine/core'
import { type Change, changesBetween } from '../../evidence/diff.ts'
import { useBundle } from '../../evidence/use-bundle.ts'
import { ChangeList } from '../../parts/change-list.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Surface } from '../../parts/surface.tsx'
import { inHex } from '../../words/digest.ts'

interface ComparisonProps {
  readonly endpoint: string
  readonly before: string
  readonly after: string
}

/** Everything that one deployment has different from another. */
export function Comparison({ endpoint, before, after }: ComparisonProps) {
  const [one, other] = [useBundle(endpoint, before), useBundle(endpoint, after)]
  const error = one.error ?? other.error
  return (
    <Surface title="What has changed">
      <Stack gap={2}>
        <Text fz="sm" c="dimmed">
          from <code className="code foreign">{inHex(before)}</code>
        </Text>
        <Text fz="sm" c="dimmed">
          to <code className="code foreign">{inHex(after)}</code>
        </Text>
      </Stack>
      {one.data && other.data ? (
        <Changes changes={changesBetween(one.data.bundle.evidence, other.data.bundle.evidence)} />
      ) : error ? (
        <FailureNotice error={error} />
      ) : (
        <Skeleton h={160} />
      )}
    </Surface>
  )
}

function Changes({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return <Text>Both hold the same values.</Text>
  return (
    <ChangeList
      changes={changes.map(({ kind, resource = 'Beside the resources', place, before, after }) => ({
        word: kind,
        resource,
        place,
        before: before === undefined ? undefined : textOf(before),
        after: after === undefined ? undefined : textOf(after),
      }))}
    />
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
