import { sign } from 'node:crypto'
import { quoteAbout } from './intel-quote.ts'
import { machineExtension, qeIdentity, tcbInfo } from './intel-statements.ts'
import { publishedKey } from './keys.ts'
import { emptyList } from './revocations.ts'
import type { Simulation } from './simulation.ts'
import { createAuthorityBelow, createVendorRoot, endorse } from './vendor.ts'

// As long as Intel's own statements count.
const STATED_MS = 30 * 86_400_000

/** Plays a machine with Intel TDX. Its statements are made with each quote, so that they never end. */
export function simulateIntel(now: Date): Simulation {
  const root = createVendorRoot('Intel SGX Root CA', now)
  const machines = createAuthorityBelow(root, 'Intel SGX PCK Platform CA', now)
  const machine = publishedKey('Intel SGX PCK Certificate')
  const pck = endorse(machines, 'Intel SGX PCK Certificate', machine, [machineExtension()], now)
  const signer = publishedKey('Intel SGX TCB Signing')
  const signing = endorse(root, 'Intel SGX TCB Signing', signer, [], now)
  const chain = [pck, machines.certificate, root.certificate].map(String).join('')
  const signerChain = `${signing}${root.certificate}`

  function stated(name: string, statement: object): Readonly<Record<string, string>> {
    const text = JSON.stringify(statement)
    const key = { key: signer.privateKey, dsaEncoding: 'ieee-p1363' } as const
    const signature = sign('sha256', Buffer.from(text), key).toString('hex')
    return { [name]: text, [`${name}_signature`]: signature, [`${name}_issuer_chain`]: signerChain }
  }

  return {
    vendor: [root.certificate],
    quoteOf(of, at) {
      const since = new Date(Math.floor(at.getTime() / 1_000) * 1_000)
      const until = new Date(since.getTime() + STATED_MS)
      return {
        status: 'simulated',
        format: 'intel-tdx-quote-v4',
        data: quoteAbout(of, machine.privateKey, chain).toString('base64'),
        collateral: {
          root_ca_crl: emptyList(root, since, until).toString('hex'),
          pck_crl: emptyList(machines, since, until).toString('hex'),
          pck_crl_issuer_chain: `${machines.certificate}${root.certificate}`,
          ...stated('tcb_info', tcbInfo(since, until)),
          ...stated('qe_identity', qeIdentity(since, until)),
        },
      }
    },
  }
}
