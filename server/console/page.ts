import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import type { RouterEnvironment } from '../app.ts'
import { type Encoding, type PageFile, type PageFiles, readPageFiles } from './page-files.ts'

/** Stands in the built `index.html` wherever an answer's nonce belongs; `console/build/` puts it there. */
const NONCE_PLACEHOLDER = /__style_nonce__/g

/** A year: the name of such a file is made of its content. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** On every answer below `/console/` that is not the API's. */
const GUARDS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const

const ENCODINGS: readonly Encoding[] = ['br', 'gzip']

/**
 * The console's page under `/console/`, from the folder that it was built into. Files are read once and found by name
 * alone, so that no path leads anywhere else. Every path that names no file is one of the page's own, and is answered
 * with the page.
 */
export function createConsolePage(folder: string): Hono<RouterEnvironment> {
  const app = new Hono<RouterEnvironment>()
  let built: PageFiles | undefined
  // What is being built while the router starts is there a moment later.
  const find = (): PageFiles | undefined => {
    built ??= readPageFiles(folder)
    return built
  }

  app.get('/console', (c) => c.redirect('/console/', 308))

  app.get('/console/assets/:name', (c) => {
    const file = find()?.assets.get(c.req.param('name'))
    if (file === undefined) return c.text('No such file.', 404, { ...GUARDS, 'Cache-Control': 'no-store' })
    return answerFile(file, c.req.header('accept-encoding') ?? '')
  })

  app.get('/console/*', (c) => {
    const index = find()?.index
    if (index === undefined) {
      return c.text(NOT_BUILT, 503, {
        ...GUARDS,
        'Cache-Control': 'no-store',
        'Retry-After': '2',
        Refresh: '2',
      })
    }
    const nonce = randomBytes(16).toString('base64url')
    return c.html(index.replace(NONCE_PLACEHOLDER, nonce), 200, {
      ...GUARDS,
      // Neither a cache nor the back button may bring back what was shown to somebody who has left.
      'Cache-Control': 'no-cache, no-store',
      'Content-Security-Policy': policyFor(nonce),
      'X-Frame-Options': 'DENY',
    })
  })

  return app
}

const NOT_BUILT = 'The page of this console is being built, or has not been: npm run console:build\n'

function answerFile(file: PageFile, accepted: string): Response {
  const encoding = ENCODINGS.find((encoding) => accepts(accepted, encoding) && file.encoded.has(encoding))
  const bytes = encoding === undefined ? file.bytes : file.encoded.get(encoding)!
  return new Response(bytes, {
    headers: {
      ...GUARDS,
      'Content-Type': file.type,
      'Content-Length': String(bytes.length),
      'Cache-Control': IMMUTABLE,
      Vary: 'Accept-Encoding',
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    },
  })
}

/** Whether a coding is named and not refused by a weight of 0. */
function accepts(header: string, encoding: Encoding): boolean {
  const named = header.split(',').map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  )
  return named.some(([name, weight]) => name === encoding && !/^q=0(\.0*)?$/.test(weight ?? ''))
}

/** Nothing of a foreign host, no script but the page's files, no style but theirs and what this answer's nonce marks. */
function policyFor(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
