// @ts-check
import { emitConsole } from './console.js'
import { emitControl } from './control.js'
import { $decorators as own } from './decorators.js'
import { emitDocuments } from './documents.js'
import { emitErrors } from './errors.js'
import { emitLimits } from './limits.js'
import { emitOpenApi } from './openapi.js'
import { emitReasons } from './reasons.js'
import { emitRoutes } from './routes.js'
import * as rules from './rules.js'

export { $lib } from './lib.js'

/** The decorators of both parts: the contract's and the rule catalogue's. */
export const $decorators = { Contract: { ...own.Contract, ...rules.$decorators.Contract } }

/**
 * Writes everything that follows from the program alone.
 * @param {import('@typespec/compiler').EmitContext} context
 */
export async function $onEmit(context) {
  await emitErrors(context)
  await emitReasons(context)
  await emitLimits(context)
  await emitRoutes(context)
  await emitControl(context)
  await emitConsole(context)
  await emitOpenApi(context)
  await emitDocuments(context)
  await rules.emitRules(context)
}
