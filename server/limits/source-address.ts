import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Tells for whom a request counts in budgets by source address. */
export type SourceAddressOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string

/**
 * The socket's peer, or the last hop of `X-Forwarded-For` when the peer is trusted to tell (LIM-39).
 * IPv6 sources count by their /64: one subscriber has that many addresses.
 */
export function createSourceAddress(trustedProxies: readonly string[]): SourceAddressOf {
  const trusted = blockListOf(trustedProxies)
  return ({ headers, socket }) => {
    const peer = unmapped(socket.remoteAddress ?? '')
    const forwarded = headers['x-forwarded-for']
    if (forwarded === undefined || !contains(trusted, peer)) return groupOf(peer)
    const last = unmapped(String(forwarded).split(',').at(-1)!.trim())
    return groupOf(isIPv4(last) || isIPv6(last) ? last : peer)
  }
}

/** Whether this is an address or a network, such as `10.0.0.0/8`. */
export function isNetwork(entry: string): boolean {
  try {
    blockListOf([entry])
    return true
  } catch {
    return false
  }
}

function blockListOf(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** `::ffff:127.0.0.1` is how a dual-stack socket spells an IPv4 peer. */
function unmapped(address: string): string {
  return address.startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address
}

const GROUPS_OF_A_SITE = 4

function groupOf(address: string): string {
  // What most have is told without a look for its parts.
  if (!address.includes(':') || !isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array(Math.max(0, 8 - left.length - right.length)).fill('0')
  const groups = tail === undefined ? left : [...left, ...zeros, ...right]
  return `${groups
    .slice(0, GROUPS_OF_A_SITE)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
