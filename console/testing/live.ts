import type { components } from '#contract/console/types'
import type { World } from './world.ts'

type Schemas = components['schemas']

/** The event stream of the scripted API, to as many pages as listen. */
export function createLive(world: World) {
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>()
  const encode = (event: string, data: string) =>
    new TextEncoder().encode(`event: ${event}\ndata: ${data}\n\n`)
  return {
    answer(signal: AbortSignal): Response {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          open.add(controller)
          controller.enqueue(encode('balance', JSON.stringify(world.balance)))
          signal.addEventListener('abort', () => open.delete(controller))
        },
      })
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
    },
    /** Tells every page of a row that is new or has changed, or that the session has ended. */
    tell(
      event: { readonly request: Schemas['RequestRow'] } | { readonly balance: Schemas['Balance'] } | 'end',
    ): void {
      for (const controller of open) {
        if (event === 'end') controller.enqueue(encode('end', 'session_required'))
        else {
          const [[name, data]] = Object.entries(event) as [[string, unknown]]
          controller.enqueue(encode(name, JSON.stringify(data)))
        }
      }
    },
  }
}
