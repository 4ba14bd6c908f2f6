import type { Page } from '../../page.ts'
import { type Api, codesOf, type Named, type Operation, type Reply, replyOf, routerApi } from './document.ts'
import { fieldsOf, inCell, schemasPage, shapeOf, typeOf } from './schemas.ts'
import { formOf } from './try-form.ts'

/** The reference of an API: a page for each operation, one for all shapes, and the list. */
export function apiPages(api: Api): readonly Page[] {
  const { operations } = api
  return [listOfOperations(api), ...operations.map((one) => operationPage(api, one)), schemasPage(api)]
}

/** Where an operation has its page. */
export function addressOfOperation({ folder }: Api, id: string): string {
  return `${folder}/${id}.html`
}

/** What a caller has to know before the first call. */
const callings: Readonly<Record<string, string>> = {
  api: 'A base address ends in `/v1`, and every path is appended to it. The key goes into `Authorization: Bearer`. Each operation can be tried on its page, at a router on this machine such as that of `npm start`.',
  'console-api':
    'A base address ends in `/console/api`, below the console’s public address, and every path is appended to it. Whoever signs in gets a cookie, which every later call carries; a call that changes something names the console’s own `Origin`, as browsers do by themselves. That is why these pages have no form to try it: they are no page of the console. What an administrator does there can be done by [command](/docs/operator.md#commands) as well, without a session.',
}

function listOfOperations(api: Api): Page {
  const { file, folder, title, about } = api
  const isTried = api === routerApi
  const byTag = Map.groupBy(api.operations, ({ tags }) => tags[0] ?? '')
  const sections = [...byTag].flatMap(([tag, list]) => [
    `## ${tag}`,
    '',
    '| Operation | What it does |',
    '|---|---|',
    ...list.map(
      ({ operationId, method, path, summary }) =>
        `| [\`${method.toUpperCase()} ${path}\`](/${file}#${operationId}) | ${summary} |`,
    ),
    '',
  ])
  const markdown = [
    `# ${title}`,
    '',
    about,
    '',
    callings[folder] ?? '',
    '',
    ...sections,
    '## More',
    '',
    `- [Every shape](/${file}#shapes), field by field`,
    '- [Every error code](/generated/errors.md), with what to do',
    `- <a href="../${isTried ? '' : 'console-'}openapi.yaml">${isTried ? '' : 'console-'}openapi.yaml</a>, the document that these pages are made of (OpenAPI 3.1)`,
    '',
  ].join('\n')
  return {
    address: `${folder}/index.html`,
    title,
    summary: isTried
      ? 'Every operation of the API, with a form to try it on this machine.'
      : 'Every operation that the console’s page calls.',
    group: 'Reference',
    source: file,
    markdown,
  }
}

function operationPage(api: Api, operation: Operation): Page {
  const {
    operationId,
    summary,
    description,
    method,
    path,
    parameters = [],
    requestBody,
    responses,
  } = operation
  const body = requestBody?.content['application/json']?.schema
  const markdown = [
    `# ${summary}`,
    '',
    `<p class="route"><code>${method.toUpperCase()} ${path}</code> ${accessOf(api, operation)}</p>`,
    '',
    description ?? '',
    '',
    ...(parameters.length === 0 ? [] : ['## Parameters', '', ...parameterRows(api, parameters), '']),
    ...(body === undefined
      ? []
      : ['## Body', '', `A ${typeOf(api, body)} as JSON:`, '', ...fieldsOf(api, body), '']),
    ...(api === routerApi ? ['## Try it', '', formToTry(operation), ''] : []),
    '## Answers',
    '',
    ...Object.entries(responses).flatMap(([status, reply]) => [
      ...replyRows(api, status, replyOf(api, reply)),
      '',
    ]),
  ].join('\n')
  return {
    address: addressOfOperation(api, operationId),
    title: summary,
    summary: `${method.toUpperCase()} ${path}: ${summary}`,
    source: api.file,
    markdown,
  }
}

function formToTry(operation: Operation): string {
  return operation.isElsewhere
    ? 'The gateway in front of the router answers it: there is nothing to try at a router.'
    : formOf(operation)
}

/** Who may call it: what the document says of all, unless the operation says otherwise. */
function accessOf(api: Api, { security, tags }: Operation): string {
  if (api === routerApi) return security === undefined ? 'with a key' : 'without a key'
  if (tags.includes('Administration')) return 'by an administrator'
  return security === undefined ? 'by whoever is signed in' : 'by anybody'
}

function parameterRows(api: Api, parameters: readonly Named[]): readonly string[] {
  return [
    '| Name | Where | Type | What it is |',
    '|---|---|---|---|',
    ...parameters.map(
      ({ name, in: where, required, description = '', schema }) =>
        `| \`${name}\` | ${where}${required ? '' : ', optional'} | ${typeOf(api, schema)} | ${inCell(description)} |`,
    ),
  ]
}

function replyRows(
  api: Api,
  status: string,
  { description, headers = {}, content = {} }: Reply,
): readonly string[] {
  const bodies = Object.entries(content).flatMap(([type, { schema, 'x-event-schema': event }]) => {
    const codes = codesOf(api, schema)
    if (codes.length > 0) return [`Code: ${codes.map((code) => `\`${code}\``).join(', ')}`]
    const events = event === undefined ? shapeOf(api, schema) : [`events of ${typeOf(api, event)}`]
    return events.length > 1 ? [`\`${type}\`:`, '', ...events] : [`\`${type}\`: ${events[0]}`]
  })
  const names = Object.keys(headers).map((name) => `\`${name}\``)
  return [
    `### ${status}`,
    '',
    inCell(description),
    '',
    ...bodies.flatMap((line) => (line.startsWith('|') || line === '' ? [line] : [line, ''])),
    ...(names.length === 0 ? [] : ['', `Headers: ${names.join(', ')}`]),
  ]
}
