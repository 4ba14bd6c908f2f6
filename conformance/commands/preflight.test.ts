import type { RequestListener } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { type Backend, createBackend } from '../stand-ins/backend/backend.ts'
import { bareTarget, type Product, serve } from '../testing/product.ts'
import { mistakeIn } from './preflight.ts'

let product: Product | undefined
let backend: Backend | undefined

afterEach(async () => {
  product?.stop()
  await backend?.close()
  backend = undefined
})

const chat = JSON.stringify({
  object: 'chat.completion',
  choices: [{ index: 0, message: { content: 'Hi' } }],
})

/** A router that lists these models, answers a chat by itself and takes any key. */
function router(...ids: string[]): RequestListener {
  return ({ method, url }, response) => {
    if (method === 'POST') return void response.end(chat)
    if (url?.endsWith('/models'))
      return void response.end(JSON.stringify({ data: ids.map((id) => ({ id })) }))
    response.writeHead(404).end('{}')
  }
}

async function look(listener: RequestListener, hooks: object = {}) {
  product = await serve(listener)
  return mistakeIn(bareTarget(product.baseUrl, { hooks }), () => {})
}

test('a model that the router does not serve is a mistake of the target file, which says what is served', async () => {
  expect(await look(router('my-llama'))).toEqual({
    code: 64,
    message: 'models.chat: the router serves no a/model. It lists my-llama.',
  })
})

test('a router that refuses the key is not judged by it', async () => {
  const mistake = await look((_, response) => void response.writeHead(401).end('{}'))
  expect(mistake).toEqual({ code: 2, message: expect.stringContaining('keys.active') })
})

test('a router behind another backend than the scripted model is not judged by that', async () => {
  backend = await createBackend({ paceMs: 0 })
  const mistake = await look(router('a/model'), { backendScript: { url: backend.controlUrl } })
  expect(mistake).toEqual({ code: 64, message: expect.stringContaining('hooks.backendScript') })
})

test('what a router answers that is no list is judged, and is no mistake of the file', async () => {
  expect(await look((_, response) => void response.end('null'))).toBeUndefined()
  expect(await look(router('a/model'))).toBeUndefined()
})
