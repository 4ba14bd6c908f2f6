import { readEdited } from '#base/testing/read-edited.ts'
import { neverAdmits, runningFaults } from './faults.ts'

// Loaded before the proxy.
const fault = [...runningFaults, neverAdmits].find(({ id }) => id === process.env.RUNNING_FAULT)
if (fault === undefined) throw new Error('RUNNING_FAULT must be the id of a fault.')

readEdited(fault.edits)
