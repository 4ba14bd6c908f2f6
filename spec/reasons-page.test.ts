import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ReasonEntry, reasons } from '#contract/reasons'

const page = readFileSync(join(import.meta.dirname, '..', 'generated', 'reasons.md'), 'utf8')
const all: readonly ReasonEntry[] = Object.values(reasons).flatMap((stage) => Object.values(stage))

test('every reason has a place of its own on the page, with its meaning and what to do', () => {
  const anchors = [...page.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, anchor]) => anchor)
  expect(anchors).toEqual(all.map(({ anchor }) => anchor))
  expect(new Set(anchors).size).toBe(all.length)
  for (const { anchor, meaning, remedy } of all) {
    const [section] = page.slice(page.indexOf(`<a id="${anchor}">`)).split(/\n(?=<a id=)/, 1)
    expect(section).toContain(`\n${meaning}\n`)
    expect(section).toContain(`**What to do.** ${remedy}\n`)
  }
})
