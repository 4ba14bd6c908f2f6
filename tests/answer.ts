import type { RouterProcess } from './router-process.ts'
import { chat } from './service.ts'

/** What one request came to. */
export interface Answer {
  /** 0 when its connection was lost before there was one. */
  readonly status: number
  readonly generationId: string | null
  /** Whether its proper end was seen. */
  readonly isWhole: boolean
}

/** Asks once, and reads to the end whatever comes. */
export async function ask(router: RouterProcess, apiKey: string, stream: boolean): Promise<Answer> {
  let status = 0
  let generationId: string | null = null
  try {
    const response = await chat(router, apiKey, { stream })
    status = response.status
    generationId = response.headers.get('x-router-generation-id')
    const text = await response.text()
    const isEnded = stream ? text.endsWith('data: [DONE]\n\n') && !text.includes('"error"') : true
    return { status, generationId, isWhole: isEnded && status === 200 }
  } catch {
    return { status, generationId, isWhole: false }
  }
}
