import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { digestOf, toHex } from '#attestation'
import { editText } from './pin-file.ts'

const [first, second, third] = ['one', 'two', 'three'].map((text) => digestOf(text)) as [
  ReturnType<typeof digestOf>,
  ReturnType<typeof digestOf>,
  ReturnType<typeof digestOf>,
]

const block = `# Ours.
dataDir: data   # here

endpoints:
- name: main
  roots: [ { file: root.pem } ]
  pins:
    # The release of May.
    - ${toHex(first)} # checked by Ann
    - '${second}'

  # Nobody else.
  maxBundleAgeMs: 1000
- name: other
  pins: [${toHex(first)}]
`

test('a pin is put behind the last, and every other byte stays', () => {
  const edited = editText(block, 0, { kind: 'add', digest: third })
  const line = `    - '${second}'\n`
  expect(edited).toBe(block.replace(line, `${line}    - '${toHex(third)}'\n`))
})

test('a pin is taken out with its line, and every other byte stays', () => {
  expect(editText(block, 0, { kind: 'remove', digest: first })).toBe(
    block.replace(`    - ${toHex(first)} # checked by Ann\n`, ''),
  )
  expect(editText(block, 0, { kind: 'remove', digest: second })).toBe(
    block.replace(`    - '${second}'\n`, ''),
  )
})

test('a list on one line, and a file of JSON, stay what they are', () => {
  const edited = editText(block, 1, { kind: 'add', digest: second })
  expect(edited).toBe(block.replace(`[${toHex(first)}]`, `[${toHex(first)}, ${toHex(second)}]`))
  expect(editText(edited, 1, { kind: 'remove', digest: first })).toBe(
    block.replace(`[${toHex(first)}]`, `[${toHex(second)}]`),
  )
  expect(editText(edited, 1, { kind: 'remove', digest: second })).toBe(block)
  const json = JSON.stringify({ endpoints: [{ pins: [first] }] }, undefined, 2)
  const added = editText(json, 0, { kind: 'add', digest: second })
  expect(JSON.parse(added)).toEqual({ endpoints: [{ pins: [first, toHex(second)] }] })
})

test('a file without an end of its last line is edited too', () => {
  const text = `endpoints:\n  - pins:\n      - ${toHex(first)}`
  const added = editText(text, 0, { kind: 'add', digest: second })
  expect(added).toBe(`${text}\n      - ${toHex(second)}`)
  expect(parse(editText(added, 0, { kind: 'remove', digest: first }))).toEqual({
    endpoints: [{ pins: [toHex(second)] }],
  })
})

test('a list that begins on the line of its key is edited too, comments and all', () => {
  const text = `endpoints: [ { name: a, pins: [ ${toHex(first)} ] } ] # all\n`
  const added = editText(text, 0, { kind: 'add', digest: second })
  expect(parse(added)).toEqual({ endpoints: [{ name: 'a', pins: [toHex(first), toHex(second)] }] })
  expect(added).toContain('# all')
})

test('a pin that a variable holds is not touched', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of configuration files.
  const text = 'endpoints:\n  - pins: ["${PIN}"]\n'
  expect(() => editText(text, 0, { kind: 'remove', digest: first })).toThrow(/variable/)
})
