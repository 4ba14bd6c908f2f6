import { createRedactor, type Redactor } from '../engine/redact.ts'
import type { Target } from '../engine/target.ts'

/** What takes the secrets of a target file out of every text. */
export function redactorOf({ keys, headers }: Pick<Target, 'keys' | 'headers'>): Redactor {
  return createRedactor([...Object.values(keys), ...secretsIn(headers)])
}

/** Names of headers that are secrets; `x-portkey-provider` is none (ours). */
const SECRET = /(?:^|[-_])(?:authorization|cookie|key|token|secret|password)$/i

/** What a header says that by its name is a secret; others, such as a provider's name, may stand in a report. */
function secretsIn(headers: Target['headers']): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => (SECRET.test(name) ? [value] : []))
}
