import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const FOLDER = join(import.meta.dirname, '..', 'deploy', 'postgresql')
const SEGMENT = '000000010000000000000001'

/** A place for what is kept, with the folder of the archive, and a segment of WAL that PostgreSQL hands over. */
function makePlace() {
  const place = mkdtempSync(join(tmpdir(), 'archive-test-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const archive = join(place, 'wal')
  mkdirSync(archive)
  const segment = join(place, 'segment')
  writeFileSync(segment, 'what was written')
  return { place, archive, segment }
}

/** Does what PostgreSQL does with `archive_command`. */
function archiveSegment({ place, segment }: ReturnType<typeof makePlace>): number | null {
  const settings = readFileSync(join(FOLDER, 'archive.conf'), 'utf8')
  const [, command = ''] = /^archive_command = '(.*)'$/m.exec(settings) ?? []
  const said = command
    .replaceAll("''", "'")
    .replaceAll('/var/backups/router', place)
    .replaceAll('%f', SEGMENT)
    .replaceAll('%p', segment)
  return spawnSync('sh', ['-c', said]).status
}

function restore(...args: readonly string[]) {
  return spawnSync('sh', [join(FOLDER, 'restore.sh'), ...args], { encoding: 'utf8' })
}

test('a segment that was archived before a crash is taken again, and one of other content is not', () => {
  const world = makePlace()
  const kept = join(world.archive, SEGMENT)
  // A copy that a crash has torn is in nobody's way.
  writeFileSync(join(world.archive, `.${SEGMENT}`), 'what was')
  expect(archiveSegment(world)).toBe(0)
  expect(readFileSync(kept, 'utf8')).toBe('what was written')
  // Who crashes before it has noted that down hands the same one over, until it is taken.
  expect(archiveSegment(world)).toBe(0)
  writeFileSync(world.segment, 'of another database')
  expect(archiveSegment(world)).not.toBe(0)
  expect(readFileSync(kept, 'utf8')).toBe('what was written')
  expect(readdirSync(world.archive)).toEqual([SEGMENT])
})

test('a restore begins only with an archive that is there, wherever it is started', () => {
  const { place, archive } = makePlace()
  const [base, data] = [join(place, 'base'), join(place, 'data')]
  mkdirSync(base)
  expect(restore(base, join(place, 'wall'), data)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('wall is no folder'),
  })
  const made = spawnSync('sh', [join(FOLDER, 'restore.sh'), 'base', 'wal', 'data'], { cwd: place })
  expect(made.status).toBe(0)
  // PostgreSQL runs the command in its data folder.
  expect(readFileSync(join(data, 'postgresql.auto.conf'), 'utf8')).toContain(`"${archive}/%f"`)
})

test('a copy that breaks off leaves no folder that PostgreSQL would start on', () => {
  const { place, archive } = makePlace()
  const [base, data] = [join(place, 'base'), join(place, 'data')]
  mkdirSync(base)
  // It cannot be appended to.
  mkdirSync(join(base, 'postgresql.auto.conf'))
  expect(restore(base, archive, data).status).not.toBe(0)
  expect(existsSync(data)).toBe(false)
})
