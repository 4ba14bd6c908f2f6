// @module-tag ssh-keygen
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ReleaseOptions } from './options.ts'
import { prepareRelease } from './prepare.ts'
import { makeRelease } from './release.ts'
import type { Step } from './steps.ts'

const CONTRACT = `openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /models:
    get:
      operationId: listModels
      responses: { "200": { description: Models. } }
`
const WHO = 'releases@router.example'

/** A small project with its history, and a key of somebody who releases it. */
function startProject() {
  const folder = mkdtempSync(join(tmpdir(), 'release-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const root = join(folder, 'project')
  mkdirSync(join(root, 'generated'), { recursive: true })
  const manifest = { name: 'project', version: '0.1.0' }
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ ...manifest, packages: { '': manifest } }))
  writeFileSync(join(root, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n- It streams.\n')
  writeFileSync(join(root, 'generated', 'openapi.yaml'), CONTRACT)
  const key = join(folder, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', WHO, '-f', key])
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', `user.email=${WHO}`, ...args], {
      ...{ cwd: root, encoding: 'utf8', stdio: 'pipe' },
    })
  const commit = (subject: string) => {
    git('add', '--all')
    git('commit', '--quiet', '--allow-empty', '--message', subject)
  }
  git('init', '--quiet')
  // A tag has an author as well.
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', WHO)
  commit('feat(relay): stream answers')
  commit('fix(metering): round once')
  const taken: string[] = []
  const told: string[] = []
  const step = (title: string, more: Partial<Step> = {}): Step => ({
    title,
    async run(into) {
      taken.push(title)
      mkdirSync(join(into, 'deep'), { recursive: true })
      writeFileSync(join(into, 'deep', `${title}.tgz`), `${title}\n`)
    },
    ...more,
  })
  const tests = step('tests', { isTest: true })
  const options: ReleaseOptions = {
    ...{ root, into: join(folder, 'out'), steps: [tests, step('one'), step('two')], key },
    ...{ skipTests: false, dryRun: false, tell: (line: string) => void told.push(line) },
  }
  return { root, key, git, commit, taken, told, options, folder, step }
}

/** A project whose next version is written down. */
function startPrepared() {
  const project = startProject()
  prepareRelease(project.root, new Date('2030-02-03T23:00:00Z'))
  project.commit('chore(release): 1.0.0')
  return project
}

/** What a receiver does, with tools that their system has. */
function receive(folder: string, key: string) {
  const allowed = join(folder, '..', 'allowed_signers')
  writeFileSync(allowed, `${WHO} ${readFileSync(`${key}.pub`, 'utf8')}`)
  const namespace = 'confidential-inference-router-release'
  const verify = ['-Y', 'verify', '-f', allowed, '-I', WHO, '-n', namespace, '-s', 'SHA256SUMS.sig']
  const input = readFileSync(join(folder, 'SHA256SUMS'))
  const signature = spawnSync('ssh-keygen', verify, { cwd: folder, input }).status
  const sums = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder }).status
  return { signature, sums, allowed }
}

test('a release is tested, has the changes, and a receiver can check each file of it by the sums and their signature', async () => {
  const { options, taken, git, key } = startPrepared()
  const made = await makeRelease(options)
  expect(made).toMatchObject({ version: '1.0.0', released: true, tag: 'v1.0.0' })
  expect(taken).toEqual(['tests', 'one', 'two'])
  const folder = made.folder!
  expect(made.files).toEqual(
    ['CHANGES.md', 'deep/one.tgz', 'deep/tests.tgz', 'deep/two.tgz', 'release.json'].toSorted(),
  )
  expect(JSON.parse(readFileSync(join(folder, 'release.json'), 'utf8'))).toMatchObject({ tested: true })
  const { allowed, ...right } = receive(folder, key)
  expect(right).toEqual({ signature: 0, sums: 0 })
  git('-c', `gpg.ssh.allowedSignersFile=${allowed}`, 'tag', '--verify', 'v1.0.0')
  const changes = readFileSync(join(folder, 'CHANGES.md'), 'utf8')
  expect(changes).toMatch(
    /^# 1\.0\.0\n\n- It streams\.\n[\s\S]*### New\n\n- \*\*relay\*\*: stream answers \([0-9a-f]{7}\)/,
  )
  expect(changes).toContain('### Mended\n\n- **metering**: round once (')

  appendFileSync(join(folder, 'deep', 'one.tgz'), 'x')
  expect(receive(folder, key)).toMatchObject({ signature: 0, sums: 1 })
  appendFileSync(join(folder, 'SHA256SUMS'), `${'0'.repeat(64)}  more\n`)
  expect(receive(folder, key).signature).not.toBe(0)
  await expect(makeRelease(options)).rejects.toThrow('Nothing has changed since v1.0.0')
})

test('what is made without tests says that it is no release, and has no tag and no signature', async () => {
  const { options, taken, told, git } = startProject()
  const made = await makeRelease({ ...options, key: undefined, skipTests: true })
  expect(made).toMatchObject({ version: '1.0.0', released: false, tag: null })
  expect(taken).toEqual(['one', 'two'])
  expect(told.filter((line) => line.includes('NO RELEASE'))).toHaveLength(2)
  expect(made.folder).toMatch(/\/1\.0\.0-untested$/)
  expect(readFileSync(join(made.folder!, 'NO-RELEASE.txt'), 'utf8')).toContain('tests were skipped')
  expect(existsSync(join(made.folder!, 'SHA256SUMS'))).toBe(true)
  expect(existsSync(join(made.folder!, 'SHA256SUMS.sig'))).toBe(false)
  expect(JSON.parse(readFileSync(join(made.folder!, 'release.json'), 'utf8'))).toMatchObject({
    tested: false,
  })
  expect(git('tag')).toBe('')
})

test('what was made of steps of which none tests does not say that it is tested', async () => {
  const { options } = startPrepared()
  const made = await makeRelease({ ...options, steps: options.steps.filter(({ isTest }) => !isTest) })
  expect(JSON.parse(readFileSync(join(made.folder!, 'release.json'), 'utf8'))).toMatchObject({
    tested: false,
    steps: ['one', 'two'],
  })
})

test('a dry run tells what would be made, and makes nothing', async () => {
  const { options, taken, told, git } = startProject()
  const made = await makeRelease({ ...options, key: undefined, dryRun: true })
  expect(made).toMatchObject({ version: '1.0.0', released: false, folder: null })
  expect(told).toEqual(expect.arrayContaining(['would make: tests', 'would make: two']))
  expect([taken, git('tag'), existsSync(options.into)]).toEqual([[], '', false])
})

test('the version and its day are written for a person to commit', async () => {
  const { root, options, git } = startProject()
  await expect(makeRelease(options)).rejects.toThrow('--prepare writes it')
  expect(prepareRelease(root, new Date('2030-02-03T23:00:00Z'))).toBe('1.0.0')
  for (const name of ['package.json', 'package-lock.json'])
    expect(readFileSync(join(root, name), 'utf8')).not.toContain('0.1.0')
  expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toBe(
    '# Changelog\n\n## Unreleased\n\n## 1.0.0 (2030-02-03)\n\n- It streams.\n',
  )
  expect(git('status', '--porcelain').trim().split('\n')).toHaveLength(3)
})

test.each<[string, RegExp, (project: ReturnType<typeof startPrepared>) => Partial<ReleaseOptions>]>([
  [
    'a tree with what is not committed',
    /not committed[\s\S]*new\.txt/,
    ({ root }) => {
      writeFileSync(join(root, 'new.txt'), '')
      return {}
    },
  ],
  [
    'a new file that the settings of git show nobody',
    /not committed[\s\S]*new\.txt/,
    ({ root, git }) => {
      git('config', 'status.showUntrackedFiles', 'no')
      writeFileSync(join(root, 'new.txt'), '')
      return {}
    },
  ],
  ['no key', /--key is missing/, () => ({ key: undefined })],
  ['a key that is not there', /no key at/, () => ({ key: '/nowhere/key' })],
  [
    'a contract that breaks a promise',
    /breaks what[\s\S]*v1\.2\.0 promised/,
    (project) => {
      project.git('tag', 'v1.2.0')
      const file = join(project.root, 'generated', 'openapi.yaml')
      writeFileSync(file, readFileSync(file, 'utf8').replace('/models', '/others'))
      appendFileSync(join(project.root, 'CHANGELOG.md'), '\n')
      project.commit('fix(spec): call it otherwise')
      const changelog = join(project.root, 'CHANGELOG.md')
      writeFileSync(
        changelog,
        readFileSync(changelog, 'utf8').replace('## Unreleased\n', '## Unreleased\n\n- A fix.\n'),
      )
      project.commit('docs: tell of a fix')
      prepareRelease(project.root, new Date())
      project.commit('chore(release): 1.2.1')
      return {}
    },
  ],
  [
    'tests that fail',
    /3 tests failed/,
    ({ options, step }) => {
      const run = () => Promise.reject(new Error('3 tests failed'))
      return { steps: [step('tests', { isTest: true, run }), ...options.steps] }
    },
  ],
  [
    'a tag that cannot be made',
    /v1\.0\.0/,
    ({ root }) => {
      writeFileSync(join(root, '.git', 'refs', 'tags', 'v1.0.0.lock'), '')
      return {}
    },
  ],
  [
    'a tree that changes meanwhile',
    /changed meanwhile/,
    ({ root, options, step }) => {
      const run = async () => writeFileSync(join(root, 'late.txt'), '')
      return { steps: [...options.steps, step('late', { run })] }
    },
  ],
])('%s makes no release, no tag and no folder', async (_, words, change) => {
  const project = startPrepared()
  const changes = change(project)
  const before = project.git('tag')
  await expect(makeRelease({ ...project.options, ...changes })).rejects.toThrow(words)
  expect(project.git('tag')).toBe(before)
  const left = existsSync(project.options.into)
    ? execFileSync('ls', ['-A', project.options.into], { encoding: 'utf8' })
    : ''
  expect(left).toBe('')
})

test.each<[string, RegExp, (project: ReturnType<typeof startPrepared>) => Partial<ReleaseOptions>]>([
  ['a key that signs nothing', /ssh-keygen/, ({ root }) => ({ key: join(root, 'CHANGELOG.md') })],
  [
    'a person whom git does not know',
    /GIT_COMMITTER_IDENT/,
    () => {
      vi.stubEnv('GIT_COMMITTER_NAME', '')
      onTestFinished(() => void vi.unstubAllEnvs())
      return {}
    },
  ],
  [
    'a clone without its history',
    /shallow/,
    ({ root, folder }) => {
      const shallow = join(folder, 'shallow')
      execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, shallow])
      return { root: shallow }
    },
  ],
])('%s is refused before anything is done', async (_, words, change) => {
  const project = startPrepared()
  const changes = change(project)
  await expect(makeRelease({ ...project.options, ...changes })).rejects.toThrow(words)
  expect(project.taken).toEqual([])
})

test('a release that failed, or was interrupted, is made by starting it anew', async () => {
  const { options, step, told } = startPrepared()
  const left = join(options.into, '.1.0.0')
  mkdirSync(left, { recursive: true })
  writeFileSync(join(left, 'half.tgz'), '')
  const run = () => Promise.reject(new Error('no room'))
  const failing = { ...options, steps: [...options.steps, step('last', { run })] }
  await expect(makeRelease(failing)).rejects.toThrow('no room')
  expect(told.at(-1)).toBe('1.0.0 was not made, and nothing of it is left: once that is mended, start anew.')
  const { released, files } = await makeRelease(options)
  expect([released, files.includes('half.tgz')]).toEqual([true, false])
})

test('what the changes say of the source names files, and links to none', async () => {
  const { root, options, commit } = startProject()
  const changelog = '# Changelog\n\n## Unreleased\n\n- It [streams](docs/user.md#streams).\n'
  writeFileSync(join(root, 'CHANGELOG.md'), changelog)
  commit('docs: tell where')
  prepareRelease(root, new Date())
  commit('chore(release): 1.0.0')
  const { folder } = await makeRelease(options)
  expect(readFileSync(join(folder!, 'CHANGES.md'), 'utf8')).toContain(
    '- It streams (`docs/user.md#streams`).',
  )
})

test('a folder that somebody else has made meanwhile stays theirs, and there is no tag', async () => {
  const { options, step, git } = startPrepared()
  const theirs = join(options.into, '1.0.0', 'theirs')
  const run = async () => {
    mkdirSync(join(options.into, '1.0.0'))
    writeFileSync(theirs, '')
  }
  const steps = [...options.steps, step('late', { run })]
  await expect(makeRelease({ ...options, steps })).rejects.toThrow(/ENOTEMPTY|EEXIST/)
  expect(git('tag')).toBe('')
  expect(readdirSync(options.into)).toEqual(['1.0.0'])
  expect(existsSync(theirs)).toBe(true)
})
