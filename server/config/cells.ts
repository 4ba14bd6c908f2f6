import type { components } from '#contract/types'
import type { ConfigProblem } from '../../config/error.ts'
import { HOME } from '../store/cells.ts'
import { problemOf } from './database-url.ts'

type RouterFile = components['schemas']['RouterConfig']

/** What is wrong with the cells, so far as it can be told without their databases (OPS-26). */
export function cellContradictions(
  { url, cells = [] }: NonNullable<RouterFile['database']> = {},
  { console, testControl }: { readonly console?: unknown; readonly testControl?: unknown },
): ConfigProblem[] {
  if (cells.length === 0) return []
  const problems: ConfigProblem[] = []
  const report = (path: string, message: string) => problems.push({ path, message })
  if (!url) report('database.url', 'is required beside database.cells: it is the home of all')
  const names: string[] = [HOME]
  const urls = [url]
  for (const [index, cell] of cells.entries()) {
    const path = `database.cells[${index}]`
    const problem = problemOf(cell.url)
    if (problem !== undefined) report(`${path}.url`, problem)
    else if (urls.includes(cell.url)) report(`${path}.url`, 'stands twice')
    if (cell.name === HOME) report(`${path}.name`, 'is the name of the cell at database.url')
    else if (names.includes(cell.name)) report(`${path}.name`, 'stands twice')
    names.push(cell.name)
    urls.push(cell.url)
  }
  // Accounts, and what a test does to balances, know one database only.
  if (console) report('console', 'works with one database only, and there is database.cells')
  if (testControl) report('testControl', 'works with one database only, and there is database.cells')
  return problems
}
