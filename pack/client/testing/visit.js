// What somebody does with the client, in Node or in a page; gives what they saw.
import {
  chat,
  getEvidence,
  getGeneration,
  listModels,
  RouterError,
  streamChat,
} from '@confidential-inference-router/client'

const model = 'demo/tiny-chat'
const messages = [{ role: 'user', content: 'Hello' }]

export async function visit(router) {
  const chunks = []
  for await (const chunk of streamChat(router, { model, messages })) chunks.push(chunk)
  const last = chunks.at(-1)
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
  const record = await getGeneration(router, last.id)
  const whole = await chat(router, { model, messages })
  const { bytes } = await getEvidence(router)
  return {
    text,
    streamedCost: last.usage.cost_micros,
    recordedCost: record.cost_micros,
    wholeText: whole.choices[0].message.content,
    models: (await listModels(router)).map(({ id }) => id),
    evidenceKind: JSON.parse(new TextDecoder().decode(bytes)).kind,
    unknownModel: await refusalOf(chat(router, { model: 'absent', messages })),
    wrongKey: await refusalOf(chat({ ...router, apiKey: 'sk-wrong' }, { model, messages })),
    wrongField: await refusalOf(chat(router, { model, messages, n: 2 })),
    nobody: await refusalOf(chat({ ...router, baseUrl: 'http://127.0.0.1:1/v1' }, { model, messages })),
  }
}

async function refusalOf(call) {
  try {
    await call
    return 'no refusal'
  } catch (error) {
    if (!(error instanceof RouterError)) throw error
    return {
      status: error.status,
      code: error.code,
      param: error.param ?? null,
      named: Boolean(error.requestId),
    }
  }
}
