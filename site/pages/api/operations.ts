import type { Page } from '../../page.ts'
import {
  about,
  codesOf,
  DOCUMENT,
  type Named,
  type Operation,
  operations,
  type Reply,
  replyOf,
} from './document.ts'
import { fieldsOf, inCell, schemasPage, shapeOf, typeOf } from './schemas.ts'
import { formOf } from './try-form.ts'

/** The reference of the API: a page for each operation, one for all shapes, and the list. */
export function apiPages(): readonly Page[] {
  return [listOfOperations(), ...operations.map(operationPage), schemasPage()]
}

/** Where an operation has its page. */
export function addressOfOperation(id: string): string {
  return `api/${id}.html`
}

function listOfOperations(): Page {
  const byTag = Map.groupBy(operations, ({ tags }) => tags[0] ?? '')
  const sections = [...byTag].flatMap(([tag, list]) => [
    `## ${tag}`,
    '',
    '| Operation | What it does |',
    '|---|---|',
    ...list.map(
      ({ operationId, method, path, summary }) =>
        `| [\`${method.toUpperCase()} ${path}\`](/${DOCUMENT}#${operationId}) | ${summary} |`,
    ),
    '',
  ])
  const markdown = [
    '# API',
    '',
    about,
    '',
    'A base address ends in `/v1`, and every path is appended to it. The key goes into `Authorization: Bearer`. Each operation can be tried on its page, at a router on this machine such as that of `npm start`.',
    '',
    ...sections,
    '## More',
    '',
    `- [Every shape](/${DOCUMENT}#shapes), field by field`,
    '- [Every error code](/generated/errors.md), with what to do',
    '- <a href="../openapi.yaml">openapi.yaml</a>, the document that these pages are made of (OpenAPI 3.1)',
    '',
  ].join('\n')
  return {
    address: 'api/index.html',
    title: 'API',
    summary: 'Every operation of the API, with a form to try it on this machine.',
    group: 'Reference',
    source: DOCUMENT,
    markdown,
  }
}

function operationPage(operation: Operation): Page {
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
    `<p class="route"><code>${method.toUpperCase()} ${path}</code> ${operation.security === undefined ? 'with a key' : 'without a key'}</p>`,
    '',
    description ?? '',
    '',
    ...(parameters.length === 0 ? [] : ['## Parameters', '', ...parameterRows(parameters), '']),
    ...(body === undefined ? [] : ['## Body', '', `A ${typeOf(body)} as JSON:`, '', ...fieldsOf(body), '']),
    '## Try it',
    '',
    operation.isElsewhere
      ? 'The gateway in front of the router answers it: there is nothing to try at a router.'
      : formOf(operation),
    '',
    '## Answers',
    '',
    ...Object.entries(responses).flatMap(([status, reply]) => [...replyRows(status, replyOf(reply)), '']),
  ].join('\n')
  return {
    address: addressOfOperation(operationId),
    title: summary,
    summary: `${method.toUpperCase()} ${path}: ${summary}`,
    source: DOCUMENT,
    markdown,
  }
}

function parameterRows(parameters: readonly Named[]): readonly string[] {
  return [
    '| Name | Where | Type | What it is |',
    '|---|---|---|---|',
    ...parameters.map(
      ({ name, in: where, required, description = '', schema }) =>
        `| \`${name}\` | ${where}${required ? '' : ', optional'} | ${typeOf(schema)} | ${inCell(description)} |`,
    ),
  ]
}

function replyRows(status: string, { description, headers = {}, content = {} }: Reply): readonly string[] {
  const bodies = Object.entries(content).flatMap(([type, { schema, 'x-event-schema': event }]) => {
    const codes = codesOf(schema)
    if (codes.length > 0) return [`Code: ${codes.map((code) => `\`${code}\``).join(', ')}`]
    const events = event === undefined ? shapeOf(schema) : [`events of ${typeOf(event)}`]
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
