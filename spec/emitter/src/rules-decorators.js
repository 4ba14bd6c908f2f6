// @ts-check
import { getDirectoryPath, getSourceLocation, resolvePath } from '@typespec/compiler'
import { parsePlace } from './rules-place.js'
import { report } from './rules-report.js'
import { FOLDERS } from './rules-sources.js'

/**
 * @typedef {import('@typespec/compiler').DecoratorContext} Context
 * @typedef {import('@typespec/compiler').EnumMember} EnumMember
 * @typedef {import('@typespec/compiler').DiagnosticTarget} Target
 * @typedef {{ origin: string, ref: string, level: string, subjects: readonly string[], test: string,
 *   reason: string | undefined, target: Target }} Mark
 */

/** Enum members that are rules, with what `@rule` said of them. */
export const MARKS = Symbol.for('@router/contract-emitter.rules')

const ID = /^[A-Z]{2,4}-\d{2,}$/
const NEED_A_REASON = ['inspection', 'out-of-scope']

/**
 * @param {Context} context
 * @param {EnumMember} target
 * @param {string} origin
 * @param {string} ref
 * @param {string} level
 * @param {readonly string[]} subjects
 * @param {string} test
 * @param {string} [reason]
 */
function rule(context, target, origin, ref, level, subjects, test, reason) {
  const { program, decoratorTarget } = context
  const marks = program.stateMap(MARKS)
  /** @param {number} index */
  const argument = (index) => context.getArgumentTarget(index) ?? decoratorTarget

  if (!ID.test(target.name)) report(program, 'rule-id', target, target.name)
  if (marks.has(target)) report(program, 'rule-twice', decoratorTarget, target.name)
  if (!parsePlace(ref)) report(program, 'rule-place', argument(1), ref)
  else if ((origin === 'given') !== ref.startsWith('§')) report(program, 'rule-origin', argument(0), ref)
  if (subjects.length === 0 || new Set(subjects).size < subjects.length)
    report(program, 'rule-subjects', argument(3))
  if (NEED_A_REASON.includes(test) && !reason?.trim()) report(program, 'rule-reason', argument(4), test)

  marks.set(target, { origin, ref, level, subjects, test, reason, target: decoratorTarget })
}

/**
 * @param {Context} context
 * @param {import('@typespec/compiler').Namespace} target
 * @param {string} folder
 */
function texts({ program, decoratorTarget }, target, folder) {
  const { path } = getSourceLocation(/** @type {Target} */ (decoratorTarget)).file
  program.stateMap(FOLDERS).set(target, resolvePath(getDirectoryPath(path), folder))
}

/** The decorators of `lib/rules.tsp`. */
export const ruleDecorators = { rule, texts }
