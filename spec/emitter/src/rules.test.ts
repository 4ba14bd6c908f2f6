import { type DiagnosticTarget, getSourceLocation, resolvePath } from '@typespec/compiler'
import { createTester } from '@typespec/compiler/testing'
import { expect, test } from 'vitest'

const root = resolvePath(import.meta.dirname, '../../..')
const tester = createTester(root, { libraries: ['@router/contract-emitter'] })
  .importLibraries()
  .using('Contract')

const given = '@rule("given", "§1/1", "must", #["router"], "black-box")'
const chosen = '@rule("chosen", "D1/1", "must", #["router"], "black-box")'
const gaps = '#{ open: #["2: KEY-02"], silent: #["p1"] }'
const outline = `@section("§1", "One", "p1 1-2", ${gaps})\n@section("D1", "Keys", "1(2)")`

interface Source {
  readonly rules?: string
  readonly sections?: string
  readonly more?: string
}

/** Compiles a catalogue of two rules, or one changed in one place, to the codes of its errors, each located. */
async function diagnose({ rules = both, sections = outline, more = '' }: Source) {
  const source = `${sections}\nnamespace Rules;\nenum Keys {\n${rules}\n}\n${more}`
  const diagnostics = await tester.diagnose(source)
  return diagnostics.map(({ code, severity, target }) => {
    expect(severity).toBe('error')
    expect(getSourceLocation(target as DiagnosticTarget).file.path).toMatch(/main\.tsp$/)
    return code.replace('@router/contract-emitter/', '')
  })
}

const first = `/** One. */ ${given} \`KEY-01\``
const second = `/** Two. */ ${chosen} \`KEY-02\``
const both = `${first}, ${second}`

test('a catalogue that covers its outline compiles', async () => {
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
  ['a place outside the outline', { rules: both.replace('§1/1', '§1/9') }, 'rule-place-unknown'],
  ['a given rule that stands elsewhere', { rules: both.replace('§1/1', 'D1/1') }, 'rule-origin'],
  ['a chosen rule of the given text', { rules: both.replace('D1/1', '§1/1') }, 'rule-origin'],
  ['an inspection without its reason', { rules: both.replace('black-box', 'inspection') }, 'rule-reason'],
  ['an exemption without its reason', { rules: both.replace('black-box', 'out-of-scope') }, 'rule-reason'],
  ['a rule without a text', { rules: both.replace('/** One. */', '') }, 'rule-text'],
  ['a member that is no rule', { rules: `${both}, /** Three. */ \`KEY-03\`` }, 'rule-missing'],
  ['a malformed section', { sections: outline.replace('1(2)', 'one') }, 'section-form'],
  ['a section listed twice', { sections: `${outline}\n@section("D1", "Keys", "1")` }, 'section-twice'],
  ['a gap that no chosen rule closes', { sections: outline.replace('KEY-02', 'KEY-01') }, 'section-gap'],
  ['a gap at no place', { sections: outline.replace('"p1"', '"p7"') }, 'section-gap'],
  ['an item without a rule', { sections: outline.replace('1-2', '1-3') }, 'section-uncovered'],
  ['a sentence without a rule', { rules: both.replace('D1/1', 'D1/1:1') }, 'section-uncovered'],
])('%s does not compile', async (_, source, code) => {
  expect(await diagnose(source)).toContain(code)
})
