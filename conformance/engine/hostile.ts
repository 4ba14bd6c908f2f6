import { type Gateway, startGateway } from '../stand-ins/gateway/gateway.ts'
import type { Context } from './context.ts'

/**
 * Leads the proxy's new connections to a gateway with a certificate of its own while `act` runs, and back to the
 * platform afterwards, also when it throws.
 */
export async function interposed(
  context: Context,
  act: (hostile: Gateway) => Promise<void>,
  { isDropping = true }: { /** Whether connections are closed first. */ readonly isDropping?: boolean } = {},
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
