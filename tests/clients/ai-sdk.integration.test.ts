import { suiteOf } from './suite.ts'

suiteOf('ai-sdk')
