import {
  getGeneration,
  type RouterAccess,
  RouterError,
  streamChat,
} from '@confidential-inference-router/client'

// Looked at by the compiler alone, as somebody's own source.
export async function costOf(router: RouterAccess, question: string): Promise<number> {
  let id = ''
  const messages = [{ role: 'user', content: question }]
  for await (const chunk of streamChat(router, { model: 'a/model', messages, temperature: 0 })) id = chunk.id
  const { cost_micros: cost, status } = await getGeneration(router, id)
  const known: 'ok' | 'aborted' = status
  return known === 'ok' ? cost : 0
}

export function isSpent(error: unknown): boolean {
  return error instanceof RouterError && error.code === 'insufficient_credits'
}

// @ts-expect-error A request names its model.
export const wrong = (router: RouterAccess) => streamChat(router, { messages: [] })
