import type { Context } from './context.ts'

/** Runs something while the platform deploys what is not approved; then restores the approved, also after a throw. */
export async function whileRedeployed(context: Context, run: () => Promise<void>): Promise<void> {
  await context.control('/rotate/deployment')
  // A new certificate makes the proxy look at once.
  await context.control('/rotate/leaf')
  try {
    await run()
  } finally {
    await context.control('/rotate/deployment', { restore: true })
  }
}

/** Runs something while the platform shows a certificate that no bundle names; then has it sign, also after a throw. */
export async function whileUnsigned(context: Context, run: () => Promise<void>): Promise<void> {
  await context.control('/hold')
  await context.control('/rotate/leaf?resign=later')
  try {
    await run()
  } finally {
    await context.control('/resign')
    await context.control('/release')
  }
}
