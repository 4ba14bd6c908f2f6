import { useCallback, useRef, useState } from 'react'
import { asFailure, readFailure, unreachable } from '../api/failure.ts'
import { readChat } from './events.ts'

/** One thing that was said. It is in this page's memory alone: nothing stores it, here or at the router. */
export interface Said {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** What the last answer came to. */
export interface Bill {
  readonly id: string
  readonly costMicros: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** A conversation under way. */
export function useChat() {
  const [said, setSaid] = useState<readonly Said[]>([])
  const [bill, setBill] = useState<Bill>()
  const [error, setError] = useState<unknown>()
  const [isRunning, setRunning] = useState(false)
  const stopper = useRef<AbortController>(undefined)

  const ask = useCallback(
    async (apiKey: string, model: string, text: string) => {
      const before: readonly Said[] = [...said, { role: 'user', text }]
      const aborter = new AbortController()
      stopper.current = aborter
      setSaid([...before, { role: 'assistant', text: '' }])
      setBill(undefined)
      setError(undefined)
      setRunning(true)
      let answer = ''
      try {
        for await (const event of readChat(await send(apiKey, model, before, aborter.signal))) {
          if (event.kind === 'text') {
            answer += event.text
            setSaid([...before, { role: 'assistant', text: answer }])
          } else if (event.kind === 'usage') setBill(event)
          else setError(new Error(event.message))
        }
      } catch (thrown) {
        if (!aborter.signal.aborted) setError(asFailure(thrown))
      } finally {
        setRunning(false)
      }
    },
    [said],
  )

  return {
    said,
    bill,
    error,
    isRunning,
    ask,
    /** Leaves: what has been counted until then is paid for. */
    stop: () => stopper.current?.abort(),
    clear: () => {
      stopper.current?.abort()
      setSaid([])
      setBill(undefined)
      setError(undefined)
    },
  }
}

async function send(
  apiKey: string,
  model: string,
  said: readonly Said[],
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const messages = said.map(({ role, text }) => ({ role, content: text }))
  const body = JSON.stringify({ model, messages, stream: true, stream_options: { include_usage: true } })
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
  // The key alone speaks for the request: no cookie goes along.
  const response = await fetch('/v1/chat/completions', {
    method: 'POST',
    headers,
    body,
    signal,
    credentials: 'omit',
  }).catch((cause) => Promise.reject(unreachable(cause)))
  if (!response.ok || response.body === null) throw await readFailure(response)
  return response.body
}
