/**
 * What a client program is asked: where to send a request, and what it says.
 * @typedef {object} Ask
 * @property {string} baseUrl
 * @property {string} apiKey
 * @property {string} model
 * @property {string} prompt
 */

/** What a chat model is offered. @type {{ name: string, description: string, schema: object }} */
export const weatherTool = {
  name: 'get_weather',
  description: 'Tells the weather in a city.',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** What the tool answers. */
export const weather = { degrees: 21 }

/** How an answer has to look. */
export const citySchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

/**
 * Does what the test asks over the process channel, several things at a time, until the test closes it.
 * @param {Record<string, (ask: Ask) => unknown>} acts
 * @param {(thrown: unknown) => object} describe What an integrator can read off an error of this client.
 */
export function serve(acts, describe) {
  process.on('message', async ({ id, act, ask }) => {
    try {
      process.send({ id, result: await acts[act](ask) })
    } catch (thrown) {
      process.send({ id, failure: describe(thrown) })
    }
  })
  process.once('disconnect', () => process.exit())
  process.send({ id: 0, result: 'ready' })
}
