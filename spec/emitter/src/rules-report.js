// @ts-check

/** What can be wrong with a rule or with the outline, as the compiler says it. */
const messages = {
  'rule-id': 'A rule id is two to four capital letters, a hyphen and at least two digits: "{0}" is not.',
  'rule-twice': 'The rule "{0}" is defined twice.',
  'rule-prefix': 'The ids of one topic share a prefix of their own: "{0}" does not.',
  'rule-place': 'A place reads like "§4.3/6", "§7/t2", "§4/p1" or "D2/5:4": "{0}" does not.',
  'rule-place-unknown': 'There is no place "{0}" in the outline.',
  'rule-origin':
    'A given rule stands in the given specification (§…) and a chosen one elsewhere: "{0}" does not fit.',
  'rule-subjects': 'A rule binds at least one subject, and each once.',
  'rule-reason': 'A rule tested by {0} needs the reason why.',
  'rule-text': 'The rule "{0}" has no doc comment, which would be its text.',
  'rule-missing': 'The member "{0}" stands among rules without being one.',
  'section-form': 'A section reads like @section("§2.3", "Title", "t1-t3 1 1.1-1.2"): "{0}" does not.',
  'section-twice': 'The section "{0}" stands twice in the outline.',
  'section-gap': 'The gap "{0}" names no place of its section, or no chosen rule that closes it.',
  'section-uncovered': 'The place "{0}" has no rule.',
}

/**
 * Reports one error at its place in the sources.
 * @param {import('@typespec/compiler').Program} program
 * @param {keyof typeof messages} code
 * @param {import('@typespec/compiler').DiagnosticTarget} target
 * @param {string} [detail]
 */
export function report(program, code, target, detail = '') {
  const message = messages[code].replace('{0}', () => detail)
  program.reportDiagnostic({ code: `@router/contract-emitter/${code}`, severity: 'error', message, target })
}
