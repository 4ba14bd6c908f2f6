import { Agent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Call } from './call.ts'
import type { Exchange } from './exchange.ts'

/** Gets what stands beside the API; the answer is not judged. */
export async function get(url: string, timeoutMs: number): Promise<Exchange> {
  const agent = url.startsWith('https:') ? new HttpsAgent() : new Agent()
  const sent = { method: 'GET', url, headers: {}, body: Buffer.alloc(0) }
  try {
    return await new Call(sent, { agent, timeoutMs }).done
  } finally {
    agent.destroy()
  }
}
