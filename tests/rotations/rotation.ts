import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlatformProgram } from './platform.ts'
import type { World } from './world.ts'

/** Everything in one instant, or the certificate first and the signature for it later: at once when it is met, or late. */
export type How = 'atomic' | 'split' | 'split 3 s' | 'split 10 s'

/** All of them. */
export const hows: readonly How[] = ['atomic', 'split', 'split 3 s', 'split 10 s']

/** Something that a platform renews. */
export interface Rotation {
  readonly name: string
  /** Makes it; gives how many requests went over a certificate before it was signed for, which must be none. */
  turn(world: World, how: How): Promise<number>
}

/** A split platform signs what it shows so long after somebody has met it, or after some time in any case. */
const SIGN_AFTER_MS = { atomic: 0, split: 50, 'split 3 s': 3_000, 'split 10 s': 10_000 } as const
const SIGN_LATEST_MS = 2_000
const LOOK_MS = 5

/** All of them. What shows on no connection comes together with a new certificate, as when a gateway is restarted. */
export const rotations: readonly Rotation[] = [
  { name: 'TLS leaf', turn: (world, how) => rotate(world, how, '/rotate/leaf') },
  { name: 'signing leaf', turn: (world, how) => rotate(world, how, '/rotate/signer', '/rotate/leaf') },
  { name: 'chain', turn: (world, how) => rotate(world, how, '/rotate/chain', '/rotate/leaf') },
  { name: 'root overlap', turn: (world, how) => rotate(world, how, '/rotate/root', '/rotate/leaf') },
  { name: 'digest', turn: deploy },
  { name: 'hostname move', turn: move },
]

async function rotate(world: World, how: How, ...paths: readonly string[]): Promise<number> {
  if (how !== 'atomic') {
    const later = paths.map((path) => [`${path}?resign=later`] as const)
    return signLater(world, world.current, how, later)
  }
  for (const path of paths) await world.current.control(path)
  return 0
}

/** To the next deployment, or back; both are pinned. */
async function deploy(world: World, how: How): Promise<number> {
  if (how !== 'atomic') {
    const back = ['/rotate/deployment?resign=later', { restore: true }] as const
    return signLater(world, world.current, how, [back, ['/rotate/leaf?resign=later']])
  }
  await world.current.control('/rotate/deployment')
  await world.current.control('/rotate/leaf')
  return 0
}

/**
 * The name leads to the other gateway from now on, and the one it leaves ends its connections in an orderly way. Split,
 * the other one has last signed before the newest signature that the proxy knows.
 */
async function move(world: World, how: How): Promise<number> {
  const { platforms, name, current: from } = world
  const to = platforms.find((platform) => platform !== from)!
  if (how === 'atomic') await to.control('/resign')
  world.current = to
  name.to(to.port)
  await from.control('/rotate/leaf?resign=later')
  return how === 'atomic' ? 0 : signLater(world, to, how, [])
}

type Request = readonly [path: string, body?: object]

async function signLater(
  world: World,
  platform: PlatformProgram,
  how: How,
  requests: readonly Request[],
): Promise<number> {
  const before = await platform.state()
  const failures = world.failures()
  for (const [path, body] of requests) await platform.control(path, body)
  const latest = performance.now() + SIGN_LATEST_MS
  while (world.failures() === failures && performance.now() < latest) await sleep(LOOK_MS)
  await sleep(SIGN_AFTER_MS[how])
  const { fingerprint, forwarded } = await platform.state()
  await platform.control('/resign')
  return (forwarded[fingerprint] ?? 0) - (before.forwarded[fingerprint] ?? 0)
}
