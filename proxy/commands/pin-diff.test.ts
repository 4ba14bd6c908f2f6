import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { digestOf } from '#attestation'
import { runInProcess } from '#base/testing/commands.ts'
import { goodPayload, makeBundle } from '../../attestation/testing/evidence.ts'
import { runProgram } from '../program.ts'
import { temporaryFolder } from '../testing/programs.ts'

/** A bundle of a snapshot that is spelled so, under the digest of a text. */
function writeBundle(evidenceText: string, digested = evidenceText): string {
  const file = join(temporaryFolder(), 'bundle.json')
  const { evidence: _, ...members } = goodPayload()
  const copies = JSON.stringify({ ...members, evidenceDigest: digestOf(digested) })
  writeFileSync(file, makeBundle({ payloadText: `${copies.slice(0, -1)},"evidence":${evidenceText}}` }))
  return file
}

const CANONICAL = '{"a":1,"b":"ä"}'

test.each([
  ['{"b":"ä","a":1}', 'what differs is the order of members.'],
  ['{"a":1,"b":"\\u00e4"}', 'what differs is escapes in texts.'],
  ['{"a":1.0,"b":"ä"}', 'what differs is the spelling of numbers.'],
  [
    '{"b":"\\u00e4","a":1.0}',
    'what differs is the order of members, escapes in texts and the spelling of numbers.',
  ],
])('of two digests of the same values it is told what differs: %s', async (text, told) => {
  const { code, stdout } = await runInProcess(runProgram, [
    'pin',
    'diff',
    writeBundle(CANONICAL),
    writeBundle(text),
  ])
  expect([code, stdout]).toEqual([0, expect.stringContaining(`under two digests all the same: ${told}\n`)])
})

test('two digests of one text are told as two ways to take a digest', async () => {
  const text = '{"b":"ä","a":1}'
  const args = ['pin', 'diff', writeBundle(text), writeBundle(text, CANONICAL)]
  const { code, stdout } = await runInProcess(runProgram, args)
  expect([code, stdout]).toEqual([0, expect.stringContaining('one digest is of that spelling, the other of')])
})
