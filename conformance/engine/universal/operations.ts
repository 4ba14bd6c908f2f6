import type { OperationId } from '#contract/routes'
import type { RuleId } from '#contract/rules'
import type { Circumstances } from './violation.ts'

/**
 * The rule that says what an operation answers. Of texts and vectors that is the one of their schema: EP-09 and EP-11 say
 * that there is such a path, and that it asks for a key.
 */
const rules: Readonly<Record<OperationId, RuleId>> = {
  createChatCompletion: 'EP-03',
  createCompletion: 'REQ-12',
  createEmbedding: 'REQ-12',
  listModels: 'EP-05',
  getModel: 'EP-07',
  getGeneration: 'EP-13',
  getEvidence: 'EP-16',
  getEndpointEvidence: 'EP-18',
  getInvitation: 'EP-19',
  getPlatformEvidence: 'EP-22',
}

/** Whose rule an answer keeps by its status and its content type; that a path that there is not is a 404 is our choice. */
export function ruleOfOperation({ operation, consoleOperation }: Circumstances): readonly RuleId[] {
  if (operation) return [rules[operation]]
  // Of the console's answers no rule says it; its scenarios do.
  return consoleOperation ? [] : ['REQ-45']
}
