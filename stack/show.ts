import { relative } from 'node:path'
import { findWorkspace } from './account.ts'
import type { Stack } from './bring-up.ts'
import { QUESTION, runDemo } from './demo.ts'
import { HOME, type Places } from './places.ts'
import { demoModel } from './router-config.ts'
import type { StackFile } from './stackfile.ts'
import type { Story } from './story.ts'

/** Asks the demo's question and shows the answer as it comes, its record and its ledger row. */
export async function showAnswer({ account, router, describe }: Stack, story: Story, signal: AbortSignal) {
  const { router_base_url, api_key, model } = describe()
  const answer = story.ask(model)
  const onText = (text: string): void => answer.write(text)
  const record = await runDemo({ baseUrl: router_base_url, apiKey: api_key, model, signal, onText }).finally(
    () => answer.end(),
  )
  const after = await findWorkspace(router, account.workspace.id)
  story.showRecord(record, demoModel.pricing)
  story.showLedger(record, {
    beforeMicros: account.workspace.balance_micros,
    afterMicros: after.balance_micros,
  })
}

/** Shows where everything is, and a line to paste. */
export function showAddresses(title: string, stack: StackFile, places: Places, story: Story): void {
  story.list(title, {
    router: stack.router_base_url,
    key: stack.api_key,
    model: stack.model,
    ...(stack.backend_control_url === undefined ? {} : { 'backend control': stack.backend_control_url }),
    database: `${withoutPassword(stack.database_url)} (password in ${places.stackFile})`,
    logs: places.logs,
  })
  story.offer('Try it', curlLine(stack))
  story.offer('Check the books', `bin/router ledger verify --config ${fromHome(places.routerConfig)}`)
}

function curlLine({ router_base_url, api_key, model }: StackFile): string {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: QUESTION }] })
  return [
    `curl -N ${router_base_url}/chat/completions`,
    `-H 'Authorization: Bearer ${api_key}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${body.replaceAll("'", `'\\''`)}'`,
  ].join(' ')
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
