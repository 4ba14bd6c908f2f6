import { escapeHtml } from '../../page.ts'
import type { Operation } from './document.ts'

/** Where `npm start` has the router. */
const BASE = 'http://127.0.0.1:8080/v1'

/** What the forms begin with: what the demo of `npm start` can answer. */
const beginnings: Readonly<Record<string, string>> = {
  createChatCompletion: `{
  "model": "demo/tiny-chat",
  "messages": [{ "role": "user", "content": "Hello" }],
  "stream": true,
  "stream_options": { "include_usage": true }
}`,
  createCompletion: '{ "model": "demo/tiny-chat", "prompt": "Hello" }',
  createEmbedding: '{ "model": "demo/tiny-chat", "input": "Hello" }',
  'getModel id': 'demo/tiny-chat',
  'getEndpointEvidence endpoint': 'demo',
}

/** A form to send one request from the page. One block of HTML, as a blank line would end it in Markdown. */
export function formOf({
  operationId,
  method,
  path,
  security,
  parameters = [],
  requestBody,
}: Operation): string {
  const fields = parameters
    .filter(({ in: where }) => where !== 'header')
    .map(({ name, in: where }) => {
      const value = beginnings[`${operationId} ${name}`] ?? ''
      return input(name, `<input name="${where}:${escapeHtml(name)}" value="${escapeHtml(value)}" required>`)
    })
  const rows = (beginnings[operationId] ?? '').split('\n').length + 1
  return [
    `<form class="try" data-method="${method.toUpperCase()}" data-path="${escapeHtml(path)}">`,
    input('Base address', `<input name="base" type="url" value="${BASE}" spellcheck="false" required>`),
    ...(security === undefined
      ? [
          input(
            'Key',
            '<input name="key" type="password" placeholder="sk-tee-v1-…" autocomplete="off" spellcheck="false">',
          ),
        ]
      : []),
    ...fields,
    ...(requestBody === undefined
      ? []
      : [
          input(
            'Body',
            `<textarea name="body" rows="${rows}" spellcheck="false">${escapeHtml(beginnings[operationId] ?? '{}')}</textarea>`,
          ),
        ]),
    '<p><button>Send</button> <button type="button" name="stop" hidden>Stop</button></p>',
    '<p class="note">Sent by your browser to that address, and kept nowhere. <code>npm start</code> prints a key, and allows any page; a router of yours answers the pages that its <code>cors.origins</code> names, and a browser shows nothing of what it answers to others. The addresses that this page may call are those of this machine.</p>',
    '<output hidden></output>',
    '</form>',
  ]
    .join('')
    .replaceAll('\n', '&#10;')
}

function input(label: string, field: string): string {
  return `<label>${label} ${field}</label>`
}
