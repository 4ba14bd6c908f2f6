// @ts-check
import { isSection, parseItems, parsePlace } from './rules-place.js'
import { report } from './rules-report.js'

/**
 * @typedef {import('@typespec/compiler').DecoratorContext} Context
 * @typedef {import('@typespec/compiler').EnumMember} EnumMember
 * @typedef {import('@typespec/compiler').DiagnosticTarget} Target
 * @typedef {{ origin: string, ref: string, level: string, subjects: readonly string[], test: string,
 *   reason: string | undefined, target: Target }} Mark
 * @typedef {{ number: string, title: string, items: ReadonlyMap<string, number>, open: ReadonlyMap<string, readonly string[]>,
 *   silent: readonly string[], target: Target }} Section
 */

/** Enum members that are rules, with what `@rule` said of them. */
export const MARKS = Symbol.for('@router/contract-emitter.rules')

/** Sections of the outline, by the namespace that `@section` stands on. */
export const SECTIONS = Symbol.for('@router/contract-emitter.sections')

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
 * @param {string} number
 * @param {string} title
 * @param {string} itemsText
 * @param {{ open?: readonly string[], silent?: readonly string[] }} [gaps]
 */
function section(context, target, number, title, itemsText, gaps = {}) {
  const { program, decoratorTarget } = context
  const sections = program.stateMap(SECTIONS)
  const items = parseItems(itemsText)
  if (!isSection(number) || !items) return report(program, 'section-form', decoratorTarget, number)

  const open = new Map((gaps.open ?? []).map(parseGap))
  const silent = gaps.silent ?? []
  sections.set(target, [
    ...(sections.get(target) ?? []),
    { number, title, items, open, silent, target: decoratorTarget },
  ])
}

/**
 * Reads `3: KEY-21 KEY-22`: the item or sentence that is open, and the rules that close it.
 * @param {string} text
 * @returns {[string, readonly string[]]}
 */
function parseGap(text) {
  const [item = '', closing = ''] = text.split(': ')
  return [item, closing.split(' ').filter(Boolean)]
}

/** The decorators of `lib/rules.tsp`. */
export const ruleDecorators = { rule, section }
