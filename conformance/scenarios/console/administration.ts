import * as assert from '../../engine/assert.ts'
import { Browser } from '../../engine/browser.ts'
import { shows } from '../../engine/checks.ts'
import { rowsOf, signIn, signInNeeds, signUp, told } from '../../engine/console.ts'
import { expectError } from '../../engine/expect.ts'
import type { Topic } from '../../engine/topic.ts'

export default {
  'not-administrator': {
    rules: ['CONS-33', 'CONS-51'],
    title: 'Who administers nothing is refused what administrators do, and an administrator is not',
    needs: [...signInNeeds, 'administrator'],
    subjects: ['console'],
    async run(context) {
      const { browser } = await signUp(context)
      shows('CONS-33')
      const lists = ['listUpstreams', 'listInvitations', 'listWorkspaces', 'listAudit'] as const
      for (const operation of lists) expectError(await browser.ask(operation), 'not_administrator')
      const body = { grant_micros: 5_000_000 }
      expectError(await browser.ask('issueInvitation', { body }), 'not_administrator')
      assert.equal(told(await browser.ask('getMe')).administrator, false)
      const { administrator = '' } = context.target
      const person = await signIn(new Browser(context, 'an administrator'), administrator)
      for (const operation of lists) rowsOf(await person.browser.ask(operation))
      const issued = told(await person.browser.ask('issueInvitation', { body }), 201)
      assert.equal(issued.grant_micros, body.grant_micros)
      shows('CONS-51')
      const acts = rowsOf(await person.browser.ask('listAudit', { query: { actor: administrator } }))
      const act = acts.find(({ subject }) => subject === issued.id)
      assert.deepEqual([act?.act, act?.through], ['invitation_issued', 'console'])
    },
  },
} satisfies Topic
