// @ts-check
import { getDoc } from '@typespec/compiler'
import { comment, key, list, writeModule } from './output.js'
import { operationsOf } from './routes.js'

/**
 * Writes the operations by which a deployment under test is controlled; they are no part of the public API.
 * @param {import('@typespec/compiler').EmitContext} context
 */
export async function emitControl(context) {
  const operations = operationsOf(context.program, 'Control').map(({ operation, parameters }) => ({
    name: operation.name,
    doc: getDoc(context.program, operation),
    request: nameOf(parameters.body?.type),
    response: nameOf(operation.returnType),
  }))
  const rows = operations.map(
    ({ name, doc, request, response }) =>
      `${comment(doc, '  ')}  ${key(name)}: { readonly request: ${request}; readonly response: ${response} }\n`,
  )
  const used = [...new Set(operations.flatMap(({ request, response }) => [request, response]))].sort()
  await writeModule(
    context,
    'control.ts',
    `import type { ${used.join(', ')} } from './models.ts'

/** What a deployment under test can be asked: each operation is a POST of JSON to its name. */
export interface ControlOperations {
${rows.join('')}}

/** The name of one operation. */
export type ControlOperation = keyof ControlOperations

/** All of them. */
export const controlOperations = ${list(operations.map(({ name }) => name))} as const satisfies readonly ControlOperation[]
`,
  )
}

/** @param {import('@typespec/compiler').Type | undefined} type */
function nameOf(type) {
  if (type?.kind !== 'Model')
    throw new Error('An operation of the control service takes and gives a named model.')
  return type.name
}
