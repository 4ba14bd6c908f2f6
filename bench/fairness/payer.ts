import { Agent, request } from 'undici'

/** One turn of a payer. */
export interface Paid {
  readonly requests: number
  readonly perSecond: number
  readonly p99Ms: number
  readonly failed: number
}

/** The payer's own connections, each with one request after the other. */
const PARALLEL = 8

const hello = JSON.stringify({ model: 'demo/tiny-chat', messages: [{ role: 'user', content: 'Hello' }] })

/** A customer that is measured. */
export interface Payer {
  /** Sends requests for so long. */
  pay(forMs: number): Promise<Paid>
  close(): Promise<void>
}

/** Makes the payer of a key. */
export function createPayer(baseUrl: string, apiKey: string): Payer {
  const agent = new Agent({ connections: PARALLEL })
  return {
    async pay(forMs) {
      const times: number[] = []
      let failed = 0
      const startedAt = performance.now()
      const one = async (): Promise<void> => {
        while (performance.now() < startedAt + forMs) {
          const begun = performance.now()
          const { statusCode, body } = await request(`${baseUrl}/chat/completions`, {
            dispatcher: agent,
            method: 'POST',
            headers: { authorization: `Bearer ${apiKey}` },
            body: hello,
          })
          await body.dump()
          if (statusCode !== 200) failed++
          times.push(performance.now() - begun)
        }
      }
      await Promise.all(Array.from({ length: PARALLEL }, one))
      const seconds = (performance.now() - startedAt) / 1_000
      times.sort((a, b) => a - b)
      return {
        requests: times.length,
        perSecond: times.length / seconds,
        p99Ms: times[Math.floor(times.length * 0.99)]!,
        failed,
      }
    },
    close: () => agent.close(),
  }
}
