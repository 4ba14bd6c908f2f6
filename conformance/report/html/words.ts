import { OPENAI_PART } from '../openai-part.ts'
import { marked } from './escape.ts'

/** The words of the page, each with what it means here. */
const WORDS: readonly (readonly [word: string, meaning: string])[] = [
  ['rule', 'One sentence of the specification, by an id such as `ERR-01`.'],
  [
    'section',
    'Where the sentence stands. Before the slash is a chapter of the specification; behind it `t2` is row 2 of its table, `p1` a paragraph, a number alone an item of a list, and `:2` the second sentence there. `D5/5:2` is of this project’s own decisions, number 5.',
  ],
  [
    'given',
    'The specification itself says so. Only what is claimed decides the verdict, and that is the given rules unless the target file says otherwise.',
  ],
  [
    'chosen',
    'This project decided so where the specification is silent. Another router may decide otherwise; who does not claim these rules fails nothing by them.',
  ],
  [
    OPENAI_PART,
    'Given rules that ask for nothing but what OpenAI’s API does: a gateway that knows no more than that can keep them.',
  ],
  ['kept', 'Every check of the rule ran and passed.'],
  ['broken', 'A check of the rule failed.'],
  [
    'partly shown',
    'Some checks of the rule passed, none failed, and others could not tell. It is no failure.',
  ],
  [
    'untold',
    'No check could tell anything of the rule, for the reason that stands beside it. It is no failure and no pass. What is not untold is told.',
  ],
  [
    'verdict',
    '“conformant”: all that is claimed was shown and is kept. “partial”: nothing speaks against it, but not all was shown. “failing”: a claimed rule is broken.',
  ],
  [
    'scenario, check',
    'A scenario such as `errors/shape` is a run of requests that shows some rules; each of its assertions is a check of one of them. What reads answers for all scenarios can break further rules.',
  ],
  [
    'universal',
    'What every answer, and every event of a stream, is held to, whatever its scenario is about. Its number counts those that broke the rule; how many there were in all was not kept.',
  ],
  [
    'hook',
    'Something that the target file lends the suite, such as making a key or telling the scripted model what to answer. What lacks one is not testable.',
  ],
  [
    'invitations, embeddings',
    'Parts that the specification leaves optional; the verdict names what was left out.',
  ],
  [
    '`[script:…]` in a prompt',
    'Tells the suite’s scripted model, which stands behind the router, which of the answers prepared for it is meant: a slow one, a wrong one, none.',
  ],
  [
    '`[secret]`',
    'A key of the target file or of a run. Lines for a shell have `$CONFORMANCE_KEY` in its place, and `$ANOTHER_KEY` where a key was sent that is none of them (reports of earlier suites have the first for both).',
  ],
]

/** The words as a list that is closed until somebody asks. */
export function describeWords(): string {
  const rows = WORDS.map(([word, meaning]) => `<dt>${marked(word)}</dt><dd>${marked(meaning)}</dd>`)
  return `<details id="words"><summary>What the words of this page mean: rule, given, chosen, told, untold, universal, hook …</summary>
<dl>${rows.join('\n')}</dl></details>`
}
