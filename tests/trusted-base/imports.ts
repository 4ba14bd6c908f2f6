import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** What a program loads, from its entry on. */
export interface Loaded {
  /** Files of this project, by their path in it. */
  readonly files: ReadonlySet<string>
  /** Packages and parts of Node that those files name themselves. */
  readonly packages: ReadonlySet<string>
}

const ROOT = join(import.meta.dirname, '..', '..')
const { imports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  imports: Readonly<Record<string, string>>
}

/** Follows every import that is there at run time, the ones that wait for their command too. */
export function follow(entry: string): Loaded {
  const files = new Set<string>()
  const packages = new Set<string>()
  const open = [entry]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue
    files.add(file)
    for (const specifier of specifiersIn(file)) {
      const path = resolve(specifier, file)
      if (path === undefined) packages.add(packageOf(specifier))
      else open.push(path)
    }
  }
  return { files, packages }
}

function specifiersIn(file: string): readonly string[] {
  if (!/\.(ts|js)$/.test(file)) return []
  const found: string[] = []
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest)
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly) add(node.moduleSpecifier)
    if (ts.isExportDeclaration(node) && !node.isTypeOnly && node.moduleSpecifier) add(node.moduleSpecifier)
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0])
    ts.forEachChild(node, visit)
  }
  const add = (specifier: ts.Node | undefined) => {
    if (specifier && ts.isStringLiteral(specifier)) found.push(specifier.text)
  }
  visit(source)
  return found
}

/** The path of a file of this project; undefined for anything from outside. */
function resolve(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('.')) return join(from, '..', specifier)
  for (const [name, target] of Object.entries(imports)) {
    const stem = name.replace('*', '')
    if (name === specifier || (name.endsWith('*') && specifier.startsWith(stem)))
      return join(target.replace('*', specifier.slice(stem.length)))
  }
  return undefined
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}
