import { createRedactor, type Redactor } from '../engine/redact.ts'
import type { Target } from '../engine/target.ts'

/** What takes the secrets of a target file out of every text. */
export function redactorOf({
  keys,
  headers,
  openProxy,
}: Pick<Target, 'keys' | 'headers' | 'openProxy'>): Redactor {
  const token = openProxy === undefined ? [] : [openProxy.token]
  return createRedactor([...Object.values(keys), ...token, ...secretsIn(headers)])
}

/** Ends of the names of headers that are secrets, `apikey` and `x-auth` among them; `x-portkey-provider` is none (ours). */
const SECRET = /(?:auth|authorization|cookie|credentials?|key|token|secret|password)$/i

/** What a header says that by its name is a secret; others, such as a provider's name, may stand in a report. */
function secretsIn(headers: Target['headers']): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => (SECRET.test(name) ? [value] : []))
}
