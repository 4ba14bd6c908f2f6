import { Hono } from 'hono'
import { ownBundle, type World } from './world.ts'

const WORDS = 'Hello! Each of these words is metered on its way to you, and the bill is exact.'.split(
  /(?<= )/,
)

/** What the page uses of the router itself: invitations, evidence, and a model that streams. */
export function createRouterRoutes(world: World) {
  const app = new Hono()
  app.get('/invites/:code', (c) => {
    const typed = c.req.param('code').replaceAll('-', '').toUpperCase()
    const found = world.invitations.find(({ code }) => code.replaceAll('-', '') === typed)
    if (found === undefined) return c.json({ error: { message: 'No.', type: 'x', code: 'not_found' } }, 404)
    const { code, grant_micros, description, expires_at } = found
    return c.json({ object: 'invitation', code, grant_micros, description, expires_at })
  })
  app.get('/evidence', (c) => c.body(ownBundle, 200, { 'Content-Type': 'application/json' }))
  app.get('/evidence/:name', (c) =>
    c.req.param('name') === 'own'
      ? c.body(ownBundle, 200, { 'Content-Type': 'application/json' })
      : c.json({ statusCode: 503, reason: 'evidence_not_fetched', message: 'It was never admitted.' }, 503),
  )
  app.post('/chat/completions', () => {
    const chunk = (value: unknown) => new TextEncoder().encode(`data: ${JSON.stringify(value)}\n\n`)
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const id = world.requests[1]!.id
        for (const content of WORDS)
          controller.enqueue(chunk({ id, choices: [{ index: 0, delta: { content } }] }))
        const usage = { prompt_tokens: 12, completion_tokens: 16, total_tokens: 28, cost_micros: 12 }
        controller.enqueue(chunk({ id, choices: [], usage }))
        controller.enqueue(new TextEncoder().encode('data: [DONE]\n\n'))
        controller.close()
      },
    })
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
  })
  return app
}
