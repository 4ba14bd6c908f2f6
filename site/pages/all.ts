import type { Places } from '../markdown/links.ts'
import type { Names } from '../markdown/relink.ts'
import type { Page } from '../page.ts'
import { type Api, consoleApi, routerApi } from './api/document.ts'
import { addressOfOperation, apiPages } from './api/operations.ts'
import { contractPages } from './contract.ts'
import { documentPages } from './documents.ts'
import { allErrors, errorPages } from './errors.ts'
import { landingPage } from './landing.ts'
import { allReasons, reasonPages } from './reasons.ts'
import { addressOfRule, allRules, rulePages } from './rules.ts'
import { startPages } from './starts.ts'

/** Every page, in the order of the menu. */
export function listPages(): readonly Page[] {
  return [
    landingPage(),
    ...startPages(),
    ...documentPages(),
    ...apiPages(routerApi),
    ...apiPages(consoleApi),
    ...errorPages(),
    ...reasonPages(),
    ...rulePages(),
    ...contractPages(),
  ]
}

/** Where the files that pages are made of, and the entries of the catalogues, have their pages. */
export function placesOf(pages: readonly Page[]): Places {
  const whole = pages.filter(({ source, address }) => !address.startsWith('start/') && source !== '')
  const isOwn = ({ source, address }: Page) =>
    !source.startsWith('spec/text/') || address.startsWith('contract/')
  const byFile = new Map(
    whole
      .filter(isOwn)
      .toReversed()
      .map(({ source, address }) => [source, address]),
  )
  return {
    byFile,
    byEntry: new Map([
      ...allRules.map(({ id }) => [`generated/rules.md#${id}`, addressOfRule(id)] as const),
      ...allReasons.map(({ anchor, address }) => [`generated/reasons.md#${anchor}`, address] as const),
      ...allErrors.map(({ code, address }) => [`generated/errors.md#${code}`, address] as const),
      ...[routerApi, consoleApi].flatMap(entriesOf),
    ]),
  }
}

/** The operations and shapes of an API, by the anchors that links to its document have. */
function entriesOf(api: Api): readonly (readonly [string, string])[] {
  const { file, folder, operations, schemas } = api
  return [
    ...operations.map(({ operationId: id }) => [`${file}#${id}`, addressOfOperation(api, id)] as const),
    ...Object.keys(schemas).map(
      (name) => [`${file}#${name}`, `${folder}/schemas.html#${name.toLowerCase()}`] as const,
    ),
    [`${file}#shapes`, `${folder}/schemas.html`],
  ]
}

/** Names that are linked wherever they stand in the words of a page. */
export function namesOf(): Names {
  return new Map([
    ...allRules.map(({ id }) => [id, addressOfRule(id)] as const),
    ...allErrors.map(({ code, address }) => [code, address] as const),
    ...allReasons.map(({ stage, name, address }) => [`${stage}/${name}`, address] as const),
  ])
}
