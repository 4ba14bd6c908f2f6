import { expect, test } from 'vitest'
import { blocksOf, isAsShown, stepsOf } from './page.ts'

const fence = (language: string, text: string, remark?: string) =>
  `${remark === undefined ? '' : `<!-- ${remark} -->\n`}\`\`\`${language}\n${text}\n\`\`\`\n\n`

test('commands, what they print, files and quotations are told apart', () => {
  const page = `# A page\n\n${[
    fence('', 'a picture'),
    fence('sh', 'echo one'),
    fence('text', 'one'),
    fence('sh', 'bin/proxy run', 'goes on'),
    fence('yaml', '# proxy.yaml; the least of it\na: 1'),
    fence('yaml', '# proxy.yaml (more)\nb: 1'),
    fence('ts', 'export {}', 'as in: conformance/main.ts'),
    fence('sh', 'npm ci', 'not run: it takes minutes'),
  ].join('')}`
  expect(stepsOf(page)).toEqual([
    { kind: 'run', printed: 'one\n', block: expect.objectContaining({ text: 'echo one\n', line: 7 }) },
    { kind: 'goes on', printed: undefined, block: expect.objectContaining({ text: 'bin/proxy run\n' }) },
    { kind: 'saved', file: 'proxy.yaml', isMore: false, block: expect.anything() },
    { kind: 'saved', file: 'proxy.yaml', isMore: true, block: expect.anything() },
    { kind: 'quoted', file: 'conformance/main.ts', block: expect.anything() },
    { kind: 'not run', reason: 'it takes minutes', block: expect.anything() },
  ])
  expect(blocksOf(page)).toHaveLength(8)
})

test.each([
  ['an exemption without a reason', fence('sh', 'npm ci', 'not run:')],
  ['a file without a name', fence('yaml', 'a: 1')],
  ['a program without a name', fence('ts', 'export {}')],
  ['a language that nobody knows', fence('js', 'export {}')],
])('%s is told by its line', (_, page) => {
  expect(() => stepsOf(`\n\n${page}`)).toThrow(/^line [34]: /)
})

test.each([
  ['a\n', 'a\n', true],
  ['a\nb\n', 'a\n', false],
  ['a 12 c\n', 'a … c\n', true],
  ['a 12\nc\n', 'a … c\n', false],
  ['a\n1\n2\nb\n', 'a\n…\nb\n', true],
  ['a\nb\n', 'a\n…\nb\n', true],
  ['a.b\n', 'axb\n', false],
  ['', '', true],
])('%j is shown as %j: %s', (text, shown, is) => {
  expect(isAsShown(text, shown)).toBe(is)
})
