// @ts-check

/** What can be wrong with a rule or with the text that it quotes, as the compiler says it. */
const messages = {
  'rule-id': 'A rule id is two to four capital letters, a hyphen and at least two digits: "{0}" is not.',
  'rule-twice': 'The rule "{0}" is defined twice.',
  'rule-prefix': 'The ids of one topic share a prefix of their own: "{0}" does not.',
  'rule-place': 'A place reads like "§4.3/6", "§7/t2", "§4/p1" or "D2/5:4": "{0}" does not.',
  'rule-place-unknown': 'There is no place "{0}" in spec/text/: write the words there, behind "- **{0}**".',
  'rule-origin':
    'A given rule stands in the given specification (§…) and a chosen one elsewhere: "{0}" does not fit.',
  'rule-subjects': 'A rule binds at least one subject, and each once.',
  'rule-reason': 'A rule tested by {0} needs the reason why.',
  'rule-text': 'The rule "{0}" has no doc comment, which would be its text.',
  'rule-missing': 'The member "{0}" stands among rules without being one.',
  'rule-words':
    'The words of the rule "{0}" do not stand at "{1}". Its doc comment quotes spec/text/ word for word: change both.',
  'text-place':
    'A place stands below the heading of its own section, such as "D2/5:4" below "D2 …": "{0}" does not.',
  'text-remark':
    'What is said below a place begins with *Why:*, *Refused:*, *Open:* or *Note:*: "{0}" does not.',
  'text-twice': '"{0}" stands twice in the text.',
  'text-empty': 'At "{0}" there are neither words that oblige nor an *Open:* remark.',
  'text-open': 'What "{0}" leaves open names no chosen rules behind "Closed by".',
  'text-uncovered': 'No rule at "{1}" says: {0}',
}

/**
 * Reports one error at its place in the sources.
 * @param {import('@typespec/compiler').Program} program
 * @param {keyof typeof messages} code
 * @param {import('@typespec/compiler').DiagnosticTarget} target
 * @param {readonly string[]} details what stands for `{0}` and `{1}`
 */
export function report(program, code, target, ...details) {
  const message = messages[code].replace(/\{(\d)\}/g, (_, index) => details[Number(index)] ?? '')
  program.reportDiagnostic({ code: `@router/contract-emitter/${code}`, severity: 'error', message, target })
}
