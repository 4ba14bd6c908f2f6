import { readEdited } from '#base/testing/read-edited.ts'
import { faults } from './faults.ts'

// Loaded before the verifier, as register.ts is.
const fault = faults.find(({ id }) => id === process.env.PLANTED_FAULT)
if (fault === undefined) throw new Error('PLANTED_FAULT must be the id of a fault.')

readEdited([fault])
