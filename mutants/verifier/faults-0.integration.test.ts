import { testFaults } from './test-faults.ts'

testFaults(0)
