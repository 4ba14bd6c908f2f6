import type { components } from '#contract/console/types'
import { limits } from '#contract/limits'
import { readSnapshot } from '../history/snapshot.ts'
import { findFirstUse, readSeries, type SeriesPoint } from '../history/usage-series.ts'
import type { Queryable, Sql } from '../store/connection.ts'
import { nameKeys } from '../store/keys.ts'
import type { ConsoleHandler } from './handlers.ts'
import { readChoice, readTimes, wrong } from './query.ts'

type GroupBody = components['schemas']['UsageGroup']
type TotalBody = components['schemas']['UsageTotal']

const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 } as const

/** `GET /usage`: requests, tokens and cost over time, from sums that are kept (CONS-31, CONS-48). */
export function gettingUsage(sql: Sql, now: () => Date): ConsoleHandler<'getUsage'> {
  return async ({ person: { workspaceId }, query }) => {
    const bucket = readChoice('bucket', query.bucket, ['hour', 'day']) ?? 'day'
    const groupBy = readChoice('group_by', query.group_by, ['none', 'model', 'key']) ?? 'none'
    const asked = readTimes(query)
    return await readSnapshot(sql, workspaceId, async (snapshot) => {
      const firstUse = asked.from ?? (await findFirstUse(snapshot, workspaceId, bucket))
      const range = rangeOf({ ...asked, firstUse }, BUCKET_MS[bucket], now())
      const by = groupBy === 'none' ? undefined : groupBy
      const points = await readSeries(snapshot, workspaceId, { grain: bucket, ...range, by })
      return {
        status: 200,
        body: {
          bucket,
          group_by: groupBy,
          from: range.from.toISOString(),
          to: range.to.toISOString(),
          groups: await groupsOf(snapshot, workspaceId, points, by),
          points: points.map(({ beginsAt, of, ...sums }) => ({
            at: beginsAt.toISOString(),
            group: of,
            ...toTotal([sums]),
          })),
          total: toTotal(points),
        },
      }
    })
  }
}

interface Asked {
  readonly from: Date | undefined
  readonly to: Date | undefined
  /** Where a series begins that is asked for without a beginning; as much of it as fits. */
  readonly firstUse: Date | undefined
}

/** Whole buckets; one without an end goes on to the end of the bucket that it is now. */
function rangeOf({ from, to, firstUse }: Asked, bucketMs: number, now: Date): { from: Date; to: Date } {
  const floor = (time: Date) => Math.floor(time.getTime() / bucketMs) * bucketMs
  const toMs = to ? floor(to) : floor(now) + bucketMs
  const earliestMs = toMs - limits.maxUsageBuckets * bucketMs
  if (from && floor(from) < earliestMs) {
    throw wrong('from', `lies more than ${limits.maxUsageBuckets} buckets before the end.`)
  }
  const fromMs = Math.max(earliestMs, floor(firstUse ?? new Date(toMs - bucketMs)))
  return { from: new Date(Math.min(fromMs, toMs)), to: new Date(toMs) }
}

async function groupsOf(
  snapshot: Queryable,
  workspaceId: string,
  points: readonly SeriesPoint[],
  by: 'model' | 'key' | undefined,
): Promise<GroupBody[]> {
  const ids = [...new Set(points.map(({ of }) => of))].filter((id) => id !== null).toSorted()
  const names = by === 'key' ? await nameKeys(snapshot, workspaceId, ids) : new Map<string, string>()
  return ids.map((id) => ({ id, name: names.get(id) ?? id }))
}

type Sums = Pick<SeriesPoint, 'requests' | 'promptTokens' | 'completionTokens' | 'costMicros'>

function toTotal(points: readonly Sums[]): TotalBody {
  const sum = (pick: (point: Sums) => bigint | number) =>
    Number(points.reduce((total, point) => total + BigInt(pick(point)), 0n))
  return {
    requests: sum(({ requests }) => requests),
    input_tokens: sum(({ promptTokens }) => promptTokens),
    output_tokens: sum(({ completionTokens }) => completionTokens),
    cost_micros: sum(({ costMicros }) => costMicros),
  }
}
