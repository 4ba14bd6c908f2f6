import type { JsonObject } from '../../json-value.ts'
import { demand, orRefuse } from '../refusal.ts'
import type { GuestReport } from './body.ts'
import { bytesOf, listOf, matches, numberOf, objectOf, textOf } from './fields.ts'
import { findLevel, type Level, sinceLaunch, withPart } from './levels.ts'
import type { Machine } from './pck.ts'

const COMPONENTS = 16

/**
 * Judges machine, TDX module and quoting enclave by what Intel says of their kind. Refuses what is about another kind
 * of machine (`collateral_invalid`), and a module that is not Intel's or a TCB that no level fits (`tcb_not_accepted`).
 */
export function judgeTcb(guest: GuestReport, machine: Machine, tcbInfo: JsonObject, enclave: Level): Level {
  return orRefuse('collateral_invalid', () => {
    const { fmspc, pceId, tcbType } = tcbInfo
    const isAbout = bytesOf(fmspc).equals(machine.fmspc) && bytesOf(pceId).equals(machine.pceId)
    demand(isAbout && tcbType === 0, 'collateral_invalid')
    const levelWith = (svns: Buffer) => withPart(levelOf(guest, machine, tcbInfo, svns), enclave)
    const [launch, today] = guest.tcbSvns
    return today ? sinceLaunch(levelWith(launch), levelWith(today)) : levelWith(launch)
  })
}

function levelOf(guest: GuestReport, machine: Machine, tcbInfo: JsonObject, svns: Buffer): Level {
  const version = svns.readUInt8(1)
  const identity = version === 0 ? objectOf(tcbInfo.tdxModule) : findIdentity(tcbInfo, version)
  const isIntels =
    bytesOf(identity.mrsigner).equals(guest.seamSigner) &&
    matches(guest.seamAttributes, bytesOf(identity.attributes), bytesOf(identity.attributesMask))
  demand(isIntels, 'tcb_not_accepted')
  // From version 1 of the module on, its own levels say how new it is, not the first two components.
  const first = version === 0 ? 0 : 2
  const platform = findLevel(tcbInfo.tcbLevels, ({ sgxtcbcomponents, pcesvn, tdxtcbcomponents }) => {
    const areReached = reach(machine.componentSvns, sgxtcbcomponents, 0)
    return areReached && machine.pceSvn >= numberOf(pcesvn) && reach([...svns], tdxtcbcomponents, first)
  })
  if (version === 0) return platform
  const moduleSvn = svns.readUInt8(0)
  const module = findLevel(identity.tcbLevels, ({ isvsvn }) => moduleSvn >= numberOf(isvsvn))
  return withPart(platform, module)
}

function findIdentity({ tdxModuleIdentities }: JsonObject, version: number): JsonObject {
  const id = `TDX_${version.toString(16).padStart(2, '0')}`
  const identities = tdxModuleIdentities === undefined ? [] : listOf(tdxModuleIdentities).map(objectOf)
  const identity = identities.find((each) => textOf(each.id).toUpperCase() === id.toUpperCase())
  demand(identity !== undefined, 'tcb_not_accepted')
  return identity
}

/** Whether all sixteen components, from `first` on, are as new as a level has them. */
function reach(svns: readonly number[], components: JsonObject[string], first: number): boolean {
  const asked = listOf(components).map((component) => numberOf(objectOf(component).svn))
  if (asked.length !== COMPONENTS) throw new TypeError('A level has sixteen components.')
  return asked.every((svn, index) => index < first || (svns[index] ?? -1) >= svn)
}
