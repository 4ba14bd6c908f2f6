import { type DiagnosticTarget, getSourceLocation, resolvePath } from '@typespec/compiler'
import { createTester } from '@typespec/compiler/testing'
import { expect, test } from 'vitest'

const root = resolvePath(import.meta.dirname, '../../..')
const tester = createTester(root, { libraries: ['@router/contract-emitter'] })
  .importLibraries()
  .using('Contract')

const given = '@rule("given", "§1/1", "must", #["router"], "black-box")'
const chosen = '@rule("chosen", "D1/1:2", "must", #["router"], "black-box")'
const first = `/** The one\n * asks. */ ${given} \`KEY-01\``
const second = `/** A second one answers. */ ${chosen} \`KEY-02\``
const both = `${first}, ${second}`

const text = `# §1 One

Prose obliges nobody.

- **§1/1** The one
  asks.
  - *Note:* neither does this.
- **§1/2**
  - *Open:* who answers. Closed by KEY-02.

## D1 Keys

- **D1/1:2** A second one answers.
  - *Why:* somebody has to, as is
    well known.
  - *Refused:* silence.
`

interface Source {
  readonly rules?: string
  readonly words?: string
  readonly more?: string
}

/** Compiles a catalogue of two rules and their text, or one changed in one place, to its errors by file and code. */
async function diagnose({ rules = both, words = text, more = '' }: Source) {
  const source = `@texts("text")\nnamespace Rules;\nenum Keys {\n${rules}\n}\n${more}`
  const diagnostics = await tester
    .files({ 'text/one.md': words, 'text/README.md': '- **D9/9** x' })
    .diagnose(source)
  return diagnostics.map(({ code, severity, target }) => {
    expect(severity).toBe('error')
    const { path } = getSourceLocation(target as DiagnosticTarget).file
    return `${path.split('/').at(-1)} ${code.replace('@router/contract-emitter/', '')}`
  })
}

test('a catalogue that quotes the whole of its text compiles', async () => {
  expect(await diagnose({})).toEqual([])
})

test.each([
  ['a malformed id', { rules: both.replace('KEY-01', 'key1') }, 'rule-id'],
  ['a rule marked twice', { rules: both.replace(given, `${given} ${given}`) }, 'rule-twice'],
  ['one id with two texts', { more: `enum More { /** Other. */ ${given} \`KEY-01\` }` }, 'rule-twice'],
  ['a foreign prefix', { rules: `${both}, /** X. */ ${given} \`WSP-01\`` }, 'rule-prefix'],
  ['an unknown origin', { rules: both.replace('"given"', '"invented"') }, 'invalid-argument'],
  ['an unknown subject', { rules: both.replace('"router"', '"moon"') }, 'invalid-argument'],
  ['an unknown level', { rules: both.replace('"must"', '"perhaps"') }, 'invalid-argument'],
  ['an unknown test', { rules: both.replace('"black-box"', '"hope"') }, 'invalid-argument'],
  ['no subject', { rules: both.replace('#["router"]', '#[]') }, 'rule-subjects'],
  ['a malformed place', { rules: both.replace('§1/1', '§1 item 1') }, 'rule-place'],
  ['a place that the text does not have', { rules: both.replace('§1/1', '§1/9') }, 'rule-place-unknown'],
  ['a rule with other words than its place', { rules: both.replace('asks', 'asked') }, 'rule-words'],
  ['a given rule that stands elsewhere', { rules: both.replace('§1/1', 'D1/1') }, 'rule-origin'],
  ['a chosen rule of the given text', { rules: both.replace('D1/1:2', '§1/1') }, 'rule-origin'],
  ['an inspection without its reason', { rules: both.replace('black-box', 'inspection') }, 'rule-reason'],
  ['an exemption without its reason', { rules: both.replace('black-box', 'out-of-scope') }, 'rule-reason'],
  ['a rule without a text', { rules: both.replace('/** A second one answers. */', '') }, 'rule-text'],
  ['a member that is no rule', { rules: `${both}, /** Three. */ \`KEY-03\`` }, 'rule-missing'],
])('%s does not compile', async (_, source, code) => {
  expect(await diagnose(source)).toContain(`main.tsp ${code}`)
})

test.each([
  ['words without a rule', text.replace('one answers.', 'one answers. And pays.'), 'text-uncovered'],
  [
    'a sentence that no rule quotes',
    text.replace('- **§1/2**', '- **§1/3** Do.\n- **§1/2**'),
    'text-uncovered',
  ],
  ['a place without words', text.replace('- **§1/2**', '- **§1/3**\n- **§1/2**'), 'text-empty'],
  ['a place below another section', text.replace('D1/1:2', '§1/4'), 'text-place'],
  ['a place that stands twice', `${text}- **D1/1:2** A second one answers.\n`, 'text-twice'],
  ['a section that stands twice', `${text}\n## §1 One\n\n- **§1/5**\n`, 'text-twice'],
  ['a remark of an unknown kind', text.replace('*Why:*', '*Because:*'), 'text-remark'],
  ['an opening that a given rule closes', text.replace('KEY-02', 'KEY-01'), 'text-open'],
  ['an opening that nothing closes', text.replace(' Closed by KEY-02.', ''), 'text-open'],
])('%s does not compile', async (_, words, code) => {
  expect(await diagnose({ words })).toContain(`one.md ${code}`)
})
