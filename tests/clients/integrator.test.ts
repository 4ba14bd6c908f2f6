import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errors } from '../../generated/errors.ts'
import { refusals } from './refusals.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/integrator.md'), 'utf8')

/** Codes that only the console answers. */
const consoles = ['invalid_code', 'session_required', 'not_administrator', 'conflict']

test('the integrator’s page tells of each refusal how often every client asks', () => {
  const rows = refusals.map(({ title, code, statuses }) => {
    const { openai, 'ai-sdk': ai, langchain } = statuses
    return `| ${title} | ${openai[0]} \`${code}\` | ${openai.length} | ${ai.length} | ${langchain.length} |`
  })
  expect(rows.filter((row) => !page.includes(row))).toEqual([])
})

test('the integrator’s page says what to do for every code of the API', () => {
  const table = page.slice(page.indexOf('| code | do |'))
  const codes = Object.keys(errors).filter((code) => !consoles.includes(code))
  expect(codes.filter((code) => !table.includes(`\`${code}\``))).toEqual([])
})

test('every file that the integrator’s page links to is there', () => {
  const links = [...page.matchAll(/\]\((\.\.[^)#]+)/g)].map(([, link]) => link!)
  expect(links.length).toBeGreaterThan(4)
  for (const link of links) expect(readFileSync(join(import.meta.dirname, '../../docs', link))).toBeTruthy()
})
