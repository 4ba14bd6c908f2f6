import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isLoopback } from '../config/loopback.ts'
import type { CaughtMail } from './caught-mail.ts'

/** Serves the mails that were caught: `/` for people, `/mails` as JSON for programs, both the newest first. */
export function createPage(mails: () => readonly CaughtMail[]): Server {
  return createServer((request, response) => {
    const newestFirst = [...mails()].reverse()
    // A page of the web that has its own name lead to this machine must not read codes.
    if (!isAskedHere(request))
      return answer(response, 403, 'text/plain', 'Ask for it by a loopback address.\n')
    if (request.method !== 'GET') return answer(response, 405, 'text/plain', 'There is nothing to change.\n')
    if (request.url === '/mails') return answer(response, 200, 'application/json', toJson(newestFirst))
    if (request.url === '/') return answer(response, 200, 'text/html', toHtml(newestFirst))
    answer(response, 404, 'text/plain', 'No such page: the mails are at / and /mails.\n')
  })
}

function isAskedHere({ headers }: IncomingMessage): boolean {
  const url = URL.parse(`http://${headers.host ?? ''}`)
  return url !== null && isLoopback(url.hostname.replace(/^\[|\]$/g, ''))
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
  response.writeHead(status, {
    'Content-Type': `${type}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
  })
  response.end(body)
}

function toJson(mails: readonly CaughtMail[]): string {
  return JSON.stringify({
    data: mails.map(({ id, receivedAt, to, subject, text }) => ({
      id,
      received_at: receivedAt.toISOString(),
      to,
      subject,
      text,
    })),
  })
}

const STYLE =
  'body{font:1rem/1.5 system-ui;max-width:45rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}pre{white-space:pre-wrap;overflow-wrap:anywhere}'

/** It reads itself anew; a person who waits for a code sees it come. */
function toHtml(mails: readonly CaughtMail[]): string {
  const articles = mails.map(
    ({ receivedAt, to, subject, text }) =>
      `<article><h2>${escaped(subject)}</h2><p>To ${escaped(to.join(', '))}, ${receivedAt.toISOString()}</p><pre>${escaped(text)}</pre></article>`,
  )
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Outbox</title>',
    `<meta http-equiv="refresh" content="2"><meta name="viewport" content="width=device-width"><style>${STYLE}</style></head>`,
    '<body><main><h1>Outbox</h1><p>Mails that this router would have sent. For development alone.</p>',
    ...(articles.length > 0 ? articles : ['<p>None yet.</p>']),
    '</main></body></html>',
  ].join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
