// @ts-check
import { setExtension } from '@typespec/openapi'
import { stateKeys } from './lib.js'

/**
 * @typedef {import('@typespec/compiler').DecoratorContext} Context
 * @typedef {import('@typespec/compiler').Type} Type
 * @typedef {{ status: number, type: string, codes: import('@typespec/compiler').Enum,
 *   headers: import('@typespec/compiler').Model }} Row
 */

/** @param {symbol} key */
const mark = (key) => (/** @type {Context} */ context, /** @type {Type} */ target) =>
  void context.program.stateSet(key).add(target)

/** @param {symbol} key */
const note =
  (key) => (/** @type {Context} */ context, /** @type {Type} */ target, /** @type {unknown} */ value) =>
    void context.program.stateMap(key).set(target, value)

/**
 * Only named models are rows; the bare instances of the template between them are not.
 * @param {Context} context
 * @param {import('@typespec/compiler').Model} target
 * @param {{ value: number }} status
 * @param {{ value: string }} type
 * @param {import('@typespec/compiler').Enum} codes
 * @param {import('@typespec/compiler').Model} headers
 */
function errorRow(context, target, status, type, codes, headers) {
  if (target.templateMapper) return
  /** @type {Row} */
  const row = { status: status.value, type: type.value, codes, headers }
  context.program.stateMap(stateKeys.rows).set(target, row)
}

/**
 * @param {Context} context
 * @param {import('@typespec/compiler').Operation} target
 * @param {string} program
 * @param {string} address
 */
function servedBy(context, target, program, address) {
  context.program.stateMap(stateKeys.servers).set(target, { program, address })
}

/**
 * @param {Context} context
 * @param {import('@typespec/compiler').ModelProperty} target
 */
function opaque(context, target) {
  setExtension(context.program, target, 'x-opaque', true)
}

/** The decorators of `lib/main.tsp`. */
export const $decorators = {
  Contract: {
    chosen: mark(stateKeys.chosen),
    errorRow,
    reasonsOf: note(stateKeys.reasons),
    remedy: note(stateKeys.remedies),
    limits: mark(stateKeys.limits),
    servedBy,
    metered: mark(stateKeys.metered),
    forAdministrators: mark(stateKeys.administrators),
    raw: mark(stateKeys.raw),
    throughProxy: mark(stateKeys.throughProxy),
    validated: mark(stateKeys.validated),
    opaque,
    document: note(stateKeys.documents),
    closed: mark(stateKeys.closed),
  },
}
