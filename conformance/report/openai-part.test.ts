import { join } from 'node:path'
import { expect, test } from 'vitest'
import { catalogue, ruleTexts } from '../engine/rules.ts'
import { readEntries } from '../registry/entries.ts'
import { describeRegistry } from '../registry/page.ts'
import { toHtml } from './html/page.ts'
import { toMarkdown } from './markdown.ts'
import { countStanding, openAiRules, openAiStanding } from './openai-part.ts'
import { summarize } from './terminal.ts'

const REPORTS = join(import.meta.dirname, '..', '..', 'reports')

test('OpenAI’s part is made of given rules of a router, and of none that speaks of what this specification adds', () => {
  const strange = [...openAiRules].filter((id) => {
    const { origin, subjects } = catalogue[id]
    const adds =
      /evidence|verdict|workspace|ledger|balance|debit|micro|record|gen-|ping|attest|invit|scope|extension/i
    return (
      origin !== 'given' ||
      !subjects.includes('router') ||
      (adds.test(ruleTexts.get(id) ?? '') && id !== 'ERR-03')
    )
  })
  expect(strange).toEqual([])
})

test('a router’s standing tells OpenAI’s part of the given rules apart, and leaves none out', () => {
  for (const { results } of readEntries(REPORTS)) {
    for (const profile of results.profiles) {
      const standing = openAiStanding(profile)
      if (profile.profile !== 'router') {
        expect(standing).toBeUndefined()
        continue
      }
      const { within, beyond } = standing!
      expect(within.kept + beyond.kept).toBe(profile.given.rules_kept)
      expect(within.broken + beyond.broken).toBe(profile.given.rules_broken.length)
      expect(within.untold + beyond.untold).toBe(profile.given.rules_untold.length)
      expect(within.kept).toBeGreaterThan(0)
    }
  }
})

test('each report for people tells the two apart', () => {
  const litellm = readEntries(REPORTS).find(({ path }) => path.includes('/litellm/'))!.results
  const [profile] = litellm.profiles
  const { within } = openAiStanding(profile!)!
  const told = countStanding(within)
  expect(told).toMatch(/^\d+ of \d+ told, \d+ untold$/)
  expect(summarize(litellm)).toContain(`given rules of OpenAI’s API kept: ${told}; beyond OpenAI’s API: `)
  expect(toMarkdown(litellm)).toContain(`| of these, OpenAI’s API | – | ${within.kept} | ${within.broken} |`)
  expect(toMarkdown(litellm)).toMatch(/^\| STRM-04 \| given, OpenAI’s API \|/m)
  expect(toHtml(litellm)).toMatch(/of these, OpenAI’s API<\/span>/)
  expect(toHtml(litellm)).toMatch(/ breaks \d+ rules?, \d+ of OpenAI’s API: /)
  expect(toHtml(litellm)).toMatch(/, and \d+ more break \d+ rules?, \d+ of OpenAI’s API: /)
  expect(describeRegistry(readEntries(REPORTS), 'reports')).toContain(`| ${told} |`)
})
