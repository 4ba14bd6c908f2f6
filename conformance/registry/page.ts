import { dirname } from 'node:path'
import type { ConformanceResults, ProfileResult } from '#contract/models'
import { causesApart, nameOf, problemOf } from '../report/causes.ts'
import { claimsIn } from '../report/claims.ts'
import { plain } from '../report/markdown.ts'
import { countStanding, openAiStanding } from '../report/openai-part.ts'
import { countOf, sentencesOf } from '../report/sentence.ts'
import type { Entry } from './entries.ts'

const HEAD = `<!-- Made by \`npm run generate\` from reports/. Do not edit: put a report there. -->

# Compatibility

What the conformance suite found of products. Each row is a report as the suite wrote it, beside a page that says how to make
it again; [the guide](conformance.md) says how a product gets in. *Given* rules are those of the specification, *chosen*
ones this project's own, which a product may decide otherwise and be conformant. What a report could not tell is not kept:
most of it needs hooks that a product does not have. *OpenAI’s API* is the part of the given rules that a gateway can keep which
knows no more than that; the others ask for what this specification adds, such as records, money and evidence.
`

const TABLE = [
  '| product | role | verdict | given kept | of these OpenAI’s API | chosen kept | broken first |',
  '|---|---|---|---|---|---|---|',
]

/** The page of a registry; `folder` is its path from there. */
export function describeRegistry(entries: readonly Entry[], folder: string): string {
  const groups = [...Map.groupBy(entries, ({ results }) => results.suite.version)]
  const parts = groups.map(([version, own]) => {
    const rows = own.flatMap((entry) => rowsOf(entry, folder))
    const sentences = own.flatMap(({ results }) => sentencesOf(results).map((one) => `- ${plain(one)}`))
    return [`## Suite ${version}`, '', ...TABLE, ...rows, '', 'To quote:', '', ...sentences, ''].join('\n')
  })
  return `${HEAD}\n${parts.join('\n')}`
}

function rowsOf({ path, results }: Entry, folder: string): readonly string[] {
  const { name, version = '' } = results.product
  const product = `${plain(name)} [${plain(version)}](${folder}/${path}), [how](${folder}/${dirname(path)}/README.md)`
  return results.profiles.map((profile) => {
    const chosen = countOf({ given: profile.chosen })
    const standing = openAiStanding(profile)
    const openAis = standing === undefined ? '' : countStanding(standing.within)
    return `| ${product} | ${profile.profile} | ${profile.verdict} | ${countOf(profile)} | ${openAis} | ${chosen} | ${brokenFirst(profile, results)} |`
  })
}

/** What breaks most of the rules that are claimed. */
function brokenFirst(profile: ProfileResult, results: ConformanceResults): string {
  const [first] = causesApart(profile, claimsIn(results), results.scenarios).claimed
  if (first === undefined) return ''
  const ids = first.rules.slice(0, SHOWN).map(({ id }) => id)
  const more = first.rules.length > SHOWN ? `, and ${first.rules.length - SHOWN} more` : ''
  return `${ids.join(', ')}${more} by ${plain(nameOf(first))}: ${plain(problemOf(first).slice(0, PROBLEM))}`
}

/** So many rules, and letters of a problem, fit into a cell (ours). */
const SHOWN = 4
const PROBLEM = 160
