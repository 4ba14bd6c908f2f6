import { hash } from 'node:crypto'
import { parseDigest, toHex } from '#attestation'
import { visible } from '#base/foreign-text.ts'
import type { ProxiedEndpointStatus } from '#contract/models'
import { reasons, type Stage } from '#contract/reasons'
import { hardwareInRows } from '../hardware.ts'
import type { ProxyView } from './view.ts'
import { notReady } from './view.ts'

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
table { border-collapse: collapse; width: 100%; margin-bottom: 2rem; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-top: 1px solid #8886; }
th { font-weight: 500; white-space: nowrap; width: 12rem; }
code { overflow-wrap: anywhere; }
.admitted { color: light-dark(#0a6b2d, #6fdc93); }
.denied { color: light-dark(#a8140f, #ff9a94); }
.pending { color: light-dark(#7a5200, #f0c265); }
`

/** How often the page looks again (ours). */
const REFRESH_SECONDS = 5

/** The page needs nothing but its own style, and is allowed nothing else. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  Refresh: String(REFRESH_SECONDS),
}

/** The status for people: one table for each endpoint, no script. */
export function renderPage(view: ProxyView): string {
  const waiting = notReady(view).length
  const heading = waiting === 0 ? 'Every endpoint is verified' : `${waiting} without a live verdict`
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>Proxy: ${heading}</title><style>${STYLE}</style></head><body>`,
    `<main><h1>${heading}</h1>`,
    ...view.endpoints.map((endpoint) => tableOf(endpoint.status())),
    `<p>Version ${escapeText(view.version)}, up since ${view.startedAt.toISOString()}.</p>`,
    '</main></body></html>\n',
  ].join('\n')
}

function tableOf(status: ProxiedEndpointStatus): string {
  const { name, hostname, listen, verdict, requests, next_check_in_ms: nextMs } = status
  const rows: readonly (readonly [string, string])[] = [
    ['Verdict', `<strong class="${verdict.state}">${verdict.state}</strong> since ${verdict.since}`],
    ...groundOf(verdict),
    ...admissionOf(verdict),
    ['Next check', nextMs === 0 ? 'now' : inSeconds(nextMs)],
    ['Listens at', code(listen)],
    ['Verifies', code(hostname)],
    ['Requests', `${requests.forwarded} forwarded, ${requests.refused} refused, ${requests.running} running`],
  ]
  const body = rows.map(([title, value]) => `<tr><th scope="row">${title}</th><td>${value}</td></tr>`)
  return `<table><caption>${escapeText(name)}</caption><tbody>${body.join('')}</tbody></table>`
}

type Verdict = ProxiedEndpointStatus['verdict']
type Row = readonly [string, string]

function groundOf({ stage, reason }: Verdict): Row[] {
  if (stage === undefined || reason === undefined) return []
  const entries: Readonly<Record<string, { readonly meaning: string; readonly remedy: string }>> =
    reasons[stage as Stage] ?? {}
  const { meaning = '', remedy = '' } = entries[reason] ?? {}
  return [
    ['Refused at', `${code(stage)}, ${code(reason)}`],
    ['Means', escapeText(meaning)],
    ['What to do', escapeText(remedy)],
  ]
}

function admissionOf({ evidence_digest: digest, hardware, expires_in_ms: expiresMs }: Verdict): Row[] {
  return [
    ...(digest === undefined ? [] : [['Deployment', code(toHex(parseDigest(digest)))] as const]),
    ...(hardware === undefined
      ? []
      : hardwareInRows(hardware).map(([name, text]) => [titleOf(name), escapeText(text)] as const)),
    ...(expiresMs === undefined ? [] : [['Ends unless renewed', inSeconds(expiresMs)] as const]),
  ]
}

function titleOf(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

function inSeconds(ms: number): string {
  return `in ${Math.ceil(ms / 1_000)} s`
}

function code(text: string): string {
  return `<code>${escapeText(text)}</code>`
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeText(text: string): string {
  return visible(text).replace(/[&<>"]/g, (character) => ESCAPES[character]!)
}
