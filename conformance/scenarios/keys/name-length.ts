import assert from 'node:assert/strict'
import { HookRefusal } from '../../engine/hooks.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'keys/name-length',
  rules: ['KEY-16'],
  title: 'A name of 1 to 64 characters is taken for a key, no shorter and no longer one',
  needs: ['workspace'],
  subjects: ['router'],
  async run(context) {
    const { workspaceId = '' } = await context.own()
    const isTaken = (name: string) =>
      context.hooks('createKey', { workspace_id: workspaceId, name }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof HookRefusal) return false
          throw error
        },
      )
    for (const name of ['k', 'é'.repeat(64)]) assert.ok(await isTaken(name), `"${name}" is refused`)
    for (const name of ['', 'k'.repeat(65)]) assert.ok(!(await isTaken(name)), `"${name}" is taken`)
  },
})
