/*
 * The parts of undici that requests go through. Its index has a hundred files more, of mocks, caches and another `fetch`,
 * which a start would wait for (docs/performance.md); they have no declarations of their own. It is the index that gives
 * dispatchers methods beyond `dispatch`: without it they have none.
 */

declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici'
}

declare module 'undici/lib/dispatcher/pool-base.js' {
  import type { Client, Pool } from 'undici'

  export const kAddClient: unique symbol
  export const kGetDispatcher: unique symbol
  export const kHasDispatcher: unique symbol
  export const kNeedDrain: unique symbol
  export const kOnClientDrain: unique symbol
  export const kRetireClient: unique symbol

  /** A client, and whether its pool takes it for a busy one. */
  export interface Pooled extends Client {
    [kNeedDrain]?: boolean
  }

  export interface PoolBase extends Omit<Pool, 'connect' | 'pipeline' | 'request' | 'stream' | 'upgrade'> {}

  /** What undici's pools have in common. */
  export class PoolBase {
    protected [kAddClient](client: Pooled): this
    protected [kGetDispatcher](): Pooled | undefined
    protected [kHasDispatcher](): boolean
    protected [kOnClientDrain](client: Pooled): void
    protected [kRetireClient](client: Pooled): void
  }
}

declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent as Whole } from 'undici'

  type Agent = Omit<Whole, 'connect' | 'pipeline' | 'request' | 'stream' | 'upgrade'>
  const Agent: new (...given: ConstructorParameters<typeof Whole>) => Agent
  export default Agent
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici'
  export default function request(
    this: Pick<Dispatcher, 'dispatch'>,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'
  export default buildConnector
}
