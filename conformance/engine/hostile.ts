import { type Gateway, startGateway } from '../stand-ins/gateway/gateway.ts'
import type { Context } from './context.ts'

/** Has somebody on the way between proxy and platform: new connections come to him while something is done. */
export async function interposed(
  context: Context,
  act: (hostile: Gateway) => Promise<void>,
  { isDropping = true }: { /** Whether what runs is ended first. */ readonly isDropping?: boolean } = {},
): Promise<void> {
  const wire = context.wire('proxyWire')
  const hostile = await startGateway(context.target.platform?.hostname ?? '')
  try {
    await wire.lead(hostile.port)
    if (isDropping) await wire.drop()
    await act(hostile)
  } finally {
    await wire.mend()
    await hostile.close()
  }
}
