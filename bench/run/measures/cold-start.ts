import { bodyFor } from '../wire/prompts.ts'
import type { Measure } from './measure.ts'

/** From nothing but a database to the end of the first answer. */
export const coldStart: Measure = {
  id: 'start',
  title: 'a cold start, its database up, until the first answer',
  isQuick: false,
  fits: ({ running }) => running.roles.length > 0,
  async take({ prepared }) {
    const begunMs = performance.now()
    const running = await prepared.start()
    try {
      const { url, headers, model } = running.target
      const body = bodyFor(model, undefined)
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      })
      const text = await answer.text()
      if (answer.status !== 200)
        throw new Error(`the first answer was ${answer.status}: ${text.slice(0, 200)}`)
      return { seconds: (performance.now() - begunMs) / 1_000 }
    } finally {
      await running.stop()
    }
  },
}
