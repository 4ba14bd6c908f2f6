import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { complain, complainOf, print } from '#base/print.ts'
import { prepareRelease } from './prepare.ts'
import { type MadeRelease, makeRelease } from './release.ts'
import { projectSteps } from './steps.ts'

const ROOT = join(import.meta.dirname, '..')

const HELP = `usage: npm run release -- [options]
  Makes a release of the commit that is checked out: compares the contract with the last release, runs every check and
  test, writes packages, the proxy as one file, the image and the contract, with checksums and a signature, and puts a
  signed tag on the commit. Publishes nothing. The version follows from the last tag and what was committed since.

  --prepare       writes the version and the day into package.json and CHANGELOG.md, for you to look at and commit
  --key FILE      an SSH key that signs: a private one, or a public one whose private part an agent holds
  --out FOLDER    below which <version>/ is made (default: dist/release)
  --skip-tests    leaves out checks and tests. What is written then is NO release: no tag, no signature
  --dry-run       tells what would be done, and does nothing
  --json          prints one document; progress goes to standard error
  --help          prints this

  Needs what npm test and npm run image need, and ssh-keygen.`

try {
  const { values } = parseArgs({
    options: {
      prepare: { type: 'boolean', default: false },
      key: { type: 'string' },
      out: { type: 'string', default: join(ROOT, 'dist', 'release') },
      'skip-tests': { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const output = values.json ? { json: true as const } : {}
  if (values.help) console.log(HELP)
  else if (values.prepare) {
    const version = prepareRelease(ROOT, new Date())
    const next = `npm run generate; git commit -am "chore(release): ${version}"`
    print(output, { version }, [`Written: ${version}. Look at it, then: ${next}`])
  } else {
    const made = await makeRelease({
      ...{ root: ROOT, into: resolve(values.out), steps: projectSteps(ROOT), tell: complain },
      ...{ skipTests: values['skip-tests'], dryRun: values['dry-run'] },
      key: values.key === undefined ? undefined : resolve(values.key),
    })
    print(output, made, inWords(made))
  }
} catch (error) {
  complainOf(error)
  process.exitCode = isUsage(error) ? 2 : 1
}

function inWords({ version, released, tag, folder, files }: MadeRelease): string[] {
  if (folder === null) return [`It would be ${version}. Nothing was done.`]
  if (!released) return [`NO RELEASE: ${files.length} files of an untested ${version} are in ${folder}.`]
  return [`${version} is in ${folder}, ${files.length} files, and tagged ${tag}. Nothing is published yet.`]
}

function isUsage(error: unknown): boolean {
  return (
    error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
  )
}
