// @ts-check
import { getDoc } from '@typespec/compiler'
import { marksOf } from './rules-catalogue.js'
import { report } from './rules-report.js'
import { readTexts } from './rules-sources.js'
import { checkWords } from './rules-words.js'

/**
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {ReturnType<typeof marksOf>} Marks
 */

/**
 * What no single rule can know of itself: that ids are unique, topics whole, and rules and text the same words.
 * @param {Program} program
 */
export async function $onValidate(program) {
  const marks = marksOf(program)
  checkIds(program, marks)
  checkTopics(program, marks)
  checkWords(program, marks, await readTexts(program))
}

/**
 * @param {Program} program
 * @param {Marks} marks
 */
function checkIds(program, marks) {
  const seen = new Set()
  for (const [member] of marks) {
    if (seen.has(member.name)) report(program, 'rule-twice', member, member.name)
    if (!getDoc(program, member)) report(program, 'rule-text', member, member.name)
    seen.add(member.name)
  }
}

/**
 * @param {Program} program
 * @param {Marks} marks
 */
function checkTopics(program, marks) {
  const rules = new Set(marks.map(([member]) => member))
  /** @type {Map<string, unknown>} */
  const owners = new Map()
  for (const topic of new Set(marks.map(([member]) => member.enum))) {
    const [own = ''] = [...topic.members.keys()].map(prefixOf)
    const owner = owners.get(own) ?? topic
    owners.set(own, owner)
    for (const member of topic.members.values()) {
      if (prefixOf(member.name) !== own || owner !== topic)
        report(program, 'rule-prefix', member, member.name)
      if (!rules.has(member)) report(program, 'rule-missing', member, member.name)
    }
  }
}

/** @param {string} id */
function prefixOf(id) {
  return id.split('-')[0] ?? ''
}
