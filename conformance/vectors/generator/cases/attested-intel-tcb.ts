import type { Vector } from '#contract/models'
import { ANY_WORD, accepting, onIntel } from '../hardware/attested.ts'
import { level, moduleLevels, type Quote } from '../hardware/intel.ts'
import { admitted, refused } from '../vector.ts'

const careless = accepting(...ANY_WORD)
const MODULE = 3

/** A guest that was launched under one version of a module and runs under another. */
const launched = (launch: number, today: number): Partial<Quote> => ({
  version: 5,
  editBody(body) {
    body.set([launch, MODULE], 0)
    body.set([today, MODULE], 584)
  },
})
const editing = (place: number, value: number): Partial<Quote> => ({
  editBody: (body) => body.writeUInt8(value, place),
})

const renewed = { tcbInfo: moduleLevels([5, 'UpToDate'], [4, 'OutOfDate']) }
const unconfigured = [level('ConfigurationNeeded')]

/** How new a machine of Intel's is, and in which of Intel's words. */
export const intelTcbVectors: readonly Vector[] = [
  ...admitted('untrusted-root', 'VRFY-30', {
    'tdx-relaunch-advised-accepted': [
      'A guest whose module was renewed since its launch is accepted where the condition names that',
      onIntel(launched(4, 5), { ...accepting('UpToDate', 'TDRelaunchAdvised'), published: renewed }),
    ],
    'tdx-module-counts-by-itself': [
      'From its first own version on a module is as new as its own levels say, not a component',
      onIntel(
        { editBody: (body) => body.set([2, MODULE], 0) },
        { published: { tcbInfo: moduleLevels([2, 'UpToDate']) } },
      ),
    ],
  }),
  ...refused('untrusted-root', 'tcb_not_accepted', 'VRFY-30', {
    'tdx-relaunch-advised': [
      'A guest whose module was renewed since its launch is refused where other words are accepted',
      onIntel(launched(4, 5), { ...accepting('UpToDate', 'OutOfDate'), published: renewed }),
    ],
    'tdx-relaunch-advised-unconfigured': [
      'Such a guest on a machine that has to be configured otherwise is refused where the first alone is accepted',
      onIntel(launched(4, 5), {
        ...accepting('UpToDate', 'TDRelaunchAdvised'),
        published: { tcbInfo: { ...renewed.tcbInfo, tcbLevels: unconfigured } },
      }),
    ],
    'tdx-launched-under-revoked': [
      'A guest that was launched under a revoked module is refused, whatever runs today',
      onIntel(launched(4, 5), {
        ...careless,
        published: { tcbInfo: moduleLevels([5, 'UpToDate'], [4, 'Revoked']) },
      }),
    ],
    'tdx-older-today': [
      'A guest that was launched under a newer module than runs today is as old as that',
      onIntel(launched(5, 4), { published: renewed }),
    ],
    'tdx-first-module': [
      'The version of a module that has none of its own is a component as all others are',
      onIntel(editing(0, 3), careless),
    ],
    'tdx-one-component-of-tdx': [
      'A machine one of whose components of TDX is older than every level is refused',
      onIntel(editing(2, 3), careless),
    ],
    'tdx-one-component-of-sgx': [
      'A machine one of whose components of SGX is older than every level is refused',
      onIntel({}, { ...careless, published: { pck: { lastSvn: 1 } } }),
    ],
    'tdx-older-certifier': [
      'A machine whose certifying enclave is older than every level is refused',
      onIntel({}, { ...careless, published: { pck: { pceSvn: 10 } } }),
    ],
    'tdx-module-with-other-attributes': [
      'A guest under a module with other attributes than Intel’s has is refused',
      onIntel(editing(112, 1), careless),
    ],
    'tdx-unconfigured-with-an-old-enclave': [
      'A machine that has to be configured otherwise is not only out of date when its enclave is',
      onIntel(
        { qeSvn: 3 },
        { ...accepting('UpToDate', 'OutOfDate'), published: { tcbInfo: { tcbLevels: unconfigured } } },
      ),
    ],
    'tdx-revoked-with-an-old-enclave': [
      'A revoked level is no better for an enclave that is out of date',
      onIntel({ qeSvn: 3 }, { ...careless, published: { pck: { sgxSvn: 2 } } }),
    ],
    'tdx-enclave-revoked': [
      'A machine whose enclave has been revoked is refused whatever words are accepted',
      onIntel(
        {},
        {
          ...careless,
          published: { qeIdentity: { tcbLevels: [{ tcb: { isvsvn: 4 }, tcbStatus: 'Revoked' }] } },
        },
      ),
    ],
  }),
]
