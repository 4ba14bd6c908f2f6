import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Archive, pack } from './archive.ts'
import { ROOT } from './recipe.ts'
import { recipes } from './recipes.ts'

// Packs the parts that people install by themselves: `npm run pack [-- NAME…] [--into FOLDER]`. Nothing is published.
const { values, positionals } = parseArgs({
  options: { into: { type: 'string', default: join(ROOT, 'dist') } },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => !recipes.some((recipe) => recipe.name === name))
if (unknown.length > 0) {
  console.error(
    `No package is called ${unknown.join(', ')}: there is ${recipes.map(({ name }) => name).join(', ')}.`,
  )
  process.exitCode = 2
} else {
  const asked = recipes.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  for (const recipe of asked) console.log(inWords(await pack(recipe, resolve(values.into))))
}

function inWords({ file, bytes, installedBytes, dependencies, optionalDependencies }: Archive): string {
  const [needed, optional] = [dependencies, optionalDependencies].map((all) => Object.keys(all).join(', '))
  return [
    `${file}, ${kib(bytes)}, ${kib(installedBytes)} installed`,
    needed ? `with ${needed}` : 'no dependencies',
    ...(optional ? [`${optional} if wanted`] : []),
  ].join('; ')
}

function kib(bytes: number): string {
  return `${Math.ceil(bytes / 1_024)} KiB`
}
