/*
 * The parts of undici that requests go through. Its index has a hundred files more, of mocks, caches and another `fetch`,
 * which a start would wait for (docs/performance.md); they have no declarations of their own. It is the index that gives
 * dispatchers methods beyond `dispatch`: without it they have none.
 */

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool as Whole } from 'undici'

  type Pool = Omit<Whole, 'connect' | 'pipeline' | 'request' | 'stream' | 'upgrade'>
  const Pool: new (...given: ConstructorParameters<typeof Whole>) => Pool
  export default Pool
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
