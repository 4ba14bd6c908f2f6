import { expect, test } from 'vitest'
import { connect } from '../../../server/store/connection.ts'
import { assertDurable, startDatabase } from './database.ts'

test('a database that commits to memory alone is refused, also when it did so meanwhile', async () => {
  const { sql, url, stop } = await startDatabase(undefined)
  await expect(assertDurable(sql)).resolves.toBeUndefined()
  const name = new URL(url).pathname.slice(1)
  await sql`alter database ${sql(name)} set synchronous_commit = 'off'`
  const later = connect({ url, maxConnections: 1 })
  await expect(assertDurable(later)).rejects.toThrow('synchronous_commit = off')
  await later.end()
  await expect(stop()).rejects.toThrow('Somebody asked for less durability')
})

test('statements are counted', async () => {
  const { sql, statements, stop } = await startDatabase(undefined)
  const before = await statements()
  await sql`select 1`
  expect(await statements()).toBeGreaterThan(before)
  await stop()
})
