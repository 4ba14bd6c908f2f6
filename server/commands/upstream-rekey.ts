import { renewKeys } from '../administration/upstreams.ts'
import { loadRouterConfig } from '../config/router.ts'
import { previousSecretsKeys, readSecretsKey } from '../config/secrets-key.ts'
import { type ActOptions, actorOf } from './actor.ts'
import { withDatabase } from './database.ts'
import { print } from './output.ts'

/** `router upstream rekey`: stores keys of upstreams under `secretsKey` that are under a previous one (OPS-28, CONS-51). */
export async function rekey(options: ActOptions): Promise<void> {
  const actor = actorOf(options)
  const config = loadRouterConfig(options.config, process.env)
  const result = await withDatabase(options.config, (sql) =>
    renewKeys(sql, actor, readSecretsKey(config), previousSecretsKeys(config)),
  )
  const { rekeyed, current, unreadable } = result
  print(options, result, [
    `${rekeyed.length} stored anew under secretsKey, ${current.length} were already.`,
    ...unreadable.map((name) => `${name} cannot be read: add --replace stores its key anew.`),
  ])
  if (unreadable.length > 0) process.exitCode = 1
}
