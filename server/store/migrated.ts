import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from './connection.ts'

const NAME = /^(\d+)\.do\..*\.sql$/
const UNDEFINED_TABLE = '42P01'

/**
 * Whether the migrations of this folder have been applied, with these sums, and no others: at all starts but the first
 * after an upgrade they have. One statement tells, without the lock that whoever migrates takes.
 */
export async function isMigrated(sql: Sql, table: string, folder: string): Promise<boolean> {
  const applied = await readApplied(sql, table)
  const ours = readdirSync(folder).flatMap((file) => {
    const version = NAME.exec(file)?.[1]
    return version === undefined ? [] : [`${Number(version)} ${sumOf(join(folder, file))}`]
  })
  return applied.length === ours.length && applied.every((one) => ours.includes(one))
}

async function readApplied(sql: Sql, table: string): Promise<string[]> {
  try {
    const rows = await sql<{ version: bigint; md5: string | null }[]>`
      select version, md5 from ${sql(table)} where version > 0`
    return rows.map(({ version, md5 }) => `${version} ${md5}`)
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return []
    throw error
  }
}

/** As Postgrator writes it down, whatever line ends a checkout has. */
function sumOf(file: string): string {
  const text = readFileSync(file, 'utf8').replaceAll(/\r\n?/g, '\n')
  return createHash('md5').update(text).digest('hex')
}
