import type { SnpCondition, TdxCondition } from '../conditions.ts'
import { snpSample, tdxSample } from './samples.ts'

/** Moments at which the samples hold. */
export const MILAN_AT = '2026-06-01T00:00:00Z'
export const VLEK_AT = '2025-06-01T00:00:00Z'
export const V4_AT = '2025-06-20T00:00:00Z'
export const V5_AT = '2026-10-09T00:00:00Z'

/** Real reports, the time, and what a user would have to demand of them. */
export const snpSamples = [
  [
    'a Milan, version 2',
    snpSample('milan-v2'),
    MILAN_AT,
    milan(
      [3, 8, 115],
      '7a1e5c266c0108dbc9bb94fa926951320940915d0aafb42464bd88b579ea158d3e1a0dc39b2c60bd95b9c480cd81841f',
    ),
  ],
  [
    'a Milan whose firmware is provisional, version 2',
    snpSample('milan-v2-provisional'),
    MILAN_AT,
    milan(
      [3, 8, 115],
      'a1f3930413247bb38cfc171579ea3c12d5fe4901f0c792f63fd75d98f1ef827c23500644e0e692e6be917f9050d3d38c',
    ),
  ],
  [
    'a Milan under a key of its cloud, version 3',
    snpSample('milan-v3-vlek', 'vlek'),
    VLEK_AT,
    {
      ...milan(
        [4, 24, 217],
        '8922ebbdd00ec2c541f36a6e7a82a8773a7accb451ed67bc94e740dbe92c93c4e8c9af857f5ceeb5a493df2a570d7bf0',
      ),
      vlek: true,
      vmpl: 1,
    },
  ],
  [
    'a Milan, version 5',
    snpSample('milan-v5-gcp'),
    MILAN_AT,
    milan(
      [4, 27, 222],
      'b747d55452e0b9e9079770a49e397c5e6d9573581e246da7baac4f28b5cdc5b1b6d19251b8ee600fd16a3708f58406f3',
    ),
  ],
  [
    'a Genoa, version 3',
    snpSample('genoa-v3-azure'),
    MILAN_AT,
    {
      ...milan(
        [10, 23, 84],
        'f57dc09a507c6ecd82369bffb600f0003792f4d99bc26e985ec0c266fc34faf3706faf814c9e61065768a6ff917c89ae',
      ),
      product: 'Genoa',
    },
  ],
] as const satisfies (readonly [string, unknown, string, SnpCondition])[]

/** Real quotes, in the same way. */
export const tdxSamples = [
  [
    'a quote of version 4',
    tdxSample('tdx_quote', 4),
    V4_AT,
    {
      tee: 'tdx',
      mrtd: '91eb2b44d141d4ece09f0c75c2c53d247a3c68edd7fafe8a3520c942a604a407de03ae6dc5f87f27428b2538873118b7',
      rtmr1:
        '0084452c01668329d4bc06acdf58a7205c26743304509973949e5619bf81a6a7aea8c323c173019b3093d54e579e9378',
      rtmr2:
        'd833feef2cd945148aa38ead2c53e9b7f138190aaaebfc551dccd829fc207aa3ba80b70870d7330733642e01d48c3132',
    },
  ],
  [
    'a quote of version 5 with the extended body',
    tdxSample('tdx_quote_td15ex', 5),
    V5_AT,
    {
      tee: 'tdx',
      mrtd: '2a674327c50218dba880066b349b8d559d749ed68dce33fd651c184a877d084b07a9e583767a7ad5da13ed91deec2b70',
      rtmr1:
        '3484cd07ba093cede0938303617d6da58f3c6a895ddd5461b3bdd0b29f40e869d4c92642867b44bd3619451bd78ff2d0',
      rtmr2:
        '83b7a9a35ed613c17a8b9d36a49f28b095f54daa78b328c93eef10ae3e21094c1411467e3371157c4cde5e0beb72dcb8',
    },
  ],
] as const satisfies (readonly [string, unknown, string, TdxCondition])[]

function milan(
  [bootloader, snp, microcode]: readonly [number, number, number],
  measurement: string,
): SnpCondition {
  return { tee: 'snp', product: 'Milan', measurement, minimumTcb: { bootloader, tee: 0, snp, microcode } }
}
