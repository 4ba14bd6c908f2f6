import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errors } from '../../generated/errors.ts'
import { refusals } from './refusals.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/integrator.md'), 'utf8')

test('the integrator’s page tells of each refusal how often every client asks', () => {
  const rows = refusals.map(({ title, code, statuses }) => {
    const { openai, 'ai-sdk': ai, langchain } = statuses
    return `| ${title} | ${openai[0]} \`${code}\` | ${openai.length} | ${ai.length} | ${langchain.length} |`
  })
  expect(rows.filter((row) => !page.includes(row))).toEqual([])
})

test('the page of errors, to which the integrator’s leads, says what to do for every code', () => {
  expect(page).toContain('](../generated/errors.md)')
  const errorsPage = readFileSync(join(import.meta.dirname, '../../generated/errors.md'), 'utf8')
  const rows = [...errorsPage.matchAll(/^\| <a id="(\w+)"><\/a>.+ \| (.+) \|$/gm)]
  expect(rows.map(([, code]) => code)).toEqual(Object.keys(errors))
  for (const [, , remedy] of rows) expect(remedy).toMatch(/\.$/)
})

test('every file that the integrator’s page links to is there', () => {
  const links = [...page.matchAll(/\]\((\.\.[^)#]+)/g)].map(([, link]) => link!)
  expect(links.length).toBeGreaterThan(4)
  for (const link of links) expect(readFileSync(join(import.meta.dirname, '../../docs', link))).toBeTruthy()
})
