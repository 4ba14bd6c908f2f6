import { relative } from 'node:path'
import { toHex } from '../attestation/digest.ts'
import { findWorkspace } from './account.ts'
import type { Stack } from './bring-up.ts'
import { checks, NOT_PROVEN } from './checks.ts'
import { QUESTION, runDemo } from './demo.ts'
import { OWNER } from './owner.ts'
import { HOME, type Places } from './places.ts'
import { HOSTNAME } from './platform-config.ts'
import { demoModel } from './router-config.ts'
import type { StackFile } from './stackfile.ts'
import type { Story } from './story.ts'
import { type Verification, verifyArgs } from './verification.ts'

/** Shows what the proxy has verified, stage by stage, and what that does not prove. */
export function showVerification({ hostname, digest }: Verification, story: Story): void {
  story.list(`Verified before a byte is forwarded to ${hostname}`, checks, '✓')
  story.list('What is deployed there', { 'for people': toHex(digest), 'in records': digest })
  story.explain(NOT_PROVEN)
}

/** Asks the demo's question through the proxy and shows the answer as it comes, its record and its ledger row. */
export async function showAnswer(
  { account, router, verification, describe }: Stack,
  story: Story,
  signal: AbortSignal,
) {
  const { proxy_base_url: baseUrl, api_key: apiKey, model } = describe()
  const answer = story.ask(model)
  const onText = (text: string): void => answer.write(text)
  const record = await runDemo({ baseUrl, apiKey, model, signal, onText }).finally(() => answer.end())
  story.say(`X-Proxy-Verdict: allow, from ${baseUrl}`)
  const after = await findWorkspace(router, account.workspace.id)
  story.showRecord(record, demoModel.pricing, verification.digest)
  story.showLedger(record, {
    beforeMicros: account.workspace.balance_micros,
    afterMicros: after.balance_micros,
  })
}

/** Shows where everything is, and lines to paste. */
export function showAddresses(title: string, stack: StackFile, places: Places, story: Story): void {
  const { router_base_url, proxy_base_url, platform_url, root_pem_file, pins } = stack
  story.list(title, {
    proxy: `${proxy_base_url}, for clients on this machine`,
    router: router_base_url,
    'health, metrics': `${stack.admin_url}/healthz, /readyz, /metrics`,
    platform: `${platform_url}, as ${HOSTNAME}`,
    key: stack.api_key,
    model: stack.model,
    'platform control': stack.platform_control_url,
    ...(stack.backend_control_url === undefined ? {} : { 'backend control': stack.backend_control_url }),
    database: `${withoutPassword(stack.database_url)} (password in ${places.stackFile})`,
    logs: places.logs,
  })
  story.list('Sign in to the console', {
    page: stack.console_url,
    as: `${OWNER}, an administrator, who owns the workspace demo`,
    code: `is mailed to ${stack.outbox_url}, the outbox: no mail leaves this machine`,
  })
  const subject = { platformUrl: platform_url, rootPemFile: fromHome(root_pem_file), pin: pins[0] ?? '' }
  story.offer('Try it', curlLine(proxy_base_url, stack))
  story.offer(
    'The same without the proxy: billed alike, verified by nobody',
    curlLine(router_base_url, stack),
  )
  story.offer('Judge the evidence again', ['bin/proxy', ...verifyArgs(subject)].map(quote).join(' '))
  const books = ['bin/router', 'ledger', 'verify', '--config', fromHome(places.routerConfig)]
  story.offer('Check the books', books.map(quote).join(' '))
}

function curlLine(baseUrl: string, { api_key, model }: StackFile): string {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: QUESTION }] })
  const headers = [`Authorization: Bearer ${api_key}`, 'Content-Type: application/json']
  return [
    `curl -N ${baseUrl}/chat/completions`,
    ...headers.map((header) => `-H ${quote(header)}`),
    `-d ${quote(body)}`,
  ].join(' ')
}

/** A word as a shell reads it. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

function withoutPassword(url: string): string {
  const parsed = new URL(url)
  parsed.password = ''
  return parsed.href
}

function fromHome(file: string): string {
  const path = relative(HOME, file)
  return path.startsWith('..') ? file : path
}
