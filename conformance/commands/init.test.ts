import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import type { Validator } from '#contract/validator'
import { isBooksCommand } from '#contract/validators/books-command'
import { isCreateKeyCommand } from '#contract/validators/create-key-command'
import { isCreateWorkspaceCommand } from '#contract/validators/create-workspace-command'
import { isIssueInvitationCommand } from '#contract/validators/issue-invitation-command'
import { isRevokeKeyCommand } from '#contract/validators/revoke-key-command'
import { isStartProxyCommand } from '#contract/validators/start-proxy-command'
import { hookAnswers } from '../engine/hooks.ts'
import { loadTarget } from '../engine/target.ts'
import type { hookExamples } from './hook-examples.ts'
import { init, targetTemplate } from './init.ts'

const folder = mkdtempSync(join(tmpdir(), 'init-'))
const file = join(folder, 'target.yaml')
afterAll(() => rmSync(folder, { recursive: true }))

function load(text: string) {
  writeFileSync(file, text)
  const environment = { CONFORMANCE_KEY: 'sk-a', REVOKED_KEY: 'sk-b', EXPIRED_KEY: 'sk-c' }
  return loadTarget(file, environment)
}

test('the file that is written is a target file', async () => {
  expect(load(await targetTemplate())).toMatchObject({
    profiles: ['router'],
    keys: { active: 'sk-a' },
    hooks: {},
  })
})

test('so it is with every line that it offers', async () => {
  const offered = (await targetTemplate()).replace(/^( *)# ( *(?:\w+:|\d))/gm, '$1$2')
  expect(load(offered)).toMatchObject({
    mayGenerate: true,
    claims: ['given', 'chosen'],
    slack: 3,
    hooks: { createKey: { url: 'http://127.0.0.1:9100/createKey' }, backendScript: {} },
    models: { embeddings: 'my/embedder' },
    keys: { expired: 'sk-c' },
  })
})

test('each offer says how many scenarios it lets run, and none lets none', async () => {
  const counts = [...(await targetTemplate()).matchAll(/# for (\d+) of \d+ scenarios/g)].map(([, count]) =>
    Number(count),
  )
  expect(counts.length).toBeGreaterThan(10)
  expect(Math.min(...counts)).toBeGreaterThan(0)
})

const requests: Readonly<Record<keyof typeof hookExamples, Validator>> = {
  createWorkspace: isCreateWorkspaceCommand,
  createKey: isCreateKeyCommand,
  revokeKey: isRevokeKeyCommand,
  debits: isBooksCommand,
  books: isBooksCommand,
  issueInvitation: isIssueInvitationCommand,
  startProxy: isStartProxyCommand,
}

test('each hook of the file has an example of what it is sent and of its answer, as the contract has them', async () => {
  const written = await targetTemplate()
  const shown = [
    ...written.matchAll(/^# {3}(\w+): .*\n# {3}# +is sent +(\{.*\})\n# {3}# +answers +(\{.*\})$/gm),
  ]
  const offered = [...written.matchAll(/^# {3}(\w+): \{ url: ".*\/\1" \}/gm)].map(([, name]) => name)
  expect(shown.map(([, name]) => name)).toEqual(offered)
  expect(offered.length).toBeGreaterThan(4)
  for (const [, name, request, answer] of shown) {
    const op = name as keyof typeof hookExamples
    const validators = { request: requests[op], answer: hookAnswers[op] }
    for (const [part, text] of Object.entries({ request, answer })) {
      const validate = validators[part as keyof typeof validators]
      validate(JSON.parse(text!))
      expect(validate.errors ?? [], `${name}: ${part}`).toEqual([])
    }
  }
})

test('where no target file can be written is told in one sentence, exit 64', async () => {
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    await init(join(folder, 'nowhere', 'target.yaml'))
    await init(folder)
    expect(told.mock.calls.map(([line]) => line)).toEqual([
      expect.stringMatching(/target\.yaml cannot be written: ENOENT.*\n$/),
      expect.stringMatching(/is there already; name another file\.\n$/),
    ])
    expect(process.exitCode).toBe(64)
  } finally {
    process.exitCode = undefined
    told.mockRestore()
  }
})
