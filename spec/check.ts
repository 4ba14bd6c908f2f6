import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { messageOf } from '#base/thrown.ts'
import { compareTrees, readTree } from '#base/tree.ts'
import { GENERATED, generateContract } from './generation/contract.ts'

/** What is wrong with generated/, a line each; nothing when it is what spec/ says and all of it is committed. */
async function findProblems(): Promise<string[]> {
  const expected = await generateContract()
  const { missing, changed, unexpected } = compareTrees(expected, await readTree(GENERATED))
  const unknown = await untracked()
  return [
    ...missing.map((path) => `  missing       generated/${path}`),
    ...changed.map((path) => `  out of date   generated/${path}`),
    ...unexpected.map((path) => `  not generated generated/${path}`),
    ...unknown.map((path) => `  not in git    generated/${path}`),
  ]
}

/** Files that git does not know; a copy of the sources without git has none. */
async function untracked(): Promise<string[]> {
  const git = promisify(execFile)
  const inRepository = await git('git', ['rev-parse', '--is-inside-work-tree'], { cwd: GENERATED }).catch(
    () => undefined,
  )
  if (!inRepository) return []
  const { stdout } = await git('git', ['ls-files', '--others', '-z', '.'], { cwd: GENERATED })
  return stdout.split('\0').filter(Boolean).sort()
}

// `npm run generate:check`: fails when generated/ is not what spec/ says. It changes no file and nothing of git's.
console.log('Checking generated/ against spec/')
try {
  const problems = await findProblems()
  if (problems.length > 0) {
    console.error(
      `${problems.join('\n')}\nRun \`npm run generate\` and commit generated/ with the change of spec/.`,
    )
    process.exitCode = 1
  } else {
    console.log('generated/ is what spec/ says.')
  }
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
