import { isDatabaseUrl } from '../store/tls/hosts.ts'
import { DatabaseUrlError, takeTlsParameters } from '../store/tls/parameters.ts'
import { neededServer } from '../store/writable.ts'

/** What is wrong with a database's URL, so far as it can be told without the database and the files that it names. */
export function problemOf(url: string): string | undefined {
  if (!isDatabaseUrl(url)) return 'is not a postgres:// URL'
  try {
    takeTlsParameters(url)
    neededServer(url)
    return undefined
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.message
    throw error
  }
}
