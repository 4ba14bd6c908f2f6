import { addressOf } from '../engine/address.ts'
import { createClient } from '../engine/client.ts'
import type { Subject, Target } from '../engine/target.ts'

/** How long a product may take to answer at all (ours). */
const TIMEOUT_MS = 20_000

/** The address of a subject when nothing answers HTTP there within `TIMEOUT_MS`, and why not; undefined when it does. */
export async function unreachable(subject: Subject, target: Target): Promise<string | undefined> {
  const { baseUrl, hostname } = addressOf(subject, target)
  const { ca, headers } = target
  const options = {
    baseUrl,
    ca,
    headers,
    hostname,
    subject,
    canary: '',
    timeoutMs: TIMEOUT_MS,
    slack: 1,
    isJudging: false,
  }
  const client = createClient(options)
  const { status, fault } = await client.send({ path: '/models' })
  await client.close()
  return status === 0 ? `${baseUrl} (${fault})` : undefined
}
