import { parse } from 'yaml'
import type { NewUpstream } from '#contract/console/models'

/** What an administrator demands of the hardware that holds the key of an upstream's root. */
type Demand = NonNullable<NewUpstream['attested']>

/**
 * Reads a demand as `proxy discover` prints it and a file has it: YAML, or JSON, that begins with `measurements:`.
 * Undefined where nothing is demanded; throws for what is neither. Whether it can be meant is for the router to say.
 */
export function readDemand(text: string): Demand | undefined {
  return text.trim() === '' ? undefined : (parse(text, { maxAliasCount: 0 }) as Demand)
}
