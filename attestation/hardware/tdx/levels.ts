import type { Json, JsonObject } from '../../json-value.ts'
import type { TcbStatus } from '../conditions.ts'
import { refusal } from '../refusal.ts'
import { listOf, objectOf, textOf } from './fields.ts'

/** How good a TCB is, in Intel's words. */
export interface Level {
  readonly status: TcbStatus
  readonly advisories: readonly string[]
}

/** From the best word to the worst, without those about a launch. */
const WORDS: readonly TcbStatus[] = [
  'UpToDate',
  'SWHardeningNeeded',
  'ConfigurationNeeded',
  'ConfigurationAndSWHardeningNeeded',
  'OutOfDate',
  'OutOfDateConfigurationNeeded',
  'Revoked',
]
const OUT_OF_DATE = WORDS.indexOf('OutOfDate')

/**
 * The first level of a list, which goes from the newest to the oldest, whose TCB is reached. Refuses
 * (`tcb_not_accepted`) when none is, or its word is unknown.
 */
export function findLevel(list: Json | undefined, isReached: (tcb: JsonObject) => boolean): Level {
  const level = listOf(list)
    .map(objectOf)
    .find(({ tcb }) => isReached(objectOf(tcb)))
  const status = WORDS.find((word) => word === level?.tcbStatus)
  if (!status) throw refusal('tcb_not_accepted')
  return { status, advisories: level?.advisoryIDs === undefined ? [] : listOf(level.advisoryIDs).map(textOf) }
}

/** The level of a platform, with that of a part of it: of the TDX module, or the quoting enclave. */
export function withPart(platform: Level, part: Level): Level {
  return { status: wordWithPart(platform.status, part.status), advisories: union(platform, part) }
}

/** The level of a guest, of the TCB it was launched with and that of today: a new launch may be all that it needs. */
export function sinceLaunch(launch: Level, today: Level): Level {
  return { status: wordSinceLaunch(launch.status, today.status), advisories: union(launch, today) }
}

function wordWithPart(platform: TcbStatus, part: TcbStatus): TcbStatus {
  if (part === 'UpToDate') return platform
  if (part === 'Revoked') return 'Revoked'
  // A part has no configuration of its own.
  if (part !== 'OutOfDate') throw refusal('tcb_not_accepted')
  if (WORDS.indexOf(platform) >= OUT_OF_DATE) return platform
  return platform.startsWith('Configuration') ? 'OutOfDateConfigurationNeeded' : 'OutOfDate'
}

function wordSinceLaunch(launch: TcbStatus, today: TcbStatus): TcbStatus {
  const [before, now] = [WORDS.indexOf(launch), WORDS.indexOf(today)]
  if (before < OUT_OF_DATE || launch === 'Revoked' || now >= OUT_OF_DATE) return before > now ? launch : today
  const needsConfiguration = [launch, today].some((word) => word.includes('Configuration'))
  return needsConfiguration ? 'TDRelaunchAdvisedConfigurationNeeded' : 'TDRelaunchAdvised'
}

function union(one: Level, other: Level): string[] {
  return [...new Set([...one.advisories, ...other.advisories])]
}
